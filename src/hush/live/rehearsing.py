"""Rehearsals: an experiment on made-up people, in memory, with everything raw in sight.

A rehearsal has a store, a secret and a clock of its own, so its ids mean nothing to the live
experiment and nothing of it reaches the live stores. Because the outcomes are synthetic, it may
show what a live experiment never does: pending bits, running sums, and true sums beside noisy
ones.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hush.errors import ParameterError
from hush.live.clock import Clock, ManualClock, moment
from hush.live.durations import milliseconds
from hush.live.experiment import Experiment
from hush.live.lanes import Lane, Lanes, batch_number
from hush.live.segments import Known
from hush.live.terms import MOST_EPOCHS

if TYPE_CHECKING:
    from hush.live.store import Store

__all__ = ["Rehearsal"]

LATEST = 221_845_392_000_000  # 9000: deadlines, which come later, have dates as well


class Rehearsal(Experiment):
    """An experiment that is tried out. Made by :meth:`Experiment.rehearse`.

    It runs at once, with the terms, arms and knobs that the draft had. People must be named
    ``hush_test_...``. What a live experiment can do it can too, such as :meth:`pause` and
    :meth:`export`.

    Parameters
    ----------
    store
        A store in memory, for nothing else.
    known
        The experiment that is tried out.
    clock
        The store's clock.

    Examples
    --------
    >>> import hush.live
    >>> draft = hush.live.open(":memory:").create(
    ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0,
    ...     window="1d")
    >>> rehearsal = draft.rehearse()
    >>> for n in range(100):
    ...     decision = rehearsal.decide(f"hush_test_{n}")
    ...     rehearsal.reward(decision, 0.3 if decision.name == "old" else 0.6)
    >>> len(rehearsal.pending)
    100
    >>> rehearsal.advance("2d")
    >>> rehearsal.pending
    []
    >>> sum(batch["count"] for batch in [*rehearsal.released, *rehearsal.batches])
    100
    """

    def __init__(self, store: Store, known: Known, clock: Clock) -> None:
        now = store._clock.now()
        names = known.arms.names
        number = store._acts.create(known.name, known.terms, names, known.knobs, now, "")
        for arm in sorted(known.arms.retired):
            store._acts.retire_arm(number, names[arm], now, "")
        store._acts.start(number, now, "")
        store._publisher.publish()
        super().__init__(store, number, known.name)
        self.clock = clock
        self._true: dict[int, int] = {}

    def settle(self) -> None:
        """Do what the clock has brought due, as the live store's ``settle`` does."""
        with self._store._private.lock:
            self._note_sums()
            self._store.settle()

    def advance(self, length: str | float | timedelta) -> None:
        """Let time pass, and settle.

        >>> import hush.live
        >>> draft = hush.live.open(":memory:").create(
        ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
        >>> rehearsal = draft.rehearse()
        >>> before = rehearsal.clock.wall()
        >>> rehearsal.advance("1h")
        >>> rehearsal.clock.wall() - before
        3600000
        """
        if not isinstance(self.clock, ManualClock):
            raise ParameterError("this rehearsal's clock is moved by itself: call settle()")
        if self.clock.wall() + milliseconds("length", length) > LATEST:
            raise ParameterError("a rehearsal does not go beyond the year 9000")
        self.clock.advance(length)
        self.settle()

    @property
    def pending(self) -> list[dict[str, Any]]:
        """Every bit that waits: its segment, arm, epoch, value, and until when it may change."""
        rows = self._store._private.run(
            "SELECT batch, bit, deadline FROM pending ORDER BY batch, worker, ordinal"
        )
        lanes = self._lanes()
        return [
            {
                **self._place(lanes[batch // MOST_EPOCHS], batch % MOST_EPOCHS),
                "bit": bit,
                "expires": moment(deadline),
            }
            for batch, bit, deadline in rows
        ]

    @property
    def batches(self) -> list[dict[str, Any]]:
        """Every batch that is not sealed: how full it is, its sum as of now, and when it is due."""
        lanes = self._lanes()
        with self._store._private.lock:
            bits = self._bits()
            waiting = self._store._private.run(
                'SELECT batch, "count", "sum", due FROM batches ORDER BY batch'
            )
            still_open = [lane for lane in lanes.values() if lane.count]
        closed = [
            {
                **self._place(lanes[batch // MOST_EPOCHS], batch % MOST_EPOCHS),
                "count": count,
                "wanted": count,
                "sum": total + bits.get(batch, 0),
                "due": moment(due),
            }
            for batch, count, total, due in waiting
        ]
        return closed + [
            {
                **self._place(lane, lane.epoch),
                "count": lane.count,
                "wanted": lane.wanted,
                "sum": lane.sum + bits.get(lane.batch, 0),
                "due": None,
            }
            for lane in still_open
        ]

    @property
    def released(self) -> list[dict[str, Any]]:
        """Every release, with the true sum beside the noisy one."""
        lanes = {(lane.segment, lane.arm): lane.lane for lane in self._lanes().values()}
        segments = self.terms.segments
        return [
            {
                "segment": each.segment,
                "arm": each.name,
                "epoch": each.epoch,
                "count": each.count,
                "true_sum": self._true[
                    batch_number(lanes[segments.index(each.segment), each.arm], each.epoch)
                ],
                "noisy_sum": each.value,
                "at": each.at,
            }
            for each in self.releases
        ]

    def _lanes(self) -> dict[int, Lane]:
        return {lane.lane: lane for lane in Lanes(self._store._private).all_of(self._id)}

    def _place(self, lane: Lane, epoch: int) -> dict[str, Any]:
        known = self._known
        segment, arm = known.terms.segments[lane.segment], known.arms.names[lane.arm]
        return {"segment": segment, "arm": arm, "epoch": epoch}

    def _bits(self) -> dict[int, int]:
        rows = self._store._private.run("SELECT batch, sum(bit) FROM pending GROUP BY batch")
        return {batch: int(total) for batch, total in rows}

    def _note_sums(self) -> None:
        """Remember the sums of batches before settlement forgets what they were made of."""
        bits = self._bits()
        waiting = self._store._private.run('SELECT batch, "sum" FROM batches')
        running = [(lane.batch, lane.sum) for lane in self._lanes().values() if lane.count]
        for batch, total in [*waiting, *running]:
            self._true[batch] = total + bits.get(batch, 0)

    def __repr__(self) -> str:
        return f"<rehearsal of {self.name}: {len(self.releases)} releases>"

"""What operators do to one live experiment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hush.live.clock import Clock
from hush.live.experiment_records import ExperimentRecords

if TYPE_CHECKING:
    from hush.live.rehearsing import Rehearsal

__all__ = ["ExperimentActs"]


class ExperimentActs(ExperimentRecords):
    """An experiment, as far as operators go.

    Every act is an entry of the public log, with ``by``: who did it. Name nobody whose rewards
    are learnt from. One that the experiment's state does not allow raises
    :class:`~hush.LifecycleError`.
    """

    def rehearse(self, *, clock: Clock | None = None, by: str = "") -> Rehearsal:
        """Try the experiment out on made-up people, from a draft; again, to begin anew.

        A rehearsal lives in this process's memory, shows everything raw, and leaves nothing
        behind. Its people are named ``hush_test_...``.

        Parameters
        ----------
        clock
            The rehearsal's own; a :class:`~hush.live.ManualClock`, if left out.
        by
            Who did it, for the public log.

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="LazyDPTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, window="1d")
        >>> rehearsal = exp.rehearse()
        >>> decision = rehearsal.decide("hush_test_1")
        >>> rehearsal.reward(decision, 1)
        >>> rehearsal.advance("25h")
        >>> batch, = rehearsal.released
        >>> batch["arm"], batch["count"], batch["true_sum"], "noisy_sum" in batch
        ('old', 1, 1, True)
        """
        self._store._act("rehearse", self._id, by)
        return self._store._rehearse(self._id, clock)

    @property
    def rehearsal(self) -> Rehearsal:
        """The rehearsal that is under way; an empty one, after a restart of the process.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.rehearse() is exp.rehearsal
        True
        """
        return self._store._rehearsal(self._id)

    def start(self, *, by: str = "") -> None:
        """Reserve the promise in the population's ledger, and begin to learn.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.state, store.ledger()["total"]
        ('running', 1.0)
        """
        self._store._act("start", self._id, by)

    def pause(self, *, by: str = "") -> None:
        """Show the control arm and learn nothing new; what waits settles as it would.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0, control="new")
        >>> exp.start()
        >>> exp.pause()
        >>> exp.state, exp.decide("u17").name
        ('paused', 'new')
        """
        self._store._act("pause", self._id, by)

    def resume(self, *, by: str = "") -> None:
        """Go on after a pause.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.pause()
        >>> exp.resume()
        >>> exp.state
        'running'
        """
        self._store._act("resume", self._id, by)

    def stop(self, *, by: str = "") -> None:
        """Close all batches; when the last is shown, it has stopped.

        Where nobody's decision was registered, it has stopped at once, and its promise is given
        back to the population.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.stop()
        >>> exp.state, store.ledger()["total"]
        ('stopped', 0.0)
        """
        self._store._act("stop", self._id, by)

    def continue_(self, *, by: str = "") -> None:
        """Go on after a quarantine: what is known stays, and the promise is charged once more.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.continue_()
        Traceback (most recent call last):
        ...
        hush.errors.LifecycleError: checkout is running: continue is for experiments that are ...
        """
        self._store._act("continue", self._id, by)

    def add_arm(self, name: str, *, by: str = "") -> None:
        """Add an arm; it begins without releases.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.add_arm("newer")
        >>> exp.arms
        ('old', 'new', 'newer')
        """
        self._store._act("add_arm", self._id, by, name)

    def retire_arm(self, name: str, *, by: str = "") -> None:
        """Show an arm no more; what was decided for it is learnt from all the same.

        The control arm cannot be retired: make another one the control first, with
        :meth:`adjust`.

        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.retire_arm("new")
        >>> exp.retired, exp.decide("u17").name
        (('new',), 'old')
        """
        self._store._act("retire_arm", self._id, by, name)

    def adjust(
        self,
        *,
        control: str | None = None,
        control_share: float | None = None,
        floor: float | None = None,
        by: str = "",
    ) -> None:
        """Change what is shown whatever is learnt; it is post-processing and costs nothing.

        Parameters
        ----------
        control
            The arm that is shown while nothing is learnt.
        control_share
            The share of decisions that show the control arm in any case.
        floor
            The least chance of every active arm.
        by
            Who did it, for the public log.

        Examples
        --------
        >>> import hush.live
        >>> store = hush.live.open(":memory:")
        >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                    person_epsilon=1.0)
        >>> exp.start()
        >>> exp.adjust(floor=0.1)
        >>> [arm["chance"] for arm in exp.plan["arms"]]
        [0.9, 0.1]
        """
        wanted = {"control": control, "control_share": control_share, "floor": floor}
        self._store._act("adjust", self._id, by, wanted)

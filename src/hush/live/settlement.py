"""Settlement: what the clock has brought due is summed, noised once, sealed, and shown at a tick.

Invariants. A release is drawn, sealed and its raw rows deleted in one durable transaction of the
private store: what was drawn cannot be drawn again, for what it was drawn from is gone with the
same commit. Noise is drawn before the transaction, so that no lock is held for as long as its
value takes. A sealed release enters the journal at a time that was known before it was drawn, and
the public store gets what was read back from the journal. When anything happens depends on
decisions and the clock alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hush.live.database import Database, Row
from hush.live.journal import Journal, written
from hush.live.lanes import Lanes
from hush.live.pending import Pending
from hush.live.segments import Memory
from hush.live.terms import MOST_EPOCHS, Terms
from hush.mechanisms import DrawnNoise, NoisySum
from hush.noise import NoiseSource

__all__ = ["Settlement"]

CHUNK = 100
FOLDS_PER_WINDOW = 16


class Settlement:
    """Settles the batches of a store.

    Parameters
    ----------
    database
        The private store's.
    memory
        Where terms are known.
    noise
        Where noise is drawn.
    """

    def __init__(self, database: Database, memory: Memory, noise: NoiseSource) -> None:
        self._database = database
        self._memory = memory
        self._noise = noise
        self._journal = Journal(database)
        self._lanes = Lanes(database)
        self._pending = Pending(database)

    def settle(self, now: int) -> bool:
        """Do what is due; tell whether raw rows were deleted."""
        self._repeat(self._close, now)
        folded = self._repeat(self._fold, now) | self._repeat(self._fold_closed, now)
        sealed = self._repeat(self._seal, now)
        self._repeat(self._show, now)
        self._repeat(self._end, now)
        with self._database.transaction():
            self._database.run("DELETE FROM replies WHERE until < ?", (now,))
            self._database.run("UPDATE about SET value = ? WHERE name = 'clock'", (str(now),))
        return folded or sealed

    def _repeat(self, step: Callable[[int], bool], now: int) -> bool:
        """Take a step until nothing is left to do; tell whether there was something."""
        did = False
        while step(now):
            did = True
        return did

    @contextmanager
    def _changing(self, *, durable: bool = False) -> Iterator[set[int]]:
        """Hold a transaction, and take note of the experiments that it changes.

        Whoever decides for one of them afterwards believes nothing from before.
        """
        changed: set[int] = set()
        with self._database.lock:
            try:
                with self._database.transaction(durable=durable):
                    yield changed
            except BaseException:
                self._memory.doubt()
                raise
            self._memory.doubt_of(changed)

    def _terms(self, experiment: int) -> Terms:
        return self._memory.last(experiment).terms  # they never change

    def _close(self, now: int) -> bool:
        """Close batches that have reached their age."""
        with self._changing() as changed:
            lanes = self._lanes.kept(lane.lane for lane in self._lanes.to_close(now, CHUNK))
            changed.update(lane.experiment for lane in lanes)
            for lane in lanes:
                if lane.closes is not None and lane.closes <= now:
                    self._lanes.close(lane, self._terms(lane.experiment))
            self._lanes.put(lanes)
        return bool(lanes)

    def _fold(self, now: int) -> bool:
        """Sum bits that wait for no reward any longer: a person's row lives one window."""
        with self._changing() as changed:
            lanes = self._lanes.kept(lane.lane for lane in self._lanes.to_fold(now, CHUNK))
            changed.update(lane.experiment for lane in lanes)
            for lane in lanes:
                if lane.folds is None or lane.folds > now:
                    continue
                terms = self._terms(lane.experiment)
                count, total = self._pending.fold(lane.batch, now - terms.grace)
                lane.sum += total
                lane.passed += count
                lane.folds = self._next_fold(lane.batch, terms, now)
            self._lanes.put(lanes)
        return bool(lanes)

    def _fold_closed(self, now: int) -> bool:
        """Do the same for batches that are closed and not yet due."""
        with self._changing() as changed:
            # In order of their numbers, and so of their lanes: all lock those in one order.
            closed = self._database.run(
                "SELECT batch, experiment FROM batches WHERE folds <= ? AND due > ? "  # noqa: S608
                f"ORDER BY batch LIMIT {CHUNK}{self._database.skipping}",
                (now, now),
            )
            for batch, experiment in closed:
                changed.add(experiment)
                terms = self._terms(experiment)
                count, total = self._pending.fold(batch, now - terms.grace)
                self._database.run(
                    'UPDATE batches SET "sum" = "sum" + ?, folds = ? WHERE batch = ?',
                    (total, self._next_fold(batch, terms, now), batch),
                )
                self._pass(batch, count)
        return bool(closed)

    def _next_fold(self, batch: int, terms: Terms, now: int) -> int | None:
        first = self._pending.next_deadline(batch)
        if first is None:
            return None
        return max(terms.due(first), terms.rounded(now + 1 + terms.window // FOLDS_PER_WINDOW))

    def _pass(self, batch: int, count: int) -> None:
        self._database.run(
            "UPDATE lanes SET passed = passed + ? WHERE lane = ?", (count, batch // MOST_EPOCHS)
        )

    def _seal(self, now: int) -> bool:
        """Draw the releases of batches that are due."""
        due = self._database.run(
            "SELECT batch, experiment FROM batches WHERE due <= ? "  # noqa: S608
            f"ORDER BY due, batch LIMIT {CHUNK}",
            (now,),
        )
        drawn = {batch: self._drawn(experiment) for batch, experiment in due}
        if not due:
            return False
        sealed = 0
        with self._changing(durable=True) as changed:
            for batch, noise in sorted(drawn.items(), key=lambda pair: pair[0]):
                # Another settler may have it, or have settled it.
                rows = self._database.run(BATCH + self._database.skipping, (batch,))
                if rows:
                    changed.add(rows[0][1])
                    self._seal_one(rows[0], noise)
                    sealed += 1
        return sealed > 0

    def _drawn(self, experiment: int) -> DrawnNoise:
        return NoisySum(epsilon=self._terms(experiment).epsilon, noise=self._noise).ahead()

    def _seal_one(self, row: Row, noise: DrawnNoise) -> None:
        batch, experiment, segment, arm, epoch, count, total, due = row
        terms = self._terms(experiment)
        rest, bits = self._pending.fold(batch)
        body = {
            "segment": segment,
            "arm": arm,
            "epoch": epoch,
            "count": count,
            "value": noise.release(total + bits, count=count),
            "mechanism": NoisySum.name,
            "epsilon": terms.epsilon,
        }
        run = self._database.run
        run(
            "INSERT INTO sealed (batch, experiment, shown, body) VALUES (?, ?, ?, ?)",
            (batch, experiment, terms.published(due), written(body)),
        )
        run("DELETE FROM batches WHERE batch = ?", (batch,))
        self._pass(batch, rest)

    def _show(self, now: int) -> bool:
        """Let sealed releases enter the journal whose time has come."""
        with self._changing(durable=True) as changed:
            rows = self._database.run(
                "SELECT batch, experiment, shown, body FROM sealed WHERE shown <= ? "  # noqa: S608
                f"ORDER BY shown, batch LIMIT {CHUNK}{self._database.locking}",
                (now,),
            )
            for batch, experiment, shown, body in rows:
                changed.add(experiment)
                self._journal.append(shown, "release", experiment, json.loads(body))
                self._database.run("DELETE FROM sealed WHERE batch = ?", (batch,))
        return bool(rows)

    def _end(self, now: int) -> bool:
        """Let experiments end whose last batch is shown."""
        ended = 0
        for (experiment,) in self._database.run(ENDED):
            with self._changing(durable=True) as changed:
                changed.add(experiment)
                self._journal.head(keep=True)  # others who end it wait
                if self._database.run(f"{ENDED} AND id = ?", (experiment,)):
                    body = {"act": "stopped", "set": {"state": "stopped"}}
                    self._journal.append(now, "act", experiment, body)
                    ended += 1
        return ended > 0


ENDED = (
    "SELECT id FROM experiments WHERE state = 'stopping' "
    "AND NOT EXISTS (SELECT 1 FROM batches WHERE batches.experiment = experiments.id) "
    "AND NOT EXISTS (SELECT 1 FROM sealed WHERE sealed.experiment = experiments.id)"
)
BATCH = (
    'SELECT batch, experiment, segment, arm, epoch, "count", "sum", due FROM batches '
    "WHERE batch = ?"
)

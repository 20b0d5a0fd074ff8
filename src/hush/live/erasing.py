"""Erasure of a person."""

from __future__ import annotations

from operator import attrgetter

from hush.live.acts import LEARNING
from hush.live.database import Database
from hush.live.keys import Keys
from hush.live.lanes import Lanes, batch_number
from hush.live.pending import Pending
from hush.live.segments import Memory

__all__ = ["erase"]

FULL = (
    "INSERT INTO people (experiment, person, given) VALUES (?, ?, ?) "
    "ON CONFLICT (experiment, person) DO UPDATE SET given = excluded.given"
)


def erase(database: Database, memory: Memory, keys: Keys, person: bytes, population: str) -> None:
    """Let a person's pending bits be the default's, forget her replies, and learn no more of her.

    Her keyed hash stays, with its count at the bound: else she could be learnt from anew, beyond
    what she was promised.
    """
    pending, lanes = Pending(database), Lanes(database)
    with database.transaction(durable=True):
        memory.look()
        rows = database.run(f"SELECT id FROM experiments WHERE {LEARNING} ORDER BY id")  # noqa: S608
        for (number,) in rows:
            terms = memory.experiment(number).terms
            if terms.population != population:
                continue
            database.run(FULL, (number, person, terms.person_bound))
            for lane in sorted(lanes.all_of(number), key=attrgetter("lane")):
                batches = batch_number(lane.lane, 0), lane.batch
                pending.erase(person, terms.default_unit, batches, keys)
        database.run("DELETE FROM replies WHERE person = ?", (person,))

"""A canary: does a reward still reach its row? Nothing that is visible would tell otherwise."""

from __future__ import annotations

from hush.errors import HushError
from hush.live.database import Database
from hush.live.ids import DecisionId
from hush.live.keys import Keys
from hush.live.rewarding import Posted, Rewards
from hush.live.terms import Terms

__all__ = ["canary"]

TERMS = Terms({}, 1.0, 1, 0, 0.0, (0.0, 1.0), "default", ("",), 0, 0, None)


class _Undo(Exception):  # noqa: N818  not an error: the transaction is to leave nothing
    pass


def canary(private: Database, keys: Keys, now: int, worker: int = 0) -> bool:
    """Post a made-up reward for a made-up decision, look at its bit, and undo all of it.

    The batch is one that no lane has.
    """
    made = DecisionId(0, 0, 0, worker, 0, now).text(keys)
    found = DecisionId.read(made, keys)
    if found is None:
        return False
    row = (found.batch, found.worker, found.ordinal)
    bits: list[tuple[int]] = []
    try:
        with private.transaction():
            private.run("INSERT INTO pending VALUES (?, ?, ?, 0, ?, ?)", (*row, now, bytes(16)))
            Rewards(private, keys, lambda: now).put([Posted(found, 1.0, TERMS)])
            bits = private.run(
                "SELECT bit FROM pending WHERE batch = ? AND worker = ? AND ordinal = ?", row
            )
            raise _Undo
    except _Undo:
        return bits == [(1,)]
    except HushError:
        return False

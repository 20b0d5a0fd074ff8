"""How a store is put together, and what its experiments ask of it."""

from __future__ import annotations

import os
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self, cast

from hush.errors import LifecycleError, MisuseError, ParameterError, StoreError
from hush.live.acts import Acts
from hush.live.clock import Clock, GuardedClock, ManualClock
from hush.live.database import Database
from hush.live.front import Front
from hush.live.keys import Keys
from hush.live.knowing import Insights
from hush.live.opening import match, prepare
from hush.live.publishing import Publisher
from hush.live.reading import Records
from hush.live.registering import Registrar
from hush.live.rehearsing import Rehearsal
from hush.live.rewarding import Rewards
from hush.live.schema import PRIVATE, PUBLIC
from hush.live.segments import Known, Memory
from hush.live.settlement import Settlement
from hush.live.sqlite import SQLite
from hush.noise import NoiseSource, SecureNoise

__all__ = ["Wiring", "checked_by"]


class Wiring:
    """The parts of a store, and the ways between them.

    Parameters
    ----------
    worker
        64 random bits, for the ids of this process.
    entropy
        Where random bytes for rehearsals and tokens are drawn.
    rehearses
        Whether it is itself for a rehearsal, and people are made up.
    """

    def __init__(
        self,
        private: Database,
        public: Database,
        keys: Keys,
        clock: GuardedClock,
        noise: NoiseSource,
        worker: int,
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        rehearses: bool = False,
    ) -> None:
        self._private, self._public = private, public
        self._keys, self._clock = keys, clock
        self.secure = noise.secure
        self._memory = Memory(private)
        self._acts = Acts(private, self._memory)
        self._registrar = Registrar(private, self._memory, keys, noise.selection, worker)
        self._front = Front(
            self._memory,
            self._registrar,
            Rewards(private, keys, clock.read),
            self._acts,
            keys,
            clock,
            rehearses=rehearses,
        )
        self._settlement = Settlement(private, self._memory, noise)
        self._publisher = Publisher(private, public, self._memory)
        self._records = Records(public)
        self._insights = Insights(self._records)
        self._settling = threading.Lock()
        self._entropy = entropy
        self._rehearsals: dict[int, Rehearsal] = {}

    def _begin(self, name: str) -> None:
        """Hold the two halves against each other, and bring the public one up to date."""
        self._match(name)
        self._publisher.publish()

    def _match(self, name: str) -> None:
        wiped = []

        def quarantine() -> None:
            self._acts.quarantine(self._clock.now(), "the private store was lost or set back")
            wiped.append(True)

        match(self._private, self._public, name, quarantine)
        if wiped:
            self._private.scrub()
        ((store,),) = self._private.run("SELECT value FROM about WHERE name = 'store'")
        self._keys.belong_to(store)
        self._memory.doubt()

    def _known(self, number: int) -> Known:
        return self._memory.now(number)

    def _act(self, act: str, number: int, by: str, what: Any = None) -> None:  # noqa: ANN401
        acts, at, by = self._acts, self._clock.now(), checked_by(by)
        if act == "start":
            acts.start(number, at, by)
        elif act == "stop":
            acts.stop(number, at, by)
        elif act == "continue":
            acts.continue_(number, at, by)
        elif act in ("pause", "resume", "rehearse"):
            acts.simple(number, act, at, by)
        else:
            cast("Callable[..., None]", getattr(acts, act))(number, what, at, by)
        self._publisher.publish()

    def _rehearse(self, number: int, clock: Clock | None) -> Rehearsal:
        """Begin a rehearsal, in memory and with a secret of its own."""
        own = ManualClock() if clock is None else clock
        keys = self._keys.apart(self._entropy(16))
        private, public = SQLite(":memory:"), SQLite(":memory:")
        prepare(private, PRIVATE, keys)
        prepare(public, PUBLIC, keys)
        (worker,) = struct.unpack(">q", self._entropy(8))
        guarded = GuardedClock(own, None, 0)
        store = type(self)(private, public, keys, guarded, SecureNoise(), worker, rehearses=True)
        store._begin("rehearsal")
        made = Rehearsal(store, self._known(number), own)  # type: ignore[arg-type]  # it is a Store
        if number in self._rehearsals:
            self._rehearsals[number]._store.close()
        self._rehearsals[number] = made
        return made

    def _rehearsal(self, number: int) -> Rehearsal:
        """Return the rehearsal that is under way; after a restart it is empty."""
        state = self._known(number).state
        if state != "rehearsal":
            self._rehearsals.pop(number, None)
            raise LifecycleError(f"this experiment is {state}: no rehearsal is under way")
        return self._rehearsals.get(number) or self._rehearse(number, None)

    def close(self) -> None:
        """Let go of both databases, and of rehearsals.

        >>> import hush.live
        >>> with hush.live.open(":memory:") as store:  # closes it, too
        ...     store.names
        []
        """
        for rehearsal in self._rehearsals.values():
            rehearsal._store.close()
        with suppress(StoreError, MisuseError):  # the database is gone, or another process's
            self._registrar.firsts.write()
        for database in (self._private, self._public):
            database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def checked_by(by: object) -> str:
    """Return who acted, for the log, or raise."""
    if not isinstance(by, str) or len(by) > 128:
        raise ParameterError("by must be a text of at most 128 characters")
    return by

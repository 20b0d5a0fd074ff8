"""The core of the service: a store, the desks in front of it, and what happens at every tick."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from hush.errors import ClockError, HushError, ParameterError, positive, whole
from hush.live import Rehearsal, Store
from hush.live.canary import canary
from hush.live.front import Front
from hush.live.replies import Made, Request
from hush.live.rewarding import Posted
from hush.live.sqlite import SQLite
from hush.service.access import Access, Gate
from hush.service.desk import Desk
from hush.service.limits import DecisionLimit, RewardLimit
from hush.service.problems import Refused

__all__ = ["Core", "Settings"]

ONE_WORKER = "a rehearsal is in the memory of one process: serve it with one worker"
log = logging.getLogger("hush.service")
SHORTEST_TICK = 0.1
MOST_WORKERS = 256
Given = ParamSpec("Given")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Settings:
    """How a service behaves.

    Attributes
    ----------
    tick
        Seconds between settlements; also how soon a revoked token is refused. None: never, for
        those who call ``settle`` themselves.
    decisions
        How many decisions a second a token may ask of a worker; None for no limit.
    rewards
        How often a decision's reward may be posted within ten seconds.
    workers
        How many processes share the work.
    tls
        Whether a proxy in front has TLS.
    """

    tick: float | None = 5.0
    decisions: float | None = 10_000.0
    rewards: int = 20
    workers: int = 1
    tls: bool = False

    def __post_init__(self) -> None:
        """Refuse what no service can run with."""
        if self.tick is not None and positive("tick", self.tick) < SHORTEST_TICK:
            raise ParameterError(f"tick must be at least {SHORTEST_TICK} seconds")
        if self.decisions is not None:
            positive("decisions", self.decisions)
        whole("rewards", self.rewards, least=1)
        whole("workers", self.workers, least=1, most=MOST_WORKERS)


@dataclass
class Standing:
    """How the last tick went."""

    settled: int = 0
    ok: bool = True
    canary: bool = True
    held: str | None = None


class Core:
    """What handlers work with.

    Parameters
    ----------
    store
        The store; it is closed with the core.
    entropy
        Where the ids of requests come from.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings | None = None,
        *,
        entropy: Callable[[int], bytes] = os.urandom,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store, self.settings = store, settings or Settings()
        self.front, self.records = store._front, store._records
        self.gate = Gate(store._clock.read)
        self.standing = Standing()
        self._entropy = entropy
        self._version = -1
        self._decision_limit = DecisionLimit(self.settings.decisions, clock)
        self._reward_limit = RewardLimit(self.settings.rewards, clock)
        self._desk = ThreadPoolExecutor(1, "hush-desk")
        self._aside = ThreadPoolExecutor(4, "hush-aside")
        # A file that nobody else writes to keeps nobody waiting.
        alone = isinstance(store._private, SQLite) and self.settings.workers == 1
        thread = None if alone else self._desk
        self.decisions: Desk[Request, Made | HushError] = Desk(self.front.register, thread)
        self.rewards: Desk[Posted, HushError | None] = Desk(self.front.take, thread)
        self.learn_tokens()

    def close(self) -> None:
        """Wait for what is under way."""
        self._desk.shutdown()
        self._aside.shutdown()
        self.store.close()

    # -- what handlers ask for --------------------------------------------------------------------

    def request_id(self) -> str:
        """Return a new name for a request."""
        return self._entropy(8).hex()

    def aside(
        self, run: Callable[Given, Found], *args: Given.args, **given: Given.kwargs
    ) -> Awaitable[Found]:
        """Run something that may take long, beside the event loop."""
        loop = asyncio.get_running_loop()
        return loop.run_in_executor(self._aside, lambda: run(*args, **given))

    def number_of(self, name: str) -> int:
        """Return the number of an experiment."""
        number = self.store._memory.id_of(name)
        if number is None:
            raise Refused("unknown-name")
        return number

    def fronts(self, access: Access) -> list[Front]:
        """Return who may have made a decision: rehearsals, for a token that is for tests."""
        if not access.test:
            return [self.front]
        under_way = list(self.store._rehearsals.items())  # their ids die at the start
        return [
            each._store._front
            for number, each in under_way
            if self.store._known(number).state == "rehearsal"
        ]

    def front_of(self, access: Access, number: int) -> tuple[Front, int]:
        """Return who decides for a token: a rehearsal, for one that is for tests."""
        if not access.test:
            return self.front, number
        rehearsal = self.rehearsal(number)
        return rehearsal._store._front, rehearsal._id

    def rehearsal(self, number: int) -> Rehearsal:
        """Return the rehearsal of an experiment; only one process can have it."""
        if self.settings.workers > 1:
            raise Refused("wrong-state", ONE_WORKER)
        return self.store._rehearsal(number)

    def admit(self, access: Access, decisions: int) -> None:
        """Refuse a token that asks for too many decisions."""
        wait = self._decision_limit.wait(access.id, decisions)
        if wait:
            raise Refused("too-many", headers={"retry-after": str(wait)})

    def admit_reward(self, posted: Posted) -> None:
        """Refuse a reward that is posted again and again."""
        made = posted.decision
        wait = self._reward_limit.wait((made.worker, made.ordinal))
        if wait:
            raise Refused("too-many", headers={"retry-after": str(wait)})

    def touch(self) -> None:
        """Raise unless both stores answer."""
        self.store._private.run("SELECT seq FROM head")
        self.records.head()

    # -- at every tick ----------------------------------------------------------------------------

    def learn_tokens(self) -> None:
        """Know the tokens as they are now."""
        version = self.store.tokens.version()
        if version != self._version:
            self.gate.learn(self.store.tokens.all())
            self._version = version

    def tick(self) -> None:
        """Settle, look at the tokens, send the canary; whatever fails is tried at the next tick."""
        before, standing = self.standing, Standing(self.standing.settled)
        try:
            now = self.store._clock.now()
            self.learn_tokens()
            standing.canary = canary(self.store._private, self.store._keys, now)
            self.store.settle()
            standing.settled = now
        except ClockError as error:
            standing.ok, standing.held = False, str(error)
        except Exception as error:  # noqa: BLE001  whatever it is, there is another tick
            standing.ok = False
            if before.ok:
                log.error("a tick failed: %s", type(error).__name__)
        if standing.held and not before.held:
            log.error("settlement waits: %s", standing.held)
        if before.canary and not standing.canary:
            log.error("the canary's reward did not arrive")
        self.standing = standing

    async def tick_for_ever(self) -> None:
        """Tick at every multiple of the tick."""
        tick = self.settings.tick
        if tick is None:
            return
        while True:
            await asyncio.sleep(tick - time.time() % tick)
            await self.aside(self.tick)

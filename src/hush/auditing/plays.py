"""Ways to play a reward table, and everything that can be seen of a learner while it is played."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.errors import HushError, StateError
from hush.noise import NoiseSource
from hush.policies import BanditLearner, Learner, Policy

__all__ = ["WAYS", "Play", "Seen", "Way", "seen_of"]

Table = NDArray[np.float64]
PRIVATE_PARTS = ("unreleased", "noise", "checksum", "line", "open")
LOOKS = 8  # how often everything is looked at in one run


@dataclass(frozen=True)
class Play:
    """How a table is played.

    Attributes
    ----------
    policy, noise
        What plays, and its noise.
    low, high
        The declared range; tables hold rewards mapped to [0, 1].
    seed
        Of delays, batches, expiries and looks: none of them knows a reward.
    wrap
        Makes a reward of a number, for watched ones.
    drops
        Whether decisions that expire are dropped; else they are settled with the lowest reward.
    """

    policy: Policy
    noise: NoiseSource
    low: float = 0.0
    high: float = 1.0
    seed: int = 7
    wrap: Callable[[float], Any] = float
    drops: bool = False

    def learner(self, n_arms: int) -> Learner:
        """Return the learner that plays."""
        default = None if self.drops else self.low
        return self.policy.learner(
            n_arms, noise=self.noise, reward_range=(self.low, self.high), default=default
        )

    def reward(self, arm: int, row: list[float], *, bandit: bool) -> Any:  # noqa: ANN401
        """Return what a learner may see of a round: the reward of its arm, or all."""
        low, width = self.low, self.high - self.low
        if bandit:
            return self.wrap(low + row[arm] * width)
        return [self.wrap(low + each * width) for each in row]


Seen = tuple[str, object]
Way = Callable[[Play, Table, list[Learner]], Iterator[Seen]]


def seen_of(learner: Learner) -> Iterator[Seen]:
    """Yield everything that a learner shows: attributes, texts, the public part of its state."""
    yield "repr", repr(learner)
    yield "str", str(learner)
    for name in dir(learner):
        if name.startswith("_") or name == "policy":
            continue
        value = _told(learner, name)
        if not callable(value):
            yield name, repr(value)
    try:
        state = learner.state()
    except HushError as error:
        yield "state", repr(error)
        return
    yield "state", json.dumps({k: v for k, v in state.items() if k not in PRIVATE_PARTS})


def _told(learner: Learner, name: str) -> object:
    try:
        return getattr(learner, name)
    except Exception as error:  # noqa: BLE001  whatever is raised can be seen, too
        return f"raises {error!r}"


def _called(what: str, call: Callable[..., object], *given: object) -> Seen:
    """Call, and return what came back or was raised: both can be seen."""
    try:
        return what, repr(call(*given))
    except Exception as error:  # noqa: BLE001
        return what, f"{type(error).__name__}: {error}"


def _looks(rounds: int, rng: np.random.Generator) -> set[int]:
    return {rounds - 1, *rng.integers(rounds, size=min(LOOKS, rounds)).tolist()}


def plainly(play: Play, table: Table, learners: list[Learner]) -> Iterator[Seen]:
    """Play select and update in turn, with a mistake now and then."""
    rng = np.random.default_rng(play.seed)
    learner: Any = learners[0]  # what update and settle take depends on the feedback
    bandit = isinstance(learner, BanditLearner)
    looks = _looks(len(table), rng)
    for t, row in enumerate(table.tolist()):
        arm = int(learner.select())
        yield "arm", arm
        reward = play.reward(arm, row, bandit=bandit)
        given = (arm, reward) if bandit else (reward,)
        yield _called("update", learner.update, *given)
        if t in looks:
            yield _called("a second update", learner.update, *given)
            yield _called("an update of no arm", learner.observe, -1, lambda _, r=reward: r)
            yield _called("settling nothing", learner.settle, "none", reward)
            yield from seen_of(learner)


def late(play: Play, table: Table, learners: list[Learner]) -> Iterator[Seen]:
    """Decide with ids; rewards come late and out of order, some twice, and some expire."""
    rng = np.random.default_rng(play.seed)
    learner: Any = learners[0]  # what settle takes depends on the feedback
    bandit = isinstance(learner, BanditLearner)
    looks, waiting = _looks(len(table), rng), []
    for t, row in enumerate(table.tolist()):
        decision = learner.decide()
        yield "arm", decision.arm
        waiting.append((decision, row))
        while len(waiting) > 20 or (waiting and rng.random() < 0.45):
            settled, its = waiting.pop(int(rng.random() * len(waiting)))
            reward = play.reward(settled.arm, its, bandit=bandit)
            chance = rng.random()
            if chance < 0.1:
                yield _called("expire", learner.expire, settled)
            else:
                yield _called("settle", learner.settle, settled.id, reward)
            if chance > 0.95:
                yield _called("settle again", learner.settle, settled, reward)
        if t in looks:
            yield from seen_of(learner)


def in_batches(play: Play, table: Table, learners: list[Learner]) -> Iterator[Seen]:
    """Decide several rounds, then settle them in one call."""
    learner, rng = learners[0], np.random.default_rng(play.seed)
    if not isinstance(learner, BanditLearner):
        yield from plainly(play, table, learners)
        return
    rows, looks, t = table.tolist(), _looks(len(table), rng), 0
    while t < len(rows):
        size = min(len(rows) - t, 1 + int(rng.integers(24)))
        arms = [int(learner.select()) for _ in range(size)]
        yield "arms", tuple(arms)
        order = rng.permutation(size).tolist()
        rewards = [play.reward(arms[i], rows[t + i], bandit=True) for i in order]
        yield _called("a batch", learner.update_batch, [arms[i] for i in order], rewards)
        if any(t <= look < t + size for look in looks):
            yield _called("a batch too many", learner.update_batch, arms, rewards)
            yield from seen_of(learner)
        t += size


def stored(play: Play, table: Table, learners: list[Learner]) -> Iterator[Seen]:
    """Go through a stored state now and then."""
    rng = np.random.default_rng(play.seed)
    cuts = sorted({0, *rng.integers(len(table), size=3).tolist(), len(table)})
    for start, end in pairwise(cuts):
        yield from plainly(play, table[start:end], learners)
        learner = learners[0]
        arm = learner.select()  # one that is open when the state is stored
        try:
            state = json.loads(json.dumps(learner.state()))
            learners[0] = play.policy.restore(state, noise=play.noise)
        except StateError as error:  # the conformance kit's business, if nothing leaks
            yield "restore", str(error)
        # Settled at once: in what follows, a second update must find no decision.
        learners[0].observe(arm, lambda which: _zero(play, which, table.shape[1]))


def _zero(play: Play, arm: int | None, n_arms: int) -> Any:  # noqa: ANN401
    return [play.low] * n_arms if arm is None else play.low


WAYS: dict[str, Way] = {
    "select and update": plainly,
    "late rewards": late,
    "batches": in_batches,
    "stored states": stored,
}

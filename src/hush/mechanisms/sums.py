"""Where rewards become sums, and sums become releases.

This module alone holds raw rewards. Invariants: a reward is added to one sum; a sum is released
once, when its epoch is full, and dropped with the release; a release is drawn before anything
changes, so that a failing noise source leaves no trace.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from hush.errors import StateError
from hush.mechanisms.counters import Counter
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import Schedule
from hush.noise import NoiseSource
from hush.privacy import Release

__all__ = ["ArmCounters", "ArmSums", "VectorSums"]

NOTICE = "raw sums of rewards not yet released: protect this part like the rewards themselves"


class Mechanism(Protocol):
    """What draws releases."""

    @property
    def name(self) -> str:
        """What a release calls it."""

    @property
    def epsilon(self) -> float:
        """The privacy loss of one release."""


class SumMechanism(Mechanism, Protocol):
    """What turns a sum into a release."""

    def release(self, total: int, *, count: int) -> int | float:
        """Draw the value once."""


class ArgmaxMechanism(Mechanism, Protocol):
    """What turns sums into a chosen action."""

    def release(self, totals: Sequence[int], *, count: int) -> int:
        """Draw the action once."""


class ArmSums:
    """The running epoch of every arm: bandit feedback.

    Its ``repr`` shows no sum. ``check`` maps a reward without storing it, so that a caller can
    refuse a whole batch before the first is added.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        schedule: Schedule,
        mechanism: SumMechanism,
        rewards: RewardRange,
        noise: NoiseSource,
    ) -> None:
        self._schedule = schedule
        self._mechanism = mechanism
        self._rewards = rewards
        self._coins = noise.coins
        self._epochs = [0] * n_arms
        self._counts = [0] * n_arms
        self._sums = [0] * n_arms
        self._lengths = [schedule.length(0)] * n_arms

    def check(self, reward: object) -> float:
        """Return the reward mapped to [0, 1], or raise."""
        return self._rewards.unit(reward)

    def add(self, arm: int, unit: float) -> Release | None:
        """Add a checked reward to the arm's sum; return the release if its epoch is now full."""
        toss = self._toss(unit)
        count = self._counts[arm] + 1
        if count < self._lengths[arm]:
            self._counts[arm] = count
            self._sums[arm] += toss
            return None
        epoch = self._epochs[arm]
        value = self._mechanism.release(self._sums[arm] + toss, count=count)
        self._counts[arm] = 0
        self._sums[arm] = 0
        self._epochs[arm] = epoch + 1
        self._lengths[arm] = self._schedule.length(epoch + 1)
        rho = getattr(self._mechanism, "rho", None)
        return Release(arm, epoch, count, value, self._mechanism.name, self._mechanism.epsilon, rho)

    def _toss(self, unit: float) -> int:
        # The coin is tossed for every reward, so that neighbours meet the same later coins.
        return 1 if self._coins.random() < unit else 0

    @property
    def arrived(self) -> tuple[int, ...]:
        """How many rewards each arm's running epoch holds: no sum, so it may be known."""
        return tuple(self._counts)

    def open(self, arm: int, length: int) -> None:
        """Set how long the arm's running epoch is, for a length that depends on releases.

        Rewards that came early count: an epoch that holds enough of them ends with the next one.
        """
        self._lengths[arm] = length

    def drop(self, arm: int) -> None:
        """Forget the rewards of the arm's running epoch; they are never released."""
        self._counts[arm] = 0
        self._sums[arm] = 0

    def state(self) -> dict[str, Any]:
        """Return the running epochs, raw: see the notice."""
        return {
            "notice": NOTICE,
            "epochs": list(self._epochs),
            "counts": list(self._counts),
            "sums": list(self._sums),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the running epochs of :meth:`state`."""
        size = len(self._sums)
        epochs, counts, sums = (wholes(state, key, size) for key in ("epochs", "counts", "sums"))
        lengths = [self._schedule.length(epoch) for epoch in epochs]
        if any(not s <= c < n for s, c, n in zip(sums, counts, lengths, strict=True)):
            raise StateError(DAMAGED)
        self._epochs, self._counts, self._sums, self._lengths = epochs, counts, sums, lengths

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self._sums)} arms>)"


class ArmCounters:
    """A counter per arm: bandit feedback, released at every reward.

    A release holds the noisy sum of *all* the arm's rewards so far. The loss of all releases
    together is the counter's epsilon.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        counter: Callable[[], Counter],
        rewards: RewardRange,
        noise: NoiseSource,
    ) -> None:
        self._make = counter
        self._rewards = rewards
        self._coins = noise.coins
        self._counters = [counter() for _ in range(n_arms)]

    def check(self, reward: object) -> float:
        """Return the reward mapped to [0, 1], or raise."""
        return self._rewards.unit(reward)

    def add(self, arm: int, unit: float) -> Release | None:
        """Add a checked reward to the arm's counter; return its release, if it makes one."""
        toss = 1 if self._coins.random() < unit else 0
        counter = self._counters[arm]
        value = counter.add(toss)
        if value is None:
            return None
        return Release(arm, counter.steps - 1, counter.steps, value, counter.name, counter.epsilon)

    @property
    def arrived(self) -> tuple[int, ...]:
        """How many rewards wait for a release of their arm: none, a counter releases each."""
        return (0,) * len(self._counters)

    def state(self) -> dict[str, Any]:
        """Return the counters' nodes, raw: see the notice."""
        return {"notice": NOTICE, "counters": [counter.state() for counter in self._counters]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the counters of :meth:`state`."""
        states = state.get("counters")
        if not isinstance(states, list) or len(states) != len(self._counters):
            raise StateError(DAMAGED)
        counters = [self._make() for _ in states]
        for counter, each in zip(counters, states, strict=True):
            if not isinstance(each, Mapping):
                raise StateError(DAMAGED)
            counter.restore(each)
        self._counters = counters

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self._counters)} arms>)"


class VectorSums:
    """The running epoch of all actions together: full information.

    With ``keep`` the sums run on over all epochs instead of starting anew, which only the
    non-private follow-the-leader wants. With ``prefix`` only the first rewards of an epoch are
    summed: a number of them that is drawn uniformly from 1 to the epoch's length when it begins,
    whatever the rewards are.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        schedule: Schedule,
        mechanism: ArgmaxMechanism,
        rewards: RewardRange,
        noise: NoiseSource,
        keep: bool = False,
        prefix: bool = False,
    ) -> None:
        self._schedule = schedule
        self._mechanism = mechanism
        self._rewards = rewards
        self._noise = noise
        self._keep = keep
        self._prefix = prefix
        self._wanted = 0  # of the running epoch's rewards; 0 where not drawn yet
        self._epoch = 0
        self._count = 0
        self._kept = 0
        self._sums = [0] * n_arms
        self._length = schedule.length(0)

    def check(self, rewards: object) -> list[float]:
        """Return the reward vector mapped to [0, 1], or raise."""
        return self._rewards.units(rewards, len(self._sums))

    def add(self, units: Sequence[float]) -> Release | None:
        """Add a checked reward vector; return the release if the epoch is now full."""
        tosses = self._noise.coins.random(len(units)).tolist()
        count = self._count + 1
        wanted = self._wanted or self._draw_wanted()
        sums = self._sums
        if count <= wanted:
            sums = [s + (c < u) for s, c, u in zip(self._sums, tosses, units, strict=True)]
        if count < self._length:
            self._sums, self._count, self._wanted = sums, count, wanted
            return None
        epoch, count = self._epoch, wanted
        value = self._mechanism.release(sums, count=self._kept + count)
        self._kept = self._kept + count if self._keep else 0
        self._sums = sums if self._keep else [0] * len(sums)
        self._count = 0
        self._wanted = 0
        self._epoch = epoch + 1
        self._length = self._schedule.length(epoch + 1)
        return Release(None, epoch, count, value, self._mechanism.name, self._mechanism.epsilon)

    def _draw_wanted(self) -> int:
        if not self._prefix:
            return self._length
        return 1 + min(self._length - 1, int(self._length * self._noise.selection.random()))

    def state(self) -> dict[str, Any]:
        """Return the running epoch, raw: see the notice."""
        return {
            "notice": NOTICE,
            "epoch": self._epoch,
            "count": self._count,
            "kept": self._kept,
            "wanted": self._wanted,
            "sums": list(self._sums),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the running epoch of :meth:`state`."""
        sums = wholes(state, "sums", len(self._sums))
        single = {key: [state.get(key)] for key in ("epoch", "count", "kept", "wanted")}
        epoch, count, kept, wanted = (wholes(single, key, 1)[0] for key in single)
        length = self._schedule.length(epoch)
        if not count < length or (kept and not self._keep) or any(s > count + kept for s in sums):
            raise StateError(DAMAGED)
        if wanted > length or bool(wanted) != bool(count):
            raise StateError(DAMAGED)
        self._sums, self._epoch, self._count, self._kept = sums, epoch, count, kept
        self._length, self._wanted = length, wanted

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self._sums)} actions>)"


DAMAGED = "the unreleased part of this state is damaged; restore from an intact copy"


def wholes(state: Mapping[str, Any], key: str, size: int) -> list[int]:
    """Return a list of whole numbers from a state, or raise."""
    values = state.get(key)
    if not isinstance(values, list) or len(values) != size:
        raise StateError(DAMAGED)
    if any(type(value) is not int or value < 0 for value in values):
        raise StateError(DAMAGED)
    return list(values)

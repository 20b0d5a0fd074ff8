"""Local privacy: a coin is flipped at random where it is tossed, before anything else sees it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from functools import lru_cache
from typing import Any

from hush.errors import ParameterError, RewardError, positive
from hush.mechanisms.noisy_sum import ExactSum
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import Schedule
from hush.mechanisms.sums import ArmSums
from hush.noise import NoiseSource, SecureNoise

__all__ = ["FlippedCoin", "FlippedSums", "keep_chance", "randomize"]

STEPS = 2**53  # a chance is a whole number of these parts: a double is that exactly
MOST_EPSILON = 64.0  # from 37 on, a coin is flipped as rarely as doubles can say


@lru_cache(maxsize=256)
def keep_chance(epsilon: float) -> float:
    """Return with which chance a coin is kept: ``e^epsilon / (1 + e^epsilon)``, rounded down.

    The chance is a whole number of 2^-53, so that it can be met exactly, and the loss of a flip,
    ``ln(keep / (1 - keep))``, is epsilon at most: it is computed to 60 digits and rounded down.

    >>> keep_chance(1.0)
    0.7310585786300048
    >>> import math
    >>> math.log(0.7310585786300048 / (1 - 0.7310585786300048)) <= 1.0
    True
    """
    digits = Context(prec=60, rounding=ROUND_FLOOR)
    weight = digits.next_minus(digits.exp(Decimal(min(epsilon, MOST_EPSILON))))
    share = digits.divide(weight, digits.add(weight, Decimal(1)))
    keep = int(digits.multiply(share, Decimal(STEPS))) / STEPS
    if keep <= 0.5:
        raise ParameterError(
            f"with an epsilon of {epsilon:g} a flipped coin says nothing; choose a larger one"
        )
    return keep


@dataclass(frozen=True)
class FlippedCoin:
    """A reward that was randomised where it arose: safe to send, to store and to show.

    It is no number, on purpose. A learner of :class:`~hush.Local` takes it as it is, and flips
    numbers; any other learner refuses it. So no coin is flipped twice, and none passes for a
    reward.

    Attributes
    ----------
    side
        0 or 1.
    epsilon
        The privacy loss that it was flipped with.

    Examples
    --------
    >>> import hush
    >>> coin = hush.FlippedCoin.from_dict({"side": 1, "epsilon": 1.0})
    >>> learner = hush.Local(hush.UCB1(), epsilon=1.0).learner(n_arms=2)
    >>> learner.update(learner.select(), coin).value
    1
    >>> learner = hush.UCB1().learner(n_arms=2)
    >>> learner.update(learner.select(), coin)
    Traceback (most recent call last):
    ...
    hush.errors.RewardError: a reward must be a real number, not FlippedCoin; convert it first
    """

    side: int
    epsilon: float

    def __post_init__(self) -> None:
        if type(self.side) is not int or self.side not in (0, 1):
            raise RewardError("the side of a flipped coin must be 0 or 1")
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"side": ..., "epsilon": ...}``, JSON-able: what a device sends."""
        return {"side": self.side, "epsilon": self.epsilon}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> FlippedCoin:
        """Rebuild a coin from :meth:`to_dict`."""
        if not isinstance(data, Mapping) or set(data) != {"side", "epsilon"}:
            raise RewardError('a flipped coin must be {"side": 0 or 1, "epsilon": ...}')
        return cls(data["side"], data["epsilon"])


def randomize(
    reward: float,
    *,
    epsilon: float,
    reward_range: tuple[float, float] = (0.0, 1.0),
    noise: NoiseSource | None = None,
) -> FlippedCoin:
    """Turn a reward into a coin that is flipped at random: for a device that trusts nobody.

    A coin of the reward's probability is tossed, then kept with probability ``e^epsilon /
    (1 + e^epsilon)`` and turned over otherwise. Whatever is done with the outcome, by anyone, tells
    the reward apart from any other by a factor of ``e^epsilon`` at most. Both tosses have their
    chance exactly: they compare whole numbers that the operating system draws.

    Parameters
    ----------
    reward
        The reward.
    epsilon
        The privacy loss: that of the :class:`~hush.Local` policy that will learn from it.
    reward_range
        Declared ends of the rewards. It must not be read off the rewards themselves.
    noise
        Where tosses come from; left out, :class:`~hush.SecureNoise`.

    Examples
    --------
    >>> import hush
    >>> hush.randomize(0.7, epsilon=1.0).side in (0, 1)
    True
    >>> hush.randomize(hush.randomize(0.7, epsilon=1.0), epsilon=1.0)
    Traceback (most recent call last):
    ...
    hush.errors.RewardError: a reward must be a real number, not FlippedCoin; convert it first
    """
    chance = keep_chance(positive("epsilon", epsilon))
    unit = RewardRange.of(reward_range).unit(reward)
    source = SecureNoise() if noise is None else noise
    # A toss that hides nothing: its chance is the reward itself.
    tossed = source.toss(True, chances=(unit, unit))
    return FlippedCoin(int(source.toss(tossed, chances=(1.0 - chance, chance))), epsilon)


class FlippedSums(ArmSums):
    """Sums of coins of which each was flipped at random before it was added.

    The sums are released as they are: each reward's loss is that of its own flip, and nothing here
    need be kept secret.
    """

    def __init__(
        self,
        n_arms: int,
        *,
        schedule: Schedule,
        epsilon: float,
        rewards: RewardRange,
        noise: NoiseSource,
    ) -> None:
        super().__init__(
            n_arms,
            schedule=schedule,
            mechanism=FlippedSum(epsilon),
            rewards=rewards,
            noise=noise,
        )
        keep = keep_chance(epsilon)
        self._epsilon = epsilon
        self._chances = (1.0 - keep, keep)
        self._flip = noise.toss

    def check(self, reward: object) -> Any:  # noqa: ANN401  a number, or a coin as it is
        """Return a reward mapped to [0, 1], or a coin that was flipped already; or raise."""
        if not isinstance(reward, FlippedCoin):
            return super().check(reward)
        if reward.epsilon != self._epsilon:
            raise RewardError(
                f"a coin was flipped with epsilon = {reward.epsilon:g}, and this learner reckons "
                f"with {self._epsilon:g}; give both the same"
            )
        return reward

    def _toss(self, unit: float | FlippedCoin) -> int:
        if isinstance(unit, FlippedCoin):
            return unit.side
        return int(self._flip(super()._toss(unit) == 1, chances=self._chances))

    def mean_of(self, mean: float) -> float:
        """Return which mean of the rewards makes the flipped coins have this one."""
        flipped, kept = self._chances
        return min(max((mean - flipped) / (kept - flipped), 0.0), 1.0)

    @property
    def loss(self) -> float:
        """The loss of one flip, computed from the chances that are tossed with."""
        flipped, kept = self._chances
        return math.log(kept / flipped)


class FlippedSum(ExactSum):
    """Release a sum of flipped coins as it is.

    >>> FlippedSum(0.5).release(40, count=64), FlippedSum(0.5).epsilon
    (40, 0.5)
    """

    name = "flipped-coins"

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

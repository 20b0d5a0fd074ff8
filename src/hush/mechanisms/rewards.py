"""The door of the private side: what a reward may be, and its reduction to a coin toss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hush.errors import ParameterError, RewardError, is_finite, is_number, shown

__all__ = ["RewardRange"]


@dataclass(frozen=True)
class RewardRange:
    """The declared range of rewards.

    A reward in [low, high] is mapped to [0, 1] and then to a coin that shows 1 with that
    probability (Agrawal & Goyal 2012, https://arxiv.org/abs/1111.1797). Sums stay integers, and
    one reward moves a sum by at most 1, however the coin falls.

    Examples
    --------
    >>> RewardRange(-1.0, 3.0).unit(1.0)
    0.5
    >>> RewardRange(0.0, 1.0).unit(2.0)
    Traceback (most recent call last):
    ...
    hush.errors.RewardError: a reward lies outside its declared range [0, 1]; clip it, or declare
    another reward_range
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        usable = all(is_number(end) and is_finite(end) for end in (self.low, self.high))
        if not usable or not self.low < self.high or math.isinf(float(self.high) - float(self.low)):
            raise ParameterError(
                "reward_range must be two finite numbers (low, high) with low < high; "
                f"got ({shown(self.low)}, {shown(self.high)})"
            )
        object.__setattr__(self, "low", float(self.low))
        object.__setattr__(self, "high", float(self.high))

    @classmethod
    def of(cls, ends: object) -> RewardRange:
        """Read a range from a pair."""
        if isinstance(ends, RewardRange):
            return ends
        if not isinstance(ends, Sequence) or isinstance(ends, str) or len(ends) != 2:
            raise ParameterError(f"reward_range must be a pair (low, high); got {shown(ends)}")
        return cls(ends[0], ends[1])

    def unit(self, reward: object) -> float:
        """Return the reward mapped to [0, 1], or raise without showing it."""
        kind = type(reward)
        if kind is not float and kind is not int and not is_number(reward):
            raise RewardError(
                f"a reward must be a real number, not {kind.__name__}; convert it first"
            )
        low, high = self.low, self.high
        if not low <= reward <= high:  # type: ignore[operator]
            if reward == reward and abs(reward) != math.inf:  # type: ignore[arg-type]  # noqa: PLR0124
                raise RewardError(
                    f"a reward lies outside its declared range [{low:g}, {high:g}]; clip it, or "
                    "declare another reward_range"
                )
            raise RewardError(
                "a reward is NaN or infinite; leave it out (its decision stays open) or repair it"
            )
        if not isinstance(reward, float) or isinstance(reward, np.generic):
            # A number of fewer bits may lie within the range as it rounds, and outside it here.
            reward = min(max(float(reward), low), high)  # type: ignore[arg-type]
        return (reward - low) / (high - low)

    def reward(self, unit: float) -> float:
        """Return what maps to a number in [0, 1]; its ends are those of the range.

        >>> RewardRange(-1.0, 3.0).reward(0.5)
        1.0
        """
        return self.low * (1.0 - unit) + self.high * unit

    def units(self, rewards: object, n_arms: int) -> list[float]:
        """Return a reward vector mapped to [0, 1], or raise without showing it."""
        if isinstance(rewards, str | bytes) or not isinstance(rewards, Sequence | np.ndarray):
            raise RewardError(
                f"full information takes a sequence of {n_arms} rewards, "
                f"not {type(rewards).__name__}"
            )
        if len(rewards) != n_arms:
            raise RewardError(
                f"the reward vector has {len(rewards)} entries for {n_arms} actions; "
                "give one reward per action"
            )
        return [self.unit(reward) for reward in rewards]

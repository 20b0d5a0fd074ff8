"""Rewards of any law on a bounded range."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np

from hush.environments.base import Environment, checked_means
from hush.errors import ParameterError

__all__ = ["Bounded"]


class Distribution(Protocol):
    """What is asked of an arm's law: the frozen distributions of ``scipy.stats`` have it."""

    def mean(self) -> float:
        """Return the expected reward."""

    def support(self) -> tuple[float, float]:
        """Return the smallest and the largest reward."""

    def rvs(self, *, random_state: np.random.Generator) -> Any:  # noqa: ANN401
        """Draw a reward."""


class Bounded(Environment):
    """Arms with any bounded law, for example frozen distributions of ``scipy.stats``.

    Parameters
    ----------
    arms
        One distribution per arm: ``mean()``, ``support()`` and ``rvs(random_state=...)``.
    reward_range
        Declared ends of all rewards; left out, the hull of the supports.

    Examples
    --------
    >>> import hush
    >>> from scipy.stats import beta, uniform
    >>> env = hush.Bounded([beta(2, 2), uniform(0.0, 0.5)])
    >>> env.means.tolist(), env.reward_range
    ([0.5, 0.25], (0.0, 1.0))
    """

    def __init__(
        self, arms: Sequence[Distribution], *, reward_range: tuple[float, float] | None = None
    ) -> None:
        arms = list(arms)
        if not arms:
            raise ParameterError("an environment needs at least one arm")
        supports = [tuple(map(float, arm.support())) for arm in arms]
        hull = (min(s[0] for s in supports), max(s[1] for s in supports))
        low, high = hull if reward_range is None else map(float, reward_range)
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ParameterError(
                "every arm needs a bounded support, and low < high; truncate unbounded laws first"
            )
        if hull[0] < low or hull[1] > high:
            raise ParameterError(
                f"rewards can lie in [{hull[0]:g}, {hull[1]:g}], outside the declared "
                f"[{low:g}, {high:g}]"
            )
        self._arms = arms
        self._joint: Callable[[np.random.Generator], Any] | None = None
        self.reward_range = (low, high)
        self.means = checked_means((float(arm.mean()) for arm in arms), low, high)

    @classmethod
    def from_sampler(
        cls,
        sampler: Callable[[np.random.Generator], Any],
        *,
        means: Iterable[float],
        reward_range: tuple[float, float],
        independent: bool = False,
    ) -> Bounded:
        """Make an environment from a function that draws one round's rewards of all arms.

        Parameters
        ----------
        sampler
            Takes a generator, returns a reward per arm.
        means
            The expected rewards: regret is measured against them, so they must be right.
        reward_range
            Declared ends of all rewards.
        independent
            Whether one round's rewards are independent between arms.

        Examples
        --------
        >>> import hush
        >>> env = hush.Bounded.from_sampler(
        ...     lambda g: g.uniform(0, [1.0, 0.5]), means=[0.5, 0.25], reward_range=(0, 1))
        >>> env.n_arms
        2
        """
        env = cls.__new__(cls)
        low, high = map(float, reward_range)
        env.means = checked_means(means, low, high)
        env.reward_range = (low, high)
        env.independent = independent
        env._arms = []
        env._joint = sampler
        return env

    def sample(self, generator: np.random.Generator, arm: int | None = None) -> Any:  # noqa: ANN401
        """Draw the reward of one arm, or of all arms."""
        if self._joint is not None:
            rewards = np.asarray(self._joint(generator), dtype=np.float64)
            return rewards if arm is None else float(rewards[arm])
        if arm is None:
            return np.array([float(each.rvs(random_state=generator)) for each in self._arms])
        return float(self._arms[arm].rvs(random_state=generator))

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description: means and range, not the laws themselves."""
        return {
            "environment": "Bounded",
            "means": self.means.tolist(),
            "reward_range": list(self.reward_range),
        }

    def __repr__(self) -> str:
        return f"Bounded(<{self.n_arms} arms>, reward_range={self.reward_range})"

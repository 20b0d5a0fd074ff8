"""Rewards of 0 and 1."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from hush.environments.base import Environment, checked_means

__all__ = ["Bernoulli"]


class Bernoulli(Environment):
    """Arm ``j`` gives 1 with probability ``means[j]``, else 0.

    Examples
    --------
    >>> import hush
    >>> env = hush.Bernoulli([0.75, 0.5])
    >>> env.gaps.tolist(), env.n_arms
    ([0.0, 0.25], 2)
    """

    def __init__(self, means: Iterable[float]) -> None:
        self.means = checked_means(means, 0.0, 1.0)
        self.reward_range = (0.0, 1.0)

    def sample(self, generator: np.random.Generator, arm: int | None = None) -> Any:  # noqa: ANN401
        """Draw the reward of one arm, or of all arms."""
        if arm is None:
            return (generator.random(self.n_arms) < self.means).astype(np.int64)
        return 1 if generator.random() < self.means[arm] else 0

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description."""
        return {"environment": "Bernoulli", "means": self.means.tolist()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Bernoulli) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.means.tolist()))

    def __repr__(self) -> str:
        return f"Bernoulli({self.means.tolist()})"

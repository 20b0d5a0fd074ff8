"""What every environment offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, is_number

__all__ = ["Environment"]


class Environment(ABC):
    """Draws rewards of K arms, independently from round to round.

    Attributes
    ----------
    means
        The expected reward of each arm, read-only.
    reward_range
        The ends (low, high) that no reward lies outside of.
    independent
        Whether the arms' rewards of one round are independent. Bandit feedback sees one of them
        only, so that it matters to full information alone.
    by_sample
        Whether rewards must come from :meth:`sample`. Elsewhere simulations may draw the sum of
        many at once: a reward is mapped to a coin, so that its law follows from the means.
    rounds
        How many rounds there are; None where they have no end.
    """

    means: NDArray[np.float64]
    reward_range: tuple[float, float]
    independent: bool = True
    by_sample: bool = False
    rounds: int | None = None

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return int(self.means.size)

    @property
    def gaps(self) -> NDArray[np.float64]:
        """How much less than the best each arm is worth, per round."""
        return np.asarray(self.means.max() - self.means)

    @property
    def unit_means(self) -> NDArray[np.float64]:
        """The means mapped from the reward range to [0, 1]."""
        low, high = self.reward_range
        return np.clip((self.means - low) / (high - low), 0.0, 1.0)

    @abstractmethod
    def sample(self, generator: np.random.Generator, arm: int | None = None) -> Any:  # noqa: ANN401
        """Draw the reward of one arm, or without ``arm`` one round's rewards of all arms."""

    def sampler(
        self, generator: np.random.Generator
    ) -> Callable[[int], Callable[[int | None], Any]]:
        """Return what gives, for a round from 0, the function that a learner observes it by."""
        sample = partial(self.sample, generator)
        return lambda _place: sample

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description."""


def checked_means(means: Iterable[float], low: float, high: float) -> NDArray[np.float64]:
    """Return means as a read-only array, or raise."""
    values = list(means)
    if not values or not all(is_number(v) and low <= v <= high for v in values):
        raise ParameterError(f"means must be numbers in [{low:g}, {high:g}], at least one")
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array

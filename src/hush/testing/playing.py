"""What the conformance checks share: tables of rewards, and learners that play them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.policies import Learner
from hush.policies.core.learner import Sample
from hush.privacy import Release

__all__ = ["ConformanceError", "Table", "play", "require", "rewards_of"]


class ConformanceError(AssertionError):
    """A policy broke one of the rules; the message says which."""


def require(condition: bool, message: str) -> None:
    """Raise if a rule is broken."""
    if not condition:
        raise ConformanceError(message)


@dataclass(frozen=True)
class Table:
    """Fixed rewards of every (round, arm), so that two learners can be given the same."""

    rewards: NDArray[np.float64]

    @classmethod
    def random(cls, rounds: int, n_arms: int, seed: int) -> Table:
        """Return coins whose means fall from arm to arm."""
        generator = np.random.default_rng(seed)
        return cls((generator.random((rounds, n_arms)) < means(n_arms)).astype(np.float64))


def means(n_arms: int) -> NDArray[np.float64]:
    """Return the means of the arms that learners play here."""
    return np.linspace(0.75, 0.25, n_arms)


def rewards_of(row: Sequence[Any]) -> Sample:
    """Return what :meth:`~hush.Learner.observe` asks of a round with these rewards."""
    return lambda arm: row if arm is None else row[arm]


def play(
    learner: Learner, table: Table, start: int = 0, stop: int | None = None
) -> tuple[list[int], list[Release]]:
    """Play rounds of a table; return the arms and the releases they led to."""
    arms, releases = [], []
    for row in table.rewards[start:stop].tolist():
        arm = learner.select()
        release = learner.observe(arm, rewards_of(row))
        arms.append(arm)
        if release is not None:
            releases.append(release)
    return arms, releases

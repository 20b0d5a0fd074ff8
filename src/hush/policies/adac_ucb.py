"""AdaC-UCB (Azize): AdaP-UCB's episodes with Gaussian noise, for concentrated privacy."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.doubling_episodes import DoublingEpisodes
from hush.policies.core.statistics import Floats

__all__ = ["AdaCUCB"]


@dataclass(frozen=True)
class AdaCUCB(DoublingEpisodes):
    """Upper confidence bounds in adaptive episodes, under concentrated privacy.

    Every arm is played once. Then, at the start of each episode, the arm with the largest ``m +
    sqrt((1 / (2 n) + 1 / (rho n^2)) beta ln t)`` is chosen and played until its pulls have
    doubled. ``m`` is the mean of the arm's last episode alone, of ``n`` rewards, whose sum was
    released once with Gaussian noise of variance ``1 / (2 rho)``.

    The price of privacy is a sum of ``sqrt(ln T / rho)``, where that of a pure epsilon grows with
    ``ln T / epsilon``: noise and luck now have tails of the same kind.

    Parameters
    ----------
    rho
        The concentrated privacy loss when one reward is replaced: zero-concentrated differential
        privacy. ``guarantee.approximate(delta)`` says what that is as (epsilon, delta).
    beta
        The width of the bounds. The regret bound needs more than 3, hence 3.1 as for AdaPUCB; its
        author's experiments use 1.

    References
    ----------
    Azize, Basu: Interactive and Concentrated Differential Privacy for Bandits. 2023.
    https://hal.science/hal-04215685; chapter 5 of Azize's thesis, Universite de Lille, 2024.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AdaCUCB(rho=0.5).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> [release.count for release in learner.releases if release.arm == 1]
    [1, 1, 2, 4, 8, 16, 32, 64, 128, 256]
    >>> learner.guarantee.rho, learner.guarantee.epsilon
    (0.5, None)
    """

    rho: float
    _: KW_ONLY
    beta: float = 3.1

    summary = "upper confidence bounds in doubling episodes, for concentrated privacy"
    reference = "https://hal.science/hal-04215685"
    noise_law = "N(0, 1/(2 rho)) on each episode's sum"

    @property
    def parameters(self) -> tuple[float, ...]:
        """Rho and beta."""
        return (self.rho, self.beta)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's index at the start of an episode in round ``t``."""
        variance = 0.5 / count + 1.0 / (parameters[0] * count * count)
        return mean + np.sqrt(variance * parameters[1] * np.log(t))

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound of its source."""
        width = self.beta * setting.log_horizon
        proven = self.beta > 3.0
        each = 8.0 * math.sqrt(width / self.rho)
        formula = "sum 8 beta ln T / D + 8 sqrt(beta ln T / rho)"
        if proven:  # else the rest has no value
            each += 2.0 * self.beta / (self.beta - 3.0)
            formula += " + 2 beta / (beta - 3)"
        yield Bound(
            "gaps",
            "upper",
            sum(8.0 * width / gap + each for gap in setting.gaps),
            formula,
            self.reference,
            "constants" if proven else "leading term",
            holds=proven,
            condition=f"beta > 3; beta is {self.beta:g}",
            quoted=True,
        )

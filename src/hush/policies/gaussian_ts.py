"""Thompson sampling with Gaussian priors, not private."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.scored import Draws, Row, ScoredPolicy
from hush.policies.core.shared_bounds import at_least_e, order_bound

__all__ = ["GaussianTS"]


@dataclass(frozen=True)
class GaussianTS(EveryRoundPolicy, ScoredPolicy):
    """Thompson sampling with Gaussian priors: wider draws than coins need, and some privacy.

    Round ``t`` plays the largest of one draw per arm from ``N(S / (n + 1), 1 / (n + 1))``, with
    ``S`` the sum of all ``n`` rewards of the arm so far: the posterior of a prior N(0, 1) were
    rewards Gaussian of variance 1.

    It adds no noise and promises nothing. What its own draws hide anyway is computed in
    ``docs/free_privacy.md``, and what a cap on draws adds is :class:`hush.DPTSUCB`.

    Notes
    -----
    Compared with the text of the conference version, its Algorithm 2, whose definition of the mean
    it follows; the update that is printed there divides by ``n + 2``, which is one too many.

    References
    ----------
    Agrawal, Goyal: Near-Optimal Regret Bounds for Thompson Sampling. JACM 64(5), 2017.
    https://doi.org/10.1145/3088510
    Agrawal, Goyal: Further Optimal Regret Bounds for Thompson Sampling. AISTATS 2013.
    https://proceedings.mlr.press/v31/agrawal13a.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.GaussianTS().learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.argmax()
    np.int64(1)
    """

    explores_first: ClassVar[bool] = False
    draws: ClassVar[Draws] = "normal"
    summary = "Thompson sampling with Gaussian priors; not private"
    reference = "https://doi.org/10.1145/3088510"

    @staticmethod
    def score(
        arm: int, means: Row, counts: Row, n_arms: int, t: float, draw: float, parameters: Row
    ) -> Any:  # noqa: ANN401
        """Return the arm's draw."""
        known = counts[arm] + 1.0
        return means[arm] * counts[arm] / known + draw / np.sqrt(known)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the orders that its source proves."""
        rounds, n_arms = setting.horizon, setting.n_arms
        yield order_bound(
            setting,
            "sum ln(T D^2) / D",
            self.reference,
            lambda gap: math.log(at_least_e(rounds * gap**2)) / gap,
        )
        value = math.sqrt(n_arms * rounds * math.log(at_least_e(n_arms)))
        yield Bound("any gaps", "upper", value, "sqrt(K T ln K)", self.reference, "order")

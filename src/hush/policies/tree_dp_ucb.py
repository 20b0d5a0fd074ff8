"""DP-UCB with one tree per arm (Mishra & Thakurta)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.errors import ParameterError, check_field, positive
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import CounterName
from hush.policies.core.index import IndexPolicy
from hush.policies.core.shared_bounds import order_bound
from hush.policies.core.statistics import Floats

__all__ = ["TreeDPUCB"]


@dataclass(frozen=True)
class TreeDPUCB(IndexPolicy):
    """UCB on noisy sums from one binary tree per arm: the first private bandit.

    Round ``t`` plays the arm with the largest ``m + sqrt(2 ln t / n) + b / (epsilon n)``, where
    ``m`` is the arm's noisy mean of all its ``n`` rewards and ``b = ln(T)^2 ln(K T ln(T) /
    gamma)``.

    The published form gives each of the K trees ``epsilon / K``. Under bandit feedback a reward
    enters the tree of one arm only, so the whole epsilon goes to each: the same guarantee with K
    times less noise. Past its horizon the learner goes on with the sums that it has.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    horizon
        For how many rounds the trees are built; simulations fill it in.
    gamma
        The probability with which the noise may exceed its bound.

    References
    ----------
    Mishra, Thakurta: (Nearly) Optimal Differentially Private Stochastic Multi-Arm Bandits. UAI
    2015. https://auai.org/uai2015/proceedings/papers/90.pdf

    Examples
    --------
    >>> import hush
    >>> policy = hush.TreeDPUCB(epsilon=1.0, horizon=100)
    >>> learner = policy.learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(100):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> float(learner.statistics.counts.sum())
    100.0
    """

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None
    gamma: float = 0.1

    counter: ClassVar[CounterName | None] = "binary"
    summary = "upper confidence bounds on a binary tree per arm"
    reference = "https://auai.org/uai2015/proceedings/papers/90.pdf"
    noise_law = "Binary counter per arm: Lap((ceil(log2 T) + 1)/eps) on each node"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "gamma", positive)
        if self.gamma >= 1.0:
            raise ParameterError(f"gamma must lie between 0 and 1; got {self.gamma!r}")

    def parameters_for(self, n_arms: int) -> tuple[float, ...]:
        """Return the numerator of the noise's bonus."""
        horizon = float(max(2, self.horizon or 2))
        log = math.log(horizon)
        bonus = log**2 * math.log(max(math.e, n_arms * horizon * log / self.gamma))
        return (bonus / self.epsilon,)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's upper confidence bound in round ``t``."""
        return mean + np.sqrt(2.0 * np.log(t) / count) + parameters[0] / count

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves, with the whole epsilon to each tree."""
        share = setting.log_horizon**2 * math.log(setting.n_arms * setting.horizon)
        formula = "sum ln(T)^2 ln(K T) / (eps D)"
        yield order_bound(
            setting, formula, self.reference, lambda gap: share / (setting.epsilon * gap)
        )

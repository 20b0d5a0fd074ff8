"""Private Thompson sampling with one tree per arm (Mishra & Thakurta)."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.policies.core.bandit import CounterName
from hush.policies.core.statistics import Floats
from hush.policies.core.thompson import ThompsonPolicy

__all__ = ["MishraThakurtaTS"]


@dataclass(frozen=True)
class MishraThakurtaTS(ThompsonPolicy):
    """Thompson sampling on noisy sums from one binary tree per arm, with no room for the noise.

    Each arm has a Binary counter. Round ``t`` plays the largest of one draw per arm from ``Beta(a n
    + 1, (1 - a) n + 1)``, with ``a = clip(m)`` and ``m`` the arm's noisy mean of all its ``n``
    rewards. After one pull of each arm.

    This is the third part of the paper's Algorithm 2, which was read off a reader's notes that show
    it. The parts before, which are left out, estimate the smallest gap D and then pull each arm
    ``192 ln(T)^3 / (epsilon D^2)`` times: with five arms, epsilon 1 and 10^6 rounds more than there
    are. Without them a run is often stuck: noise hides the best arm while it has few pulls. There a
    tree has ``epsilon / (2 K)``; here, as in :class:`hush.TreeDPUCB`, each tree has the whole
    epsilon, because a reward enters one only. The first pulls and the clipping are Hush's. The
    paper's regret bound is for all its parts, and not stated here.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    horizon
        For how many rounds the trees are built; simulations fill it in. Past it the learner goes on
        with the sums that it has.

    References
    ----------
    Mishra, Thakurta: (Nearly) Optimal Differentially Private Stochastic Multi-Arm Bandits. UAI
    2015. https://auai.org/uai2015/proceedings/papers/90.pdf

    Examples
    --------
    >>> import hush
    >>> policy = hush.MishraThakurtaTS(epsilon=1.0, horizon=100)
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

    counter: ClassVar[CounterName | None] = "binary"
    summary = "Thompson sampling on a binary tree per arm"
    reference = "https://auai.org/uai2015/proceedings/papers/90.pdf"
    noise_law = "Binary counter per arm: Lap((ceil(log2 T) + 1)/eps) on each node"

    @staticmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the clipped noisy mean."""
        return np.minimum(1.0, np.maximum(0.0, mean))

"""AdaP-TT (Azize, Jourdan, Al Marjani & Basu)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hush.policies.core.statistics import Floats
from hush.policies.core.top_two import TopTwoPolicy, gaussian_cost, gaussian_threshold

__all__ = ["AdaPTT"]


@dataclass(frozen=True)
class AdaPTT(TopTwoPolicy):
    """Top-two best-arm identification with forgetting phases and Gaussian costs.

    Each arm is played once; its phases end when its pulls have doubled. ``m`` is the noisy mean of
    the arm's last phase alone, of ``n`` pulls; ``k = log2 n + 2``. With ``W(a, b, w) = max(0, m_a -
    m_b)^2 / (2 s^2 (1/w_a + 1/w_b))``, ``s = 1/2``:

    - the leader has the largest ``m + sqrt(k / n) + k / (epsilon n)``, and is played in half of the
      rounds in which it leads;
    - the challenger has the least ``W(leader, b, N)``, N the pulls so far;
    - the arm a of the largest mean is named by ``learner.best(confidence)`` when ``W(a, b, n)``
      exceeds the threshold of a and b (:func:`hush.policies.core.top_two.gaussian_threshold`) for
      all others.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    threshold
        ``"stated"``: with the constants of its proof. ``"heuristic"``: what the authors' public
        code uses; nothing is proven for it.

    References
    ----------
    Azize, Jourdan, Al Marjani, Basu: On the Complexity of Differentially Private Best-Arm
    Identification with Fixed Confidence. NeurIPS 2023. https://arxiv.org/abs/2309.02202

    Examples
    --------
    >>> import hush
    >>> policy = hush.AdaPTT(epsilon=1.0, threshold="heuristic")
    >>> learner = policy.learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> while learner.best(confidence=0.9) is None:
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.best(confidence=0.9)
    1
    """

    summary = "finds the best arm: leader and challenger on doubling phases, Gaussian costs"
    reference = "https://arxiv.org/abs/2309.02202"
    noise_law = "Lap(1/eps) on each phase's sum; the last one counts"

    def lead(self, means: Floats, counts: Floats) -> Floats:
        """Return upper confidence bounds."""
        phases = np.log2(counts) + 2.0
        return np.asarray(means + np.sqrt(phases / counts) + phases / (self.epsilon * counts))

    def estimates(self, means: Floats) -> Floats:
        """Return the means as they are."""
        return means

    @property
    def most_factor(self) -> float:
        """How large the second factor of the cost may be."""
        return math.inf

    def cost(self, one: float, two: float, pulls: tuple[float, float]) -> float:
        """Return the Gaussian transportation cost."""
        return gaussian_cost(one - two, pulls[0], pulls[1], self.most_factor)

    def handicap(self, pulls: float) -> float:  # noqa: ARG002
        """Return 0."""
        return 0.0

    def needed(self, counts: tuple[float, float], known: Floats, delta: float) -> float:
        """Return the threshold of two arms."""
        stated = self.threshold == "stated"
        return gaussian_threshold(counts[0], counts[1], known.size, delta, self.epsilon, stated)

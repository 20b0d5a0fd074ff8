"""DP-TT (Jourdan & Azize)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hush.numerics.transport import transport_cost
from hush.policies.core.statistics import Floats, Memory
from hush.policies.core.top_two import TopTwoPolicy

__all__ = ["DPTT", "pair_threshold"]


def pair_threshold(
    one: float, two: float, total: float, epsilon: float, delta: float, stated: bool
) -> float:
    """Return the threshold of two arms of so many released pulls, of so many in all.

    Stated: ``c(one) + c(two)``, ``c(n) = ln(1 / delta) + ln n ln(1 + epsilon n / ln n)``.
    Heuristic: ``ln((1 + ln total) / delta)``.

    >>> round(pair_threshold(1024.0, 1024.0, 4096.0, 1.0, 0.01, True), 2)
    78.55
    >>> round(pair_threshold(1024.0, 1024.0, 4096.0, 1.0, 0.01, False), 2)
    6.84
    """
    if not stated:
        return math.log1p(math.log(total)) - math.log(delta)
    needed = -2.0 * math.log(delta)
    for count in (one, two):
        logarithm = math.log(count)
        if logarithm > 0.0:
            needed += logarithm * math.log1p(epsilon * count / logarithm)
    return needed


@dataclass(frozen=True)
class DPTT(TopTwoPolicy):
    """Top-two best-arm identification by private transportation costs.

    Each arm is played once, then its batches double its pulls; every batch's noisy sum is added to
    the arm's, ``m = sum / n`` clipped to [0, 1]. With ``d+(m, x) = inf over z of epsilon |z - m| +
    kl(z, x)`` for ``x >= m``, ``d-(m, x) = d+(1 - m, 1 - x)``, and the cost ``C(a, b, w) = min over
    x of w_a d-(m_a, x) + w_b d+(m_b, x)``:

    - the leader B has the largest mean; it is played in half of the rounds in which it leads;
    - the challenger has the least ``C(B, a, N) + ln N_a``, N the pulls so far;
    - B is named by ``learner.best(confidence)`` when ``C(B, a, n) > c(n_B) + c(n_a)`` for all
      others, n the released pulls.

    ``threshold="stated"``: ``c(n) = ln(1/delta) + ln n ln(1 + epsilon n / ln n)``, the source's
    threshold in the approximate form that it gives; asymptotically within a factor of 8 of the
    lower bound. ``"heuristic"``: ``ln((1 + ln n) / delta)`` instead of the sum, n the released
    pulls of all arms, as experiments in this literature use it; nothing is proven for it, and that
    the source's experiments used just this is Hush's reading.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    threshold
        ``"stated"`` or ``"heuristic"``.

    References
    ----------
    Jourdan, Azize: Optimal Best Arm Identification under Differential Privacy. NeurIPS 2025.
    https://arxiv.org/abs/2510.17348

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPTT(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> while learner.best(confidence=0.9) is None:
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.best(confidence=0.9)
    1
    """

    memory: ClassVar[Memory] = "total"
    summary = "finds the best arm: leader and challenger by private transportation costs"
    reference = "https://arxiv.org/abs/2510.17348"
    noise_law = "Lap(1/eps) on each batch's sum; sums add up"

    def lead(self, means: Floats, counts: Floats) -> Floats:  # noqa: ARG002
        """Return the clipped means."""
        return self.estimates(means)

    def estimates(self, means: Floats) -> Floats:
        """Return the clipped means."""
        return np.clip(means, 0.0, 1.0)

    def cost(self, one: float, two: float, pulls: tuple[float, float]) -> float:
        """Return the private transportation cost."""
        return transport_cost(one, two, pulls[0], pulls[1], self.epsilon)

    def handicap(self, pulls: float) -> float:
        """Return ``ln N``: an arm of many pulls is no challenger again at once."""
        return math.log(pulls)

    def needed(self, counts: tuple[float, float], known: Floats, delta: float) -> float:
        """Return the threshold of two arms."""
        total, stated = float(known.sum()), self.threshold == "stated"
        return pair_threshold(counts[0], counts[1], total, self.epsilon, delta, stated)

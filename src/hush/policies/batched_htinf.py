"""The private adversarial bandit (Asi, Raman, Talwar) on HTINF (Huang, Dai, Huang)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hush.mechanisms import Fixed, Schedule
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.public_side import PublicSide
from hush.policies.core.statistics import Floats
from hush.privacy import Release

__all__ = ["BatchedHTINF", "TsallisSide", "tsallis_chances"]

SKIP = 1.0 - 2.0 ** (-1.0 / 3.0)
STEPS, ENOUGH = 60, 1e-14


def tsallis_chances(losses: Floats, rate: float) -> Floats:
    """Return the chances x that make ``rate <losses, x> - 2 sum sqrt(x)`` least.

    They are ``1 / (rate (losses - z))^2`` with the z below all losses at which they add up to 1.

    >>> tsallis_chances(np.array([0.0, 0.0]), 1.0).round(9), tsallis_chances(np.array([3.0]), 1.0)
    (array([0.5, 0.5]), array([1.]))
    """
    scaled = rate * (losses - losses.min())
    # The sum is convex and falls: from 1, where it is too large, Newton's method never passes.
    below = 1.0
    for _ in range(STEPS):
        terms = (scaled + below) ** -2.0
        excess = float(terms.sum()) - 1.0
        if excess < ENOUGH:
            break
        below += 0.5 * excess / float((terms / (scaled + below)).sum())
    chances: Floats = (scaled + below) ** -2.0
    chances /= chances.sum()
    return chances


@dataclass(frozen=True)
class BatchedHTINF(BanditPolicy):
    """Blocks of ``1 / epsilon`` rounds, their noisy losses fed to a heavy-tailed bandit.

    An arm is played for ``tau = ceil(1 / epsilon)`` rounds. Their mean loss, 1 less the reward,
    with ``Lap(1 / (epsilon tau))`` is l. Block ``b`` has the arm i with chance ``x_i``, where x
    makes ``<L, x> / (s sqrt(b)) - 2 sum sqrt(x)`` least, ``s^2 = 1 + 2 / (epsilon tau)^2`` bounds
    the second moment of l, and ``L_i`` is the sum of all ``l / x_i`` of its blocks so far, but for
    those with ``|l| > (1 - 2^(-1/3)) s sqrt(b x_i)``, which are skipped.

    It is made for rewards that an adversary fixes in advance: regret of order ``sqrt(K T /
    epsilon)`` against the best arm in hindsight, for epsilon up to 1. Needs no horizon.

    The conversion is the paper's as its readers report it. HTINF, the base that it names, was
    compared with its text: Algorithm 1 with alpha = 2, whose factor of the skipping threshold is
    ``min(1 - 2^(-1/3), e^(-1/2))``. Its theorem needs losses of the best arm whose large values are
    not negative on average; symmetric noise around a mean of at least 0 grants that. That ``s``
    bounds the second moment of a block's noisy mean is computed here.

    Parameters
    ----------
    epsilon
        The privacy loss, for one round's reward replaced by any other.

    References
    ----------
    Asi, Raman, Talwar: Faster Rates for Private Adversarial Bandits. ICML 2025.
    https://arxiv.org/abs/2505.21790
    Huang, Dai, Huang: Adaptive Best-of-Both-Worlds Algorithm for Heavy-Tailed Multi-Armed Bandits.
    ICML 2022. https://arxiv.org/abs/2201.11921

    Examples
    --------
    >>> import hush
    >>> learner = hush.BatchedHTINF(epsilon=0.5).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(2000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> len(learner.releases), learner.releases[0].count
    (1000, 2)
    """

    epsilon: float

    explores_first: ClassVar[bool] = False
    commits: ClassVar[bool] = True
    summary = "blocks of 1/epsilon rounds for a heavy-tailed adversarial bandit; for adversaries"
    reference = "https://arxiv.org/abs/2505.21790"
    noise_law = "Lap(1/eps) on each block's sum"

    @property
    def schedule(self) -> Schedule:
        """Blocks of one length."""
        return Fixed(min(math.ceil(1.0 / self.epsilon), 2**60))

    @property
    def moment(self) -> float:
        """The bound on the second moment of a noisy mean loss, s^2."""
        return 1.0 + 2.0 / (self.epsilon * self.schedule.length(0)) ** 2

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves against any oblivious adversary."""
        value = math.sqrt(setting.n_arms * setting.horizon / min(1.0, self.epsilon))
        formula = "sqrt(K T / min(1, eps))"
        yield Bound("any gaps", "upper", value, formula, self.reference, "order")

    def _public_side(self, n_arms: int) -> TsallisSide:
        return TsallisSide(self, n_arms)


class TsallisSide(PublicSide):
    """Chances of arms from estimated losses: a fold over releases, in their order."""

    _policy: BatchedHTINF

    def __init__(self, policy: BatchedHTINF, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._deviation = math.sqrt(policy.moment)
        self._losses = np.zeros(n_arms)
        self._blocks = 0
        self._set(np.full(n_arms, 1.0 / n_arms))

    def _set(self, chances: Floats) -> None:
        self._now, self._steps = chances, chances.cumsum()

    def _note(self, release: Release, arm: int) -> None:
        loss = 1.0 - float(release.value) / release.count
        chance = float(self._now[arm])
        if abs(loss) <= SKIP * self._deviation * math.sqrt((self._blocks + 1) * chance):
            self._losses[arm] += loss / chance
        self._blocks += 1
        rate = 1.0 / (self._deviation * math.sqrt(self._blocks + 1))
        self._set(tsallis_chances(self._losses, rate))

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        place = generator.random() * self._steps[-1]
        return int(self._steps.searchsorted(place, side="right"))

    def _chances(self, t: int) -> Floats:  # noqa: ARG002
        return self._now.copy()

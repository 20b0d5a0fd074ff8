"""What policies share that know what noisy releases really say about each arm."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hush.errors import check_field, whole
from hush.mechanisms import GrowingTotal, Schedule
from hush.mechanisms.schedules import checked_growth
from hush.numerics.given_releases import Releases, posterior_of
from hush.numerics.posterior import Posterior
from hush.numerics.prior import UNIFORM, Prior
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.public_side import PublicSide
from hush.policies.core.statistics import Memory
from hush.privacy import Release

__all__ = ["NoiseAwarePolicy", "PosteriorSide", "first_batch_of"]


BATCH_NOISE = "Lap(1/eps) or N(0, 1/(2 rho)) on each batch's sum; all are kept"


def first_batch_of(epsilon: float) -> int:
    """Return how many rewards a first release sums, such that it stands out from its noise.

    >>> first_batch_of(0.3)
    14
    """
    return min(math.ceil(4.0 / epsilon), 2**60)


@dataclass(frozen=True)
class NoiseAwarePolicy(BanditPolicy):
    """What noise-aware policies share whose batches let an arm's total grow by a ratio.

    An arm's first batch has ``first_batch`` rewards, ``ceil(4 / epsilon)`` if left out; each later
    one lets the arm's total grow by ``growth``. Every release is kept. With ``rho`` instead of
    ``epsilon`` noise is Gaussian, likelihoods know that, and lengths are those of the epsilon whose
    noise is as wide, ``2 sqrt(rho)``.
    """

    epsilon: float | None = None
    _: KW_ONLY
    rho: float | None = None
    first_batch: int | None = None
    growth: float = 1.5

    memory: ClassVar[Memory] = "total"
    noise_law = BATCH_NOISE

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "growth", checked_growth)
        if self.first_batch is not None:
            check_field(self, "first_batch", whole, least=1, most=2**60)

    @property
    def schedule(self) -> Schedule:
        """Batches that let the arm's total grow."""
        return GrowingTotal(
            self.growth, first=self.first_batch or first_batch_of(self.release_noise.epsilon)
        )


class PosteriorSide(PublicSide):
    """Keeps every arm's releases, and its posterior given them: a function of nothing else."""

    def __init__(self, policy: BanditPolicy, n_arms: int, *, prior: Prior = UNIFORM) -> None:
        super().__init__(policy, n_arms)
        self._prior = prior
        self._releases: list[Releases] = [()] * n_arms

    def _note(self, release: Release, arm: int) -> None:
        self._releases[arm] += ((release.count, float(release.value)),)

    def _posterior(self, arm: int) -> Posterior:
        used = self._used(self._releases[arm])
        epsilon, gaussian = self._policy.release_noise
        return posterior_of(epsilon, self._prior, used, gaussian)

    def _used(self, releases: Releases) -> Releases:
        """Return the releases of an arm that its posterior rests on: all."""
        return releases

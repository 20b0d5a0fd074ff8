"""The public half of learners that know what noisy releases really say about each arm."""

from __future__ import annotations

from hush.numerics.posterior import Posterior, Releases, posterior_of
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.public_side import PublicSide
from hush.privacy import Release

__all__ = ["PosteriorSide"]


class PosteriorSide(PublicSide):
    """Keeps every arm's releases, and its posterior given them: a function of nothing else."""

    def __init__(
        self, policy: BanditPolicy, n_arms: int, *, prior: tuple[float, float] = (1.0, 1.0)
    ) -> None:
        super().__init__(policy, n_arms)
        self._prior = prior
        self._releases: list[Releases] = [()] * n_arms

    def _note(self, release: Release, arm: int) -> None:
        self._releases[arm] += ((release.count, float(release.value)),)

    def _posterior(self, arm: int) -> Posterior:
        used = self._used(self._releases[arm])
        return posterior_of(self._policy.release_epsilon, self._prior, used)

    def _used(self, releases: Releases) -> Releases:
        """Return the releases of an arm that its posterior rests on: all."""
        return releases

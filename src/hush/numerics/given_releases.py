"""What is known about a coin's mean given its releases, computed once and kept."""

from __future__ import annotations

from functools import lru_cache

from hush.numerics.posterior import Posterior
from hush.numerics.prior import Prior

__all__ = ["Releases", "posterior_of"]

Releases = tuple[tuple[int, float], ...]
"""An arm's releases, oldest first: how many tosses, and their noisy sum."""

DEEPEST = 200  # of the recursion that takes in releases


def posterior_of(
    epsilon: float, prior: Prior, releases: Releases, gaussian: bool = False
) -> Posterior:
    """Return the posterior given releases: a function of nothing else, and kept.

    >>> posterior_of(1.0, Prior(), ((100, 62.5),)).mean > 0.6
    True
    """
    for size in range(DEEPEST, len(releases), DEEPEST):
        _kept(epsilon, prior, releases[:size], gaussian)
    return _kept(epsilon, prior, releases, gaussian)


@lru_cache(maxsize=4096)
def _kept(epsilon: float, prior: Prior, releases: Releases, gaussian: bool) -> Posterior:
    if not releases:
        return Posterior.before(epsilon=epsilon, prior=prior, gaussian=gaussian)
    return _kept(epsilon, prior, releases[:-1], gaussian).given(*releases[-1])

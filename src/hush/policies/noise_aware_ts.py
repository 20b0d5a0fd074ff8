"""NoiseAwareTS: Thompson sampling from the posterior given noisy releases. Hush's own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, check_field, is_number, shown
from hush.numerics.given_releases import Releases, posterior_of
from hush.numerics.posterior_chances import win_chances
from hush.numerics.posterior_draws import PosteriorDraws
from hush.numerics.prior import Prior
from hush.policies.core.posterior_side import NoiseAwarePolicy, PosteriorSide
from hush.policies.core.statistics import Floats
from hush.privacy import Release

__all__ = ["NoiseAwareTS", "SamplingSide"]


@dataclass(frozen=True)
class NoiseAwareTS(NoiseAwarePolicy):
    """Thompson sampling from what the noisy releases really say about each arm.

    Other private bandits treat noise as a nuisance and cover it with a bonus. But its law is
    known, so the posterior of an arm's mean given its noisy releases is known too. Round ``t``
    draws once from every arm's posterior and plays the arm of the largest draw. Sampling from a
    function of releases is post-processing: it costs no privacy.

    An arm's first batch has ``first_batch`` rewards; each later one lets the arm's total grow by
    ``growth``. Every batch's sum is released once with ``Lap(1/epsilon)`` noise. The posterior is
    the Beta prior times the product, over all of the arm's releases, of ``sum over b of
    Binomial(b; n, mean) exp(-epsilon |S - b|)``, which is computed exactly: see
    :mod:`hush.numerics.posterior`. It changes at releases only, and so do the arms' chances to
    win a round; a decision is one look-up among them, or, with more than 32 arms, a draw from each.

    No regret bound is proven. ``docs/noise_aware_ts.md`` has the measured figures.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    rho
        The concentrated loss, instead of epsilon: Gaussian noise of variance ``1 / (2 rho)``, with
        the likelihood that it has; where a length depends on epsilon it is ``2 sqrt(rho)``.
    first_batch
        How many rewards an arm's first release sums; ``ceil(4 / epsilon)`` if left out, such that
        the sum stands out from its noise.
    growth
        The ratio by which an arm's total grows from release to release. Less growth wastes fewer
        rewards in unfinished batches, more growth meets noise less often; see the study.
    prior
        The two parameters of the Beta prior of an arm's mean, each 0.5 or more. Beta(2, 2) leans a
        little away from 0 and 1; Beta(1, 1) leans nowhere, and had more regret in the study.
    flat
        The weight of a uniform prior beside it, without which an arm of mean .998 can be lost for
        very long.

    References
    ----------
    Hush's own, in the spirit of Thompson 1933. https://doi.org/10.1093/biomet/25.3-4.285

    Examples
    --------
    >>> import hush
    >>> learner = hush.NoiseAwareTS(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> bool(learner.statistics.counts[1] > 400)
    True
    """

    _: KW_ONLY
    prior: tuple[float, float] = (2.0, 2.0)
    flat: float = 0.7

    summary = "Thompson sampling from the exact posterior given noisy releases"
    reference = "https://doi.org/10.1093/biomet/25.3-4.285"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "prior", _checked_prior)
        check_field(self, "flat", _checked_flat)

    @property
    def belief(self) -> Prior:
        """The prior of an arm's mean: the Beta law, and with weight ``flat`` the uniform one."""
        return Prior.mixed(self.prior, self.flat)

    def _public_side(self, n_arms: int) -> SamplingSide:
        return SamplingSide(self, n_arms)


class SamplingSide(PosteriorSide):
    """Draws from every arm's posterior; it and the chances are functions of the releases alone.

    Few arms have their chances computed once a release, and a round is a look-up. Many arms are
    drawn from in every round, which has the same law and needs no chances.
    """

    _policy: NoiseAwareTS

    def __init__(self, policy: NoiseAwareTS, n_arms: int) -> None:
        super().__init__(policy, n_arms, prior=policy.belief)
        self._reach: Floats | None = None
        self._odds: Floats | None = None
        self._draws = PosteriorDraws(n_arms)
        self._stale: set[int] = set()  # arms with a release that their draws do not know yet
        self._all = np.arange(n_arms)

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        if self._n_arms > FEW_ARMS:
            return self._drawn_among(self._all, generator)
        return _drawn(self._current(), generator)

    def _chances(self, t: int) -> Floats:  # noqa: ARG002
        return np.diff(self._current(), prepend=0.0)

    def odds(self, t: int) -> Floats:
        """Return the probability of every arm: the same array until the next release."""
        if self._first is not None:
            return super().odds(t)
        if self._odds is None:
            self._odds = self._chances(t)
        return self._odds

    def _pick_among(self, arms: list[int], t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        if len(arms) > FEW_ARMS:
            return self._drawn_among(np.array(arms), generator)
        return arms[_drawn(self._reach_of(arms), generator)]

    def _chances_among(self, arms: list[int], t: int) -> Floats:  # noqa: ARG002
        return np.diff(self._reach_of(arms), prepend=0.0)

    def _note(self, release: Release, arm: int) -> None:
        super()._note(release, arm)
        self._reach = self._odds = None
        self._stale.add(arm)

    def _drawn_among(self, arms: NDArray[np.int64], generator: np.random.Generator) -> int:
        while self._stale:
            arm = self._stale.pop()
            self._draws.put(arm, self._posterior(arm))
        return self._draws.largest(arms, generator)

    def _current(self) -> Floats:
        if self._reach is None:
            self._reach = self._reach_of(range(self._n_arms))
        return self._reach

    def _reach_of(self, arms: Iterable[int]) -> Floats:
        used = tuple(self._used(self._releases[arm]) for arm in arms)
        epsilon, gaussian = self._policy.release_noise
        return reach_of(epsilon, self._prior, used, gaussian)


def _checked_prior(name: str, value: object) -> tuple[float, float]:
    ends = tuple(value) if isinstance(value, tuple | list) else ()
    if len(ends) != 2 or not all(is_number(each) and 0.5 <= each <= 1e6 for each in ends):
        raise ParameterError(f"{name} must be two numbers from 0.5 to 1e6; got {shown(value)}")
    return float(ends[0]), float(ends[1])


def _checked_flat(name: str, value: object) -> float:
    if not is_number(value) or not 0.0 <= value <= 0.99:
        raise ParameterError(f"{name} must be a number from 0 to 0.99; got {shown(value)}")
    return float(value)


FEW_ARMS = 32


def _drawn(reach: Floats, generator: np.random.Generator) -> int:
    arm = int(reach.searchsorted(generator.random(), side="right"))
    return min(arm, reach.size - 1)


@lru_cache(maxsize=8192)
def reach_of(
    epsilon: float, prior: Prior, releases: tuple[Releases, ...], gaussian: bool = False
) -> Floats:
    """Return the running sum of the arms' chances: a function of their releases alone."""
    posteriors = [posterior_of(epsilon, prior, each, gaussian) for each in releases]
    reach = np.cumsum(win_chances(posteriors))
    reach.flags.writeable = False
    return reach

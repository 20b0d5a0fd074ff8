"""What a learner's releases say about the arms' means: private, and valid at all times.

An arm's posterior given its releases, divided by the uniform prior, is the *evidence* ``R(x)`` for
a mean x. At the true mean ``1 / R`` is a nonnegative martingale of mean 1, as long as each release
is, given all earlier ones, a binomial sum of fresh coins plus fresh noise of known law. So ``{x :
R(x) > d}`` misses the mean at any time at all with a chance of at most d (Ville), and it is an
interval, because the likelihood is log-concave. ``docs/confidence.md`` has the argument, what it
assumes and how well it does.

Waudby-Smith, Ramdas: Confidence sequences for sampling without replacement. NeurIPS 2020.
https://arxiv.org/abs/2006.04347
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from hush.errors import ParameterError, is_number, shown
from hush.mechanisms import ExactSum, GaussianSum, NoisySum
from hush.mechanisms.flipping import FlippedSum, FlippedSums
from hush.mechanisms.sums import ArmSums
from hush.noise.laws import SumNoise
from hush.numerics.binomial import log_mass
from hush.numerics.concave import level_set
from hush.numerics.given_releases import Releases, posterior_of
from hush.numerics.prior import UNIFORM
from hush.numerics.series import inner
from hush.policies.core.statistics import Floats

if TYPE_CHECKING:
    from hush.policies.core.bandit_learner import BanditLearner
    from hush.privacy import Release

__all__ = [
    "Evidence",
    "ExactEvidence",
    "arm_posteriors",
    "check_disjoint_sums",
    "checked_confidence",
    "interval_of",
    "mean_intervals",
]

TELLING = 200.0  # with a larger epsilon, noise hides a sum with a chance of e^-100 only
ROUNDING = 1e-6  # of a log ratio: more than it ever is


class Evidence(Protocol):
    """What is known about one mean: a posterior whose prior was uniform."""

    def log_ratio(self, x: Floats) -> Floats:
        """Return ``ln R``, the logarithm of posterior over prior density: concave in the mean."""


class ExactEvidence:
    """What an exact sum of tosses says about a coin's mean: ``R`` is the Beta density.

    >>> np.round(ExactEvidence(3, 1).log_ratio(np.array([0.5])), 6) == round(math.log(1.5), 6)
    array([ True])
    """

    def __init__(self, count: int, total: int) -> None:
        self._count, self._total = count, total

    def log_ratio(self, x: Floats) -> Floats:
        """Return ``ln((n + 1) Binomial(total; n, x))``."""
        if not self._count:
            return np.zeros_like(x)
        means = inner(x)
        mass: Floats = log_mass(self._total, self._count, means, 1.0 - means)
        return mass + math.log(self._count + 1.0)


def check_disjoint_sums(learner: BanditLearner) -> None:
    """Raise unless the learner's log tells the law of all it knows about its arms.

    It does where every reward enters one released sum as a coin, by itself or with Laplace noise
    of scale ``1 / epsilon`` or Gaussian noise of variance ``1 / (2 rho)``, and every release is
    kept or, if exact, added up. Coins may have been flipped at random: a mean is theirs then.
    """
    policy, private = learner.policy, learner._private
    name = type(policy).__name__
    if type(private) is not ArmSums and type(private) is not FlippedSums:
        raise ParameterError(
            f"{name} does not release each reward in one sum only (a counter's sums overlap), and "
            "what overlapping sums say about a mean is not known here; take a policy that releases "
            "sums of epochs, such as LazyDPTS"
        )
    mechanism = private._mechanism
    exact = isinstance(mechanism, ExactSum)
    noisy = type(mechanism) in (NoisySum, GaussianSum)
    if not exact and not (noisy and getattr(mechanism, "sensitivity", 0) == 1):
        raise ParameterError(
            f"the law of {name}'s noise is not known here: it is neither NoisySum nor GaussianSum "
            "of sensitivity 1 nor ExactSum"
        )
    if learner._keeps_last_only and not (exact and policy.memory == "total"):
        raise ParameterError(
            f"{name} releases every round, and its learner keeps an arm's last release only; "
            "release longer epochs, of which all are kept"
        )


def arm_posteriors(learner: BanditLearner, arms: Sequence[int] | None = None) -> list[Evidence]:
    """Return what the learner's releases say about each arm, or some, from a uniform prior.

    Noisy sums give a :class:`hush.numerics.posterior.Posterior`. Means are those of the coins, in
    [0, 1]; a declared ``reward_range`` is not applied here.

    >>> import hush
    >>> learner = hush.LazyDPTS(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([1.5]))
    >>> _ = learner.update(learner.select(), 1)
    >>> [round(float(each.log_ratio(np.array([0.9]))[0]), 3) for each in arm_posteriors(learner)]
    [0.315, 0.0]
    """
    check_disjoint_sums(learner)
    wanted = range(learner.n_arms) if arms is None else arms
    if learner._keeps_last_only:
        known = learner.statistics
        return [ExactEvidence(int(known.counts[arm]), int(known.sums[arm])) for arm in wanted]
    kept: list[list[Release]] = [[] for _ in range(learner.n_arms)]
    for release in learner.releases:
        kept[release.arm].append(release)  # type: ignore[index]  # bandit releases name one
    return [_evidence(kept[arm]) for arm in wanted]


def _evidence(releases: list[Release]) -> Evidence:
    """Return what the releases of one arm say."""
    exact = not releases or releases[0].mechanism == FlippedSum.name
    noise = SumNoise(math.inf) if exact else _noise_of(releases[0])
    if noise.epsilon > TELLING:
        sums = (min(max(round(each.value), 0), each.count) for each in releases)
        return ExactEvidence(sum(each.count for each in releases), sum(sums))
    told: Releases = tuple((each.count, float(each.value)) for each in releases)
    return posterior_of(noise.epsilon, UNIFORM, told, noise.gaussian)


def _noise_of(release: Release) -> SumNoise:
    return SumNoise(release.epsilon) if release.rho is None else SumNoise.gauss(release.rho)


def checked_confidence(confidence: object) -> float:
    """Return a confidence as a float, or raise.

    >>> checked_confidence(0.95)
    0.95
    """
    if not is_number(confidence) or not 0.0 < confidence < 1.0:
        raise ParameterError(
            "confidence must be a number between 0 and 1, both left out, such as 0.95; "
            f"got {shown(confidence)}"
        )
    return float(confidence)


def interval_of(evidence: Evidence, log_miss: float) -> tuple[float, float]:
    """Return the means whose evidence is above ``exp(log_miss)``, the chance to miss the true one.

    >>> interval_of(ExactEvidence(0, 0), math.log(0.05))
    (0.0, 1.0)
    """
    return level_set(evidence.log_ratio, log_miss - ROUNDING)


def mean_intervals(
    learner: BanditLearner, confidence: float, arms: Sequence[int] | None = None
) -> tuple[tuple[float, float], ...]:
    """Return intervals that hold together, of all arms or some, in the declared range."""
    known = arm_posteriors(learner, arms)
    log_miss = math.log1p(-confidence) - math.log(len(known))
    ends = [interval_of(each, log_miss) for each in known]
    rewards, private = learner._rewards, learner._private
    if isinstance(private, FlippedSums):
        ends = [(private.mean_of(low), private.mean_of(high)) for low, high in ends]
    return tuple((rewards.reward(low), rewards.reward(high)) for low, high in ends)

"""Finders: how policies are played until they name the best arm.

A policy whose decisions change at releases only is played a batch at a time: given its releases its
arms are fixed, and a batch's rewards enter one sum, which is one binomial draw. Any other bandit
policy is played round by round, through its learner.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.random import SeedSequence

from hush.environments import Environment
from hush.errors import NoiseError, ParameterError
from hush.noise import SeededNoise, children
from hush.policies import (
    DPTT,
    AdaPTT,
    AdaPTTStar,
    BanditLearner,
    BanditPolicy,
    NoiseAwareBAI,
    Policy,
    PrivateSequentialHalving,
)
from hush.policies.core.identification import most_level
from hush.policies.sequential_halving import halving_plan
from hush.simulation.engines.base import NO_SCRIPT, Floats, Integers, why_not_of
from hush.simulation.engines.run_seeds import generators
from hush.simulation.kernels.records import Problem, Streams, Target, TopTwoTraits

__all__ = ["FINDERS", "Finder", "Found", "Search", "finder_of"]

UNDECIDED, LOST = -1, -2


@dataclass(frozen=True)
class Search:
    """All that runs depend on, but for their seed."""

    policy: Policy
    env: Environment
    confidence: float
    most: int
    discrete: bool = False
    stop: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64), compare=False)

    @property
    def delta(self) -> float:
        """The chance that is allowed to be wrong."""
        return 1.0 - self.confidence


class Found(NamedTuple):
    """One run: the arm that was named, or -1; how many samples it took; pulls of each arm."""

    arm: int
    samples: int
    pulls: Integers


class Finder(ABC):
    """How the policies of one family are played until they name an arm.

    Class attributes
    ----------------
    label
        What a result calls it.
    families
        The classes whose rule the loop stands in for.
    honours
        What a policy may declare or override, and the loop follows.
    """

    label: ClassVar[str] = "leap"
    families: ClassVar[tuple[type[Policy], ...]] = ()
    honours: ClassVar[frozenset[str]] = frozenset()

    def why_not(self, policy: Policy) -> str | None:
        """Return why the loop does not speak for a policy, or None if it does."""
        return why_not_of(policy, self.families, self.honours)

    def compiled_loop(self) -> Any:  # noqa: ANN401  numba has no types
        """Return the loop that is compiled to play it, or None."""
        return None

    @abstractmethod
    def find(self, search: Search, seed: SeedSequence, script: Floats = NO_SCRIPT) -> Found:
        """Play one run. A ``script`` holds values to release instead of drawn ones: arm x epoch."""


class LeapFinder(Finder):
    """A finder whose compiled loop plays a batch at a time."""

    loop: ClassVar[str]

    def compiled_loop(self) -> Any:  # noqa: ANN401
        """Return the loop."""
        module, _, name = self.loop.partition(".")
        return getattr(import_module(f"hush.simulation.kernels.{module}"), name)

    def find(self, search: Search, seed: SeedSequence, script: Floats = NO_SCRIPT) -> Found:
        """Play one run."""
        n_arms = search.env.n_arms
        pulls = np.zeros(n_arms, dtype=np.int64)
        level = most_level(search.delta, n_arms)
        target = Target(search.delta, level, search.most, pulls, search.stop)
        arm, samples = self.compiled_loop()(
            *self._given(search), target, script, Streams(*generators(seed))
        )
        if arm == LOST:
            raise NoiseError(
                f"the releases of {search.policy} contradict each other so much that double "
                "precision does not hold their posterior; choose a smaller growth"
            )
        return Found(int(arm), int(samples), pulls)

    @abstractmethod
    def _given(self, search: Search) -> tuple[Any, ...]:
        """Return what is played, as the loop takes it."""


def problem_of(search: Search) -> Problem:
    """Return coins, batches and noise, as loops take them."""
    policy = search.policy
    assert isinstance(policy, BanditPolicy)  # noqa: S101  by the finders' families
    lengths = policy.schedule.lengths(search.most)
    epsilon, gaussian = policy.release_noise
    return Problem(search.env.unit_means, lengths, epsilon, search.discrete, gaussian=gaussian)


class ContestFinder(LeapFinder):
    """Plays :class:`~hush.NoiseAwareBAI`."""

    families = (NoiseAwareBAI,)
    honours = frozenset({"schedule", "release_epsilon", "release_rho", "first_batch", "growth"})
    loop = "contest.find_by_contest"

    def _given(self, search: Search) -> tuple[Any, ...]:
        return (problem_of(search),)


class TopTwoFinder(LeapFinder):
    """Plays :class:`~hush.DPTT`, :class:`~hush.AdaPTT` and :class:`~hush.AdaPTTStar`."""

    families = (DPTT, AdaPTTStar, AdaPTT)
    honours = frozenset({"schedule", "release_epsilon", "threshold", "most_factor"})
    loop = "top_two.find_by_top_two"

    def _given(self, search: Search) -> tuple[Any, ...]:
        policy = search.policy
        assert isinstance(policy, self.families)  # noqa: S101
        most = math.inf if isinstance(policy, DPTT) else policy.most_factor
        stated = policy.threshold == "stated"
        traits = TopTwoTraits(isinstance(policy, DPTT), policy.epsilon, most, stated)
        return problem_of(search), traits


class HalvingFinder(Finder):
    """Plays :class:`~hush.PrivateSequentialHalving`: a few draws a run, so nothing is compiled.

    It names what it recommends when its budget is spent, whatever the confidence.
    """

    families = (PrivateSequentialHalving,)
    honours = frozenset({"release_epsilon"})

    def find(self, search: Search, seed: SeedSequence, script: Floats = NO_SCRIPT) -> Found:
        """Play one run."""
        policy, env = search.policy, search.env
        assert isinstance(policy, PrivateSequentialHalving)  # noqa: S101  by its families
        reward, noise, _ = generators(seed)
        pulls = np.zeros(env.n_arms, dtype=np.int64)
        arms = np.arange(env.n_arms)
        plan = halving_plan(env.n_arms, policy.horizon or search.most)
        for number, (_, length, kept) in enumerate(plan):
            if length * arms.size > search.most - pulls.sum():
                return Found(UNDECIDED, search.most, pulls)
            pulls[arms] += length
            sums = reward.binomial(length, env.unit_means[arms]) + laplace(
                1.0 / policy.release_epsilon, arms.size, search.discrete, noise
            )
            values = script[arms, number] if script.size else sums
            arms = np.sort(arms[np.argsort(-values, kind="stable")[:kept]])
        return Found(int(arms[0]), int(pulls.sum()), pulls)


def laplace(scale: float, size: int, discrete: bool, noise: np.random.Generator) -> Floats:
    """Draw continuous or discrete Laplace noise, as ``SeededNoise`` does."""
    if not discrete:
        return noise.laplace(0.0, scale, size)
    up, down = (np.floor(scale * noise.standard_exponential(size)) for _ in range(2))
    return np.asarray(up - down)


class LearnerFinder(Finder):
    """Plays any bandit policy whose learner can name the best arm, one round at a time."""

    label = "rounds (learner)"

    def why_not(self, policy: Policy) -> str | None:
        """Return why a policy never names an arm, or None if it may."""
        if not isinstance(policy, BanditPolicy):
            return f"{type(policy).__name__} has full information, and best arms are for bandits"
        return None

    def find(self, search: Search, seed: SeedSequence, script: Floats = NO_SCRIPT) -> Found:
        """Play one run: the learner is asked after each release."""
        environment, source = children(seed, 2)
        reward = np.random.Generator(np.random.PCG64(environment))
        env = search.env
        learner = search.policy.learner(
            env.n_arms,
            noise=SeededNoise(source, discrete=search.discrete),
            reward_range=env.reward_range,
        )
        assert isinstance(learner, BanditLearner)  # noqa: S101  by why_not
        learner.best(search.confidence)  # raises where releases do not tell
        sample = partial(env.sample, reward)
        pulls = np.zeros(env.n_arms, dtype=np.int64)
        for done in range(1, search.most + 1):
            arm = learner.select()
            pulls[arm] += 1
            if learner.observe(arm, sample) is not None:
                named = learner.best(search.confidence)
                if named is not None:
                    return Found(named, done, pulls)
            if search.stop[0]:
                break
        return Found(UNDECIDED, int(pulls.sum()), pulls)


FINDERS: tuple[Finder, ...] = (
    ContestFinder(),
    TopTwoFinder(),
    HalvingFinder(),
    LearnerFinder(),
)


def finder_of(policy: Policy, env: Environment | None = None) -> Finder:
    """Return the finder that plays a policy: the first that accepts it.

    Where an environment must be asked for its rewards it is the learner's, which does.

    >>> import hush
    >>> finder_of(hush.NoiseAwareBAI(1.0)).label, finder_of(hush.LazyDPTS(1.0)).label
    ('leap', 'rounds (learner)')
    """
    for finder in FINDERS[-1:] if env is not None and env.by_sample else FINDERS:
        if finder.why_not(policy) is None:
            return finder
    raise ParameterError(f"identify cannot play {policy}: {FINDERS[-1].why_not(policy)}")

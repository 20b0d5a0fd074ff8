"""The conformance kit over every registered policy, and over faults it must find."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from tests import every

import hush
from hush import DPSE, AnytimeLazyUCB, DistDPSE, Guarantee, LazyDPTS, SeededNoise
from hush.mechanisms import NoisySum
from hush.mechanisms.shares import SharedSum
from hush.policies.core.bandit_learner import BanditLearner
from hush.testing import Check, ConformanceError, check_policy, yield_checks
from hush.testing.checks import follows_its_seed


def named(policies, **sizes):
    """Every check of every policy, each a test of its own."""
    return [
        pytest.param(check, id=f"{policy}-{sizes.get('n_arms', 4)} arms-{check}")
        for policy in policies
        for check in yield_checks(policy, **sizes)
    ]


CHECKS = named(every.DEFAULT, rounds=3_000)
# Half of all the time that the kit takes; every policy has them in the test of a million rounds.
LONG = [each for each in CHECKS if each.values[0].name == "restores_to_the_same_future"]
KINDS = [every.kind(policy) for policy in every.DEFAULT]


@pytest.mark.untraced
@pytest.mark.parametrize("check", [each for each in CHECKS if each not in LONG])
def test_every_registered_policy_conforms(check):
    check()


@pytest.mark.untraced
@pytest.mark.parametrize("check", every.of_each_kind(LONG, lambda each: KINDS[LONG.index(each)]))
def test_registered_policies_are_restored(check):
    check()


@pytest.mark.slow
@pytest.mark.parametrize("check", named(every.DEFAULT, rounds=10**6))
def test_every_registered_policy_endures_a_million_rounds(check):
    check()


@pytest.mark.untraced
@pytest.mark.parametrize("check", every.sampled(named(every.OTHER, n_arms=3, rounds=2000), 9))
def test_other_parameters_conform(check):
    check()


@pytest.mark.untraced
@pytest.mark.parametrize(
    "check",
    every.sampled(
        named(every.DEFAULT, n_arms=1, rounds=500) + named(every.DEFAULT, n_arms=2, rounds=500), 13
    ),
)
def test_other_numbers_of_arms_conform(check):
    check()


@pytest.mark.slow
@pytest.mark.parametrize("check", named(every.DEFAULT, n_arms=30, rounds=500))
def test_many_arms_conform(check):
    check()


def test_checks_are_named_and_those_of_privacy_are_left_out_without_it():
    names = [check.name for check in yield_checks(LazyDPTS(1.0), rounds=10)]
    assert len(set(names)) == len(names)
    assert "loses_epsilon_at_most" in names
    assert "loses_epsilon_at_most" not in map(str, yield_checks(hush.UCB1(), rounds=10))
    assert {type(check) for check in yield_checks(DPSE(1.0))} == {Check}


# Faults, each of which the kit must find.


class PeekingLearner(BanditLearner):
    """Lets a raw reward steer the next decision."""

    last = 0.0

    def update(self, arm, reward):
        release = super().update(arm, reward)
        self.last = float(reward)
        return release

    def _state(self):
        return {**super()._state(), "last": self.last}

    def _restore(self, body):
        super()._restore(body)
        self.last = body["last"]

    def select(self):
        arm = super().select()
        if self.last and not self._public.exploring:
            self._unnamed[arm] -= 1
            arm = 0
            self._unnamed[arm] += 1
        return arm


@dataclass(frozen=True)
class Peeking(AnytimeLazyUCB):
    def _new_learner(self, n_arms, noise, rewards):
        return PeekingLearner(self, n_arms, noise, rewards)


class Forgetful(BanditLearner):
    """Draws the noise of the last release anew on restore."""

    def _restore(self, body):
        super()._restore(body)
        self._noise.add_laplace(0, epsilon=1.0)


@dataclass(frozen=True)
class Redrawing(LazyDPTS):
    def _new_learner(self, n_arms, noise, rewards):
        return Forgetful(self, n_arms, noise, rewards)


class TwiceSum(NoisySum):
    """Draws twice and keeps the second."""

    def release(self, total, *, count):
        super().release(total, count=count)
        return super().release(total, count=count)


@dataclass(frozen=True)
class Twice(AnytimeLazyUCB):
    def _mechanism(self, noise):
        return TwiceSum(epsilon=self.epsilon, noise=noise)


@dataclass(frozen=True)
class Seedless(DistDPSE):
    """Draws the same shares whatever the seed."""

    def _mechanism(self, noise):
        own = SeededNoise(1)
        return SharedSum(epsilon=self.epsilon, horizon=self.horizon, noise=own)


class Chatty(BanditLearner):
    """Accepts anything as a reward."""

    def update(self, arm, reward):
        try:
            return super().update(arm, reward)
        except hush.RewardError:
            return super().update(arm, 0)


@dataclass(frozen=True)
class Lenient(AnytimeLazyUCB):
    def _new_learner(self, n_arms, noise, rewards):
        return Chatty(self, n_arms, noise, rewards)


class Showing(BanditLearner):
    last = None

    def update(self, arm, reward):
        release = super().update(arm, reward)
        self.last = reward
        return release

    def __repr__(self):
        return f"last reward {self.last}"


@dataclass(frozen=True)
class Loud(AnytimeLazyUCB):
    def _new_learner(self, n_arms, noise, rewards):
        return Showing(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class Insecure(AnytimeLazyUCB):
    def learner(self, n_arms, *, noise=None, reward_range=(0.0, 1.0)):
        return super().learner(n_arms, noise=noise or SeededNoise(0), reward_range=reward_range)


@dataclass(frozen=True)
class Wordless(AnytimeLazyUCB):
    @property
    def guarantee(self):
        return Guarantee(1.0, "replace", "", "", 1.0)


@dataclass(frozen=True)
class Shared(AnytimeLazyUCB):
    """Selects by a generator of its own, which a seed does not reach."""

    generator: ClassVar = np.random.default_rng(1)

    def _public_side(self, n_arms):
        return hush.BanditPolicy._public_side(self, n_arms)

    def _choose(self, t, statistics, generator):
        return int(self.generator.integers(statistics.means.size))


class SteppingLearner(BanditLearner):
    """Decides by more than releases: every fiftieth round it plays arm 0."""

    def select(self):
        arm = super().select()
        if self.rounds % 50 == 0:
            self._unnamed[arm] -= 1
            arm = 0
            self._unnamed[arm] += 1
        return arm


@dataclass(frozen=True)
class Stepping(LazyDPTS):
    def _new_learner(self, n_arms, noise, rewards):
        return SteppingLearner(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class Unlikely(LazyDPTS):
    """Says chances that are not those of its rule."""

    def _chances(self, t, statistics):
        return np.eye(statistics.counts.size)[t % 2]


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("policy", "message"),
    [
        (Stepping(1.0), "decided from more than releases"),
        (Unlikely(1.0), "an arm of no chance"),
        (Peeking(1.0), "moved an arm past the noise"),
        (Redrawing(1.0), "future differs|releases differ|states differ"),
        (Twice(1.0), "lose what is promised at most: 2 where 1 is"),
        (Lenient(1.0), "refused"),
        (Loud(1.0), "repr must not show"),
        (Insecure(1.0), "secure noise"),
        (Wordless(1.0), "unit and its reason"),
        (Shared(1.0), "same seed"),
    ],
    ids=lambda each: type(each).__name__ if isinstance(each, hush.Policy) else "",
)
def test_faults_are_found(policy, message):
    with pytest.raises(ConformanceError, match=message):
        check_policy(policy, rounds=100)


def test_shares_that_ignore_the_seed_are_found():
    """Sums in whole parts meet now and then, so that they are compared all together."""
    with pytest.raises(ConformanceError, match="other seeds must draw other noise"):
        follows_its_seed(Seedless(1.0, horizon=600), 4, 7)

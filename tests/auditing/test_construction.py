"""What the audit reads off a class: public hooks only, private hooks by name, what code reaches."""

import copy
import gc
import math
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from tests import every

import hush
from hush.auditing.attacked_claim import Claim
from hush.auditing.construction import construction, proven_loss
from hush.auditing.own_code import private_hooks, reaches
from hush.mechanisms import Dartboard, NoisySum
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.public_side import RuleSide

SEEN = []


def judged(policy, claim=1.0, rewards=1):
    return construction(policy, 3, Claim(claim, rewards=rewards))


@pytest.mark.parametrize("policy", every.PRIVATE, ids=str)
def test_registered_policies_are_proved(policy):
    guarantee = policy.guarantee
    claim = Claim(guarantee.under("replace"), rho=guarantee.rho)
    found = construction(policy, 3, claim)
    assert found.status == "proved", found.says
    assert found.loss <= claim.size * (1 + 1e-12)


@dataclass(frozen=True)
class Greedy(hush.BanditPolicy):
    """A rule of its own, by public hooks."""

    epsilon: float = 1.0

    def _choose(self, t, statistics, generator):
        if generator.random() < helper(t):
            return int(generator.integers(statistics.means.size))
        return int(np.argmax(statistics.means))


def helper(t):
    return 1.0 / math.sqrt(t)


class Remembering(RuleSide):
    """A public side of its own: it keeps every release."""

    def __init__(self, policy, n_arms):
        super().__init__(policy, n_arms)
        self.kept = []

    def _note(self, release, arm):
        self.kept.append((arm, release.value))


@dataclass(frozen=True)
class Thoughtful(Greedy):
    def _public_side(self, n_arms):
        return Remembering(self, n_arms)


@pytest.mark.parametrize("policy", [Greedy(), Thoughtful()], ids=str)
def test_public_hooks_are_private_by_construction(policy):
    found = judged(policy)
    assert found.status == "proved", found.says
    assert found.loss == 1.0
    assert judged(policy, claim=0.5).status == "inconclusive"


PURE = [policy for policy in every.PRIVATE if policy.guarantee.rho is None]


@pytest.mark.parametrize("policy", every.sampled(PURE, 6), ids=str)
def test_a_person_loses_as_often_as_she_gives_a_reward(policy):
    single = proven_loss(policy.with_horizon(1000).learner(3), "replace")
    hers = judged(policy, claim=3.0 * single, rewards=3)
    assert (hers.status, hers.loss) == ("proved", 3.0 * single)
    assert f"3 times {single:.4g} for a reward" in hers.says
    less = judged(policy, claim=2.9 * single, rewards=3)
    assert less.status == "inconclusive"
    assert "more than is claimed" in less.says


class OwnLearner(BanditLearner):
    pass


class OwnMechanism(NoisySum):
    pass


@dataclass(frozen=True)
class HasLearner(Greedy):
    def _new_learner(self, n_arms, noise, rewards):
        return OwnLearner(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class HasMechanism(Greedy):
    def _mechanism(self, noise):
        return OwnMechanism(epsilon=self.epsilon, noise=noise)


@dataclass(frozen=True)
class HasPrivateSide(Greedy):
    def _private_side(self, n_arms, noise, rewards):
        side = super()._private_side(n_arms, noise, rewards)
        SEEN.append(side)
        return side


@dataclass(frozen=True)
class HidesHooks(Greedy):
    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "_mechanism", lambda noise: NoisySum(epsilon=9.0, noise=noise))


@dataclass(frozen=True)
class Intercepts(Greedy):
    def __getattribute__(self, name):
        return super().__getattribute__(name)


class Moody(Greedy):
    @property
    def epsilon(self):
        return 1.0


@pytest.mark.parametrize(
    ("cls", "hook"),
    [
        (HasLearner, "HasLearner._new_learner"),
        (HasMechanism, "HasMechanism._mechanism"),
        (HasPrivateSide, "HasPrivateSide._private_side"),
        (HidesHooks, "self._mechanism"),
        (Intercepts, "Intercepts.__getattribute__"),
    ],
)
def test_private_hooks_are_named(cls, hook):
    found = judged(cls())
    assert found.status == "inconclusive"
    assert hook in found.facts["private_hooks"]
    assert hook in found.says


def test_a_computed_epsilon_is_a_private_hook():
    made = object.__new__(Moody)
    assert private_hooks(made) == ["Moody.epsilon"]


@pytest.mark.parametrize(
    ("cls", "part"), [(HasLearner, "OwnLearner"), (HasMechanism, "OwnMechanism")]
)
def test_parts_of_its_own_are_named(cls, part):
    assert part in judged(cls()).facts["own_parts"]


@dataclass(frozen=True)
class WalksFrames(Greedy):
    def _choose(self, t, statistics, generator):
        learner = sys._getframe(2).f_locals.get("self")
        return int(np.argmax(getattr(learner, "_private", statistics).means))


@dataclass(frozen=True)
class AsksTheCollector(Greedy):
    def _choose(self, t, statistics, generator):
        return found_by_chance(statistics)


def found_by_chance(statistics):
    return len(gc.get_objects()) % statistics.means.size


@dataclass(frozen=True)
class ReadsAGlobal(Greedy):
    def _choose(self, t, statistics, generator):
        return len(SEEN) % statistics.means.size


@pytest.mark.parametrize(
    ("cls", "name"),
    [(WalksFrames, "_getframe"), (AsksTheCollector, "gc"), (ReadsAGlobal, "SEEN")],
)
def test_what_reaches_around_is_named(cls, name):
    assert any(name in each for each in reaches(cls()))
    assert judged(cls()).status == "inconclusive"


def test_a_private_side_that_was_replaced_is_noticed(monkeypatch):
    from hush.mechanisms.sums import ArmSums

    def add(self, arm, unit):
        return None

    assert not any("replaced" in each for each in reaches(Greedy()))
    monkeypatch.setattr(ArmSums, "add", add)
    assert any("was replaced" in each for each in reaches(Greedy()))


def test_losses_are_read_off_the_private_half():
    def loss(policy, neighbours="replace"):
        return proven_loss(policy.with_horizon(100).learner(3), neighbours)

    assert loss(hush.LazyDPTS(0.25)) == 0.25
    assert loss(hush.TreeDPUCB(0.25)) == 0.25
    assert loss(hush.RNMFTNL.as_printed(1.0), "add-remove") == 1.0
    assert loss(hush.RNMFTNL.as_printed(1.0)) == 2.0
    assert loss(hush.NaiveFTNL(0.5)) == 0.5
    assert loss(hush.ShrinkingDartboard(1.0)) == pytest.approx(1.0, rel=1e-9)
    assert loss(hush.TreeFTRL(0.3)) == loss(hush.TreeFTAL(0.3)) == pytest.approx(0.3)
    assert math.isinf(loss(hush.UCB1()))
    assert math.isinf(loss(hush.FTL()))


def test_a_dartboards_own_account_is_not_asked(monkeypatch):
    """The audit adds up coins and draws itself: an account that forgets the draws fools nobody."""
    monkeypatch.setattr(Dartboard, "epsilon", 0.1)
    policy = hush.ShrinkingDartboard(1.0, horizon=100)
    assert proven_loss(policy.learner(3), "replace") == pytest.approx(1.0, rel=1e-9)


def test_a_tree_with_noise_for_one_action_is_not_private():
    """A vector moves the sums of all actions: noise of scale levels/epsilon loses K epsilon."""
    for epsilon in (0.1, 0.3, 0.7, 1.0):
        assert construction(hush.TreeFTRL(epsilon), 3, Claim(epsilon)).status == "proved"
    learner = hush.TreeFTRL(1.0, horizon=1000).learner(3)
    learner._private._node_epsilon *= 3
    assert proven_loss(learner, "replace") == pytest.approx(3.0)


@dataclass(frozen=True)
class Copied(hush.AnytimeLazyUCB):
    """Public hooks only; copying leaves a mark on its class."""

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + t / count


def test_a_policy_that_was_copied_is_proved_as_before():
    policy = copy.copy(Copied(1.0))
    assert "__slotnames__" in vars(Copied)
    assert hush.audit(policy, methods=["construction"]).verdict == "proved"

"""One way to settle a round, whatever the feedback."""

from functools import partial

import numpy as np
import pytest
from tests import every

import hush
from hush import ArmError, NoDecisionError, SeededNoise


@pytest.mark.parametrize("policy", every.DEFAULT, ids=str)
def test_observing_is_updating(policy):
    """The same decisions, draws and states; the environment is asked once a round."""
    policy, env = policy.with_horizon(300), hush.paper_s1()
    one, two = (policy.learner(5, noise=SeededNoise(4)) for _ in range(2))
    first, second = (np.random.default_rng(6) for _ in range(2))
    for _ in range(300):
        arm = one.select()
        assert two.select() == arm
        released = one.observe(arm, partial(env.sample, first))
        if policy.feedback == "full":
            assert two.update(env.sample(second)) == released
        else:
            assert two.update(arm, env.sample(second, arm)) == released
    assert one.state() == two.state()
    assert first.random() == second.random()


def test_learners_are_asked_for_what_they_may_see():
    asked = []

    def sample(arm):
        asked.append(arm)
        return [0, 1] if arm is None else 1

    for policy in (hush.LazyDPTS(1.0), hush.RNMFTNL(1.0), hush.ShrinkingDartboard(1.0, horizon=9)):
        learner = policy.learner(2, noise=SeededNoise(1))
        learner.observe(learner.select(), sample)
    assert asked == [0, None, None]


@pytest.mark.parametrize("policy", [hush.UCB1(), hush.FTL()], ids=str)
def test_nothing_is_observed_without_a_decision_or_an_arm(policy):
    learner = policy.learner(2, noise=SeededNoise(1))
    with pytest.raises(NoDecisionError):
        learner.observe(0, lambda arm: [0, 1] if arm is None else 1)
    learner.select()
    with pytest.raises(ArmError):
        learner.observe(2, lambda arm: [0, 1] if arm is None else 1)


def test_learners_are_of_their_kind():
    for policy in (each.with_horizon(100) for each in every.DEFAULT):
        kind = hush.BanditLearner if policy.feedback == "bandit" else hush.ActionLearner
        learner = policy.learner(3, noise=SeededNoise(1))
        assert isinstance(learner, kind)
        assert isinstance(policy.restore(learner.state()), kind)
        assert learner.policy is policy

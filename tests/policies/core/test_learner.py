"""One way to settle a round, whatever the feedback."""

from functools import partial

import numpy as np
import pytest
from tests import every

import hush
from hush import ArmError, MisuseError, NoDecisionError, ParameterError, SeededNoise
from hush.policies.core.learner import checked_arm


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


def test_an_arm_is_a_whole_number_and_never_shown():
    assert [checked_arm(each, 3) for each in (0, 2, np.int64(0), np.uint8(2))] == [0, 2, 0, 2]
    for bad, what in (("x", "a str"), (True, "a bool"), (1.0, "a float"), (7, "another number")):
        with pytest.raises(ArmError, match=rf"in 0\.\.2; got {what}$"):
            checked_arm(bad, 3)


def test_releases_are_counted_and_the_newest_comes_last():
    learner = hush.UCB1().learner(2)
    for arm in (learner.select(), learner.select()):
        learner.update(arm, 1)
    assert learner.state()["line"]["releases"] == 2
    learner.update(learner.select(), 1)
    assert [each.arm for each in learner.releases] == [1, 0]
    assert learner.state()["line"]["releases"] == 3


def test_how_many_arms_is_checked_by_name():
    with pytest.raises(ParameterError, match=r"^n_arms must"):
        hush.UCB1().learner(0)


def test_a_learner_whose_state_goes_on_elsewhere_within_on_release_stops():
    policy, others = hush.LazyDPTS(1.0), []
    learner = policy.learner(
        2, on_release=lambda _release: others.append(policy.restore(learner.state()))
    )
    learner.update(learner.select(), 1)
    assert len(others) == 1
    with pytest.raises(MisuseError):
        learner.select()
    assert others[0].select() in (0, 1)

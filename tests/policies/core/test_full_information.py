"""Full information: one action until a release names the next, and decisions with ids."""

import pytest
from tests.policies.core.test_states import resealed

import hush
from hush import (
    AlreadySettledError,
    MisuseError,
    NoiseError,
    RewardError,
    ScriptedNoise,
    SeededNoise,
    StateError,
)
from hush.mechanisms import ChoiceLaw

EXPERTS = [hush.RNMFTNL(0.8), hush.ShrinkingDartboard(0.8, horizon=100), hush.FTL()]


@pytest.mark.parametrize(
    ("policy", "law"),
    [
        (hush.RNMFTNL(0.5), ChoiceLaw("exponential", 4.0)),
        (hush.RNMFTNL.as_printed(0.5), ChoiceLaw("laplace", 2.0)),
        (hush.WuWang(0.5), ChoiceLaw("laplace", 4.0)),
        (hush.WuWang(0.5, noise="gumbel"), ChoiceLaw("gumbel", 4.0)),
        (hush.RandomPrefixEM(0.5), ChoiceLaw("gumbel", 4.0)),
        (hush.NaiveFTNL(0.5), ChoiceLaw("laplace", 6.0)),
        (hush.FTL(), ChoiceLaw("none", 0.0)),
        (hush.DecreasingHedge(), ChoiceLaw("hedge", 0.0)),
        (hush.ShrinkingDartboard(0.5, horizon=9), None),
    ],
    ids=str,
)
def test_policies_state_the_law_of_their_mechanism(policy, law):
    assert policy.choice_law(3) == law


@pytest.mark.parametrize("policy", EXPERTS, ids=str)
def test_a_decision_is_settled_once_with_the_rewards_of_all(policy):
    learner = policy.learner(2, noise=SeededNoise(3))
    twin = policy.learner(2, noise=SeededNoise(3))
    for number in range(40):
        rewards = [number % 2, (number // 3) % 2]
        decision, action = learner.decide(), twin.select()
        assert (decision.arm, decision.round) == (action, number + 1)
        given = decision if number % 2 else decision.id
        assert learner.settle(given, rewards) == twin.update(rewards)
        with pytest.raises(AlreadySettledError):
            learner.settle(given, rewards)
    assert learner.releases == twin.releases
    assert learner.outstanding == 0


@pytest.mark.parametrize("policy", EXPERTS, ids=str)
def test_settling_in_any_order_adds_up_the_same(policy):
    learner = policy.learner(2, noise=SeededNoise(3))
    decisions = [learner.decide() for _ in range(3)]
    learner.select()
    assert learner.outstanding == 4
    for decision in reversed(decisions):
        learner.settle(decision, [1, 0])
    assert learner.outstanding == 1
    learner.update([1, 0])
    assert learner.outstanding == 0


@pytest.mark.parametrize("bad", [[1], [1, 2, 3], [1, "a"], [1, 1.5], None, 1])
def test_bad_rewards_leave_the_decision_open(bad):
    learner = hush.RNMFTNL(0.8).learner(2, noise=SeededNoise(3))
    decision = learner.decide()
    with pytest.raises(RewardError):
        learner.settle(decision, bad)
    assert learner.outstanding == 1
    assert learner.settle(decision, [0, 1]).count == 1


def test_a_failing_source_leaves_the_decision_open():
    learner = hush.RNMFTNL(0.8).learner(2, noise=ScriptedNoise([]))
    decision = learner.decide()
    learner.select()
    learner.select()
    for attempt in (lambda: learner.settle(decision, [0, 1]), lambda: learner.update([0, 1])):
        with pytest.raises(NoiseError):
            attempt()
        assert learner.outstanding == 3


def test_expiry_settles_with_the_default_of_every_action_or_drops():
    learner = hush.FTL().learner(2, default=1)
    learner.settle(learner.decide(), [0, 1])
    assert learner.expire(learner.decide()).value == 1  # sums 1 and 2
    dropping = hush.FTL().learner(2)
    assert dropping.expire(dropping.decide()) is None
    assert (dropping.outstanding, dropping.releases) == (0, ())


def test_on_release_is_told_by_whatever_settles_a_decision():
    told = []
    learner = hush.FTL().learner(2, default=0, on_release=told.append)
    learner.select()
    learner.update([0, 1])
    assert len(told) == 1
    learner.settle(learner.decide(), [0, 1])
    assert len(told) == 2
    learner.expire(learner.decide())
    assert len(told) == 3


def test_a_barred_learner_settles_nothing():
    learner = hush.RNMFTNL(0.8).learner(2)
    decision = learner.decide()
    learner.policy.restore(learner.state())
    for attempt in (
        lambda: learner.settle(decision, [0, 1]),
        lambda: learner.update([0, 1]),
        learner.select,
    ):
        with pytest.raises(MisuseError):
            attempt()


def test_a_random_first_action_is_drawn_once_and_uniform():
    """Of 3,000 learners; each count within 6 standard deviations: false alarms below 1e-8."""
    noise = SeededNoise(3)
    learners = [hush.DecreasingHedge().learner(3, noise=noise) for _ in range(3000)]
    assert {learner.statistics.action for learner in learners} == {None}
    firsts = [learner.select() for learner in learners]
    assert [learner.select() for learner in learners] == firsts
    assert [learner.statistics.action for learner in learners] == firsts
    for action in range(3):
        assert abs(firsts.count(action) - 1000) < 6 * (3000 * 2 / 9) ** 0.5


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"action": 2}, "not one of its actions"),
        ({"action": -1}, " action must be"),
        ({"action": "0"}, " action must be"),
        ({"action": None}, "no action"),
        ({"outstanding": -1}, " outstanding must be"),
        ({"outstanding": [0]}, " outstanding must be"),
        ({"epoch": -1}, " epoch must be"),
        ({"epoch": 0.5}, " epoch must be"),
        ({"unreleased": []}, "unreleased"),
    ],
    ids=str,
)
def test_a_forged_state_is_refused_and_says_where(change, named):
    learner = hush.RNMFTNL(0.8).learner(2, noise=SeededNoise(3))
    learner.select()
    learner.update([0, 1])
    learner.select()
    with pytest.raises(StateError) as caught:
        learner.policy.restore(resealed(learner.state(), **change))
    assert named in f"{caught.value} {caught.value.__cause__}"


def test_what_is_learnt_is_the_action_and_its_epoch():
    learner = hush.FTL().learner(2)
    assert (learner.statistics.action, learner.statistics.epoch) == (0, 0)
    learner.select()
    learner.update([0, 1])
    assert (learner.statistics.action, learner.statistics.epoch) == (1, 1)


def test_a_state_that_has_not_begun_is_restored():
    learner = hush.DecreasingHedge().learner(2, noise=SeededNoise(3))
    restored = learner.policy.restore(learner.state())
    assert restored.statistics.action is None
    assert restored.select() == learner.select()

"""Learners: late, out-of-order and batched rewards; states; what they show and refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hush
from hush import (
    FTL,
    RNMFTNL,
    UCB1,
    AnytimeLazyUCB,
    ArmError,
    LazyDPTS,
    NoDecisionError,
    NoiseError,
    ParameterError,
    RewardError,
    ScriptedNoise,
    SecureNoise,
    SeededNoise,
    ThompsonSampling,
)

BANDITS = [AnytimeLazyUCB(0.7), LazyDPTS(0.7), UCB1(), ThompsonSampling()]
EXPERTS = [RNMFTNL(0.7), RNMFTNL.as_printed(0.7), FTL()]


def test_a_learner_made_without_arguments_is_secure():
    for policy in BANDITS + EXPERTS:
        learner = policy.learner(3)
        assert learner.secure == policy.guarantee.private  # without noise there is nothing secure
        assert "SecureNoise()" in repr(learner)
        assert not policy.learner(3, noise=SeededNoise(1)).secure


@pytest.mark.parametrize("bad", [7, np.random.default_rng(1), "secure", SecureNoise])
def test_nothing_takes_a_seed_by_accident(bad):
    with pytest.raises(ParameterError, match="noise source"):
        LazyDPTS(1.0).learner(3, noise=bad)
    with pytest.raises(TypeError):
        LazyDPTS(1.0).learner(3, seed=7)


@pytest.mark.parametrize("bad", [0, -1, 1.5, True, None, "3", float("nan")])
def test_n_arms_is_checked(bad):
    with pytest.raises(ParameterError, match="n_arms"):
        LazyDPTS(1.0).learner(bad)


def test_arms_without_a_release_come_first_fewest_outstanding_then_lowest():
    learner = AnytimeLazyUCB(1.0).learner(3, noise=SeededNoise(1))
    assert [learner.select() for _ in range(7)] == [0, 1, 2, 0, 1, 2, 0]
    learner.update(1, 1)
    # Arm 1 is known now, and the others' decisions suffice for their first releases.
    assert [learner.select() for _ in range(3)] == [1, 1, 1]
    learner.update(2, 1)
    learner.update(0, 0)
    assert learner.outstanding == (2, 4, 1)
    assert learner.select() in (0, 1, 2)


class Model:
    """Doubling epochs of each arm, written down without regard to speed."""

    def __init__(self, n_arms):
        self.queues = [[] for _ in range(n_arms)]

    def add(self, arm, reward):
        self.queues[arm].append(reward)
        size = len(self.queues[arm]) + 1
        if size & (size - 1) == 0:
            return arm, size.bit_length() - 2, sum(self.queues[arm][-(size // 2) :])
        return None


@pytest.mark.untraced
@given(st.data(), st.integers(1, 6), st.sampled_from(["index", "thompson"]))
def test_random_delays_follow_the_model(data, n_arms, kind):
    policy = AnytimeLazyUCB(1.0) if kind == "index" else LazyDPTS(1.0)
    from hush.testing import RecordingNoise

    noise = RecordingNoise(SeededNoise(3))
    learner = policy.learner(n_arms, noise=noise)
    model = Model(n_arms)
    waiting = []
    expected = []
    for _ in range(data.draw(st.integers(0, 150))):
        if waiting and data.draw(st.booleans()):
            arm = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            reward = data.draw(st.integers(0, 1))
            release = learner.update(arm, reward)
            wanted = model.add(arm, reward)
            assert (release is None) == (wanted is None)
            if wanted:
                expected.append(wanted)
                assert (release.arm, release.epoch) == wanted[:2]
        else:
            waiting.append(learner.select())
        assert learner.outstanding == tuple(waiting.count(arm) for arm in range(n_arms))
    assert [(r.arm, r.epoch) for r in learner.releases] == [each[:2] for each in expected]
    assert [each.raw[0] for each in noise.drawn] == [each[2] for each in expected]


@pytest.mark.untraced
@given(st.lists(st.integers(0, 30), min_size=1, max_size=30))
def test_a_learner_decides_as_its_policy_does_round_by_round(pauses):
    """The certificate of the index learner gives the arm that the plain rule gives, always."""
    learner = AnytimeLazyUCB(0.5).learner(4, noise=SeededNoise(8))
    rng = np.random.default_rng(len(pauses))
    arms = []
    for pause in pauses:
        for _ in range(pause):
            if not learner._public.exploring:
                plain = learner.policy._choose(learner.rounds + 1, learner._public.statistics, rng)
                assert learner.policy.restore(learner.state()).select() == plain
                arms.append(learner.select())
                assert arms[-1] == plain
            else:
                arms.append(learner.select())
        for _ in range(min(len(arms), pause)):
            arm = arms.pop(int(rng.integers(len(arms))))
            learner.update(arm, int(rng.random() < 0.2 * (arm + 1)))


def test_a_batch_is_all_or_nothing():
    policy = LazyDPTS(1.0)
    one, two = (policy.learner(3, noise=SeededNoise(5)) for _ in range(2))
    arms = [one.select() for _ in range(6)]
    assert arms == [two.select() for _ in range(6)]
    rewards = [1, 0, 1, 1, 0, 0]
    singles = [one.update(arm, reward) for arm, reward in zip(arms, rewards, strict=True)]
    batch = two.update_batch(arms, rewards)
    assert batch == tuple(each for each in singles if each is not None)
    assert one.state() == two.state()
    before = two.state()
    arm = two.select()
    state = two.state()
    for bad_arms, bad_rewards, error in [
        ([arm, arm], [1, 1], NoDecisionError),
        ([arm, 9], [1, 1], ArmError),
        ([arm], [2.0], RewardError),
        ([arm], [1, 0], RewardError),
    ]:
        with pytest.raises(error):
            two.update_batch(bad_arms, bad_rewards)
        assert two.state() == state
    assert before != state


def test_updates_without_a_decision_are_errors():
    learner = LazyDPTS(1.0).learner(2, noise=SeededNoise(1))
    with pytest.raises(NoDecisionError, match="arm 0"):
        learner.update(0, 1)
    arm = learner.select()
    learner.update(arm, 1)
    with pytest.raises(NoDecisionError):
        learner.update(arm, 1)
    expert = FTL().learner(2)
    with pytest.raises(NoDecisionError):
        expert.update([0, 1])


def test_full_information_takes_late_vectors():
    expert = RNMFTNL(5.0).learner(2, noise=SeededNoise(1))
    assert [expert.select() for _ in range(3)] == [0, 0, 0]
    release = expert.update([0, 1])
    assert release.count == 1
    assert expert.update([0, 1]) is None
    assert expert.update([0, 1]).count == 2
    assert expert.outstanding == 0
    assert expert.statistics.epoch == 2


def test_rewards_of_any_declared_range():
    learner = LazyDPTS(1.0).learner(2, noise=SeededNoise(1), reward_range=(-10, 30))
    arm = learner.select()
    learner.update(arm, -10)
    arm = learner.select()
    with pytest.raises(RewardError, match=r"\[-10, 30\]"):
        learner.update(arm, 31)
    learner.update(arm, 12.5)
    resumed = learner.policy.restore(learner.state())
    assert resumed.state()["reward_range"] == [-10.0, 30.0]


def test_statistics_and_releases_cannot_be_written_to():
    learner = AnytimeLazyUCB(1.0).learner(2, noise=ScriptedNoise([1.5, 2.5]))
    learner.update(learner.select(), 1)
    with pytest.raises(ValueError, match="read-only"):
        learner.statistics.means[0] = 5.0
    assert isinstance(learner.releases, tuple)


def test_a_policy_that_releases_every_round_keeps_the_last_of_each_arm():
    learner = UCB1().learner(3)
    for _ in range(50):
        learner.update(learner.select(), 1)
    assert sorted(release.arm for release in learner.releases) == [0, 1, 2]
    leader = FTL().learner(2)
    for _ in range(50):
        leader.select()
        leader.update([0, 1])
    assert len(leader.releases) == 1


def test_a_failing_source_changes_nothing():
    learner = AnytimeLazyUCB(1.0).learner(2, noise=ScriptedNoise([]))
    arm = learner.select()
    before = {key: learner.state()[key] for key in ("round", "outstanding", "unreleased")}
    with pytest.raises(NoiseError):
        learner.update(arm, 1)
    after = learner.state()
    assert {key: after[key] for key in before} == before


def test_restore_keeps_secure_noise_secure_and_takes_another_source():
    policy = LazyDPTS(1.0)
    assert policy.restore(policy.learner(2).state()).secure
    simulated = policy.learner(2, noise=SeededNoise(1)).state()
    assert not policy.restore(simulated).secure
    assert policy.restore(simulated, noise=SecureNoise()).secure


def test_a_simulated_learner_says_so():
    assert "simulation only" in LazyDPTS(1.0).learner(2, noise=SeededNoise(1)).guarantee.reason
    assert "simulation" not in LazyDPTS(1.0).learner(2).guarantee.reason
    assert "simulation" not in UCB1().learner(2, noise=SeededNoise(1)).guarantee.reason


def test_one_arm_is_allowed():
    learner = hush.LazyDPTS(1.0).learner(1, noise=SeededNoise(1))
    for _ in range(10):
        assert learner.select() == 0
        learner.update(0, 1)


def test_numpy_arms_are_arms():
    learner = LazyDPTS(1.0).learner(2, noise=SeededNoise(1))
    learner.select()
    learner.update(np.int64(0), 1)
    assert learner.outstanding == (0, 0)

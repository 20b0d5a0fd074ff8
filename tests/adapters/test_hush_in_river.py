"""Hush's policies under river's own evaluation."""

import random

import numpy as np
import pytest
from river import bandit, stats

import hush
from hush.adapters import to_gymnasium, to_river
from hush.errors import ArmError, NoDecisionError, ParameterError, RewardError


def played(policy, rewards, seed):
    """Return the arms that a learner plays by itself."""
    learner = policy.learner(3, noise=hush.SeededNoise(seed))
    arms = []
    for row in rewards:
        arm = learner.select()
        learner.update(arm, row[arm])
        arms.append(arm)
    return arms


@pytest.mark.parametrize(
    "policy",
    [hush.LazyDPTS(1.0), hush.AnytimeLazyUCB(1.0), hush.UCB1(), hush.DPSE(1.0, horizon=300)],
)
def test_it_plays_the_arms_that_its_learner_plays(policy):
    rewards = np.random.default_rng(5).integers(0, 2, (300, 3)).tolist()
    there = to_river(policy, seed=7)
    arms = []
    for row in rewards:
        arm = there.pull(["a", "b", "c"])
        there.update(arm, row["abc".index(arm)])
        arms.append("abc".index(arm))
    assert arms == played(policy, rewards, 7)


def test_rivers_evaluation_runs_it_beside_rivers_own():
    policies = [to_river(hush.LazyDPTS(1.0), seed=7), bandit.UCB(delta=1, seed=7)]
    env = to_gymnasium(hush.Bernoulli([0.9, 0.2, 0.1]), horizon=400)
    steps = list(bandit.evaluate(policies, env, n_episodes=1, seed=3))
    assert len(steps) == 2 * 400
    again = list(bandit.evaluate(policies, env, n_episodes=1, seed=3))
    assert steps == again
    ours = [each["reward_stat"] for each in steps if each["policy_idx"] == 0]
    assert ours[-1] > 220  # of 360 with the best arm from the start, and 160 by guessing


def history(rounds):
    draw = random.Random(3)
    for _ in range(rounds):
        arm = draw.choice([0, 1])
        yield [0, 1], {}, arm, float(draw.random() < (0.9, 0.1)[arm])


@pytest.mark.parametrize("policy", [hush.LazyDPTS(1.0), hush.NoiseAwareIMED(1.0), hush.UCB1()])
def test_rivers_replay_of_logged_data_leaves_nothing_waiting(policy):
    """Pulls whose arm is not the logged one expire: else batches would wait for them for ever."""
    there = to_river(policy, seed=7)
    stat, used = bandit.evaluate_offline(there, history(1_000), stats.Mean())
    assert used > 350
    assert sum(there.learner.outstanding) <= 1
    assert stat.get() > 0.75
    assert there.ranking[0] == 0


def test_noise_is_secure_unless_a_seed_is_given():
    there = to_river(hush.LazyDPTS(1.0))
    there.pull([0, 1])
    assert there.learner.secure
    seeded = to_river(hush.LazyDPTS(1.0), seed=1)
    seeded.pull([0, 1])
    assert not seeded.learner.secure


def test_nothing_raw_is_kept_where_river_keeps_rewards():
    there = to_river(hush.AnytimeLazyUCB(1.0), reward_range=(0.0, 1e6))
    for _ in range(20):
        there.update(there.pull([0, 1]), 123_456.0)
    assert not there._rewards
    assert repr(there) == "to_river(AnytimeLazyUCB(epsilon=1))"


def test_what_it_refuses():
    with pytest.raises(ParameterError, match="bandit feedback"):
        to_river(hush.FTL())
    there = to_river(hush.UCB1())
    assert there.ranking == []
    with pytest.raises(NoDecisionError):
        there.update(0, 1.0)
    arm = there.pull([0, 1])
    with pytest.raises(NoDecisionError):
        there.update(1 - arm, 1.0)
    with pytest.raises(ArmError, match="may not change"):
        there.pull([0, 1, 2])
    with pytest.raises(RewardError) as refused:
        there.update(arm, 77.5)
    assert "77" not in str(refused.value)
    with pytest.raises(ParameterError, match="copied"):
        there.clone(include_attributes=True)
    assert there.clone().learner is None

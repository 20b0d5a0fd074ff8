"""NoiseAwareIMED: leaders, challengers, newcomers, and rewards that come late."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import hush
from hush import NoiseAwareIMED, ParameterError, Release, SeededNoise, StateError
from hush.numerics.challenger import Constants, against, due, due_of_newcomer
from hush.testing import check_policy


def released(public, arm, count, value):
    for _ in range(count):
        public.decided(arm)
    epoch = len(public._releases[arm])
    public.absorb(Release(arm, epoch, count, value, "noisy-sum", 1.0))


def choice(public, t):
    return public.choose(t, np.random.default_rng(0))


@pytest.mark.untraced
@pytest.mark.parametrize("horizon", [None, 500])
def test_it_keeps_the_rules(horizon):
    check_policy(NoiseAwareIMED(epsilon=2.0, horizon=horizon), n_arms=4, rounds=300)


def test_the_horizon_is_never_filled_in():
    policy = NoiseAwareIMED(1.0)
    assert not policy.needs_horizon
    assert policy.with_horizon(1000) is policy
    result = hush.simulate([policy], hush.Bernoulli([0.7, 0.3]), horizon=500, runs=2, seed=1)
    assert "horizon" not in result.policies[0]


def test_a_leader_plays_until_a_newcomer_is_due():
    public = NoiseAwareIMED(1.0)._public_side(2)
    released(public, 0, 4, 3.9)
    top = public._posterior(0).mean
    first = math.ceil(math.exp(due_of_newcomer(top, 4.0, Constants())))
    assert first > 10
    assert {choice(public, t) for t in range(5, first)} == {0}
    assert choice(public, first) == 1


def test_a_challenger_is_due_when_the_formula_says_so_and_is_played_to_its_end():
    public = NoiseAwareIMED(1.0)._public_side(2)
    released(public, 1, 4, 0.2)
    released(public, 0, 40, 34.0)
    top = public._posterior(0).mean
    evidence = against(public._posterior(1).log_above(top))
    first = math.ceil(math.exp(due(evidence, 4.0, top, 4.0, 2, False, Constants())))
    assert choice(public, first - 1) == 0
    assert choice(public, first) == 1
    wanted = public.wants(1)
    for _ in range(wanted):
        assert choice(public, first) == 1
        public.decided(1)
    assert choice(public, first + wanted) == 0  # its rewards may be late; the leader plays on


def test_nothing_is_asked_of_one_arm_for_ever_while_no_reward_comes():
    learner = NoiseAwareIMED(4.0).learner(3, noise=SeededNoise(1))
    arms = [learner.select() for _ in range(30)]
    assert {arms.count(arm) for arm in range(3)} == {10}


def test_a_dropped_decision_is_made_again():
    learner = NoiseAwareIMED(1.0).learner(2, noise=SeededNoise(1))
    first = [learner.decide() for _ in range(4)]
    assert {each.arm for each in first} == {0}
    learner.expire(first[0])
    assert learner.select() == 0
    assert learner.select() == 1


def test_few_of_many_arms_are_tried_when_rounds_are_few():
    means = np.random.default_rng(1).permutation(np.linspace(0.05, 0.95, 100))
    env = hush.Bernoulli(means)
    result = hush.simulate([NoiseAwareIMED(0.05)], env, horizon=12_000, runs=20, seed=2)
    tried = (result.pulls[0, :, -1] > 0).sum(axis=1)
    assert tried.mean() < 80


@pytest.mark.untraced
def test_the_learner_and_the_loops_play_the_same_rounds():
    """Given the same seed the learner plays the arms of the compiled loop, round for round."""
    env = hush.Bernoulli([0.8, 0.6, 0.5, 0.2])
    for policy in (NoiseAwareIMED(0.7), NoiseAwareIMED(0.7, horizon=900), hush.NoiseAwareUCB(0.7)):
        from hush.simulation.engines import LEARNER, Task, engine_of

        task = Task(policy, env, np.array([900]))
        for seed in range(4):
            loop = engine_of(policy).play(task, "rounds", seed, 0, 1, segments=True)
            slow = LEARNER.play(task, "rounds", seed, 0, 1, segments=True)
            assert np.array_equal(loop.segments[0], slow.segments[0])


def test_arms_with_the_same_posterior_are_taken_in_order():
    """Noisy sums below 0 say the same, however far below; rounding does not choose between them."""
    public = NoiseAwareIMED(1.0)._public_side(3)
    released(public, 2, 4, -0.3)
    released(public, 1, 4, -2.5)
    released(public, 0, 4, -7.1)
    assert choice(public, 10**6) == 0
    for _ in range(4):
        public.decided(0)
    assert choice(public, 10**6 + 4) == 1


@examples(25)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans()), max_size=60), st.integers(0, 60))
def test_a_restored_learner_goes_on_alike(rewards, cut):
    policy = NoiseAwareIMED(3.0)
    learner = policy.learner(3, noise=SeededNoise(5))
    for number, (_, reward) in enumerate(rewards):
        if number == cut:
            learner = policy.restore(json.loads(json.dumps(learner.state())))
        learner.update(learner.select(), int(reward))
    twin = policy.restore(learner.state())
    again = policy.restore(json.loads(json.dumps(twin.state())))
    for _ in range(20):
        arm = again.select()
        again.update(arm, arm % 2)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("played", [1]),
        ("played", [-1, 0]),
        ("testing", 7),
        ("waiting", [[0], []]),
        ("waiting", [3, 4]),
        ("waiting", None),
        ("begun", [0, 0]),
        ("lacking", [1, 1]),
    ],
)
def test_damaged_batches_are_refused(key, value):
    learner = NoiseAwareIMED(1.0).learner(2, noise=SeededNoise(5))
    learner.update(learner.select(), 1)
    public = NoiseAwareIMED(1.0)._public_side(2)
    state = {**learner._public.state(), key: value}
    with pytest.raises((StateError, ParameterError, hush.ArmError)):
        public.restore(state, ())


def test_while_rewards_are_late_batches_double():
    """Of each arm: first four, then what was decided before; so few releases are to come."""
    learner = NoiseAwareIMED(1.0).learner(2, noise=SeededNoise(1))
    for _ in range(64):
        learner.select()
    assert learner._public._batches.waiting == [[4, 4, 8, 16]] * 2


@pytest.mark.parametrize("horizon", [0, -5, 1.5, "many", 2**70])
def test_bad_horizons_are_refused(horizon):
    with pytest.raises(ParameterError):
        NoiseAwareIMED(1.0, horizon=horizon)

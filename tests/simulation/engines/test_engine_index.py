"""With the same releases the leap engine plays the arm of the rounds engine, round for round."""

import numpy as np
import pytest
from tests.every import sampled
from tests.simulation.engines.test_engine_learner import Steeper

from hush import (
    DPIMED,
    DPKLUCB,
    UCB1,
    AdaPKLUCB,
    AdaPUCB,
    AnytimeLazyUCB,
    Bernoulli,
    Local,
    ParameterError,
)
from hush.simulation.engines import Task, engine_for, engine_of

ROUNDS = 10**5


def scripted(policy, n_arms, generator, style):
    """Releases of every (arm, epoch): likely ones, ties, equal means, or wild ones."""
    lengths = policy.schedule.lengths(ROUNDS)
    means = generator.random((n_arms, 1))
    if style == "equal":
        means[:] = means[0]
    if style == "ties":
        return np.floor(means[0] * lengths)[None, :].repeat(n_arms, axis=0)
    if style == "coarse":
        return np.round(means * 4) / 4 * lengths
    if style == "wild":
        return generator.normal(0.5, 3.0, (n_arms, lengths.size)) * lengths
    noise = generator.laplace(0.0, 1.0 / policy.epsilon, (n_arms, lengths.size))
    return generator.binomial(lengths, means) + noise


def check(policy, n_arms, script):
    env = Bernoulli([0.5] * n_arms)
    points = np.array([10, 777, ROUNDS])
    task = Task(policy, env, points)
    engine = engine_of(policy)
    slow, fast = (
        engine.play(task, mode, 1, 0, 1, segments=True, script=script)
        for mode in ("rounds", "leap")
    )
    assert fast.segments[0].shape == slow.segments[0].shape
    assert (fast.segments[0] == slow.segments[0]).all()
    assert (fast.pulls == slow.pulls).all()
    return fast.events


@pytest.mark.parametrize("style", ["likely", "equal", "ties", "coarse", "wild"])
@pytest.mark.parametrize("part", sampled(range(6), 3))
@pytest.mark.untraced
def test_same_releases_same_arms(style, part):
    """240 random instances, K from 2 to 50, epsilon from 0.05 to 5; 10^5 rounds each."""
    generator = np.random.default_rng([part, len(style)])
    for _ in range(8):
        n_arms = int(generator.integers(2, 51)) if part else int(generator.integers(2, 6))
        policy = AnytimeLazyUCB(float(np.exp(generator.uniform(np.log(0.05), np.log(5)))))
        windows = check(policy, n_arms, scripted(policy, n_arms, generator, style))
        assert windows < ROUNDS / 5  # it does leap


@pytest.mark.parametrize("make", [AdaPUCB, AdaPKLUCB, DPKLUCB, DPIMED], ids=lambda m: m.__name__)
@pytest.mark.parametrize("style", ["likely", "ties", "coarse", "wild"])
def test_policies_that_commit(make, style):
    generator = np.random.default_rng(len(style))
    for _ in range(6):
        n_arms = int(generator.integers(2, 51))
        policy = make(float(np.exp(generator.uniform(np.log(0.05), np.log(5)))))
        check(policy, n_arms, scripted(policy, n_arms, generator, style))


def test_your_own_index():
    generator = np.random.default_rng(1)
    for n_arms in (2, 7, 30):
        policy = Steeper(1.0)
        check(policy, n_arms, scripted(policy, n_arms, generator, "likely"))


def test_a_crowd_has_a_loop_of_its_own():
    """Through other policies too; where rewards come late, one loop serves all."""
    few, many = Bernoulli([0.5] * 64), Bernoulli([0.5] * 65)
    lazy, relative, wrapped = AnytimeLazyUCB(1.0), DPIMED(1.0), Local(UCB1(), epsilon=1.0)
    for policy in (lazy, relative):
        assert [engine_for(policy, env).name for env in (few, many)] == ["index", "crowd"]
    loops = [engine_for(wrapped, env).loop_name("leap") for env in (few, many)]
    assert loops == ["index.leap_index", "crowd.leap_crowd"]
    assert engine_for(wrapped, many) is engine_for(wrapped, many)
    assert {engine_for(each, many, 5).name for each in (lazy, relative)} == {"delayed_index"}


def test_the_comparison_can_fail():
    """A script that differs in one release is seen."""
    generator = np.random.default_rng(3)
    policy = AnytimeLazyUCB(1.0)
    script = scripted(policy, 3, generator, "likely")
    other = script.copy()
    other[1, 4] += 8.0
    task = Task(policy, Bernoulli([0.5] * 3), np.array([ROUNDS]))
    one, two = (
        engine_of(policy).play(task, "rounds", 1, 0, 1, segments=True, script=each).segments[0]
        for each in (script, other)
    )
    assert one.shape != two.shape or (one != two).any()


def test_a_script_that_is_too_short_is_refused():
    policy = AnytimeLazyUCB(1.0)
    task = Task(policy, Bernoulli([0.5] * 3), np.array([ROUNDS]))
    with pytest.raises(ParameterError, match="3 rows of at least 17 values"):
        engine_of(policy).play(task, "leap", 1, 0, 1, script=np.zeros((3, 4)))

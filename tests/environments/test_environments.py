import math

import numpy as np
import pytest
from scipy.stats import beta, norm, uniform

from hush import Bernoulli, Bounded, ParameterError, doubling_gaps, packing, paper_s1, paper_s2


@pytest.mark.parametrize("bad", [[], [1.5], [-0.1], [math.nan], ["a"], [True, 0.5]])
def test_means_are_checked(bad):
    with pytest.raises(ParameterError, match="means"):
        Bernoulli(bad)


def test_bernoulli_draws_have_their_means():
    env = Bernoulli([0.2, 0.9])
    generator = np.random.default_rng(1)
    rows = np.array([env.sample(generator) for _ in range(20_000)])
    singles = np.array([env.sample(generator, 1) for _ in range(20_000)])
    # false alarm below 1e-6 each: five standard errors
    assert np.abs(rows.mean(axis=0) - env.means).max() < 5 * 0.5 / math.sqrt(20_000)
    assert abs(singles.mean() - 0.9) < 5 * 0.3 / math.sqrt(20_000)
    assert set(np.unique(rows)) == {0, 1}
    assert env == Bernoulli([0.2, 0.9])
    assert hash(env) == hash(Bernoulli([0.2, 0.9]))
    with pytest.raises(ValueError, match="read-only"):
        env.means[0] = 1.0


def test_one_arm_and_all_arms_meet_the_same_uniforms():
    env = Bernoulli([0.3])
    one, two = np.random.default_rng(4), np.random.default_rng(4)
    assert [env.sample(one, 0) for _ in range(50)] == [int(env.sample(two)[0]) for _ in range(50)]


def test_bounded_from_scipy():
    env = Bounded([beta(2, 6), uniform(-1, 2)], reward_range=(-1, 3))
    assert env.means.tolist() == pytest.approx([0.25, 0.0])
    assert env.unit_means.tolist() == pytest.approx([0.3125, 0.25])
    generator = np.random.default_rng(2)
    draws = np.array([env.sample(generator) for _ in range(2_000)])
    assert np.abs(draws.mean(axis=0) - env.means).max() < 0.08
    assert isinstance(env.sample(generator, 1), float)
    assert env.to_dict()["reward_range"] == [-1.0, 3.0]


def test_bounded_is_checked():
    with pytest.raises(ParameterError, match="bounded support"):
        Bounded([norm()])
    with pytest.raises(ParameterError, match="outside the declared"):
        Bounded([uniform(0, 2)], reward_range=(0, 1))
    with pytest.raises(ParameterError, match="at least one arm"):
        Bounded([])


def test_bounded_from_a_sampler():
    env = Bounded.from_sampler(
        lambda g: np.repeat(g.random(), 3), means=[0.5] * 3, reward_range=(0, 1)
    )
    assert not env.independent
    assert len(set(env.sample(np.random.default_rng(1)).tolist())) == 1
    assert isinstance(env.sample(np.random.default_rng(1), 2), float)


def test_instances():
    assert paper_s1().gaps.tolist() == [0.0, 0.125, 0.25, 0.375, 0.5]
    assert paper_s2().gaps.tolist() == pytest.approx([0.0, 0.1, 0.1, 0.1, 0.1])
    assert packing(4, 0.1).gaps.tolist() == pytest.approx([0.1, 0.1, 0.1, 0.0])
    gaps = doubling_gaps(6, 0.05).gaps
    assert gaps[1:].tolist() == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8])
    for bad in ((1, 0.1), (3, 0.6), (3, 0), (2.5, 0.1)):
        with pytest.raises(ParameterError):
            packing(*bad)
    with pytest.raises(ParameterError, match="largest gap"):
        doubling_gaps(5, 0.25)

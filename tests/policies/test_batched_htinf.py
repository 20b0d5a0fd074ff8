"""The private adversarial bandit: against rewards that were fixed in advance."""

import math

import numpy as np
import pytest

import hush
from hush.policies.batched_htinf import SKIP, tsallis_chances


@pytest.mark.parametrize(
    "losses", [[0.0, 0.0, 0.0], [5.0, -2.0, 1.0], [0.0, 1e9], [-1e9, 0.0, 3.0]]
)
def test_chances_make_the_regularised_loss_least(losses):
    losses, rate = np.array(losses), 0.3
    found = tsallis_chances(losses, rate)
    assert found.sum() == pytest.approx(1.0)
    assert (found > 0).all()
    slopes = rate * losses - 1 / np.sqrt(found)  # equal where nothing can be gained
    assert np.ptp(slopes) < 1e-6 * max(1.0, np.abs(slopes).max())


def test_losses_are_estimated_from_releases_alone():
    policy = hush.BatchedHTINF(0.5)
    side = policy._public_side(2)
    assert policy.moment == 3.0
    side.absorb(hush.Release(0, 0, 2, 2.5, "laplace", 0.5))  # a loss of -0.25
    assert side._losses.tolist() == [-0.25 / 0.5, 0.0]
    first = side.chances(3)
    assert first == pytest.approx(tsallis_chances(np.array([-0.5, 0.0]), 1 / math.sqrt(3 * 2)))
    side.absorb(hush.Release(1, 0, 2, 40.0, "laplace", 0.5))  # too far off: skipped
    assert SKIP * math.sqrt(3 * 2 * first[1]) < 19
    assert side._losses.tolist() == [-0.5, 0.0]


def tables(rounds, generator):
    """Yield rewards fixed in advance: an arm that fades, one that rises, and turns."""
    time = np.arange(rounds)
    late = np.where(time < rounds // 4, 0.1, 0.9)
    yield np.column_stack([np.full(rounds, 0.5), late])
    yield np.column_stack([(time // 50) % 2, np.full(rounds, 0.7)])
    yield (generator.random((rounds, 3)) < np.array([0.2, 0.5, 0.8])).astype(float)


@pytest.mark.untraced
def test_regret_against_rewards_that_were_fixed_in_advance():
    """The mean of 3 runs is below 3 sqrt(K T / epsilon), and below that of playing at random."""
    rounds, epsilon = 3000, 0.5
    for number, table in enumerate(tables(rounds, np.random.default_rng(1))):
        env = hush.RewardTable(table)
        policy = hush.BatchedHTINF(epsilon)
        regret = hush.simulate(policy, env, horizon=rounds, runs=3, seed=number).regret[0, :, -1]
        bound = 3.0 * math.sqrt(env.n_arms * rounds / epsilon)
        at_random = env.best[-1] - table.mean(axis=1).sum()
        assert regret.mean() < min(bound, 0.9 * at_random), number

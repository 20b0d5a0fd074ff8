"""The adversaries of the literature do what they are known for."""

import math

import numpy as np
import pytest

import hush
from hush.environments import ADVERSARIES


@pytest.mark.parametrize("policy", [hush.FTL(), hush.UCB1()], ids=str)
def test_alternating_defeats_whoever_follows_the_leader(policy):
    """All of the rounds that either arm wins are lost."""
    result = hush.simulate(policy, hush.alternating(1000), horizon=1000, runs=1, seed=1)
    assert result.regret[0, 0, -1] == 500.0


def test_policies_for_adversaries_are_not_defeated():
    """The mean of 4 runs is below half of what is lost by following the leader; fixed seeds."""
    policies = [hush.BatchedHTINF(1.0), hush.ShrinkingDartboard(1.0), hush.DecreasingHedge()]
    result = hush.simulate(policies, hush.alternating(1000), horizon=1000, runs=4, seed=1)
    assert (result.regret[:, :, -1].mean(axis=1) < 250.0).all()


def test_phases_that_turn_defeat_whoever_learns_from_the_last_epoch_alone():
    """RNMFTNL has nearly nothing, leaders on all rewards lose less than half; fixed seeds."""
    phases = np.arange(11).repeat(2 ** np.arange(11)) % 2
    env = hush.RewardTable(np.column_stack([phases == 0, phases == 1]))
    policies = [hush.RNMFTNL(1.0), hush.TreeFTRL(1.0), hush.TreeFTAL(1.0)]
    result = hush.simulate(policies, env, horizon=env.rounds, runs=4, seed=1)
    lost = result.regret[:, :, -1].mean(axis=1) / env.best[-1]
    assert lost[0] > 0.95
    assert (lost[1:] < 0.5).all()


def test_fair_coins_favour_the_luckiest_arm():
    """The best of K sums is near sqrt(T ln K / 2) above the mean, its asymptotic size."""
    rounds, k = 2000, 30
    excess = [hush.fair_coins(rounds, k, seed=seed).best[-1] - rounds / 2 for seed in range(30)]
    assert 0.7 < np.mean(excess) / math.sqrt(rounds * math.log(k) / 2) < 1.0
    assert hush.fair_coins(9, seed=1) == hush.fair_coins(9, seed=1) != hush.fair_coins(9, seed=2)


def test_the_constrained_adversary_keeps_its_gap_and_moves_its_means():
    """Phases of 1, 2, 3, 4, 7, 10, 17, ... rounds; each mean within 6 standard deviations."""
    env = hush.constrained(40_000, k=3, gap=0.25)
    lengths = [round(1.6**n) for n in range(24)]
    ends = np.minimum(np.cumsum(lengths), env.rounds)
    gap = env.rewards.mean(axis=0)[-1] - env.rewards.mean(axis=0)[0]
    assert abs(gap - 0.25) < 6 * math.sqrt(0.5 / env.rounds)
    for phase in range(18, 21):
        part = env.rewards[ends[phase - 1] : ends[phase]]
        best, others = (1.0, 0.75) if phase % 2 == 0 else (0.25, 0.0)
        allowed = 6 * math.sqrt(0.25 / len(part))
        assert abs(part[:, -1].mean() - best) < allowed
        assert np.abs(part[:, :-1].mean(axis=0) - others).max() < allowed


@pytest.mark.parametrize("make", ADVERSARIES.values())
def test_known_adversaries_fix_as_many_rounds_as_are_asked_for(make):
    for rounds in (1, 2, 77):
        assert make(rounds).rounds == rounds
    with pytest.raises(hush.ParameterError, match="horizon"):
        make(0)
    with pytest.raises(hush.ParameterError, match="too much memory"):
        make(10**10)


def test_bad_sizes_are_refused():
    for bad in (
        lambda: hush.fair_coins(9, 1),
        lambda: hush.constrained(9, 1),
        lambda: hush.constrained(9, gap=0.0),
        lambda: hush.constrained(9, gap=1.5),
        lambda: hush.constrained(9, seed=-1),
    ):
        with pytest.raises(hush.ParameterError):
            bad()

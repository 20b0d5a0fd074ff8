"""Private sequential halving: its phases, its recommendation, and its search."""

import json

import numpy as np
import pytest

import hush
from hush.errors import ParameterError
from hush.policies.sequential_halving import halving_plan
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.testing import check_policy


@pytest.mark.parametrize("n_arms", range(1, 40))
@pytest.mark.parametrize("budget", [1, 100, 10**6])
def test_phases_end_with_one_arm_within_the_budget(n_arms, budget):
    plan = halving_plan(n_arms, budget)
    left = n_arms
    for begin, pulls, kept in plan:
        assert begin == left
        assert pulls >= 1
        assert kept == -(-begin // 2)
        left = kept
    assert left == 1
    if budget >= n_arms * len(plan):
        assert sum(begin * pulls for begin, pulls, _ in plan) <= budget


@pytest.mark.untraced
def test_it_keeps_the_rules():
    check_policy(hush.PrivateSequentialHalving(1.0), rounds=2_000)


def played(policy, means, seed):
    env = hush.Bernoulli(means)
    generator = np.random.default_rng(seed)
    learner = policy.learner(env.n_arms, noise=hush.SeededNoise(seed))
    while learner.recommended is None:
        arm = learner.select()
        learner.update(arm, env.sample(generator, arm))
    return learner


@pytest.mark.parametrize("means", [(0.9, 0.1), (0.2, 0.5, 0.4), (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)])
def test_the_search_decides_as_the_learner_does(means):
    policy = hush.PrivateSequentialHalving(0.2, horizon=120)
    for seed in range(6):
        learner = played(policy, means, seed)
        script = np.full((len(means), 8), np.nan)
        for release in learner.releases:
            script[release.arm, release.epoch] = release.value
        search = Search(policy, hush.Bernoulli(means), 0.9, 1000)
        found = finder_of(policy).find(search, run_seed(1, policy, 0), script)
        assert found.arm == learner.recommended
        assert found.samples == learner.rounds


def test_what_is_recommended_is_played_for_good_and_restored():
    policy = hush.PrivateSequentialHalving(1.0, horizon=60)
    learner = played(policy, (0.1, 0.9, 0.1), 3)
    assert learner.recommended == 1
    assert {learner.select() for _ in range(30)} == {1}
    assert policy.restore(json.loads(json.dumps(learner.state()))).recommended == 1


def test_confidence_is_asked_for_by_the_rule_of_all_policies():
    learner = played(hush.PrivateSequentialHalving(1.0, horizon=60), (0.5, 0.5, 0.5), 3)
    assert learner.recommended is not None
    assert learner.best(0.99) is None


def test_it_needs_a_budget():
    with pytest.raises(ParameterError, match="horizon"):
        hush.PrivateSequentialHalving(1.0).learner(3)


def test_late_rewards_end_a_phase_when_all_have_come():
    policy = hush.PrivateSequentialHalving(2.0, horizon=80)
    learner = policy.learner(4, noise=hush.SeededNoise(3))
    waiting = []
    for _ in range(200):
        waiting.append(learner.select())
        if len(waiting) > 7:
            arm = waiting.pop(0)
            learner.update(arm, 1 if arm == 3 else 0)
    assert learner.recommended == 3

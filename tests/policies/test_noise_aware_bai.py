"""NoiseAwareBAI: turns, states, and its compiled search."""

import json
import math

import numpy as np
import pytest
from tests import every

import hush
from hush.errors import ParameterError, StateError
from hush.policies.core.states import sealed
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.testing import check_policy

POLICIES = [
    hush.NoiseAwareBAI(1.0),
    hush.NoiseAwareBAI(0.3, first_batch=3, growth=2.0),
    hush.NoiseAwareBAI(4.0, growth=1.2),
]


def identified(policy, means, confidence, seed, most=100_000):
    """Play a learner until it names an arm; return that, pulls, and the releases as a script."""
    env = hush.Bernoulli(means)
    generator = np.random.default_rng(seed)
    learner = policy.learner(env.n_arms, noise=hush.SeededNoise(seed))
    pulls, named = np.zeros(env.n_arms, dtype=np.int64), None
    while named is None and pulls.sum() < most:
        arm = learner.select()
        pulls[arm] += 1
        if learner.update(arm, env.sample(generator, arm)) is not None:
            named = learner.best(confidence)
    longest = max(release.epoch for release in learner.releases) + 2
    script = np.full((env.n_arms, longest), np.nan)
    for release in learner.releases:
        script[release.arm, release.epoch] = release.value
    return named, pulls, script


@pytest.mark.parametrize("policy", every.sampled(POLICIES, 3), ids=str)
@pytest.mark.parametrize("means", [(0.3, 0.7), (0.8, 0.6, 0.5, 0.1), (0.05, 0.02, 0.0)])
def test_the_compiled_search_decides_as_the_learner_does(policy, means):
    """Given the same releases: the same pulls of every arm, and the same arm at the same time."""
    for seed in range(3):
        named, pulls, script = identified(policy, means, 0.9, seed)
        search = Search(policy, hush.Bernoulli(means), 0.9, 100_000)
        found = finder_of(policy).find(search, run_seed(1, policy, 0), script)
        assert found.arm == named
        assert found.pulls.tolist() == pulls.tolist()
        assert found.samples == pulls.sum()


@pytest.mark.untraced
def test_it_keeps_the_rules():
    check_policy(hush.NoiseAwareBAI(1.0), rounds=2_000)


def test_no_arm_falls_far_behind():
    learner = hush.NoiseAwareBAI(1.0).learner(4, noise=hush.SeededNoise(3))
    for _ in range(5_000):
        arm = learner.select()
        learner.update(arm, 1 if arm == 2 else 0)
    counts = learner.statistics.counts
    assert counts.min() >= 0.6 * max(math.sqrt(counts.sum()), counts.sum() / 40)


def test_leader_and_challenger_get_their_shares():
    """Two arms of mirrored means are equally hard: each gets about half."""
    found = hush.identify(
        hush.NoiseAwareBAI(1.0), hush.Bernoulli([0.45, 0.55]), confidence=0.999, runs=40, seed=2
    )
    shares = found.pulls[0, :, 0] / found.samples[0]
    assert 0.4 < shares.mean() < 0.6


def test_what_is_owed_is_part_of_a_state():
    policy = hush.NoiseAwareBAI(1.0)
    learner = policy.learner(2, noise=hush.SeededNoise(3))
    for t in range(200):
        learner.update(learner.select(), t % 2)
    state = learner.state()
    assert any(state["owed"])
    assert sum(state["owed"]) == pytest.approx(0.0, abs=1e-9)
    for damage in ([0.0], ["x", 0.0], None, [math.inf, 0.0]):
        body = {key: value for key, value in state.items() if key != "checksum"}
        if damage == [math.inf, 0.0]:
            body["owed"] = [1e999, 0.0]
            with pytest.raises(ValueError, match="JSON"):
                sealed(body)
            continue
        body["owed"] = damage
        with pytest.raises(StateError):
            policy.restore(sealed(json.loads(json.dumps(body))))


@pytest.mark.parametrize(
    "bad", [{"growth": 1.0}, {"first_batch": 0}, {"epsilon": 0.0}, {"first_batch": 1.5}]
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ParameterError):
        hush.NoiseAwareBAI(**{"epsilon": 1.0, **bad})


def test_arms_that_wait_for_a_first_release_do_not_stop_the_others():
    learner = hush.NoiseAwareBAI(4.0, first_batch=1).learner(3, noise=hush.SeededNoise(3))
    arms = [learner.select() for _ in range(3)]
    learner.update(arms[1], 1)
    assert learner.select() == arms[1]
    assert learner.best(0.5) is None

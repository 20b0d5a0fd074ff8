"""Elimination with noise in shares: its batches, its noise, and what it costs."""

import math

import numpy as np
import pytest
from scipy.stats import ks_2samp

import hush
from hush import DPSE, DistDPSE
from hush.mechanisms.schedules import LONGEST
from hush.policies.dist_dp_se import batch
from hush.simulation.engines import LEARNER, Task, engine_of

FALSE_ALARM = 1e-5


def test_batches_and_radii_are_the_formulas():
    for number in (1, 5, 12):
        pulls, slack = batch(number, 3, 1e5, 0.5, 2.0)
        assert pulls == 2**number
        wide, narrow = (math.log(c * 3 * number**2 * 1e5) for c in (4, 2))
        radius = math.sqrt(wide / (2 * pulls))
        radius += (math.sqrt(2) * math.sqrt(narrow) + narrow) / (0.5 * pulls)
        assert slack == pytest.approx(2 * radius)
    assert batch(200, 2, 10.0, 1.0, 2.0)[0] == LONGEST


def test_it_promises_without_a_trusted_server_and_is_no_anytime_policy():
    policy = DistDPSE(0.5, horizon=100)
    assert policy.guarantee.trust == "distributed"
    assert "anytime" not in policy.to_dict()
    assert str(policy) == "DistDPSE(epsilon=0.5, horizon=100)"
    with pytest.raises(hush.UnknownNameError):
        DistDPSE.from_parameters({"epsilon": 1.0, "anytime": True})
    for growth in (1, 2.5, "2"):
        with pytest.raises(hush.ParameterError):
            DistDPSE(1.0, growth=growth)
    with pytest.raises(hush.ParameterError, match="horizon="):
        DistDPSE(1.0).learner(2)


def test_releases_are_whole_parts():
    learner = DistDPSE(1.0, horizon=500).learner(2)
    for _ in range(200):
        learner.update(learner.select(), 1)
    for release in learner.releases:
        parts = math.ceil(math.sqrt(release.count))
        assert release.mechanism == "shared-sum"
        assert release.value * parts == pytest.approx(round(release.value * parts))
    assert [release.count for release in learner.releases][::2] == [2, 4, 8, 16, 32]


@pytest.mark.untraced
@pytest.mark.parametrize("discrete", [False, True])
def test_loops_have_the_law_of_the_learner(discrete):
    """False alarms: one in 10^5 for each arm and mode."""
    env = hush.Bernoulli([0.9, 0.3, 0.1])
    task = Task(DistDPSE(2.0, horizon=700), env, np.array([700]), discrete)
    slow = np.concatenate([LEARNER.play(task, "rounds", 5, k, 1).pulls[:, -1] for k in range(80)])
    engine = engine_of(task.policy)
    assert engine.name == "elimination"
    for mode in ("rounds", "leap"):
        fast = np.concatenate([engine.play(task, mode, 5, k, 1).pulls[:, -1] for k in range(250)])
        for arm in range(3):
            assert ks_2samp(slow[:, arm], fast[:, arm], method="asymp").pvalue > FALSE_ALARM


def test_a_script_plays_the_same_arms_in_both_modes():
    env = hush.Bernoulli([0.9, 0.3, 0.1])
    task = Task(DistDPSE(2.0, horizon=700), env, np.array([50, 700]))
    script = np.outer([1.0, 0.4, 0.3], 2.0 ** np.arange(1, 40))
    rounds, leapt = (
        engine_of(task.policy).play(task, mode, 3, 0, 1, segments=True, script=script)
        for mode in ("rounds", "leap")
    )
    assert (rounds.pulls == leapt.pulls).all()
    assert (rounds.segments[0] == leapt.segments[0]).all()


@pytest.mark.untraced
def test_the_sum_of_shares_is_private_by_construction(brief_audits):
    report = hush.audit(DistDPSE(0.7), n_arms=2, methods=["construction", "replay"])
    assert report.verdict == "proved"
    assert report.findings[1].loss == pytest.approx(0.7)


def test_a_subclass_with_another_mechanism_is_left_to_the_learner():
    class Other(DistDPSE):
        def _mechanism(self, noise):
            return super()._mechanism(noise)

    assert engine_of(Other(1.0, horizon=9)) is LEARNER


def test_it_costs_no_more_than_elimination_with_a_trusted_server():
    """One instance; docs/trust.md has twenty."""
    env = hush.Bernoulli(np.random.default_rng(3).uniform(0.25, 0.75, 10))
    result = hush.simulate([DistDPSE(1.0), DPSE(1.0)], env, horizon=10**6, runs=40, seed=7)
    shared, trusted = result.regret[:, :, -1].mean(axis=1)
    assert 0.5 < shared / trusted < 1.2

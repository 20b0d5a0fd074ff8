"""The stopping rule that every bandit learner has."""

import json
import math
from string import printable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

import hush
from hush.errors import ParameterError
from hush.policies.core.identification import best_arm, most_level
from hush.policies.core.intervals import ExactEvidence, arm_posteriors


def played(policy, means, rounds, seed=5):
    generator = np.random.default_rng(seed)
    env = hush.Bernoulli(means)
    learner = policy.learner(env.n_arms, noise=hush.SeededNoise(seed))
    for _ in range(rounds):
        arm = learner.select()
        learner.update(arm, env.sample(generator, arm))
    return learner


CARRIERS = [
    hush.LazyDPTS(1.0),
    hush.AnytimeLazyUCB(1.0),
    hush.AdaPUCB(1.0),
    hush.DPSE(4.0, horizon=100),
    hush.NoiseAwareBAI(1.0),
    hush.UCB1(),
]


@pytest.mark.parametrize("policy", CARRIERS, ids=str)
def test_any_bandit_policy_carries_the_rule(policy):
    learner = played(policy, [0.1, 0.9, 0.2], 4000)
    assert learner.best(0.6) == 1
    known = arm_posteriors(learner)
    assert best_arm(known, 0.4) == 1
    assert best_arm(known, 1e-300) is None


def test_nothing_is_known_before_every_arm_has_a_release():
    learner = played(hush.NoiseAwareBAI(1.0), [1.0, 0.0], 7)
    assert len(learner.releases) == 1
    assert learner.best(0.01) is None
    assert hush.NoiseAwareBAI(1.0).learner(3).best(0.5) is None


def test_a_single_arm_is_the_best():
    assert hush.NoiseAwareBAI(1.0).learner(1).best(0.99) == 0


def test_more_confidence_takes_more_evidence():
    learner = played(hush.NoiseAwareBAI(1.0), [0.4, 0.6], 300)
    named = [learner.best(1.0 - delta) is not None for delta in (0.5, 0.1, 1e-2, 1e-4, 1e-9)]
    assert named == sorted(named, reverse=True)
    assert named[0]
    assert not named[-1]


def test_counters_and_experts_are_refused():
    with pytest.raises(ParameterError, match="overlap"):
        hush.DPTS(1.0).learner(2).best(0.9)
    assert not hasattr(hush.RNMFTNL(1.0).learner(2), "best")


@examples(30)
@given(st.one_of(st.floats(), st.integers(), st.text(printable), st.none(), st.booleans()))
def test_bad_confidence_is_refused_and_changes_nothing(bad):
    learner = played(hush.NoiseAwareBAI(1.0), [0.4, 0.6], 30)
    before = learner.state()
    good = isinstance(bad, float) and 0.0 < bad < 1.0
    if good:
        learner.best(bad)
    else:
        with pytest.raises(ParameterError, match="confidence"):
            learner.best(bad)
    assert learner.state() == before


def test_asking_changes_no_decision_and_survives_a_restore():
    policy = hush.NoiseAwareBAI(1.0)
    asked, silent = (policy.learner(3, noise=hush.SeededNoise(2)) for _ in range(2))
    for t in range(400):
        arm = asked.select()
        assert arm == silent.select()
        asked.update(arm, (t + arm) % 2)
        silent.update(arm, (t + arm) % 2)
        asked.best(0.9)
    again = policy.restore(json.loads(json.dumps(silent.state())))
    assert again.best(0.9) == asked.best(0.9)


def test_an_answer_is_kept_until_the_next_release(monkeypatch):
    learner = played(hush.LazyDPTS(1.0), [0.2, 0.9], 200)
    said = learner.best(0.9)
    monkeypatch.setattr("hush.policies.core.bandit_learner.named_arm", None)
    assert learner.best(0.9) == said
    with pytest.raises(TypeError):
        learner.best(0.95)


def test_exact_sums_have_the_rule_of_their_beta_densities():
    """s is known in closed form: the pooled mean is where two binomials meet."""
    one, two = ExactEvidence(300, 200), ExactEvidence(100, 40)
    x = np.array([240 / 400])
    level = float(one.log_ratio(x)[0] + two.log_ratio(x)[0])
    assert best_arm([one, two], math.exp(level + 1e-4)) == 0
    assert best_arm([one, two], math.exp(level - 1e-4)) is None
    assert most_level(0.1, 3) == pytest.approx(math.log(0.05), abs=1e-5)


def test_equal_arms_are_not_told_apart():
    known = [ExactEvidence(100, 70), ExactEvidence(100, 70), ExactEvidence(100, 10)]
    assert best_arm(known, 0.999) is None

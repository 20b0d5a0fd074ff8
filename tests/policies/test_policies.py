"""Policies as values: parameters, dictionaries, labels; and their rules against the formulas."""

import json
import math
import tomllib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import (
    FTL,
    RNMFTNL,
    UCB1,
    AnytimeLazyUCB,
    LazyDPTS,
    ParameterError,
    ThompsonSampling,
    UnknownNameError,
    policy_from_dict,
)
from hush.policies import REGISTERED, policy_class
from hush.policies.selection import Statistics

PRIVATE = [AnytimeLazyUCB, LazyDPTS, RNMFTNL]


@pytest.mark.parametrize("cls", PRIVATE)
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, None, "1"])
def test_epsilon_is_checked(cls, bad):
    with pytest.raises(ParameterError, match="epsilon must be a positive finite number"):
        cls(epsilon=bad)


def test_policies_are_values():
    assert LazyDPTS(1) == LazyDPTS(epsilon=1.0)
    assert hash(LazyDPTS(1)) == hash(LazyDPTS(1.0))
    assert LazyDPTS(1) != AnytimeLazyUCB(1)
    assert len({UCB1(), UCB1(), FTL()}) == 2


def test_dictionaries_json_and_toml():
    policies = [LazyDPTS(0.5), RNMFTNL.as_printed(0.25), RNMFTNL(1, growth=2.5), UCB1(), FTL()]
    for policy in [*policies, ThompsonSampling(), AnytimeLazyUCB(2)]:
        data = policy.to_dict()
        assert policy_from_dict(json.loads(json.dumps(data))) == policy
        text = "\n".join(f"{key} = {json.dumps(value)}" for key, value in data.items())
        assert policy_from_dict(tomllib.loads(text)) == policy


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'AnytimeLazyUCB'"):
        policy_class("AnyTimeLazyUCB")
    with pytest.raises(UnknownNameError, match="did you mean 'epsilon'"):
        policy_from_dict({"policy": "LazyDPTS", "epsilom": 1.0})
    with pytest.raises(ParameterError, match="needs its name"):
        policy_from_dict({"epsilon": 1.0})
    with pytest.raises(ParameterError, match="LazyDPTS needs epsilon"):
        policy_from_dict({"policy": "LazyDPTS"})
    with pytest.raises(UnknownNameError, match="exponential"):
        RNMFTNL(1.0, noise="exponental")
    with pytest.raises(UnknownNameError, match="add-remove"):
        RNMFTNL(1.0, neighbours="add-remov")
    with pytest.raises(ParameterError, match="growth"):
        RNMFTNL(1.0, growth=1.0)


def test_registered_names_are_unique():
    names = [cls.__name__ for cls in REGISTERED]
    assert len(set(names)) == len(names)


@given(st.floats(-5, 5), st.integers(0, 40), st.floats(1, 1e18), st.floats(0.01, 10))
def test_the_rules_are_the_papers_formulas(mean, epoch, t, epsilon):
    count = float(2**epoch)
    ucb, ts = AnytimeLazyUCB(epsilon), LazyDPTS(epsilon)
    parameters = np.array([epsilon])
    log = math.log(t)
    wanted = mean + math.sqrt(3 * log / count) + 3 * log / (epsilon * count)
    assert ucb.index(mean, count, t, parameters) == pytest.approx(wanted, rel=1e-12)
    a = min(1.0, max(0.0, mean + 3 * log / (epsilon * count)))
    assert ts.center(mean, count, t, parameters) == pytest.approx(a, rel=1e-12)
    wanted = mean + math.sqrt(2 * log / count)
    assert UCB1.index(mean, count, t, parameters) == pytest.approx(wanted, rel=1e-12)


@given(st.integers(1, 10**15), st.integers(1, 10**6))
def test_indices_never_fall_with_time(t, step):
    means = np.linspace(-1, 2, 7)
    counts = np.array([1.0, 2, 8, 64, 1024, 2.0**30, 2.0**50])
    for policy in (AnytimeLazyUCB(0.3), UCB1()):
        parameters = np.array(policy.parameters)
        now = policy.index(means, counts, float(t), parameters)
        later = policy.index(means, counts, float(t + step), parameters)
        assert (later >= now).all()


def test_thompson_draws_are_the_same_for_few_and_many_arms(monkeypatch):
    from hush.policies import bandit

    statistics = Statistics(12)
    statistics.counts[:] = 2.0 ** np.arange(12)
    statistics.means[:] = np.linspace(0.2, 0.8, 12)
    policy = ThompsonSampling()
    few = [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]
    monkeypatch.setattr(bandit, "FEW_ARMS", 1)
    assert few == [policy._choose(t, statistics, np.random.default_rng(t)) for t in range(50)]


def test_rnm_plays_the_first_action_once_and_forgets():
    from hush import ScriptedNoise
    from hush.testing import RecordingNoise

    noise = RecordingNoise(ScriptedNoise([2, 1, 0]))
    expert = RNMFTNL(1.0).learner(3, noise=noise)
    actions = []
    for t in range(7):
        actions.append(expert.select())
        expert.update([1, 0, int(t == 5)])
    assert actions == [0, 2, 2, 1, 1, 1, 1]
    assert [each.raw for each in noise.drawn] == [(1, 0, 0), (2, 0, 0), (4, 0, 1)]


def test_growth_sets_the_epochs():
    expert = RNMFTNL(1.0, growth=3).learner(2)
    counts = []
    for _ in range(40):
        expert.select()
        release = expert.update([0, 1])
        if release:
            counts.append(release.count)
    assert counts == [1, 3, 9, 27]

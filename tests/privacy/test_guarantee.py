import json
import math
from dataclasses import replace

import pytest

from hush import (
    RNMFTNL,
    UCB1,
    AdaCUCB,
    AnytimeLazyUCB,
    Guarantee,
    LazyDPTS,
    ParameterError,
    Release,
    SeededNoise,
    StateError,
    UnknownNameError,
)


def test_release_round_trip_even_where_not_private():
    for epsilon in (0.5, math.inf):
        release = Release(1, 2, 4, 3.25, "noisy-sum", epsilon)
        assert (
            Release.from_dict(json.loads(json.dumps(release.to_dict(), allow_nan=False))) == release
        )


@pytest.mark.parametrize("damage", [{}, {"arm": 1}, {"epsilon": "x"}, {"epsilon": 1, "extra": 2}])
def test_a_damaged_release_is_a_state_error(damage):
    with pytest.raises(StateError):
        Release.from_dict(damage)


def test_guarantees():
    ucb = AnytimeLazyUCB(0.5).guarantee
    assert (ucb.epsilon, ucb.neighbours, ucb.private) == (0.5, "replace", True)
    assert ucb.under("add-remove") == ucb.under("replace") == 0.5
    assert UCB1().guarantee.under("replace") == math.inf
    assert not UCB1().guarantee.private
    assert RNMFTNL(0.5).guarantee.under("replace") == 0.5
    monotone = RNMFTNL(0.5, neighbours="add-remove").guarantee
    assert (monotone.epsilon, monotone.under("add-remove"), monotone.under("replace")) == (
        0.5,
        0.5,
        1.0,
    )
    assert "epsilon = 0.5 under replace" in str(ucb)
    with pytest.raises(UnknownNameError, match="add-remove"):
        ucb.under("add-remov")


def test_a_person_is_promised_her_rewards_epsilons_together():
    one = RNMFTNL.as_printed(0.5).guarantee
    hers = one.per_person(4)
    assert (hers.epsilon, hers.replace_epsilon, hers.neighbours) == (2.0, 4.0, "add-remove")
    assert (hers.unit, hers.rewards) == ("person", 4)
    assert hers.reason.startswith("up to 4 rewards of one person, at 0.5 each; ")
    assert hers.reason.endswith(one.reason)
    assert str(hers).startswith("epsilon = 2 under add-remove, per person: ")
    assert (one.unit, one.rewards) == ("one round's reward vector", 1)
    single = one.per_person(1)
    assert (single.epsilon, single.unit, single.rewards) == (0.5, "person", 1)
    assert not UCB1().guarantee.per_person(3).private


def test_what_covers_a_person_covers_a_larger_one_in_steps():
    three = LazyDPTS(0.5).guarantee.per_person(3)
    assert three.per_person(2) is three.per_person(3) is three
    assert three.per_person(4).epsilon == three.per_person(6).epsilon == 3.0
    assert three.per_person(6).rewards == 6
    assert "at 1.5 for every 3" in three.per_person(6).reason


@pytest.mark.parametrize("bound", [0, -1, 1.5, True, "3", math.nan, 10**30, None])
def test_a_bound_that_is_none_is_refused(bound):
    with pytest.raises(ParameterError, match="person_bound"):
        LazyDPTS(1.0).guarantee.per_person(bound)


@pytest.mark.parametrize("rewards", [0, -1, 1.5, True, "3", 10**30])
def test_a_guarantee_covers_a_number_of_rewards(rewards):
    with pytest.raises(ParameterError, match="rewards"):
        replace(LazyDPTS(1.0).guarantee, rewards=rewards)


def test_a_learner_for_simulation_says_so_and_keeps_the_rest():
    policy = LazyDPTS(1.0)
    shown = policy.learner(2, noise=SeededNoise(7)).guarantee
    assert "simulation only" in shown.reason
    assert (shown.epsilon, shown.unit, shown.rewards) == (1.0, policy.guarantee.unit, 1)


def test_a_notebook_shows_a_guarantee_as_text():
    page = replace(LazyDPTS(0.5).guarantee, reason="a < b: <script>")._repr_html_()
    assert page.startswith("<p><strong>epsilon = 0.5 under replace, per ")
    assert page.endswith(": a &lt; b: &lt;script&gt;</p>")


def test_a_guarantee_states_one_loss():
    shared = {"neighbours": "replace", "unit": "one round's reward", "reason": "why"}
    both = {"epsilon": 1.0, "replace_epsilon": 1.0, "rho": 0.5}
    neither = {"epsilon": None, "replace_epsilon": None}
    beside = {"epsilon": None, "replace_epsilon": None, "rho": 0.5, "delta": 1e-6}
    for bad in (both, neither, beside, {"epsilon": 1.0, "replace_epsilon": 1.0, "gaussian": True}):
        with pytest.raises(ParameterError):
            Guarantee(**shared, **bad)
    with pytest.raises(ParameterError, match="rho must"):
        Guarantee(**shared, epsilon=None, replace_epsilon=None, rho=-1.0)


def test_a_concentrated_guarantee():
    stated = AdaCUCB(rho=0.5).guarantee
    assert (stated.epsilon, stated.rho, stated.private) == (None, 0.5, True)
    assert stated.under("replace") == stated.under("add-remove") == math.inf
    assert str(stated).startswith("rho = 0.5 under replace, per one round's reward: ")
    assert stated.approximate(1e-6) == pytest.approx(4.8866, abs=1e-3)
    assert replace(stated, gaussian=False).approximate(1e-6) == pytest.approx(5.2215, abs=1e-3)
    assert LazyDPTS(0.5).guarantee.approximate(1e-6) == 0.5
    assert UCB1().guarantee.approximate(1e-6) == math.inf


def test_concentrated_losses_of_a_person_grow_with_squares_within_a_release():
    one = AdaCUCB(rho=0.25).guarantee
    assert one.per_person(1).rho == 0.25
    assert one.per_person(1).gaussian
    assert one.per_person(6).rho == 36 * 0.25
    assert one.per_person(6, per_release=1).rho == 6 * 0.25
    assert one.per_person(7, per_release=3).rho == (9 + 9 + 1) * 0.25
    assert not one.per_person(6).gaussian
    hers = one.per_person(4, per_release=1)
    assert "at most 1 of them in a release" in hers.reason
    assert hers.per_person(3) is hers
    with pytest.raises(ParameterError, match="per_release"):
        one.per_person(4, per_release=0)


def test_a_guarantee_with_a_delta():
    stated = Guarantee(1.0, "replace", "one round's reward", "why", 1.0, delta=1e-6)
    assert str(stated).startswith("epsilon = 1, delta = 1e-06 under replace")
    assert stated.under("replace") == math.inf
    assert stated.approximate(1e-5) == 1.0
    with pytest.raises(ParameterError, match="no less is known"):
        stated.approximate(1e-7)
    hers = stated.per_person(3)
    assert hers.epsilon == 3.0
    assert hers.delta == pytest.approx(1e-6 * (1.0 + math.e + math.e**2))
    with pytest.raises(ParameterError, match="says nothing"):
        stated.per_person(100)


def test_a_release_says_rho_where_it_has_one():
    learner = AdaCUCB(rho=0.5).learner(2, noise=SeededNoise(7, discrete=True))
    release = learner.update(learner.select(), 1)
    assert (release.rho, release.epsilon, release.mechanism) == (0.5, math.inf, "gaussian-sum")
    stored = json.loads(json.dumps(release.to_dict(), allow_nan=False))
    assert stored["rho"] == 0.5
    assert Release.from_dict(stored) == release
    assert "rho" not in Release(1, 2, 4, 3.25, "noisy-sum", 1.0).to_dict()
    assert "rho=0.5" in repr(release)
    with pytest.raises(StateError):
        Release.from_dict({**stored, "rho": "x"})

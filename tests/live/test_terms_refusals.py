"""Policies that a store refuses, by name and for what they are."""

import pytest

import hush
import hush.live
from hush.live.terms import live_policies

CONCENTRATED = r"its loss is concentrated \(rho\), and a person is promised a pure epsilon"
OWN_PROMISE = "live experiments trust their store, and bound what each person gives themselves"


def created(policy, parameters=None):
    with hush.live.open(":memory:") as store:
        made = store.create(
            "x", policy=policy, arms=["a", "b"], person_epsilon=1.0, parameters=parameters
        )
        made.start()
        assert made.decide("someone").name in ("a", "b")
        return made.terms


@pytest.mark.parametrize("policy", [hush.UCB1, "ThompsonSampling", hush.FTL])
def test_a_policy_without_an_epsilon_is_refused_for_what_it_is(policy):
    with pytest.raises(hush.ParameterError, match="cannot run live: it is not private"):
        created(policy)


@pytest.mark.parametrize("policy", live_policies())
def test_every_policy_that_is_listed_runs(policy):
    terms = created(policy)
    assert type(terms.learning).__name__ == policy
    assert terms.learning.guarantee.epsilon * terms.person_bound <= 1.0


@pytest.mark.parametrize(
    ("policy", "parameters", "why"),
    [
        ("AdaCUCB", None, CONCENTRATED), ("AdaCUCB", {"rho": 0.3}, CONCENTRATED),
        ("NoiseAwareTS", {"rho": 0.3}, CONCENTRATED),
        ("NoiseAwareIMED", {"rho": 0.3}, CONCENTRATED),
        ("Person", None, OWN_PROMISE), ("Person", {"of": "LazyDPTS"}, OWN_PROMISE),
        ("Local", None, OWN_PROMISE), ("Local", {"of": "UCB1"}, OWN_PROMISE),
    ],
)  # fmt: skip
def test_a_policy_with_another_promise_is_refused_by_name(policy, parameters, why):
    with pytest.raises(hush.ParameterError, match=f"^{policy} cannot run live: {why}$"):
        created(policy, parameters)


def test_a_rho_of_none_is_no_rho():
    assert created(hush.NoiseAwareTS, {"rho": None}) == created(hush.NoiseAwareTS)

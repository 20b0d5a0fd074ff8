"""What releases say: posteriors of all of them, and a history that is the same for everyone."""

import json

import numpy as np
import pytest

import hush
import hush.live
from hush.live.beliefs import MOST_POINTS, Beliefs
from hush.live.journal import GENESIS, Entry
from hush.live.planning import Arms, Knobs, Plan
from hush.live.terms import Terms
from hush.numerics.given_releases import posterior_of
from hush.numerics.posterior_chances import win_chances

GIVEN = {
    "person_epsilon": 1.0, "person_bound": 1, "window": "1h", "default": 0.0,
    "reward_range": (0, 1), "population": "people", "segments": None, "tick": "1m",
    "grace": "1m", "max_age": None,
}  # fmt: skip
ARMS = [["a", 0], ["b", 0]]
KNOBS = {"control": 0, "control_share": 0.0, "floor": 0.0}


def terms(policy="NoiseAwareTS", parameters=None, **given):
    return Terms.of(policy, parameters, {**GIVEN, **given})


def entry(seq, kind, body):
    return Entry(seq, 60_000 * seq, kind, 1, json.dumps(body), GENESIS)


def made(arms=ARMS, knobs=KNOBS):
    return entry(1, "create", {"arms": arms, "knobs": knobs})


def released(size, seed=3, arms=2, segment=0):
    generator = np.random.default_rng(seed)
    epochs = [0] * arms
    found = []
    for number in range(size):
        arm = number % arms
        value = float(generator.binomial(20, 0.4 + 0.1 * arm) + generator.laplace())
        body = {"segment": segment, "arm": arm, "epoch": epochs[arm], "count": 20, "value": value}
        found.append(entry(2 + number, "release", {**body, "mechanism": "laplace", "epsilon": 1.0}))
        epochs[arm] += 1
    return found


def told(entries, arm):
    bodies = [each.body for each in entries]
    return tuple((each["count"], each["value"]) for each in bodies if each["arm"] == arm)


@pytest.mark.parametrize("policy", ["NoiseAwareTS", "LazyDPTS", "AnytimeLazyUCB"])
def test_posteriors_rest_on_all_releases_whatever_the_policy_makes_of_them(policy):
    beliefs, entries = Beliefs(terms(policy), 0), released(9)
    beliefs.take([made(), *entries])
    prior = hush.NoiseAwareTS(epsilon=1.0).belief
    known = [posterior_of(1.0, prior, told(entries, arm)) for arm in (0, 1)]
    for arm in (0, 1):
        assert beliefs.posterior(arm).mean == pytest.approx(known[arm].mean, abs=1e-8)
    assert beliefs.best() == pytest.approx(tuple(win_chances(known)), abs=1e-7)
    assert beliefs.counts == [100, 80]
    assert beliefs.releases == [5, 4]


def test_a_policys_own_prior_is_taken():
    beliefs = Beliefs(terms(parameters={"prior": [8.0, 2.0], "flat": 0.0}), 0)
    beliefs.take([made()])
    assert beliefs.posterior(0).mean == pytest.approx(0.8, abs=1e-9)


@pytest.mark.parametrize("policy", ["NoiseAwareTS", "LazyDPTS", "AnytimeLazyUCB"])
@pytest.mark.parametrize("knobs", [KNOBS, {"control": 1, "control_share": 0.2, "floor": 0.1}])
def test_allocations_are_those_of_the_plan(policy, knobs):
    found, entries = terms(policy), released(6)
    beliefs = Beliefs(found, 0)
    beliefs.take([made(knobs=knobs), *entries])
    assert beliefs.history[0].plan is None  # the other arm has no release yet
    plan = Plan(found, Arms(("a", "b")), Knobs(**knobs), 0)
    plan.absorb(entries)
    wanted = plan.chances(6 * 20 + 1)
    assert beliefs.history[-1].plan == pytest.approx(tuple(wanted), abs=1e-6)


@pytest.mark.untraced
def test_a_history_is_thinned_and_the_same_whenever_it_was_asked_for():
    entries = released(700)
    once = Beliefs(terms(), 0)
    once.take([made(), *entries])
    again = Beliefs(terms(), 0)
    again.take([made()])
    for start in range(0, 700, 37):
        again.take(entries[start : start + 37])
        assert again.history[-1].seq == entries[min(start + 36, 699)].seq
    numbers = [each.number for each in once.history]
    assert numbers == [each.number for each in again.history] == [*range(4, 701, 4)]
    assert len(numbers) <= MOST_POINTS
    for one, other in zip(once.history, again.history, strict=True):
        assert one.best == pytest.approx(other.best, abs=1e-6)
        assert (one.at, one.seq, one.arm, one.count) == (other.at, other.seq, other.arm, 20)


def test_arms_may_come_and_go():
    entries = released(6)
    beliefs = Beliefs(terms(), 0)
    more = entry(50, "act", {"act": "add_arm", "set": {"arms": [*ARMS, ["c", 0]]}})
    less = entry(51, "act", {"act": "retire_arm", "set": {"arms": [["a", 1], ["b", 0], ["c", 0]]}})
    beliefs.take([made(), *entries])
    before = beliefs.last
    beliefs.take([more])
    assert len(before.best) == 2
    assert len(beliefs.last.best) == 3
    assert beliefs.last.plan is None  # it is explored first
    beliefs.take([less])
    assert beliefs.best()[0] is None
    assert sum(each or 0.0 for each in beliefs.best()) == pytest.approx(1.0)


def test_other_segments_are_not_taken_in():
    beliefs = Beliefs(terms(segments=["x", "y"]), 1)
    beliefs.take([made(), *released(4)])
    assert beliefs.last is None
    assert beliefs.history == []
    beliefs.take(released(4, segment=1))
    assert beliefs.last.number == 4


def test_noise_that_hides_nothing_is_computed_with():
    beliefs = Beliefs(terms(person_epsilon=1e6), 0)
    body = {"segment": 0, "arm": 0, "epoch": 0, "count": 2_000, "value": 700.0000001}
    beliefs.take([made(), entry(2, "release", {**body, "mechanism": "laplace", "epsilon": 1e6})])
    assert beliefs.posterior(0).mean == pytest.approx(0.35, abs=1e-3)

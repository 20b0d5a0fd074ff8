"""A promise to persons around other policies: whose rewards are learnt, and what that loses."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp

import hush
from hush import LazyDPTS, Person
from hush.policies.core.visits import Visits
from hush.simulation.engines import LEARNER, engine_for, why_no_leap
from hush.testing import FrozenNoise, RecordingNoise, yield_checks

FALSE_ALARM = 1e-5


def test_a_reward_has_its_share_of_epsilon():
    for bound in (1, 3, 7, 49):
        policy = Person(LazyDPTS, epsilon=1.0, bound=bound)
        assert bound * policy.of.epsilon == pytest.approx(1.0)
        assert bound * policy.of.epsilon <= 1.0
        guarantee = policy.guarantee
        assert (guarantee.epsilon, guarantee.unit, guarantee.rewards) == (1.0, "person", bound)
        assert guarantee.neighbours == "replace"
    assert Person(hush.Local, epsilon=1.0, bound=2).guarantee.trust == "local"


def test_forms_in_which_it_is_written():
    policy = Person(LazyDPTS, epsilon=1.0, bound=4, per_release=1)
    assert Person(LazyDPTS(0.25), epsilon=1.0, bound=4, per_release=1) == policy
    told = json.loads(json.dumps(policy.to_dict()))
    assert hush.policy_from_dict(told) == policy
    short = {"policy": "Person", "of": "LazyDPTS", "epsilon": 1.0, "bound": 4, "per_release": 1}
    assert hush.policy_from_dict(short) == policy
    assert Person(epsilon=1.0).of == LazyDPTS(1.0)
    assert Person(hush.DPSE, epsilon=1.0).with_horizon(50).of == hush.DPSE(1.0, horizon=50)
    assert str(policy) == "Person(of=LazyDPTS(epsilon=0.25), epsilon=1, bound=4, per_release=1)"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"of": LazyDPTS(0.5), "bound": 4}, "more on a reward than its share of epsilon, 0.25"),
        ({"of": hush.UCB1}, "unknown parameter of UCB1"),
        ({"of": hush.UCB1()}, "goes around a private policy"),
        ({"of": hush.RNMFTNL(1.0)}, "goes around a bandit policy"),
        ({"of": hush.TreeDPUCB, "bound": 2, "per_release": 1}, "in many releases"),
        ({"of": 0}, "goes around a bandit policy"),
        ({"of": ""}, "goes around a bandit policy"),
        ({"bound": 0}, "bound"),
        ({"bound": 2.5}, "bound"),
        ({"bound": 3, "per_release": 4}, "per_release"),
        ({"bound": 3, "per_release": 0}, "per_release"),
    ],
)
def test_what_cannot_be_promised_is_refused(given, why):
    with pytest.raises((hush.ParameterError, hush.UnknownNameError), match=why):
        Person(**{"epsilon": 1.0, **given})


@pytest.mark.parametrize(
    ("bound", "per_release", "times"), [(1, None, 1), (4, None, 16), (4, 1, 4), (7, 3, 19)]
)
def test_a_reward_has_its_share_of_rho(bound, per_release, times):
    policy = Person(hush.NoiseAwareTS, rho=0.7, bound=bound, per_release=per_release)
    assert policy.of.rho * times == pytest.approx(0.7)
    assert Fraction(policy.of.rho) * times <= Fraction(0.7)
    guarantee = policy.guarantee
    assert (guarantee.rho, guarantee.epsilon, guarantee.unit) == (0.7, None, "person")
    assert guarantee.per_release == (per_release if bound > 1 else None)
    assert hush.policy_from_dict(json.loads(json.dumps(policy.to_dict()))) == policy
    assert policy.release_noise == policy.of.release_noise


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, "epsilon= or rho=, exactly one"),
        ({"epsilon": 1.0, "rho": 1.0}, "epsilon= or rho=, exactly one"),
        ({"rho": 1.0}, "LazyDPTS has no rho"),
        ({"rho": 1.0, "of": LazyDPTS(0.1)}, "LazyDPTS inside has epsilon="),
        ({"epsilon": 1.0, "of": hush.AdaCUCB(rho=0.1)}, "AdaCUCB inside has rho="),
        (
            {"rho": 1.0, "bound": 2, "of": hush.AdaCUCB(rho=0.3)},
            "more on a reward than its share of rho, 0.25",
        ),
    ],
)
def test_a_person_and_what_is_inside_state_the_same_kind_of_loss(given, why):
    with pytest.raises(hush.ParameterError, match=why):
        Person(**given)


@pytest.mark.parametrize(("per_release", "bound"), [(None, 3), (1, 3), (2, 5)])
def test_all_rewards_of_a_person_together_lose_rho_at_most(per_release, bound):
    """As below, with Gaussian noise: losses grow with the square of what a release has of hers."""
    policy = Person(hush.AdaCUCB, rho=0.9, bound=bound, per_release=per_release)
    generator = np.random.default_rng(3)
    table = generator.integers(0, 2, (300, 2))
    persons = ["ann" if number % 4 else None for number in range(300)]
    first = RecordingNoise(hush.SeededNoise(7))
    arms, _ = play(policy, table, persons, first)
    worst = 0.0
    for change in (lambda rewards: 1 - rewards, np.zeros_like, np.ones_like):
        other = table.copy()
        hers = [number for number, person in enumerate(persons) if person]
        other[hers] = change(other[hers])
        second = RecordingNoise(
            FrozenNoise([each.noisy for each in first.drawn], hush.SeededNoise(7))
        )
        assert play(policy, other, persons, second)[0] == arms
        lost = sum(a.concentrated(b) for a, b in zip(first.drawn, second.drawn, strict=True))
        assert lost <= 0.9 + 1e-9
        worst = max(worst, lost)
    assert worst > 0.1  # something of hers was learnt


@pytest.mark.untraced
def test_it_conforms_with_a_limit_for_each_release():
    for check in yield_checks(Person(LazyDPTS, epsilon=2.0, bound=3, per_release=1), rounds=1000):
        check()


@given(
    visits=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 1), st.booleans())),
    bound=st.integers(1, 4),
    per_release=st.integers(1, 4),
)
def test_nobody_gives_more_than_the_bounds(visits, bound, per_release):
    """Against counts that are kept in another way."""
    ledger = Visits(2, bound, per_release)
    taken: list[tuple[str, int, int]] = []
    epochs = [0, 0]
    for person, arm, releases in visits:
        mine = [each for each in taken if each[0] == person]
        here = [each for each in mine if each[1:] == (arm, epochs[arm])]
        assert ledger.takes(person, arm) == (len(mine) < bound and len(here) < per_release)
        if ledger.takes(person, arm):
            ledger.count(person, arm)
            taken.append((person, arm, epochs[arm]))
        if releases:
            ledger.released(arm)
            epochs[arm] += 1
    again = Visits(2, bound, per_release)
    again.restore(json.loads(json.dumps(ledger.state())))
    assert again.state() == ledger.state()


def play(policy, table, persons, noise):
    learner = policy.learner(table.shape[1], noise=noise)
    arms = []
    for row, person in zip(table.tolist(), persons, strict=True):
        arms.append(learner.select())
        learner.update(arms[-1], row[arms[-1]], person=person)
    return arms, learner


@pytest.mark.parametrize("per_release", [None, 1])
@pytest.mark.parametrize("inner", [LazyDPTS, hush.AnytimeLazyUCB, hush.NoiseAwareTS, hush.Local])
def test_all_rewards_of_a_person_together_lose_epsilon_at_most(inner, per_release):
    """She comes in three rounds of four, far above her bound; her rewards are all changed."""
    policy = Person(inner, epsilon=1.0, bound=3, per_release=per_release)
    generator = np.random.default_rng(7)
    table = generator.integers(0, 2, (300, 2))
    persons = ["ann" if number % 4 else None for number in range(300)]
    first = RecordingNoise(hush.SeededNoise(7))
    arms, learner = play(policy, table, persons, first)
    assert learner.statistics.counts.sum() > 3
    lost = 0.0
    for change in (lambda rewards: 1 - rewards, np.zeros_like, np.ones_like):
        other = table.copy()
        hers = [number for number, person in enumerate(persons) if person]
        other[hers] = change(other[hers])
        script = [each.noisy for each in first.drawn]
        second = RecordingNoise(FrozenNoise(script, hush.SeededNoise(7)))
        again, _ = play(policy, other, persons, second)
        assert again == arms
        losses = [a.loss(b) for a, b in zip(first.drawn, second.drawn, strict=True)]
        assert sum(losses) <= 1.0 + 1e-9
        lost = max(lost, sum(losses))
        if per_release == 1:
            assert max(losses) <= 1.0 / 3.0 + 1e-9
    assert lost > 0.3  # something of hers was learnt


def test_a_ledger_that_forgets_would_be_noticed(monkeypatch):
    monkeypatch.setattr(Visits, "takes", lambda *_: True)
    with pytest.raises(AssertionError):
        test_all_rewards_of_a_person_together_lose_epsilon_at_most(LazyDPTS, None)


def test_beyond_the_bound_decisions_are_served_and_not_learnt():
    learner = Person(LazyDPTS, epsilon=1.0, bound=2).learner(n_arms=2)
    for _ in range(50):
        learner.update(learner.select(), 1, person="ann")
    assert learner.rounds == 50
    assert learner.outstanding == (0, 0)
    assert learner.statistics.counts.sum() == 2
    learner.update(learner.select(), 1)  # somebody else
    learner.settle(learner.decide(), 1, person=7)
    assert set(learner.state()["persons"]["taken"]) == {"ann", "7"}


def test_batches_name_a_person_for_each_reward():
    learner = Person(LazyDPTS, epsilon=1.0, bound=1).learner(n_arms=1)
    arms = [learner.select() for _ in range(4)]
    with pytest.raises(hush.RewardError, match="2 persons"):
        learner.update_batch(arms, [1] * 4, persons=["a", "b"])
    with pytest.raises(hush.RewardError, match="lists"):
        learner.update_batch(arms, 3, persons=["a"])
    learner.update_batch(arms, [1] * 4, persons=["a", "a", "b", None])
    assert sum(learner.state()["persons"]["taken"].values()) == 2
    arms = [learner.select() for _ in range(2)]
    learner.update_batch(arms, [0, 1])
    assert learner.outstanding == (0,)


@pytest.mark.parametrize("person", [1.5, True, "", b"x", ("a",)])
def test_what_is_no_id_is_refused_and_changes_nothing(person):
    learner = Person(LazyDPTS, epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    arm = learner.select()
    before = learner.state()
    with pytest.raises(hush.ParameterError, match="person must be"):
        learner.update(arm, 1, person=person)
    assert learner.state() == before


class Broken(hush.ScriptedNoise):
    """Gives nothing."""

    def add_laplace(self, total, *, epsilon, sensitivity=1):
        raise hush.NoiseError("nothing was drawn")


def test_a_reward_that_drew_no_noise_is_not_counted():
    learner = Person(LazyDPTS, epsilon=1.0).learner(n_arms=2, noise=Broken([]))
    arm = learner.select()
    with pytest.raises(hush.NoiseError):
        learner.update(arm, 1, person="ann")
    assert learner.state()["persons"]["taken"] == {"ann": 0}
    assert learner.outstanding[arm] == 1


def test_a_damaged_ledger_is_refused():
    policy = Person(LazyDPTS, epsilon=1.0)
    ledger = Visits(2, 1, None)
    for bad in ({}, {"taken": {}, "inside": [{}]}, {"taken": [], "inside": [{}, {}]}):
        with pytest.raises(hush.StateError):
            ledger.restore(bad)
    state = policy.learner(2, noise=hush.SeededNoise(7)).state()
    with pytest.raises(hush.StateError):
        policy.restore({**state, "persons": {}})


def test_without_ids_it_is_the_policy_inside_with_its_share():
    """And leaps like it. False alarms: one in 10^5."""
    policy, env = Person(LazyDPTS, epsilon=2.0, bound=4), hush.paper_s1()
    assert why_no_leap(policy) is None
    one, two = (
        hush.simulate(each, env, horizon=1000, runs=100, seed=7).regret[0, :, -1]
        for each in (policy, LazyDPTS(0.5))
    )
    assert ks_2samp(one, two).pvalue > FALSE_ALARM
    bound = hush.bounds(policy, env, 10**6)
    assert bound.epsilon == 2.0
    assert bound.upper == pytest.approx(hush.bounds(LazyDPTS(0.5), env, 10**6).upper)


def test_where_persons_come_back_the_learner_plays():
    env = hush.People(hush.paper_s1(), visits=[1, 30], at_once=5)
    policy = Person(LazyDPTS, epsilon=2.0, bound=1)
    assert engine_for(policy, env) is LEARNER
    assert engine_for(LazyDPTS(1.0), env) is not LEARNER
    with pytest.raises(hush.ParameterError, match="who comes decides what it learns"):
        hush.simulate(policy, env, horizon=100, engine="leap")
    result = hush.simulate([policy, LazyDPTS(2.0)], env, horizon=400, runs=2, seed=7)
    assert result.engines == ("rounds (learner)", "leap")
    assert result.environment["visits"] == [1, 30]


@pytest.mark.untraced
def test_a_person_who_is_always_there_teaches_her_bound_and_no_more():
    """She alone comes: after one reward of each arm nothing changes, and one is played on."""
    env = hush.People(hush.Bernoulli([0.9, 0.1]), visits=10**6, at_once=1)
    policy = Person(hush.AnytimeLazyUCB, epsilon=50.0, bound=2)
    late = hush.simulate(policy, env, horizon=500, runs=3, seed=7).pulls[0, :, -1]
    assert (late.min(axis=1) == 1).all()

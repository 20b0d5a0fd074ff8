"""Where requests come in: whatever is asked is answered or refused, and nothing else happens."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.live import scenes

import hush
import hush.live
from hush.errors import ExpiredError, HushError, NoDecisionError, ParameterError


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def test_a_deferred_decision_takes_no_key(store):
    experiment = scenes.made(store)
    with pytest.raises(ParameterError, match="has no key"):
        experiment.decide("u1", key="k", defer=True)


def test_a_deferred_decision_is_learnt_when_it_is_activated(store):
    experiment = scenes.made(store)
    before = scenes.dump(store)
    deferred = experiment.decide("u1", defer=True)
    assert deferred.deferred
    assert scenes.dump(store) == before
    active = experiment.activate(deferred, person="u1")
    assert (active.arm, active.propensity) == (deferred.arm, deferred.propensity)
    assert not active.deferred
    assert experiment.activate(deferred.id, person="u1") == active
    assert scenes.learnt(store) == 1
    experiment.reward(active, 1)
    assert scenes.bit_of(store, active) == 1


def test_a_deferred_decision_has_no_reward_of_its_own(store):
    experiment = scenes.made(store)
    deferred = experiment.decide("u1", defer=True)
    with pytest.raises(NoDecisionError):
        experiment.reward(deferred, 1)
    active = experiment.activate(deferred, person="u1")
    with pytest.raises(NoDecisionError):
        experiment.activate(active, person="u1")


def test_an_activation_is_for_five_minutes_and_for_her_alone(store, clock):
    experiment, other = scenes.made(store), scenes.made(store, "other")
    deferred = experiment.decide("u1", defer=True)
    for where, person in ((experiment, "u2"), (other, "u1")):
        with pytest.raises(NoDecisionError) as caught:
            where.activate(deferred, person=person)
        assert person not in str(caught.value)
    clock.advance("5m")
    last = experiment.decide("u3", defer=True)
    experiment.activate(deferred, person="u1")  # at the very end
    clock.advance("300.001s")
    with pytest.raises(ExpiredError):
        experiment.activate(last, person="u3")
    with pytest.raises(ExpiredError):
        experiment.activate(deferred, person="u1")
    assert scenes.learnt(store) == 1


def test_an_arm_that_was_retired_meanwhile_is_served_and_not_learnt(store):
    experiment = scenes.made(store, floor=0.45)
    deferred = next(
        each
        for each in (experiment.decide("u1", defer=True) for _ in range(200))
        if each.name == "new"
    )
    experiment.retire_arm("new")
    assert experiment.activate(deferred, person="u1").name == "new"
    assert scenes.learnt(store) == 0


def test_an_activation_counts_against_the_bound(store):
    experiment = scenes.made(store, person_bound=1)
    waiting = [experiment.decide("u1", defer=True) for _ in range(3)]
    for each in waiting:
        experiment.activate(each, person="u1")
    assert scenes.learnt(store) == 1


def test_each_of_many_succeeds_or_fails_by_itself(store):
    experiment = scenes.made(store)
    asked = [
        {"person": "u1"}, {}, {"person": ""}, {"person": "u2", "key": 7}, None, ["person"],
        {"person": "u3", "segment": "de"}, {"person": "u4", "colour": 1}, {"person": "\ud800"},
        {"person": "hush_test_u"}, {"person": "u5", "key": "\udfff"}, {"person": "u6", "key": "k"},
    ]  # fmt: skip
    answers = experiment.decide_many(asked)
    assert [place for place, each in enumerate(answers) if not isinstance(each, HushError)] == [
        0, 11,
    ]  # fmt: skip
    assert all(isinstance(each, ParameterError) for each in answers[1:11])
    assert scenes.learnt(store) == 2


def test_segments_are_named(store):
    plain, split = scenes.made(store), scenes.made(store, "split", segments=["de", "fr"])
    assert plain.decide("u1", segment=None).arm in (0, 1)
    for experiment, bad in ((plain, "de"), (split, None), (split, "it"), (split, 0), (split, [])):
        with pytest.raises(ParameterError, match="segment"):
            experiment.decide("u1", segment=bad)
    with pytest.raises(ParameterError, match="plans"):
        _ = split.plan
    assert set(split.plans) == {"de", "fr"}


def test_evidence_must_be_an_id_of_this_experiment(store):
    experiment, other = scenes.made(store), scenes.made(store, "other")
    experiment.decide("u1", seen=experiment.decide("u1").id)
    for bad in (other.decide("u1").id, "nonsense", 7):
        before = scenes.dump(store)
        with pytest.raises(NoDecisionError):
            experiment.decide("u1", seen=bad)
        assert scenes.dump(store) == before
    assert experiment.state == "running"


anything = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.binary(max_size=5),
    st.just(10**400), st.just("x" * 600), st.just("\ud800secret"), st.just(""),
    st.lists(st.integers(), max_size=2), st.text("aé\x00\ud800 /-", max_size=8),
)  # fmt: skip
SAID = "unmistakable-7261"


@pytest.fixture(scope="module")
def shared():
    with scenes.in_memory() as store:
        yield store, scenes.made(store), scenes.made(store, "split", segments=["de", "fr"])


def refused(store, act, *, secrets=(SAID,)):
    """Tell whether an act is refused; then nothing may have changed, and no secret be said."""
    before = scenes.dump(store)
    try:
        act()
    except HushError as error:
        assert scenes.dump(store) == before
        said = f"{error} {error.args} {error.__cause__} {error.__context__}"
        assert not any(secret in said for secret in secrets)
        return True
    return False


@given(person=anything, key=anything, segment=anything)
def test_bad_requests_change_nothing(shared, person, key, segment):
    store, experiment, _ = shared
    good = isinstance(person, str) and 1 <= len(person) <= 512 and "\ud800" not in person
    usable = key is None or (isinstance(key, str) and 1 <= len(key) <= 512 and "\ud800" not in key)
    secrets = [each for each in (person, key) if isinstance(each, str) and len(each) > 6]
    act = lambda: experiment.decide(person, key=key, segment=segment)  # noqa: E731
    if not (good and usable and segment is None):
        assert refused(store, act, secrets=secrets)


@given(name=anything, value=anything)
def test_bad_rewards_change_nothing(shared, name, value):
    store, experiment, _ = shared
    assert refused(store, lambda: experiment.reward(name, value))
    decision = experiment.decide("u1", key="one")
    real = isinstance(value, int | float) and not isinstance(value, bool)
    if not (real and 0 <= value <= 1):
        assert refused(store, lambda: experiment.reward(decision, value))


@given(name=anything, person=anything)
def test_bad_activations_change_nothing(shared, name, person):
    store, experiment, _ = shared
    assert refused(store, lambda: experiment.activate(name, person=person))


GOOD = {
    "policy": hush.NoiseAwareTS, "arms": ["old", "new"], "person_epsilon": 1.0, "person_bound": 4,
}  # fmt: skip


@settings(max_examples=200)
@given(
    st.sampled_from(
        [
            "policy", "arms", "person_epsilon", "person_bound", "window", "default", "reward_range",
            "population", "segments", "control", "control_share", "floor", "max_age", "tick",
            "grace", "parameters", "by",
        ]
    ),
    anything,
)  # fmt: skip
def test_bad_terms_change_nothing(shared, field, value):
    store, *_ = shared
    name = f"new-{len(store.names)}"
    if not refused(store, lambda: store.create(name, **{**GOOD, field: value})):
        assert store.experiment(name).state == "draft"


@given(anything)
def test_bad_names_change_nothing(shared, value):
    store, *_ = shared
    assert refused(store, lambda: store.create(value, **GOOD)) or isinstance(value, str)
    assert refused(store, lambda: store.experiment(value)) or isinstance(value, str)
    refused(store, lambda: store.population(value, limit=1.0))
    if not (isinstance(value, int | float) and not isinstance(value, bool)):
        assert value is None or refused(store, lambda: store.population("p", limit=value))


@pytest.mark.parametrize("epsilon", [5e-324, 1e-300, 1e-9, 1e6, 1e300, 1.7e308])
def test_extreme_promises_are_refused_or_kept(store, clock, epsilon):
    """Nothing that starts may fail to settle."""
    made = lambda: scenes.made(store, person_epsilon=epsilon, max_age="1m", window="1m")  # noqa: E731
    if refused(store, made):
        return
    experiment = store.experiment("checkout")
    scenes.visits(experiment, 5)
    scenes.pass_by(store, clock, "5m")
    assert sum(each.count for each in experiment.releases) == 5
    assert all(math.isfinite(each.value) for each in experiment.releases)


@pytest.mark.parametrize("low", [-1e308, 0.0, 1e-300])
def test_extreme_ranges(store, low):
    high = low + 1e300 if low else 1e-300
    experiment = scenes.made(store, reward_range=(low, high), default=low)
    decision = experiment.decide("u1")
    experiment.reward(decision, high)
    assert scenes.bit_of(store, decision) == 1

"""The door for rewards: by the id, the bytes and the clock alone."""

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.errors import ExpiredError, HushError, NoDecisionError, RewardError
from hush.live.rewarding import Posted


@pytest.fixture
def clock():
    return hush.live.ManualClock()


@pytest.fixture
def store(clock):
    with scenes.in_memory(clock) as store:
        yield store


def test_the_last_write_in_the_window_wins(store, clock):
    experiment = scenes.made(store)
    decision = experiment.decide("u1")
    for value in (1, 0, 1, 1, 0, 1):
        experiment.reward(decision, value)
        assert scenes.bit_of(store, decision) == value
    assert experiment.reward_many([(decision, 0), (decision, 1), (decision.id, 0)]) == [None] * 3
    assert scenes.bit_of(store, decision) == 0


def test_up_to_the_deadline_and_not_after_it(store, clock):
    experiment = scenes.made(store)
    decision = experiment.decide("u1")
    clock.advance("1h")
    experiment.reward(decision, 1)  # at the very deadline
    assert scenes.bit_of(store, decision) == 1
    clock.advance("1ms")
    with pytest.raises(ExpiredError):
        experiment.reward(decision, 0)
    assert scenes.bit_of(store, decision) == 1
    (late,) = experiment.reward_many([(decision, 0)])
    assert isinstance(late, ExpiredError)


def test_a_reward_at_the_deadline_is_in_the_release(store, clock):
    experiment = scenes.made(store, max_age="1m", person_epsilon=1e4)
    decisions = scenes.visits(experiment, 8)
    clock.advance("1h")
    for decision in decisions:
        experiment.reward(decision, 1)
    scenes.pass_by(store, clock, "3m")
    assert sum(each.value for each in experiment.releases) == pytest.approx(8, abs=0.1)


def test_the_answer_is_the_same_whatever_became_of_the_decision(store, clock):
    """Learnt or beyond the bound, released or erased: the answer follows the clock alone."""
    experiment = scenes.made(store, person_bound=1)
    decisions = [experiment.decide("u1"), experiment.decide("u1"), experiment.decide("u2")]
    store.erase("u2")
    experiment.stop()
    assert experiment.reward_many([(each, 1) for each in decisions]) == [None] * 3
    clock.advance("2h")
    answers = experiment.reward_many([(each, 1) for each in decisions])
    assert len({(type(each), str(each)) for each in answers}) == 1


def test_each_is_taken_or_refused_by_itself(store, clock):
    experiment, other = scenes.made(store), scenes.made(store, "other")
    good, late = experiment.decide("u1"), experiment.decide("u2", key="late")
    foreign = other.decide("u1")
    rewards = [
        (good, 1), ("nonsense", 1), (None, 1), (good, 2), (good, float("nan")), (good, "1"),
        (foreign, 1), (good.id, 1), (good, 10**400), (good, True),
    ]  # fmt: skip
    answers = experiment.reward_many(rewards)
    assert [type(each) for each in answers] == [
        type(None), NoDecisionError, NoDecisionError, RewardError, RewardError, RewardError,
        NoDecisionError, type(None), RewardError, RewardError,
    ]  # fmt: skip
    assert scenes.bit_of(store, good) == 1
    assert scenes.bit_of(store, foreign) == 0
    store.reward(foreign, 1)  # of whichever experiment
    assert scenes.bit_of(store, foreign) == 1
    assert scenes.bit_of(store, late) == 0


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-5.0, 15.0)])
def test_other_rewards_become_bits_with_the_right_chance(store, low, high):
    """1,000 bits of chance 0.3 within 6 standard deviations: a false alarm in 10^8."""
    experiment = scenes.made(store, reward_range=(low, high), default=low, person_bound=1000)
    decisions = experiment.decide_many([{"person": "u1"}] * 1000)
    value = low + 0.3 * (high - low)
    assert experiment.reward_many([(each, value) for each in decisions]) == [None] * 1000
    first = scenes.bits(store)
    assert abs(sum(first.values()) - 300) < 6 * (1000 * 0.3 * 0.7) ** 0.5
    experiment.reward_many([(each, value) for each in decisions])
    assert scenes.bits(store) == first  # a retry gives the same bit
    experiment.reward_many([(each, high) for each in decisions])
    assert set(scenes.bits(store).values()) == {1}
    experiment.reward_many([(each, low) for each in decisions])
    assert set(scenes.bits(store).values()) == {0}


def test_a_larger_reward_never_makes_a_smaller_bit(store):
    experiment = scenes.made(store)
    decision = experiment.decide("u1")
    found = []
    for step in range(101):
        experiment.reward(decision, step / 100)
        found.append(scenes.bit_of(store, decision))
    assert found == sorted(found)
    assert {found[0], found[-1]} == {0, 1}


def test_the_defaults_bit_is_there_before_any_reward(store):
    """1,000 bits of chance 0.3 within 6 standard deviations."""
    experiment = scenes.made(store, default=0.3, person_bound=1000)
    decisions = experiment.decide_many([{"person": "u1"}] * 1000)
    before = scenes.bits(store)
    assert abs(sum(before.values()) - 300) < 6 * (1000 * 0.3 * 0.7) ** 0.5
    experiment.reward_many([(each, 0.3) for each in decisions])
    assert scenes.bits(store) == before  # the default, said aloud, changes nothing


def test_an_error_never_shows_what_was_posted(store):
    experiment = scenes.made(store, reward_range=(0.0, 10.0))
    decision = experiment.decide("u1")
    for value in (11.318, -7.127, "4.5719", b"4.5719", [4.5719]):
        with pytest.raises(HushError) as caught:
            experiment.reward(decision, value)
        said = f"{caught.value!r} {caught.value.__cause__!r} {caught.value.args}"
        assert not any(digits in said for digits in ("318", "127", "5719"))
    posted = Posted(scenes.read(store, decision), 0.4711, experiment.terms)
    assert "4711" not in repr(posted)


def test_a_group_writes_its_rows_in_one_order(store):
    """So that two processes whose groups share rows never wait for each other."""
    experiment = scenes.made(store)
    decisions = scenes.visits(experiment, 20)
    seen = []
    many = store._private.many
    store._private.many = lambda statement, rows: many(
        statement, seen.append(list(rows)) or seen[-1]
    )
    experiment.reward_many([(each, 1) for each in reversed(decisions)])
    (written,) = seen
    assert [row[1:] for row in written] == sorted(row[1:] for row in written)
    assert set(scenes.bits(store).values()) == {1}

"""The recommendation: each thing that it may have to say."""

import pytest
from tests.forecasting.one_forecast import course, foretold, made_up

import hush

GOOD = course("NoiseAwareTS", lost=30.0, found=(0.9, 1.0))
WEAK = course("LazyDPTS", lost=300.0, found=(0.1, 0.5))


def test_it_names_policy_promise_cost_and_days():
    text = made_up([GOOD, WEAK], [course("NoiseAwareTS", lost=20.0), WEAK]).recommendation
    assert text == (
        "Run NoiseAwareTS at person_epsilon 1: expect the first useful release within 2 days, the "
        "best arm in the lead with a chance of 90% by day 5, and in 10 days about 30 of 2,000 "
        "successes lost to what the best arm alone would bring (10 of them the price of "
        "privacy), where a fixed split loses 1,000."
    )


def test_what_costs_nothing_is_said_to():
    text = made_up([GOOD], [course("NoiseAwareTS", lost=31.0)]).recommendation
    assert "(none for privacy)" in text


def test_it_takes_the_policy_that_loses_least_for_the_promise_asked_for():
    other = course("LazyDPTS", person_epsilon=8.0, lost=1.0, found=(1.0, 1.0))
    text = made_up([GOOD, WEAK, other], [GOOD, WEAK]).recommendation
    assert text.startswith("Run NoiseAwareTS at person_epsilon 1:")


def test_too_little_traffic_for_this_promise_is_said_with_one_that_would_do():
    better = course("LazyDPTS", person_epsilon=4.0, lost=80.0, found=(0.5, 0.95))
    best = course("LazyDPTS", person_epsilon=8.0, lost=60.0, found=(0.6, 0.99))
    text = made_up([WEAK, best, better], [best]).recommendation
    assert text.startswith("Too little traffic for this promise: at person_epsilon 1 even LazyDPTS")
    assert "a chance of only 50%" in text
    assert "LazyDPTS at person_epsilon 4 would have a chance of 95% and lose about 80" in text


def test_where_no_promise_will_do_it_says_so():
    text = made_up([WEAK], [GOOD]).recommendation
    assert text.startswith("Too little traffic for this promise")
    assert "no promise that was looked at is weak enough" in text


def test_where_privacy_is_not_the_reason_it_is_not_blamed():
    text = made_up([WEAK], [WEAK]).recommendation
    assert text.startswith("Too little traffic to tell these arms apart in 10 days, with or wi")


def test_where_nothing_can_be_found_nothing_is_advised():
    assert "all alike" in foretold(rates=[0.3, 0.3]).recommendation


def test_a_useful_release_that_is_not_in_sight():
    text = made_up([course(useful=None)], [GOOD]).recommendation
    assert "the first useful release at no time in sight" in text


@pytest.mark.parametrize("bound", [1, 200])
def test_a_strong_promise_at_little_traffic_is_too_much(bound):
    """200 decisions of a person at 1: a decision is noised at 1 / 200, and all of 240 say little.

    Without privacy the best arm leads in nearly all of 100 runs, with privacy in about half.
    """
    found = hush.forecast(
        [0.1, 0.9], per_day=60, person_epsilon=1.0, person_bound=bound, window=0, days=4,
        policies=["NoiseAwareTS"], epsilons=[1.0], runs=100, seed=7,
    )  # fmt: skip
    verdict = "Run NoiseAwareTS" if bound == 1 else "Too little traffic for this promise"
    assert found.recommendation.startswith(verdict)

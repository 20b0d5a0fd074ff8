"""Every verdict can come out, and comes out where it should."""

import math

import pytest
from tests.studies.small import made

from hush.studies.report.claims import FAILS, HOLDS, INCONCLUSIVE, check_claims

LESS = 'test = "less"\nthan = "B"'
CLOSE = 'test = "close"\nto = "B"\nfactor = 1.25'


def verdict(*arguments, **keywords):
    return check_claims(made(*arguments, **keywords))[0].verdict


def levels(a, b):
    return lambda name, place, point: a if name == "A" else b


@pytest.mark.parametrize(
    ("a", "b", "noise", "claim", "expected"),
    [
        (100, 200, 0.1, LESS, HOLDS),
        (200, 100, 0.1, LESS, FAILS),
        (100, 101, 0.5, LESS, INCONCLUSIVE),
        (100, 110, 0.01, CLOSE, HOLDS),
        (110, 100, 0.01, CLOSE, HOLDS),
        (100, 200, 0.1, CLOSE, FAILS),
        (200, 100, 0.1, CLOSE, FAILS),
        (100, 124, 0.3, CLOSE, INCONCLUSIVE),
    ],
)
def test_two_policies(a, b, noise, claim, expected):
    assert verdict(levels(a, b), noise=noise, claim=claim) == expected


def test_one_clear_counter_example_is_enough():
    def means(name, place, point):
        return 300 if name == "A" and place["epsilon"] == 0.1 else 100 if name == "A" else 200

    (finding,) = check_claims(made(means, noise=0.05, claim=LESS))
    assert finding.verdict == FAILS
    assert [part.verdict for part in finding.parts] == [FAILS, HOLDS]
    assert verdict(means, noise=0.05, claim=LESS + "\nwhere = {epsilon = 1.0}") == HOLDS
    assert "ratio of means at epsilon 0.1: 1.5 (1.48 to 1.51)" in finding.figures
    assert [part.where for part in finding.against] == [{"epsilon": 0.1}]


def test_not_is_said_of_every_place():
    """A is worse at one place and better at the other: neither less nor not less."""

    def means(name, place, point):
        return 300 if name == "A" and place["epsilon"] == 0.1 else 100 if name == "A" else 200

    (finding,) = check_claims(made(means, noise=0.05, claim=LESS + "\nopposite = true"))
    assert [part.verdict for part in finding.parts] == [HOLDS, FAILS]
    assert finding.verdict == FAILS
    everywhere = levels(300, 200)
    assert verdict(everywhere, noise=0.05, claim=LESS + "\nopposite = true") == HOLDS


def test_equal_is_not_less():
    assert verdict(levels(100, 100), claim=LESS) != HOLDS


def test_medians_are_looked_at_where_runs_do_not_tell_the_mean():
    outcome = made(levels(100, 200), noise=0.05, claim=LESS, runs=400, points=(1000,))
    (finding,) = check_claims(outcome)
    assert {part.figure for part in finding.parts} == {"ratio of means"}
    assert not finding.of_medians
    outcome = made(levels(100, 200), noise=0.05, claim=LESS, runs=400, points=(100_000,))
    (finding,) = check_claims(outcome)
    assert {part.figure for part in finding.parts} == {"ratio of medians"}
    assert finding.of_medians
    assert finding.verdict == HOLDS


def test_means_that_are_clear_are_not_overruled_by_medians():
    """A is better in most runs, but one in four costs a hundred times as much."""
    from tests.studies.small import outcome_of

    outcome = made(levels(100, 200), claim=LESS, runs=1000, points=(100_000,))
    data = [each.regret.copy() for each in outcome.curves]
    for each, regret in zip(outcome.curves, data, strict=True):
        if each.curve.name == "A":
            regret[::4] *= 100.0
    (finding,) = check_claims(outcome_of(outcome.study, data))
    assert finding.verdict == FAILS
    assert {part.figure for part in finding.parts} == {"ratio of means"}


def test_all_places_of_a_claim_hold_together():
    """Two places, two curves each: every interval has 1 - 0.05 / 4."""
    from hush.studies.outcome import Cell, alike

    outcome = made(levels(100, 200), noise=0.3, claim=LESS, runs=1000)
    (finding,) = check_claims(outcome)
    one, other = (outcome.find(name, {"epsilon": 1.0})[0] for name in "AB")
    _, (a, b) = alike([Cell(one), Cell(other)], 1.0 - 0.05 / 4)
    part = finding.parts[1]
    assert (part.low, part.high) == pytest.approx((a.low / b.high, a.high / b.low))
    strict = check_claims(outcome, 0.999)[0].parts[1]
    assert strict.low < part.low < part.high < strict.high


def test_a_single_run_cannot_tell():
    assert verdict(levels(100, 200), runs=1, claim=LESS) == INCONCLUSIVE


POINTS = (10**3, 10**4, 10**5, 10**6)
RATE = 'test = "rate"\nagainst = "round"\nrounds = [1e3, 1e4, 1e5, 1e6]\ngrowth = "log"'


@pytest.mark.parametrize(
    ("growth", "noise", "expected"),
    [
        (lambda t: 7 * math.log(t), 0.1, HOLDS),
        (lambda t: t**0.5, 0.1, FAILS),
        (lambda t: math.log(t) ** 2, 0.1, FAILS),
        (lambda t: 5.0, 0.1, FAILS),
    ],
)
def test_growth_in_time(growth, noise, expected):
    means = levels(0, 0)
    means = lambda name, place, point: growth(point)  # noqa: E731
    assert verdict(means, noise=noise, claim=RATE, points=POINTS) == expected


def test_a_theorem_with_one_side_is_tested_on_one_side():
    means = lambda name, place, point: 50.0 + 0.0 * point  # noqa: E731
    assert verdict(means, noise=0.05, claim=RATE, points=POINTS) == FAILS
    at_most = RATE + '\nside = "at most"'
    assert verdict(means, noise=0.05, claim=at_most, points=POINTS) == HOLDS
    at_least = RATE + '\nside = "at least"'
    assert verdict(means, noise=0.05, claim=at_least, points=POINTS) == FAILS
    steep = lambda name, place, point: 0.001 * point  # noqa: E731
    assert verdict(steep, noise=0.05, claim=at_most, points=POINTS) == FAILS


def test_points_on_no_line_make_no_rate():
    """Up and down again: the exponent is small, but there is none to speak of."""
    means = lambda name, place, point: 30.0 if point != 10**4 else 90.0  # noqa: E731
    claim = RATE.replace('growth = "log"', 'growth = "power"\nexponent = 0')
    (finding,) = check_claims(made(means, noise=0.02, claim=claim, points=POINTS))
    assert finding.verdict == INCONCLUSIVE
    assert finding.parts[0].bent
    assert "off the line" in finding.figures


def test_one_side_minds_only_where_growth_speeds_up():
    """Flat and then a jump of three at the end; or a jump first, and flat from there on."""
    at_most = RATE.replace('growth = "log"', 'growth = "power"') + '\nside = "at most"'
    late = lambda name, place, point: 30.0 if point < 10**6 else 120.0  # noqa: E731
    assert verdict(late, noise=0.02, claim=at_most, points=POINTS) == INCONCLUSIVE
    early = lambda name, place, point: 10.0 if point == 10**3 else 120.0  # noqa: E731
    assert verdict(early, noise=0.02, claim=at_most, points=POINTS) == HOLDS


ARMS = "arms = [2, 8, 32, 128]\ngap = 0.1"


@pytest.mark.parametrize(
    ("cost", "growth", "expected"),
    [
        (math.log, "log", HOLDS),
        (lambda k: k, "log", FAILS),
        (lambda k: k, "power", HOLDS),
        (lambda k: k - 1, "x - 1", HOLDS),
        (lambda k: (k - 1) ** 2, "x - 1", FAILS),
        (math.log, "power", FAILS),
        (lambda k: k * math.log(k), "x log x", HOLDS),
        (math.log, "x log x", FAILS),
    ],
)
def test_growth_in_the_number_of_arms(cost, growth, expected):
    claim = f'test = "rate"\nagainst = "arms"\ngrowth = "{growth}"'
    means = lambda name, place, point: 50 * cost(place["arms"])  # noqa: E731
    assert verdict(means, noise=0.05, claim=claim, axes=ARMS) == expected


EPSILONS = "epsilon = [0.1, 0.2, 0.5, 100.0]"
INVERSE = 'test = "rate"\nagainst = "epsilon"\nexponent = -1\nminus = {epsilon = 100.0}'


@pytest.mark.parametrize(
    ("term", "noise", "expected"),
    [
        (lambda e: 20 / e, 0.02, HOLDS),
        (lambda e: 4 / e**2, 0.02, FAILS),
        (lambda e: 0.1 / e, 0.5, INCONCLUSIVE),
        (lambda e: 0.0, 0.0, INCONCLUSIVE),  # no privacy term, no exponent
    ],
)
def test_the_privacy_term_is_what_is_more_than_without_privacy(term, noise, expected):
    means = lambda name, place, point: 40 + term(place["epsilon"])  # noqa: E731
    assert verdict(means, noise=noise, claim=INVERSE, axes=EPSILONS) == expected


def test_regret_since_a_round():
    """B starts badly and then does as well as A."""
    means = lambda name, place, point: (1000 if name == "B" else 0) + point  # noqa: E731
    points = (100, 1000)
    assert verdict(means, noise=0.001, claim=CLOSE, points=points) == FAILS
    assert verdict(means, noise=0.001, claim=CLOSE + "\nsince = 100", points=points) == HOLDS

"""Every verdict can come out, and comes out where it should."""

import math

import numpy as np
import pytest
from tests.studies.small import made

from hush.studies.report.claims import FAILS, HOLDS, INCONCLUSIVE, check_claims
from hush.studies.report.estimates import Estimate, combined, slope

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
    assert verdict(means, noise=0.05, claim=LESS + "\nopposite = true") == HOLDS
    assert "ratio at epsilon 0.1: 1.49 (1.46 to 1.52)" in finding.figures


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


def test_checkpoints_of_one_curve_share_their_runs():
    """Runs that scale a whole curve up or down leave its exponent alone: no error at all."""
    (finding,) = check_claims(
        made(lambda n, p, t: math.log(t), noise=0.3, claim=RATE, points=POINTS)
    )
    assert finding.parts[0].high - finding.parts[0].low < 1e-9


ARMS = "arms = [2, 8, 32, 128]\ngap = 0.1"


@pytest.mark.parametrize(
    ("cost", "growth", "expected"),
    [
        (math.log, "log", HOLDS),
        (lambda k: k, "log", FAILS),
        (lambda k: k, "power", HOLDS),
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
        (lambda e: 100 / e, 0.02, HOLDS),
        (lambda e: 100 / e**2, 0.02, FAILS),
        (lambda e: 1 / e, 0.5, INCONCLUSIVE),
        (lambda e: 0.0, 0.0, INCONCLUSIVE),  # no privacy term, no exponent
    ],
)
def test_the_privacy_term_is_what_is_more_than_without_privacy(term, noise, expected):
    means = lambda name, place, point: 400 + term(place["epsilon"])  # noqa: E731
    assert verdict(means, noise=noise, claim=INVERSE, axes=EPSILONS) == expected


def test_regret_since_a_round():
    """B starts badly and then does as well as A."""
    means = lambda name, place, point: (1000 if name == "B" else 0) + point  # noqa: E731
    points = (100, 1000)
    assert verdict(means, noise=0.001, claim=CLOSE, points=points) == FAILS
    assert verdict(means, noise=0.001, claim=CLOSE + "\nsince = 100", points=points) == HOLDS


def test_intervals_of_differences_cover_as_often_as_they_say():
    """Welch's interval of 2,000 made differences covers 95 % of them, to within 6 deviations."""
    generator = np.random.default_rng(11)
    covered = 0
    for _ in range(2000):
        one = Estimate.of("a", generator.normal(3.0, 1.0, 8))
        two = Estimate.of("b", generator.normal(1.0, 4.0, 20))
        low, high = (one - two).interval(0.95)
        covered += low <= 2.0 <= high
    assert abs(covered / 2000 - 0.95) < 6 * math.sqrt(0.05 * 0.95 / 2000)


def test_estimates():
    values = np.array([1.0, 2.0, 6.0])
    one = Estimate.of("a", values)
    assert (one - one).error == 0.0  # the same runs
    assert (one - one).interval(0.95) == (0.0, 0.0)
    assert one.error == pytest.approx(values.std(ddof=1) / math.sqrt(3))
    assert math.isnan(Estimate.of("a", np.array([-1.0, 0.5])).log().value)
    assert combined([(2.0, one), (1.0, one)]).value == pytest.approx(9.0)
    steep = slope([1.0, 2.0], [one, combined([(3.0, one)])])
    assert steep.value == pytest.approx(6.0)
    assert steep.error == pytest.approx(2 * one.error)

"""Binomial sums against plain sums of sixty digits."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.compiled import binomial
from hush.numerics.compiled.noisy_sums import lower_sums


def log_pmf(k, n, p, q):
    return binomial.log_pmf(k, n - k, p, q)


def lower_sum(k, n, p, q, rate):
    return binomial.lower_sum(k, n - k, p, q, rate)


def plain_sums(n, p, rate):
    """Return ``sum over s <= k of pmf(s) exp(-rate (k - s))`` for every k, term by term."""
    with localcontext() as context:
        context.prec = 60
        win, lose, fall = Decimal(p), 1 - Decimal(p), (-Decimal(rate)).exp()
        found, total = [], Decimal(0)
        for k in range(n + 1):
            total = total * fall + math.comb(n, k) * win**k * lose ** (n - k)
            found.append(total)
        return found


@pytest.mark.parametrize("n", [1, 2, 5, 40, 300])
@pytest.mark.parametrize("p", [0.5, 0.03, 0.97, 1e-6])
@pytest.mark.parametrize("rate", [0.0, 0.001, 0.3, 1.0, 20.0])
def test_sums_hold_eleven_digits_in_every_tail(n, p, rate):
    for k, wanted in enumerate(plain_sums(n, p, rate)):
        if wanted > Decimal("1e-280"):
            found = lower_sum(float(k), float(n), p, 1.0 - p, rate)
            assert found == pytest.approx(float(wanted), rel=1e-11)


@pytest.mark.parametrize("p", [0.0, 1e-6, 0.03, 0.5, 0.97, 1.0])
@pytest.mark.parametrize("start", [-3, 0, 40, 290])
def test_steps_from_number_to_number_hold_them_as_well(p, start):
    """Where numbers follow one another, and where they jump."""
    places = np.array([*range(start, start + 30), start + 50.0, start + 51.0, start + 51.5])
    rates = np.array([0.0, 0.3, 20.0])
    found = lower_sums(np.array([p, 0.4]), np.stack([places, 300.0 - places]), rates, 0.0)
    for i, k in enumerate(places):
        for m, rate in enumerate(rates):
            wanted = lower_sum(k, 300.0, p, 1.0 - p, rate)
            assert found[0, i, m] == pytest.approx(wanted, rel=2e-11, abs=1e-280)


def test_beyond_the_ends():
    assert lower_sum(-1.0, 10.0, 0.3, 0.7, 0.5) == 0.0
    mgf = (0.3 + 0.7 * math.exp(-0.5)) ** 10
    assert lower_sum(12.0, 10.0, 0.3, 0.7, 0.5) == pytest.approx(math.exp(-1.0) * mgf, rel=1e-13)
    assert lower_sum(3.0, 10.0, 0.0, 1.0, 0.5) == pytest.approx(math.exp(-1.5))
    assert lower_sum(3.0, 10.0, 1.0, 0.0, 0.5) == 0.0
    assert log_pmf(10.0, 10.0, 1.0, 0.0) == 0.0
    assert log_pmf(9.0, 10.0, 1.0, 0.0) == -math.inf


def test_half_of_a_fair_binomial_lies_below_its_middle_at_any_size():
    for exponent in (10, 20, 30, 40):
        n = 2.0**exponent + 1.0  # odd: the halves mirror each other
        assert lower_sum((n - 1.0) / 2.0, n, 0.5, 0.5, 0.0) == pytest.approx(0.5, abs=1e-9)


@given(
    st.integers(1, 2**40),
    st.one_of(st.floats(0.001, 0.999), st.sampled_from([1e-12, 1e-9, 1 - 1e-9, 1 - 2.0**-40])),
    st.floats(-6.0, 6.0),
    st.floats(0.001, 2.0),
)
def test_successive_sums_differ_by_one_term(n, p, z, rate):
    """``A(k) = pmf(k) + exp(-rate) A(k - 1)``: an identity that no part of the code uses."""
    spread = math.sqrt(n * p * (1.0 - p))
    k = float(min(n - 1, max(1, round(n * p + z * spread)))) if n > 1 else 1.0
    here, before = (lower_sum(at, float(n), p, 1.0 - p, rate) for at in (k, k - 1.0))
    mass = math.exp(log_pmf(k, float(n), p, 1.0 - p))
    assert here == pytest.approx(mass + math.exp(-rate) * before, rel=2e-8)

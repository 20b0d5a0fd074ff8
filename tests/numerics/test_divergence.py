"""Divergences and their inverses, against direct minimisation and bisection."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.numerics.divergence import d_eps, kl, private_upper, upper

UNIT = st.floats(0, 1)


def plain_kl(p, q):
    """The textbook formula."""
    total = 0.0
    for a, b in ((p, q), (1 - p, 1 - q)):
        if a > 0:
            total += a * math.log(a / b) if b > 0 else math.inf
    return total


@given(st.floats(0, 0.999), st.floats(0, 0.999))
def test_kl_is_the_textbooks(p, q):
    p, q = min(p, q), max(p, q)
    assert float(kl(p, q)) == pytest.approx(plain_kl(p, q), rel=1e-9, abs=1e-13)


@given(UNIT, st.floats(1e-15, 50))
def test_upper_is_the_inverse_of_kl(p, c):
    q = float(upper(p, c))
    assert p <= q <= 1
    if q < 1 - 1e-12 and q - p > 1e-7:
        assert float(kl(p, q)) == pytest.approx(c, rel=1e-6)
    elif q >= 1 - 1e-12:
        assert plain_kl(p, 1 - 1e-9) <= c * (1 + 1e-6)


@given(st.floats(0.001, 0.999), st.floats(0.001, 0.999), st.floats(0.01, 8))
def test_d_eps_is_the_infimum(p, q, epsilon):
    p, q = min(p, q), max(p, q)
    z = np.linspace(p, q, 20_001)
    z = z[(z > 0) & (z < 1)]
    with np.errstate(all="ignore"):
        values = z * np.log(z / q) + (1 - z) * np.log((1 - z) / (1 - q)) + epsilon * np.abs(z - p)
    assert float(d_eps(p, q, epsilon)) == pytest.approx(values.min(), rel=1e-4, abs=1e-8)


@given(UNIT, st.floats(1e-13, 50), st.floats(0.01, 8))
def test_private_upper_is_its_inverse(p, c, epsilon):
    q = float(private_upper(p, c, epsilon))
    assert p - 1e-15 <= q <= 1
    assert q >= float(upper(p, c)) - 1e-12  # less is known, so more is possible
    if q < 1 - 1e-9 and q - p > 1e-5:
        assert float(d_eps(p, q, epsilon)) == pytest.approx(c, rel=1e-5)


def test_arrays_and_numbers_agree_and_never_warn():
    p = np.array([0.0, 1e-300, 1e-12, 0.3, 0.5, 1 - 1e-12, 1.0])
    for c in (1e-18, 1e-9, 0.1, 3.0, 700.0):
        for function in (upper, lambda p, c: private_upper(p, c, 0.5)):
            together = function(p, c)
            assert np.isfinite(together).all()
            assert (together >= p - 1e-15).all()
            assert (together <= 1).all()
            assert together.tolist() == [float(function(np.float64(each), c)) for each in p]


@given(UNIT, st.floats(1e-9, 30), st.floats(1.000001, 2))
def test_more_room_reaches_farther(p, c, factor):
    assert float(upper(p, c * factor)) >= float(upper(p, c)) - 1e-15
    assert float(private_upper(p, c * factor, 0.5)) >= float(private_upper(p, c, 0.5)) - 1e-12


def test_both_limits_of_privacy():
    """A large epsilon leaves kl as it is; a small one leaves epsilon times the distance."""
    assert float(d_eps(0.3, 0.6, 50.0)) == pytest.approx(plain_kl(0.3, 0.6))
    assert float(d_eps(0.3, 0.6, 1e-6)) == pytest.approx(1e-6 * 0.3, rel=1e-4)
    assert float(upper(1.0, 0.1)) == 1.0
    assert float(upper(0.0, 0.1)) == pytest.approx(1 - math.exp(-0.1))

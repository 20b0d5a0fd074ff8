"""Stirling's error and binomial masses, against exact factorials."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from hush.numerics.binomial import log_mass, log_peak, stirling_error
from hush.numerics.compiled import binomial as compiled


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 40, 1000])
def test_stirlings_error_has_all_its_digits(n):
    with localcontext() as context:
        context.prec = 60
        pi = Decimal("3.14159265358979323846264338327950288419716939937510582097494")
        formula = (Decimal(n) + Decimal("0.5")) * Decimal(n).ln() - n + (2 * pi).ln() / 2
        wanted = float(Decimal(math.factorial(n)).ln() - formula)
    assert stirling_error(float(n)) == pytest.approx(wanted, abs=2e-14)
    assert compiled.stirling_error(float(n)) == pytest.approx(wanted, abs=2e-14)


def test_stirlings_error_of_nothing_is_none():
    assert stirling_error(0.0) == stirling_error(-1.0) == compiled.stirling_error(0.0) == 0.0


@given(st.integers(1, 3000), st.floats(0, 1), st.floats(1e-6, 1 - 1e-6))
def test_masses_agree_with_scipy_and_with_each_other(n, share, x):
    k = float(round(n * share))
    found = float(log_mass(k, float(n), np.float64(x), np.float64(1 - x)))
    assert found == pytest.approx(float(binom.logpmf(k, n, x)), rel=1e-11, abs=1e-10)
    assert compiled.log_pmf(k, n - k, x, 1 - x) == pytest.approx(found, rel=1e-11, abs=1e-10)
    assert compiled.log_peak(k, n - k) == pytest.approx(log_peak(k, n - k), abs=1e-13)

"""Chances of Beta draws to be the largest: exact at any size."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hush.numerics.beta import win_chances as beta_win_chances


def log_beta(a, b):
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def exact_pair(a, b, c, d):
    """P(X > Y) for X ~ Beta(a, b) and Y ~ Beta(c, d), whole parameters: a finite sum."""
    terms = (
        log_beta(c + i, b + d) - math.log(b + i) - log_beta(1 + i, b) - log_beta(c, d)
        for i in range(a)
    )
    return math.fsum(map(math.exp, terms))


@given(*(st.integers(1, 60) for _ in range(4)))
def test_two_arms_are_the_finite_sum(a, b, c, d):
    found = beta_win_chances(np.array([a, c], float), np.array([b, d], float))
    assert found[0] == pytest.approx(exact_pair(a, b, c, d), rel=1e-10)
    assert found.sum() == pytest.approx(1.0, abs=1e-14)


@given(
    st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1e12)), min_size=1, max_size=12),
)
def test_any_sizes_give_chances(arms):
    center, count = np.array(arms).T
    found = beta_win_chances(center * count + 1.0, (1.0 - center) * count + 1.0)
    assert np.isfinite(found).all()
    assert (found >= 0.0).all()
    assert found.sum() == pytest.approx(1.0, abs=1e-12)


def test_large_counts_are_nearly_normal():
    n = 1e10
    means = np.array([0.5, 0.5 + 1.0 / math.sqrt(n)])
    found = beta_win_chances(means * n + 1.0, (1.0 - means) * n + 1.0)
    wanted = stats.norm.cdf(1.0 / math.sqrt(0.5))
    assert found[1] == pytest.approx(wanted, abs=1e-4)


def test_a_small_chance_is_as_precise_as_a_large_one():
    """Beta(1, 30) beats Beta(30, 1) with chance 30 B(30, 31)."""
    found = beta_win_chances(np.array([1.0, 30.0]), np.array([30.0, 1.0]))
    assert found[0] == pytest.approx(30.0 * math.exp(log_beta(30, 31)), rel=1e-9)
    assert found[0] < 1e-16

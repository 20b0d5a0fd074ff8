"""The normal law's tail and quantile against scipy's."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from hush.numerics.normal import normal_above, normal_tail


def test_tails():
    for x in np.linspace(-37.0, 37.0, 149):
        assert normal_tail(x) == pytest.approx(ndtr(-x), rel=1e-13)


def test_quantiles_over_all_sizes_of_tails():
    small = np.concatenate([np.logspace(-299, -0.302, 400), np.linspace(0.4, 0.5, 50)])
    for tail in small:
        assert normal_above(tail) == pytest.approx(-ndtri(tail), rel=1e-13, abs=1e-15)
    for tail in 1.0 - small[small > 1e-15]:
        assert normal_above(tail) == pytest.approx(-ndtri(tail), rel=1e-13, abs=1e-15)


def test_no_tail_at_all_counts_as_a_very_small_one():
    assert normal_above(0.0) == normal_above(1e-300) == -normal_above(1.0)

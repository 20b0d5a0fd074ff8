"""Intervals over runs."""

import numpy as np
import pytest
from scipy.stats import binomtest

from hush.forecasting import Estimate


@pytest.mark.parametrize(("hits", "tries"), [(0, 10), (3, 10), (10, 10), (95, 100)])
def test_chances_have_the_exact_interval(hits, tries):
    found = Estimate.chance(hits, tries)
    exact = binomtest(hits, tries).proportion_ci(0.95)
    assert found.mean == hits / tries
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high))


def test_means_hold_their_interval_within_what_is_possible():
    found = Estimate.of(np.array([1.0, 2.0, 6.0]), most=10.0)
    assert found.mean == 3.0
    assert 0.0 <= found.low < 3.0 < found.high <= 10.0
    assert found.to_dict() == {"mean": 3.0, "low": found.low, "high": found.high}

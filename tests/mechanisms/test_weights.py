"""Weights of noisy sums: the minimisers that they are said to be, and draws from them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.mechanisms import ExponentialWeights, ProjectedSums
from hush.mechanisms.weights import drawn

SUMS = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8)


@given(SUMS, st.floats(1e-4, 10), st.integers(1, 10**6))
def test_projections_are_the_nearest_point_of_the_simplex(sums, strength, step):
    """No two chances can be changed for the better: where one is played, slopes are largest."""
    found = np.array(ProjectedSums(strength).weights(sums, step))
    point = np.array(sums) / (strength * step)
    assert found.sum() == pytest.approx(1.0)
    assert (found >= 0).all()
    slopes = point - found
    size = max(1.0, np.abs(point).max())
    assert slopes[found > 0].min() >= slopes.max() - 1e-9 * size


@given(SUMS, st.floats(0, 10))
def test_exponential_weights_never_overflow(sums, rate):
    found = ExponentialWeights(rate).weights(sums, 1)
    assert max(found) == 1.0
    for each, value in zip(found, sums, strict=True):
        assert each == pytest.approx(math.exp(rate * (value - max(sums))))


def test_draws_follow_weights_and_never_fall_on_nothing():
    weights = [0.0, 1.0, 0.0, 3.0, 0.0]
    chances = (np.arange(4000) + 0.5) / 4000
    counts = np.bincount([drawn(weights, each) for each in chances], minlength=5)
    assert counts.tolist() == [0, 1000, 0, 3000, 0]
    assert drawn(weights, 0.0) == 1

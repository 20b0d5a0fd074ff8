"""The integral behind every ``win_chances``, against sums over all outcomes."""

import itertools
import math

import numpy as np
import pytest

from hush.numerics.largest import chances_on


def test_discrete_laws_give_ties_to_the_lowest():
    generator = np.random.default_rng(2)
    masses = generator.dirichlet(np.ones(5), size=3)
    at_most = masses.cumsum(axis=1)
    found = chances_on(np.ones(5), masses, at_most - masses, at_most)
    wanted = np.zeros(3)
    for values in itertools.product(range(5), repeat=3):
        chance = math.prod(masses[i, value] for i, value in enumerate(values))
        wanted[int(np.argmax(values))] += chance
    assert found == pytest.approx(wanted, rel=1e-12)


def test_a_function_of_zero_spoils_no_other_chance():
    """A law that lives above all others wins for sure: no chance is divided by its 0."""
    below = np.array([[0.5, 1.0], [0.0, 0.5]])
    density = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert chances_on(np.ones(2), density, below).tolist() == [0.0, 1.0]

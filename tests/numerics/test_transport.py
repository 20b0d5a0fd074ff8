"""Transportation costs against a search, and the lower bound against figures that are known."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from hush.errors import ParameterError
from hush.numerics.divergence import d_eps, kl
from hush.numerics.transport import characteristic_time, least_samples, transport_cost

S1 = [0.75, 0.625, 0.5, 0.375, 0.25]
C1 = [0.75, 0.7, 0.7, 0.7, 0.7]


def searched(u, v, w_a, w_b, epsilon):
    def cost(x):
        return w_a * float(d_eps(1.0 - u, 1.0 - x, epsilon)) + w_b * float(d_eps(v, x, epsilon))

    return minimize_scalar(cost, bounds=(v, u), method="bounded", options={"xatol": 1e-12}).fun


@pytest.mark.untraced
def test_costs_are_minima_in_all_four_cases():
    generator = np.random.default_rng(3)
    for _ in range(1500):
        v, u = np.sort(generator.random(2))
        u = 1.0 if generator.random() < 0.05 else u
        v = 0.0 if generator.random() < 0.05 else v
        w_a, w_b = np.exp(generator.normal(0.0, 2.0, 2))
        epsilon = float(np.exp(generator.uniform(-5.0, 4.0)))
        found = transport_cost(float(u), float(v), w_a, w_b, epsilon)
        reference = searched(u, v, w_a, w_b, epsilon)
        assert found <= reference * (1.0 + 1e-9) + 1e-300
        assert found == pytest.approx(reference, rel=1e-3)


def test_costs_mirror():
    one = transport_cost(0.8, 0.3, 2.0, 5.0, 0.4)
    assert one == pytest.approx(transport_cost(0.7, 0.2, 5.0, 2.0, 0.4), rel=1e-12)


@pytest.mark.parametrize("pair", [(0.5, 0.5), (0.3, 0.6)])
def test_no_cost_without_a_gap(pair):
    assert transport_cost(*pair, 3.0, 4.0, 1.0) == 0.0


def test_costs_of_tiny_and_huge_epsilon_keep_their_digits():
    assert transport_cost(0.6, 0.4, 1.0, 1.0, 1e-8) == pytest.approx(0.2e-8, rel=1e-6)
    assert transport_cost(1.0, 0.0, 1.0, 1.0, 1e6) == pytest.approx(2.0 * math.log(2.0))


def test_the_bound_is_what_others_computed():
    """435 and 4,996 samples at delta .01 on two instances, from a program that was not Hush."""
    assert round(least_samples(S1, 1.0, 0.01)) == 435
    assert round(least_samples(C1, 1.0, 0.01)) == 4996


def test_two_arms_have_a_characteristic_time_in_closed_form():
    """Without privacy, weights of 1/2 on means that mirror each other: 1 / kl(.6, .5)."""
    assert characteristic_time([0.6, 0.4], math.inf) == pytest.approx(
        1.0 / float(kl(0.4, 0.5)), rel=1e-6
    )


@pytest.mark.untraced
def test_less_privacy_takes_fewer_samples():
    times = [characteristic_time(S1, epsilon) for epsilon in (0.01, 0.1, 1.0, 10.0, math.inf)]
    assert times == sorted(times, reverse=True)
    assert least_samples(S1, 1.0, 0.5) == 0.0


@pytest.mark.parametrize("means", [[0.5], [0.5, 0.5], [0.7, 0.7, 0.1]])
def test_several_best_arms_have_no_bound(means):
    with pytest.raises(ParameterError, match="one best"):
        characteristic_time(means, 1.0)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan])
def test_epsilon_must_be_positive(epsilon):
    with pytest.raises(ParameterError, match="epsilon"):
        characteristic_time(S1, epsilon)

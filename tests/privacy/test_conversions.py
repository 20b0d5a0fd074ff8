"""Concentrated privacy in numbers: conversions against laws summed up, and against OpenDP."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opendp import combinators
from scipy import integrate, stats

from hush import ParameterError
from hush.noise.confirmed import gaussian
from hush.privacy.conversions import (
    concentrated_epsilon,
    discrete_gaussian_delta,
    gaussian_delta,
    gaussian_deviation,
    gaussian_epsilon,
    like_epsilon,
)

RHOS = (1e-4, 0.01, 0.1, 0.5, 2.0, 30.0)
DELTAS = (1e-2, 1e-6, 1e-12)


@pytest.mark.parametrize("rho", [0.1, 0.5, 2.0])
@pytest.mark.parametrize("delta", DELTAS)
def test_the_conversion_is_the_one_that_opendp_has(rho, delta):
    measured = combinators.make_zCDP_to_approxDP(gaussian(rho, 1)).map(1)
    assert concentrated_epsilon(rho, delta) == pytest.approx(measured.epsilon(delta), rel=1e-9)


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("delta", DELTAS)
def test_conversions_lie_between_the_exact_curve_and_the_simple_bound(rho, delta):
    simple = rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))
    exact, converted = gaussian_epsilon(rho, delta), concentrated_epsilon(rho, delta)
    assert exact <= converted <= simple
    if gaussian_deviation(rho) <= 1e4:
        assert gaussian_delta(rho, exact) <= delta * (1.0 + 1e-9)
        assert discrete_gaussian_delta(rho, exact) <= delta * (1.0 + 1e-9)


@pytest.mark.parametrize("rho", [0.01, 0.5, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 4.0])
def test_exact_curves_are_what_integrals_and_sums_say(rho, epsilon):
    deviation = gaussian_deviation(rho)
    law, moved = stats.norm(0.0, deviation), stats.norm(1.0, deviation)
    at = epsilon * deviation**2
    turn = 0.5 - at  # below it the first law is exp(epsilon) times as likely
    mass, _ = integrate.quad(
        lambda x: law.pdf(x) - math.exp(epsilon) * moved.pdf(x),
        turn - 12.0 * deviation, turn, epsabs=0, epsrel=1e-10,
    )  # fmt: skip
    assert gaussian_delta(rho, epsilon) == pytest.approx(mass, rel=1e-7, abs=1e-14)
    values = np.arange(-math.ceil(40 * deviation), math.ceil(40 * deviation) + 1.0)
    first = np.exp(-0.5 * (values / deviation) ** 2)
    second = np.exp(-0.5 * ((values - 1.0) / deviation) ** 2)
    apart = np.maximum(first - math.exp(epsilon) * second, 0.0).sum() / first.sum()
    assert discrete_gaussian_delta(rho, epsilon) == pytest.approx(apart, rel=1e-9, abs=1e-300)


def test_wide_noise_is_converted_and_not_summed():
    rho = 1e-10
    assert gaussian_epsilon(rho, 1e-6) == concentrated_epsilon(rho, 1e-6)
    with pytest.raises(ParameterError, match="too wide"):
        discrete_gaussian_delta(rho, 0.0)


def test_far_tails_have_a_delta_that_falls_and_never_below_zero():
    values = [gaussian_delta(0.5, epsilon) for epsilon in (1.0, 5.0, 20.0, 38.0, 60.0, 1e4)]
    assert all(one >= two >= 0.0 for one, two in pairwise(values))
    assert values[2] == pytest.approx(6.5e-88, rel=0.5)


@given(st.floats(1e-6, 50.0), st.floats(1e-15, 0.5), st.floats(1.01, 3.0))
def test_less_is_lost_at_less_rho_and_more_delta(rho, delta, factor):
    here = concentrated_epsilon(rho, delta)
    assert concentrated_epsilon(rho * factor, delta) >= here
    assert concentrated_epsilon(rho, min(0.9, delta * factor)) <= here


@pytest.mark.parametrize("delta", [0.0, 1.0, -1e-3, math.nan, True, "x", None])
def test_a_delta_lies_between_0_and_1(delta):
    for convert in (concentrated_epsilon, gaussian_epsilon):
        with pytest.raises(ParameterError, match="delta must"):
            convert(0.5, delta)


def test_noise_as_wide_as_laplace_noise():
    epsilon = like_epsilon(0.3)
    assert 2.0 / epsilon**2 == pytest.approx(gaussian_deviation(0.3) ** 2)

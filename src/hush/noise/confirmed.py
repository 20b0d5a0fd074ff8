"""OpenDP's measurements, each with noise of a scale at which OpenDP itself confirms the loss."""

from __future__ import annotations

import math
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from hush.errors import NoiseError
from hush.noise.base import argmax_scale
from hush.privacy import Neighbours
from hush.privacy.conversions import gaussian_deviation

__all__ = ["exponential_mechanism", "gaussian", "laplace", "opendp", "permute_and_flip"]


@lru_cache(maxsize=1)
def opendp() -> Any:  # noqa: ANN401  OpenDP ships no precise types for its combinators
    """Return what is used of OpenDP."""
    # Not opendp.prelude, which imports scikit-learn and all that it needs where it is installed.
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return SimpleNamespace(
        atom_domain=domains.atom_domain,
        vector_domain=domains.vector_domain,
        l1_distance=metrics.l1_distance,
        l2_distance=metrics.l2_distance,
        linf_distance=metrics.linf_distance,
        max_divergence=measures.max_divergence,
        zero_concentrated_divergence=measures.zero_concentrated_divergence,
        make_gaussian=measurements.make_gaussian,
        make_laplace=measurements.make_laplace,
        make_noisy_max=measurements.make_noisy_max,
    )


def confirmed(
    build: Any,  # noqa: ANN401
    scale: float,
    distance: int,
    loss: float,
    *,
    name: str = "epsilon",
) -> Any:  # noqa: ANN401
    """Build a measurement whose own privacy map stays within a loss.

    OpenDP rounds the loss up, so ``distance / scale`` can come out one unit in the last place
    above epsilon; the scale then grows until it does not.
    """
    for _ in range(64):
        measurement = build(scale)
        if measurement.map(distance) <= loss:
            return measurement
        scale = math.nextafter(scale, math.inf)
    raise NoiseError(f"no noise scale confirms {name} = {loss:g}; choose a larger {name}")


@lru_cache(maxsize=256)
def laplace(epsilon: float, sensitivity: int) -> Any:  # noqa: ANN401
    """Return discrete Laplace noise that loses epsilon where a sum moves by the sensitivity."""
    dp = opendp()
    # "i64": OpenDP reads Python's int as 32-bit.
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    return confirmed(
        lambda scale: dp.make_laplace(*space, scale=scale),
        sensitivity / epsilon,
        sensitivity,
        epsilon,
    )


@lru_cache(maxsize=256)
def gaussian(rho: float, sensitivity: int) -> Any:  # noqa: ANN401
    """Return discrete Gaussian noise that loses at most rho where a sum moves by the sensitivity.

    >>> gaussian(0.3, 1).map(1) <= 0.3
    True
    """
    dp = opendp()
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="i64")
    return confirmed(
        lambda scale: dp.make_gaussian(*space, scale=scale),
        sensitivity * gaussian_deviation(rho),
        sensitivity,
        rho,
        name="rho",
    )


@lru_cache(maxsize=256)
def permute_and_flip(epsilon: float, neighbours: Neighbours) -> Any:  # noqa: ANN401
    """Return exact permute-and-flip."""
    dp = opendp()
    metric = dp.linf_distance(T="i64", monotonic=neighbours == "add-remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), metric
    return confirmed(
        lambda scale: dp.make_noisy_max(*space, dp.max_divergence(), scale=scale),
        argmax_scale(epsilon, neighbours),
        1,
        epsilon,
    )


@lru_cache(maxsize=256)
def exponential_mechanism(epsilon: float, neighbours: Neighbours) -> Any:  # noqa: ANN401
    """Exact Gumbel noise. OpenDP states its loss as rho = epsilon^2 / 8 of concentrated privacy.

    A choice of probability proportional to ``exp(total / scale)`` loses epsilon in the pure sense
    (Cesar & Rogers 2021, https://arxiv.org/abs/2004.07223, relate the two), which is what counts
    here; comparing with rho confirms that OpenDP and Hush mean the same scale.
    """
    dp = opendp()
    metric = dp.linf_distance(T="i64", monotonic=neighbours == "add-remove")
    space = dp.vector_domain(dp.atom_domain(T="i64")), metric
    return confirmed(
        lambda scale: dp.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=scale),
        argmax_scale(epsilon, neighbours),
        1,
        epsilon**2 / 8.0,
    )

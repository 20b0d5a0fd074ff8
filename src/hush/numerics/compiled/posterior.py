"""The posteriors of :mod:`hush.numerics.posterior`, compiled: number by number instead of by array.

The formulas are those of that module, and the tests hold the two against each other. The panels of
all arms lie in one record of arrays, a row an arm, which is written over at every release.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers, largest
from hush.numerics.compiled.edges import drop_edges, graded
from hush.numerics.compiled.gaussian_likelihood import log_gaussian_likelihood
from hush.numerics.compiled.likelihood import log_likelihood
from hush.numerics.compiled.series import inner, series_on
from hush.numerics.edges import DEPTH, DROPS
from hush.numerics.posterior import LEVELS, MOST_PANELS, NORMAL, TOLERANCE, WIDE
from hush.numerics.prior import Prior
from hush.numerics.series import NODES, POINTS, TO_INTEGRAL, TO_SERIES, WEIGHTS

__all__ = ["Posteriors", "Releases", "blank_posteriors", "extend", "log_prior"]


class Releases(NamedTuple):
    """An arm's releases, oldest first: tosses, noisy sums, and the noise of each.

    Laplace noise of scale ``1 / epsilon``, or Gaussian noise of the same variance.
    """

    counts: Floats
    values: Floats
    epsilon: float
    gaussian: bool = False


class Posteriors(NamedTuple):
    """The posteriors of all arms: a row each, of which ``panels`` says how much is in use."""

    edges: Floats
    panels: Integers
    series: Floats
    base: Floats
    integral: Floats


class Panels(NamedTuple):
    """What an arm's panels hold of its log likelihood."""

    edges: Floats
    size: int
    series: Floats


@njit(inline="always", error_model="numpy")
def forget(edges: Floats, series: Floats) -> None:
    """Make one panel of (0, 1) that holds nothing."""
    edges[0], edges[1] = 0.0, 1.0
    for i in range(NODES):
        series[0, i] = 0.0


@apart
def blank_posteriors(n_arms: int) -> Posteriors:
    """Return room for the posteriors of all arms, one panel each."""
    edges, base = np.empty((n_arms, MOST_PANELS + 1)), np.empty((n_arms, MOST_PANELS))
    series = np.empty((n_arms, MOST_PANELS, NODES))
    integral = np.empty((n_arms, MOST_PANELS, NODES + 1))
    for j in range(n_arms):
        forget(edges[j], series[j])
    return Posteriors(edges, np.ones(n_arms, np.int64), series, base, integral)


@njit(inline="always", error_model="numpy")
def log_prior(x: float, prior: Prior) -> float:
    """Return the logarithm of the prior's density, up to a constant."""
    if prior.a == prior.b:  # one logarithm does
        shape = x * (1.0 - x)
        if prior.lift == 0.0:
            return float((prior.a - 1.0) * np.log(shape))
        return float(np.log((shape if prior.a == 2.0 else shape ** (prior.a - 1.0)) + prior.lift))
    total = 0.0
    if prior.a != 1.0:
        total += (prior.a - 1.0) * np.log(x)
    if prior.b != 1.0:
        total += (prior.b - 1.0) * np.log(1.0 - x)
    return float(np.log(np.exp(total) + prior.lift)) if prior.lift > 0.0 else total


@apart
def log_posterior(
    x: Floats, held: Panels, releases: Releases, first: int, likelihood: Floats
) -> None:
    """Fill in the log likelihood: what the panels hold, and the releases from ``first`` on.

    At ascending points within the panels.
    """
    series_on(x, held.edges, held.size, held.series, likelihood)
    for i in range(first, releases.counts.size):
        count, value = releases.counts[i], releases.values[i]
        if releases.gaussian:
            log_gaussian_likelihood(x, count, value, np.sqrt(2.0) / releases.epsilon, likelihood)
        else:
            log_likelihood(x, count, value, releases.epsilon, likelihood)


@apart
def nodes_of(edges: Floats) -> Floats:
    """Return the nodes of panels, from left to right."""
    nodes = np.empty((edges.size - 1) * NODES)
    for i in range(edges.size - 1):
        half = 0.5 * (edges[i + 1] - edges[i])
        for k in range(NODES):
            nodes[i * NODES + k] = inner(edges[i] + half * (1.0 + POINTS[k]))
    return nodes


@apart
def located(held: Panels, releases: Releases, first: int, prior: Prior) -> Floats:
    """Lay one panel or four over where the posterior lives, given the releases from ``first``."""
    spread, normal = np.inf, True
    for i in range(first, releases.counts.size):
        n = releases.counts[i]
        mean = (min(max(releases.values[i], 0.0), n) + 1.0) / (n + 2.0)
        own, noise = mean * (1.0 - mean) / n, 2.0 / (releases.epsilon * n) ** 2
        spread = min(spread, np.sqrt(own + noise))
        normal = normal and own > NORMAL * noise
    ends, logs = np.array([held.edges[0], held.edges[held.size]]), np.empty(NODES)
    while ends[1] - ends[0] > WIDE * spread:
        nodes = nodes_of(ends)
        log_posterior(nodes, held, releases, first, logs)
        for k in range(NODES):
            logs[k] += log_prior(nodes[k], prior)
        least = largest(logs) - DROPS[-1]
        low, high = NODES, -1
        for k in range(NODES):
            if logs[k] >= least:
                low, high = min(low, k), k
        start = nodes[low - 1] if low > 0 else ends[0]
        end = nodes[high + 1] if high + 1 < NODES else ends[1]
        if not end - start < 0.5 * (ends[1] - ends[0]):
            break
        ends[0], ends[1] = start, end
    if normal:
        return ends
    rough = np.empty(5)
    for i in range(5):
        rough[i] = (1.0 - 0.25 * i) * ends[0] + 0.25 * i * ends[1]
    return rough


@apart
def extend(posteriors: Posteriors, arm: int, releases: Releases, prior: Prior) -> None:
    """Let an arm's posterior take in one more release, the last one."""
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    size, first = posteriors.panels[arm], releases.counts.size - 1
    while True:
        held = Panels(edges, size, series)
        rough = located(held, releases, first, prior)
        ends, found, dense = resolved(rough, held, releases, first, prior)
        wide = Panels(ends, ends.size - 1, found)
        logs = dense.ravel()[: wide.size * NODES]
        peak = largest(logs)
        short_low = edges[0] > 0.0 and logs[0] > peak - DEPTH
        short_high = edges[size] < 1.0 and logs[-1] > peak - DEPTH
        if first == 0 or not (short_low or short_high or not peak > -2.0 * DEPTH):
            break
        # The panels do not reach far enough: from the beginning, with all releases.
        forget(edges, series)
        size, first = 1, 0
    rough = drop_edges(nodes_of(ends), logs, ends[0], ends[wide.size])
    rough = graded(rough, prior.a, prior.b)
    ends, found, dense = resolved(rough, wide, releases, releases.counts.size, prior)
    write(posteriors, arm, ends, found, dense)


@apart
def resolved(
    rough: Floats, held: Panels, releases: Releases, first: int, prior: Prior
) -> tuple[Floats, Floats, Floats]:
    """Split panels until the log likelihood is a polynomial on each.

    Returns the panels' ends, the series of the log likelihood, and log densities at their nodes.
    """
    # Panels to do, as a stack whose top is the leftmost: so they are finished in order.
    room = MOST_PANELS + LEVELS + rough.size
    stack, values = np.empty((room, 2)), np.empty((room, NODES))
    depth = np.empty(room, np.int64)
    waiting, level = 0, 0
    ends = np.empty(MOST_PANELS + 1)
    found = np.empty((MOST_PANELS, NODES))
    dense = np.empty((MOST_PANELS, NODES))
    done = 0
    ends[0] = rough[0]
    while True:
        size = rough.size - 1
        nodes = nodes_of(rough)
        likelihood = np.empty(nodes.size)
        log_posterior(nodes, held, releases, first, likelihood)
        for i in range(size - 1, -1, -1):
            stack[waiting, 0], stack[waiting, 1], depth[waiting] = rough[i], rough[i + 1], level
            for k in range(NODES):
                values[waiting, k] = likelihood[i * NODES + k]
            waiting += 1
        poor = False
        while waiting > 0 and not poor:
            waiting -= 1
            left, right, level = stack[waiting, 0], stack[waiting, 1], depth[waiting]
            half = 0.5 * (right - left)
            for i in range(NODES):
                found[done, i] = 0.0
            for k in range(NODES):
                value = max(values[waiting, k], -1e9)
                for i in range(NODES):
                    found[done, i] += TO_SERIES[k, i] * value
            error = abs(found[done, NODES - 1]) + abs(found[done, NODES - 2])
            poor = error > TOLERANCE + 4e-15 * right / max(half, SMALL)
            poor = poor and level < LEVELS - 1 and done + waiting + 2 <= MOST_PANELS
            if not poor:
                for k in range(NODES):
                    x = inner(left + half * (1.0 + POINTS[k]))
                    dense[done, k] = values[waiting, k] + log_prior(x, prior)
                done += 1
                ends[done] = right
        if not poor:
            return ends[: done + 1], found, dense
        rough, level = np.array([left, 0.5 * (left + right), right]), level + 1


@apart
def write(posteriors: Posteriors, arm: int, ends: Floats, found: Floats, dense: Floats) -> None:
    """Write an arm's new panels over its old ones; log densities become densities on the way."""
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    base, integral = posteriors.base[arm], posteriors.integral[arm]
    size = ends.size - 1
    posteriors.panels[arm] = size
    peak = -np.inf
    for i in range(size):
        for k in range(NODES):
            peak = max(peak, dense[i, k])
    total = 0.0
    for i in range(size):
        half = 0.5 * (ends[i + 1] - ends[i])
        base[i] = total
        for k in range(NODES):
            dense[i, k] = np.exp(dense[i, k] - peak)
            total += WEIGHTS[k] * half * dense[i, k]
    for i in range(size):
        half = 0.5 * (ends[i + 1] - ends[i])
        base[i] /= total
        for degree in range(NODES + 1):
            integral[i, degree] = 0.0
        for k in range(NODES):
            grown = dense[i, k] * half / total
            for degree in range(NODES + 1):
                integral[i, degree] += TO_INTEGRAL[k, degree] * grown
        for k in range(NODES):
            series[i, k] = found[i, k]
        series[i, 0] -= peak + np.log(total)
    for i in range(size + 1):
        edges[i] = ends[i]

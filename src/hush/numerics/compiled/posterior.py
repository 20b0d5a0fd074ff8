"""The posteriors of :mod:`hush.numerics.posterior`, compiled: number by number instead of by array.

The formulas are those of that module, and the tests hold the two against each other. The panels of
all arms lie in one record of arrays, a row an arm, which is written over at every release.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.arrays import Floats, Integers, largest, sort
from hush.numerics.compiled.edges import drop_edges, graded
from hush.numerics.compiled.likelihood import log_likelihood
from hush.numerics.compiled.series import inner, panel_of, series_at
from hush.numerics.edges import DEPTH
from hush.numerics.posterior import LEVELS, MOST_PANELS, PER_PANEL, REACH, SAMPLES, TOLERANCE
from hush.numerics.prior import Prior
from hush.numerics.series import NODES, POINTS, TO_INTEGRAL, TO_SERIES, WEIGHTS

__all__ = ["Posteriors", "Releases", "blank_posteriors", "extend", "log_prior"]


class Releases(NamedTuple):
    """An arm's releases, oldest first: tosses, noisy sums, and the epsilon of each."""

    counts: Floats
    values: Floats
    epsilon: float


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


@njit(cache=True, nogil=True, error_model="numpy")
def blank_posteriors(n_arms: int) -> Posteriors:
    """Return room for the posteriors of all arms, one panel each."""
    edges = np.zeros((n_arms, MOST_PANELS + 1))
    for j in range(n_arms):
        edges[j, 1] = 1.0
    series = np.zeros((n_arms, MOST_PANELS, NODES))
    base = np.zeros((n_arms, MOST_PANELS))
    integral = np.zeros((n_arms, MOST_PANELS, NODES + 1))
    return Posteriors(edges, np.ones(n_arms, np.int64), series, base, integral)


@njit(inline="always", error_model="numpy")
def log_prior(x: float, prior: Prior) -> float:
    """Return the logarithm of the prior's density, up to a constant."""
    if prior.lift > 0.0 and prior.a == 2.0 and prior.b == 2.0:
        return float(np.log(x * (1.0 - x) + prior.lift))
    total = 0.0
    if prior.a != 1.0:
        total += (prior.a - 1.0) * np.log(x)
    if prior.b != 1.0:
        total += (prior.b - 1.0) * np.log(1.0 - x)
    return float(np.log(np.exp(total) + prior.lift)) if prior.lift > 0.0 else total


@njit(cache=True, nogil=True, error_model="numpy")
def log_posterior(
    x: Floats, held: Panels, releases: Releases, first: int, likelihood: Floats
) -> None:
    """Fill in the log likelihood: what the panels hold, and the releases from ``first`` on."""
    edges = held.edges
    for i in range(x.size):
        if edges[0] <= x[i] <= edges[held.size]:
            at = panel_of(x[i], edges, held.size)
            left, right = edges[at], edges[at + 1]
            likelihood[i] = series_at((2.0 * x[i] - left - right) / (right - left), at, held.series)
        else:
            likelihood[i] = -np.inf
    for i in range(first, releases.counts.size):
        log_likelihood(x, releases.counts[i], releases.values[i], releases.epsilon, likelihood)


@njit(cache=True, nogil=True, error_model="numpy")
def resolving_points(
    held: Panels, releases: Releases, first: int, prior: Prior
) -> tuple[Floats, Floats]:
    """Return points and log densities that show where the posterior lives."""
    edges, counts, values = held.edges, releases.counts, releases.values
    points = np.empty(held.size * PER_PANEL + 2 * REACH * (counts.size - first))
    used = 0
    for i in range(held.size):
        for j in range(PER_PANEL):
            points[used] = edges[i] + (j + 0.5) / PER_PANEL * (edges[i + 1] - edges[i])
            used += 1
    for i in range(first, counts.size):
        n = counts[i]
        middle = min(max((values[i] + 1.0) / (n + 2.0), 1.0 / (n + 2.0)), 1.0 - 1.0 / (n + 2.0))
        spread = np.sqrt(middle * (1.0 - middle) / n + 2.0 / (releases.epsilon * n) ** 2)
        for j in range(2 * REACH):
            point = values[i] / n + spread * (j + 0.5 - REACH)
            if edges[0] < point < edges[held.size]:
                points[used] = point
                used += 1
    points = points[:used]
    sort(points)
    for i in range(points.size):
        points[i] = inner(points[i])
    for _ in range(12):
        logs = np.empty(points.size)
        log_posterior(points, held, releases, first, logs)
        for i in range(points.size):
            logs[i] += log_prior(points[i], prior)
        least = largest(logs) - DEPTH
        low, high, inside = -1, -1, 0
        for i in range(points.size):
            if logs[i] > least:
                low = i if low < 0 else low
                high = i
                inside += 1
        if inside >= SAMPLES // 3:
            break
        start = points[low - 1] if low > 0 else edges[0]
        end = points[high + 1] if high + 1 < points.size else edges[held.size]
        points = np.empty(SAMPLES)
        for i in range(SAMPLES):
            points[i] = inner(start + (end - start) * (i + 0.5) / SAMPLES)
    return points, logs


@njit(cache=True, nogil=True, error_model="numpy")
def extend(posteriors: Posteriors, arm: int, releases: Releases, prior: Prior) -> None:
    """Let an arm's posterior take in one more release, the last one."""
    edges, series = posteriors.edges[arm], posteriors.series[arm]
    size, first = posteriors.panels[arm], releases.counts.size - 1
    while True:
        held = Panels(edges, size, series)
        points, logs = resolving_points(held, releases, first, prior)
        peak = largest(logs)
        short_low = edges[0] > 0.0 and logs[0] > peak - 0.8 * DEPTH
        short_high = edges[size] < 1.0 and logs[-1] > peak - 0.8 * DEPTH
        if first == 0 or not (short_low or short_high or not peak > -2.0 * DEPTH):
            break
        # The panels do not reach far enough: from the beginning, with all releases.
        edges[0], edges[1], size, first = 0.0, 1.0, 1, 0
        for i in range(NODES):
            series[0, i] = 0.0
    rough = graded(drop_edges(points, logs, edges[0], edges[size]), prior.a, prior.b)
    ends, found, logs = resolved(rough, held, releases, first, prior)
    write(posteriors, arm, ends, found, logs)


@njit(cache=True, nogil=True, error_model="numpy")
def resolved(
    rough: Floats, held: Panels, releases: Releases, first: int, prior: Prior
) -> tuple[Floats, Floats, Floats]:
    """Split panels until the log likelihood is a polynomial on each.

    Returns the panels' ends, the series of the log likelihood, and log densities at their points.
    """
    # Panels to do, as a stack whose top is the leftmost: so they are finished in order.
    stack = np.empty((MOST_PANELS + LEVELS + rough.size, 2))
    depth = np.zeros(stack.shape[0], np.int64)
    waiting = 0
    for i in range(rough.size - 2, -1, -1):
        stack[waiting, 0], stack[waiting, 1] = rough[i], rough[i + 1]
        waiting += 1
    ends = np.empty(MOST_PANELS + 1)
    found = np.empty((MOST_PANELS, NODES))
    dense = np.empty((MOST_PANELS, NODES))
    nodes, likelihood = np.empty(NODES), np.empty(NODES)
    done = 0
    ends[0] = rough[0]
    while waiting > 0:
        waiting -= 1
        left, right, level = stack[waiting, 0], stack[waiting, 1], depth[waiting]
        half = 0.5 * (right - left)
        for k in range(NODES):
            nodes[k] = inner(left + half * (1.0 + POINTS[k]))
        log_posterior(nodes, held, releases, first, likelihood)
        for i in range(NODES):
            total = 0.0
            for k in range(NODES):
                total += TO_SERIES[i, k] * max(likelihood[k], -1e9)
            found[done, i] = total
        error = abs(found[done, NODES - 1]) + abs(found[done, NODES - 2])
        poor = error > TOLERANCE + 4e-15 * right / max(half, SMALL)
        if poor and level < LEVELS - 1 and done + waiting + 2 <= MOST_PANELS:
            middle = 0.5 * (left + right)
            stack[waiting, 0], stack[waiting, 1], depth[waiting] = middle, right, level + 1
            stack[waiting + 1, 0], stack[waiting + 1, 1] = left, middle
            depth[waiting + 1] = level + 1
            waiting += 2
            continue
        for k in range(NODES):
            dense[done, k] = likelihood[k] + log_prior(nodes[k], prior)
        done += 1
        ends[done] = right
    return ends[: done + 1], found, dense


@njit(cache=True, nogil=True, error_model="numpy")
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
            grown = 0.0
            for k in range(NODES):
                grown += TO_INTEGRAL[degree, k] * dense[i, k]
            integral[i, degree] = grown * half / total
        for k in range(NODES):
            series[i, k] = found[i, k]
        series[i, 0] -= peak + np.log(total)
    for i in range(size + 1):
        edges[i] = ends[i]

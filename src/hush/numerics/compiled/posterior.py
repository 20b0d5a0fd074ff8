"""The posteriors of :mod:`hush.numerics.posterior`, compiled: number by number instead of by array.

The formulas are those of that module, and the tests hold the two against each other. Arrays are
laid out for one arm: ``edges`` of panels, Chebyshev ``series`` of the log likelihood, ``base`` and
``integral`` of the distribution function.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.binomial import SMALL
from hush.numerics.compiled.arrays import Floats, Integers, largest
from hush.numerics.compiled.binomial import log_mass, log_peak
from hush.numerics.posterior import (
    ALMOST,
    CLEAR,
    DECADES,
    DEPTH,
    DROPS,
    FEW_TOSSES,
    LEVELS,
    MOST_COMMON,
    MOST_PANELS,
    NODES,
    PER_PANEL,
    POINTS,
    REACH,
    SAMPLES,
    TO_INTEGRAL,
    TO_SERIES,
    TOLERANCE,
    WEIGHTS,
)

__all__ = ["extend", "log_likelihood", "win_chances"]

# Panels of the common grid, beside a posterior's own: Gauss's rule integrates polynomials of twice
# the degree that interpolates. Where they are laid they leave room for posteriors to shrink.
COARSE, COARSEST = 1.0, 1.6


@njit(cache=True, nogil=True, error_model="numpy")
def tail_fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function.

    By the recurrence of numerators and denominators, which needs one division a step.
    """
    total = a + b
    most = min(60 + int(6.0 * total ** (1.0 / 3.0)), 20_000)
    upper, lower = 1.0, 1.0 - total * x / (a + 1.0)
    old_upper, old_lower = 1.0, 1.0
    value = upper / lower
    for m in range(1, most):
        high = a + 2.0 * m
        share = x / ((high - 1.0) * high * (high + 1.0))
        even = m * (b - m) * (high + 1.0) * share
        odd = -(a + m) * (total + m) * (high - 1.0) * share
        old_upper = upper + even * old_upper
        old_lower = lower + even * old_lower
        upper = old_upper + odd * upper
        lower = old_lower + odd * lower
        scale = 1.0 / lower
        old_upper *= scale
        old_lower *= scale
        upper *= scale
        lower = 1.0
        if abs(upper - value) < 1e-12 * abs(upper):
            return upper
        value = upper
    return value


@njit(cache=True, nogil=True, error_model="numpy")
def summed(x: Floats, count: int, value: float, epsilon: float, total: Floats) -> None:
    """Add the log likelihood of a release of few tosses, summed term by term."""
    weights = np.empty(count + 1)
    ways = 1.0
    for b in range(count + 1):
        weights[b] = ways * np.exp(-epsilon * abs(value - b))
        ways *= (count - b) / (b + 1.0)
    for i in range(x.size):
        rest = 1.0 - x[i]
        chance = 0.0
        if x[i] < rest:
            odds = x[i] / rest
            for b in range(count, -1, -1):
                chance = chance * odds + weights[b]
            total[i] += count * np.log1p(-x[i]) + np.log(chance)
        else:
            odds = rest / x[i]
            for b in range(count + 1):
                chance = chance * odds + weights[b]
            total[i] += count * np.log(x[i]) + np.log(chance)


@njit(inline="always", error_model="numpy")
def tilted(
    k: float, n: float, x: float, rest: float, shrink: float, clear: bool
) -> tuple[float, float, float]:
    """Return the tilted mean, 1 minus it, and the middle that tells the two forms apart."""
    grown = shrink * rest + x
    q = x / grown
    p = shrink * rest / grown
    middle = (k + 2.0) / (n + 3.0)
    if clear:
        least = middle + 10.0 * np.sqrt(middle * (1.0 - middle) / n)
        least = min(least, 0.5 + 0.5 * middle)
        if q < least:
            q, p = least, 1.0 - least
    return q, p, middle


@njit(inline="always", error_model="numpy")
def log_far(
    k: float, n: float, next_peak: float, x: float, rest: float, decay: float, q: float, p: float
) -> float:
    """Return the logarithm of the half sum where its tail is the smaller part."""
    tail = p * tail_fraction(k + 1.0, n - k, q)
    missing = np.exp(min(log_mass(k + 1.0, n, next_peak, q, p), 0.0)) * tail
    if x < rest:
        whole = n * np.log1p(x * np.expm1(decay)) - decay * k
    else:
        whole = n * np.log1p(rest * np.expm1(-decay)) + decay * (n - k)
    return float(whole + np.log1p(-min(missing, 0.9)))


@njit(cache=True, nogil=True, error_model="numpy")
def log_likelihood(x: Floats, count: float, value: float, epsilon: float, total: Floats) -> None:
    """Add the log likelihood of a release to ``total``, for means x in (0, 1)."""
    k = np.floor(value)
    if k < 0.0 or k >= count:
        for i in range(x.size):
            part = x[i] if k < 0.0 else 1.0 - x[i]
            off = value if k < 0.0 else count - value
            total[i] += epsilon * off + count * np.log1p(part * np.expm1(-epsilon))
        return
    if count <= FEW_TOSSES:
        summed(x, int(count), value, epsilon, total)
        return
    shrink = np.exp(-epsilon)
    middle = (k + 1.0) / (count + 2.0)
    clear = epsilon * np.sqrt(count * middle * (1.0 - middle)) > CLEAR
    peak, above = log_peak(k, count - k), log_peak(k + 1.0, count - k - 1.0)
    near_left, near_right = np.exp(-epsilon * (value - k)), np.exp(-epsilon * (k + 1.0 - value))
    failed = count - k - 1.0
    for i in range(x.size):
        rest = 1.0 - x[i]
        q, p, middle = tilted(k, count, x[i], rest, shrink, clear)
        u, v, other = tilted(failed, count, rest, x[i], shrink, clear)
        mass = log_mass(k, count, peak, x[i], rest)
        # The first term beyond k, beside the one at k.
        ratio = (count - k) / (k + 1.0) * x[i] / rest
        if q > middle and u > other:
            left = near_left * q * tail_fraction(count - k, k + 1.0, p)
            right = near_right * ratio * u * tail_fraction(count - failed, failed + 1.0, v)
            total[i] += mass + np.log(left + right)
            continue
        if q > middle:
            one = mass + np.log(q * tail_fraction(count - k, k + 1.0, p))
        else:
            one = log_far(k, count, above, x[i], rest, epsilon, q, p)
        if u > other:
            two = mass + np.log(ratio * u * tail_fraction(count - failed, failed + 1.0, v))
        else:
            two = log_far(failed, count, peak, rest, x[i], epsilon, u, v)
        one -= epsilon * (value - k)
        two -= epsilon * (k + 1.0 - value)
        total[i] += max(one, two) + np.log1p(np.exp(min(one, two) - max(one, two)))


@njit(inline="always", error_model="numpy")
def series_at(position: float, where: int, series: Floats) -> float:
    """Evaluate the Chebyshev series of a panel at a position in [-1, 1]."""
    one, two = 0.0, 0.0
    twice = 2.0 * position
    for degree in range(series.shape[1] - 1, 0, -1):
        one, two = series[where, degree] + twice * one - two, one
    return float(series[where, 0] + position * one - two)


@njit(inline="always", error_model="numpy")
def panel_of(x: float, edges: Floats, panels: int) -> int:
    """Return which panel holds a point."""
    low, high = 0, panels
    while high - low > 1:
        middle = (low + high) >> 1
        if x >= edges[middle]:
            low = middle
        else:
            high = middle
    return low


@njit(cache=True, nogil=True, error_model="numpy")
def log_posterior(
    x: Floats,
    edges: Floats,
    panels: int,
    series: Floats,
    counts: Floats,
    values: Floats,
    first: int,
    epsilon: float,
    likelihood: Floats,
) -> None:
    """Fill in the log likelihood: what the panels hold, and the releases from ``first`` on."""
    for i in range(x.size):
        if edges[0] <= x[i] <= edges[panels]:
            at = panel_of(x[i], edges, panels)
            left, right = edges[at], edges[at + 1]
            likelihood[i] = series_at((2.0 * x[i] - left - right) / (right - left), at, series)
        else:
            likelihood[i] = -np.inf
    for i in range(first, counts.size):
        log_likelihood(x, counts[i], values[i], epsilon, likelihood)


@njit(inline="always", error_model="numpy")
def log_prior(x: float, a: float, b: float) -> float:
    """Return the logarithm of the prior's density, up to a constant."""
    total = 0.0
    if a != 1.0:
        total += (a - 1.0) * np.log(x)
    if b != 1.0:
        total += (b - 1.0) * np.log(1.0 - x)
    return total


@njit(cache=True, nogil=True, error_model="numpy")
def settled_points(
    edges: Floats,
    panels: int,
    series: Floats,
    counts: Floats,
    values: Floats,
    first: int,
    epsilon: float,
    a: float,
    b: float,
) -> tuple[Floats, Floats]:
    """Return points and log densities that resolve the posterior."""
    n_points = panels * PER_PANEL + 2 * REACH * (counts.size - first)
    points = np.empty(n_points)
    used = 0
    for i in range(panels):
        for j in range(PER_PANEL):
            points[used] = edges[i] + (j + 0.5) / PER_PANEL * (edges[i + 1] - edges[i])
            used += 1
    for i in range(first, counts.size):
        n = counts[i]
        middle = min(max((values[i] + 1.0) / (n + 2.0), 1.0 / (n + 2.0)), 1.0 - 1.0 / (n + 2.0))
        spread = np.sqrt(middle * (1.0 - middle) / n + 2.0 / (epsilon * n) ** 2)
        for j in range(2 * REACH):
            point = values[i] / n + spread * (j + 0.5 - REACH)
            if edges[0] < point < edges[panels]:
                points[used] = point
                used += 1
    points = np.sort(points[:used])
    for i in range(points.size):
        points[i] = min(max(points[i], SMALL), ALMOST)
    for _ in range(12):
        logs = np.empty(points.size)
        log_posterior(points, edges, panels, series, counts, values, first, epsilon, logs)
        for i in range(points.size):
            logs[i] += log_prior(points[i], a, b)
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
        end = points[high + 1] if high + 1 < points.size else edges[panels]
        points = np.empty(SAMPLES)
        for i in range(SAMPLES):
            at = start + (end - start) * (i + 0.5) / SAMPLES
            points[i] = min(max(at, SMALL), ALMOST)
    return points, logs


@njit(cache=True, nogil=True, error_model="numpy")
def distinct(values: Floats) -> Floats:
    """Return values in ascending order, each once."""
    ordered = np.sort(values)
    kept = 0
    for i in range(ordered.size):
        if kept == 0 or ordered[i] != ordered[kept - 1]:
            ordered[kept] = ordered[i]
            kept += 1
    return ordered[:kept]


@njit(cache=True, nogil=True, error_model="numpy")
def drop_edges(points: Floats, logs: Floats, low: float, high: float) -> Floats:
    """Return edges at the mode and where the density has fallen by each of ``DROPS``."""
    peak = 0
    for i in range(logs.size):
        if logs[i] > logs[peak]:
            peak = i
    found = np.empty(2 * DROPS.size + 1)
    found[0] = points[peak]
    used = 1
    for side in (-1, 1):
        at, fallen, drop = peak, 0.0, 0
        limit = 0 if side < 0 else points.size - 1
        while drop < DROPS.size and at != limit:
            following = max(fallen, logs[peak] - logs[at + side])
            while drop < DROPS.size and DROPS[drop] <= following:
                share = (DROPS[drop] - fallen) / (following - fallen) if following > fallen else 1.0
                found[used] = points[at] + share * (points[at + side] - points[at])
                used += 1
                drop += 1
            at += side
            fallen = following
        if drop < DROPS.size:
            found[used] = low if side < 0 else high
            used += 1
    return distinct(found[:used])


@njit(cache=True, nogil=True, error_model="numpy")
def graded(edges: Floats, a: float, b: float) -> Floats:
    """Add an edge per decade towards an end where the prior's density is no whole power."""
    found = np.empty(edges.size + 2 * DECADES.size)
    if edges[0] == 0.0 and a != np.floor(a):
        used = 0
        for edge in edges:
            if edge == 0.0 or edge > DECADES[-1]:
                found[used] = edge
                used += 1
        for decade in DECADES:
            if decade < edges[-1]:
                found[used] = decade
                used += 1
        edges = distinct(found[:used])
    if edges[-1] == 1.0 and b != np.floor(b):
        used = 0
        for edge in edges:
            if edge == 1.0 or edge < 1.0 - DECADES[-1]:
                found[used] = edge
                used += 1
        for decade in DECADES:
            if 1.0 - decade > edges[0]:
                found[used] = 1.0 - decade
                used += 1
        edges = distinct(found[:used])
    return edges


@njit(cache=True, nogil=True, error_model="numpy")
def extend(
    edges: Floats,
    panels: int,
    series: Floats,
    base: Floats,
    integral: Floats,
    counts: Floats,
    values: Floats,
    epsilon: float,
    a: float,
    b: float,
) -> int:
    """Let the posterior take in one more release, the last one; return its number of panels.

    ``edges``, ``series``, ``base`` and ``integral`` are written anew.
    """
    first = counts.size - 1
    while True:
        points, logs = settled_points(edges, panels, series, counts, values, first, epsilon, a, b)
        peak = largest(logs)
        short_low = edges[0] > 0.0 and logs[0] > peak - 0.8 * DEPTH
        short_high = edges[panels] < 1.0 and logs[-1] > peak - 0.8 * DEPTH
        if first == 0 or not (short_low or short_high or not peak > -2.0 * DEPTH):
            break
        # The panels do not reach far enough: from the beginning, with all releases.
        edges[0], edges[1], panels, first = 0.0, 1.0, 1, 0
        for i in range(NODES):
            series[0, i] = 0.0
    rough = graded(drop_edges(points, logs, edges[0], edges[panels]), a, b)
    return resolve(
        rough, edges, panels, series, base, integral, counts, values, first, epsilon, a, b
    )


@njit(cache=True, nogil=True, error_model="numpy")
def resolve(
    rough: Floats,
    edges: Floats,
    panels: int,
    series: Floats,
    base: Floats,
    integral: Floats,
    counts: Floats,
    values: Floats,
    first: int,
    epsilon: float,
    a: float,
    b: float,
) -> int:
    """Split panels until the log likelihood is a polynomial on each, and write them."""
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
            nodes[k] = min(max(left + half * (1.0 + POINTS[k]), SMALL), ALMOST)
        log_posterior(nodes, edges, panels, series, counts, values, first, epsilon, likelihood)
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
            dense[done, k] = likelihood[k] + log_prior(nodes[k], a, b)
        done += 1
        ends[done] = right
    peak = -np.inf
    for i in range(done):
        for k in range(NODES):
            peak = max(peak, dense[i, k])
    total = 0.0
    for i in range(done):
        half = 0.5 * (ends[i + 1] - ends[i])
        base[i] = total
        for k in range(NODES):
            dense[i, k] = np.exp(dense[i, k] - peak)
            total += WEIGHTS[k] * half * dense[i, k]
    for i in range(done):
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
    for i in range(done + 1):
        edges[i] = ends[i]
    return done


@njit(cache=True, nogil=True, error_model="numpy")
def common_grid(edges: Floats, panels: Integers, fineness: float) -> Floats:
    """Lay panels where some arm can win, ``fineness`` times as wide as the finest posterior's.

    Nobody wins below the highest lower end, where that arm's distribution function is 0.
    """
    n_arms = panels.size
    start, end = 0.0, 0.0
    for i in range(n_arms):
        start = max(start, edges[i, 0])
        end = max(end, edges[i, panels[i]])
    at = np.zeros(n_arms, np.int64)
    grid = np.empty(MOST_COMMON + 1)
    grid[0] = start
    x, size = start, 0
    while x < end:
        step = np.inf
        for i in range(n_arms):
            last = panels[i]
            if edges[i, 0] <= x < edges[i, last]:
                while at[i] + 1 < last and edges[i, at[i] + 1] <= x:
                    at[i] += 1
                here = at[i]
                step = min(step, edges[i, here + 1] - edges[i, here])
                if here + 1 < last:
                    step = min(step, edges[i, here + 2] - edges[i, here + 1])
        x = min(x + max(fineness * step, 4e-16), end) if size + 1 < MOST_COMMON else end
        size += 1
        grid[size] = x
    return grid[: size + 1].copy()


@njit(cache=True, nogil=True, error_model="numpy")
def serves(grid: Floats, edges: Floats, panels: int, start: float) -> bool:
    """Tell whether a grid reaches an arm's posterior and is as fine as it."""
    if grid.size == 0 or grid[0] > start or grid[-1] < edges[panels]:
        return False
    for i in range(panels):
        middle = 0.5 * (edges[i] + edges[i + 1])
        if middle > grid[0]:
            at = panel_of(middle, grid, grid.size - 1)
            if grid[at + 1] - grid[at] > COARSEST * (edges[i + 1] - edges[i]):
                return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def fill_row(
    nodes: Floats,
    edges: Floats,
    panels: int,
    series: Floats,
    base: Floats,
    integral: Floats,
    a: float,
    b: float,
    below: Floats,
    hazard: Floats,
) -> None:
    """Fill in an arm's distribution function at the nodes, and its density divided by that."""
    here = 0
    for k in range(nodes.size):
        x = nodes[k]
        if x >= edges[panels] or x <= edges[0]:
            below[k] = 1.0 if x >= edges[panels] else 0.0
            hazard[k] = 0.0
            continue
        while here + 1 < panels and edges[here + 1] <= x:
            here += 1
        left, right = edges[here], edges[here + 1]
        position = min((2.0 * x - left - right) / (right - left), 1.0)
        twice = 2.0 * position
        one, two = 0.0, 0.0
        three, four = integral[here, NODES], 0.0
        for degree in range(NODES - 1, 0, -1):
            one, two = series[here, degree] + twice * one - two, one
            three, four = integral[here, degree] + twice * three - four, three
        density = np.exp(series[here, 0] + position * one - two + log_prior(x, a, b))
        grown = base[here] + integral[here, 0] + position * three - four
        below[k] = min(max(grown, 0.0), 1.0)
        hazard[k] = density / below[k] if below[k] > 0.0 else 0.0


@njit(cache=True, nogil=True, error_model="numpy")
def grid_nodes(grid: Floats) -> tuple[Floats, Floats]:
    """Return the nodes and weights of a grid."""
    size = grid.size - 1
    nodes, weights = np.empty(size * NODES), np.empty(size * NODES)
    for i in range(size):
        half = 0.5 * (grid[i + 1] - grid[i])
        for k in range(NODES):
            nodes[i * NODES + k] = min(max(grid[i] + half * (1.0 + POINTS[k]), SMALL), ALMOST)
            weights[i * NODES + k] = half * WEIGHTS[k]
    return nodes, weights


@njit(cache=True, nogil=True, error_model="numpy")
def chances_on(weights: Floats, below: Floats, hazard: Floats, chances: Floats) -> None:
    """Fill in every arm's chance: the integral of its density times the others' functions."""
    n_arms = below.shape[0]
    product = weights.copy()
    for i in range(n_arms):
        for k in range(product.size):
            product[k] *= below[i, k]
    total = 0.0
    for i in range(n_arms):
        chance = 0.0
        for k in range(product.size):
            chance += product[k] * hazard[i, k]
        chances[i] = chance
        total += chance
    for i in range(n_arms):
        chances[i] /= total


@njit(cache=True, nogil=True, error_model="numpy")
def win_chances(
    edges: Floats,
    panels: Integers,
    series: Floats,
    base: Floats,
    integral: Floats,
    a: float,
    b: float,
    changed: int,
    grid: Floats,
    nodes: Floats,
    weights: Floats,
    below: Floats,
    hazard: Floats,
    chances: Floats,
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Fill in the chance of each arm that a draw from its posterior is the largest.

    Only the posterior of ``changed`` is new. The grid, and what all arms have there, is kept from
    call to call, and laid anew when it no longer serves. It comes in and goes out; an empty one
    does to begin with.
    """
    start = 0.0
    for i in range(panels.size):
        start = max(start, edges[i, 0])
    if serves(grid, edges[changed], panels[changed], start):
        fill_row(
            nodes, edges[changed], panels[changed], series[changed], base[changed],
            integral[changed], a, b, below[changed], hazard[changed],
        )  # fmt: skip
    else:
        grid = common_grid(edges, panels, COARSE)
        nodes, weights = grid_nodes(grid)
        below = np.empty((panels.size, nodes.size))
        hazard = np.empty((panels.size, nodes.size))
        for i in range(panels.size):
            fill_row(
                nodes, edges[i], panels[i], series[i], base[i], integral[i], a, b,
                below[i], hazard[i],
            )  # fmt: skip
    chances_on(weights, below, hazard, chances)
    return grid, nodes, weights, below, hazard

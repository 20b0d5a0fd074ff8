"""What is known about a coin's mean when only noisy sums of its tosses are known.

A release is ``S = B + Z``: ``B`` binomial with ``n`` tosses of mean x, ``Z`` Laplace noise of scale
``1/epsilon``, continuous or discrete. Its likelihood is

    L(x) = sum over b of Binomial(b; n, x) exp(-epsilon |S - b|),

up to a constant that is the same for both kinds of noise. Tilting turns both halves of the sum into
binomial tails: ``Binomial(b; n, x) exp(epsilon b)`` is binomial again, with odds ``exp(epsilon)``
times those of x, times the moment generating function. A tail divided by its first term is a
continued fraction that converges in a few steps wherever the likelihood matters. So L is computed
exactly, to rounding, for every n: no normal approximation is needed.

The posterior of x given several releases is the prior times the product of their likelihoods. It
is log-concave (for a prior that is), and is kept on panels: on each a polynomial for the logarithm
of the likelihood, and one for the distribution function.

A live learner uses this module as it is, on arrays. Simulations have the same formulas compiled,
number by number, in :mod:`hush.numerics.compiled.posterior`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hush.numerics.binomial import SMALL, log_mass
from hush.numerics.largest import chances_on

__all__ = ["Posterior", "log_likelihood", "win_chances"]

Floats = NDArray[np.float64]

NODES = 14
MOST_PANELS = 160
MOST_COMMON = 4000
# A posterior ends where its density has fallen by exp(DEPTH); less than 1e-20 lies beyond.
DEPTH = 50.0
DROPS = np.array([1.5, 5.0, 10.0, 15.0, 20.0, 26.0, 33.0, 41.0, DEPTH])
DECADES = 0.1 ** np.arange(1.0, 15.0)
ALMOST = 1.0 - 2.0**-53
SAMPLES = 72
PER_PANEL = 2
REACH = 10
FEW_TOSSES = 256  # up to this many, the likelihood is summed term by term
TOLERANCE = 1e-9  # of the last two coefficients of a panel's log likelihood
LEVELS = 9
CLEAR = 30.0  # noise this many times narrower than the binomial: then far tails need no care


def _basis() -> tuple[Floats, Floats, Floats, Floats]:
    """Return Gauss-Legendre points and weights, and what turns values there into series.

    Polynomials are held in Chebyshev's basis. The first matrix turns values into coefficients, the
    second into those of the integral from the panel's left end.
    """
    points, weights = np.polynomial.legendre.leggauss(NODES)
    vandermonde = np.polynomial.chebyshev.chebvander(points, NODES - 1)
    coefficients = np.asarray(np.linalg.inv(vandermonde), dtype=np.float64)
    integral = np.zeros((NODES + 1, NODES))
    for degree, unit in enumerate(np.eye(NODES)):
        grown = np.polynomial.chebyshev.chebint(unit[: degree + 1], lbnd=-1.0)
        integral[: grown.size, degree] = grown
    return points, weights, coefficients, integral @ coefficients


POINTS, WEIGHTS, TO_SERIES, TO_INTEGRAL = _basis()


def inner(x: Floats) -> Floats:
    """Return points moved off 0 and 1, by less than numbers there are apart."""
    return np.minimum(np.maximum(x, SMALL), ALMOST)


def tail_fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22).

    Evaluated from the front (Lentz). For ``x < (a + 1) / (a + b + 2)`` it converges: at once far in
    a tail, and after some ``(a + b)^(1/3)`` steps at the middle of the law.
    """
    total = a + b
    most = 60 + int(6.0 * float(np.max(total)) ** (1.0 / 3.0))
    c = np.ones_like(x)
    d = 1.0 / (1.0 - total * x / (a + 1.0))
    value = d.copy()
    for m in range(1, min(most, 20_000)):
        even = m * (b - m) * x / ((a + (2.0 * m - 1.0)) * (a + 2.0 * m))
        d = 1.0 / (1.0 + even * d)
        c = 1.0 + even / c
        value = value * (d * c)
        odd = -(a + m) * (total + m) * x / ((a + 2.0 * m) * (a + (2.0 * m + 1.0)))
        d = 1.0 / (1.0 + odd * d)
        c = 1.0 + odd / c
        step = d * c
        value = value * step
        if np.max(np.abs(step - 1.0)) < 1e-13:
            break
    return value


def log_half(k: float, n: float, x: Floats, rest: Floats, decay: float, clear: bool) -> Floats:
    """Return ``ln sum over b <= k of Binomial(b; n, x) exp(-decay (k - b))``, for 0 <= k < n."""
    grown = np.exp(-decay) * rest + x
    q = x / grown  # the tilted mean
    p = np.exp(-decay) * rest / grown
    middle = (k + 2.0) / (n + 3.0)
    if clear:  # the tilted law lies far above k wherever it matters
        least = middle + 10.0 * math.sqrt(middle * (1.0 - middle) / n)
        least = min(least, 0.5 + 0.5 * middle)
        p = np.where(q < least, 1.0 - least, p)
        q = np.maximum(q, least)
    lower = q > middle
    a = np.where(lower, n - k, k + 1.0)
    b = np.where(lower, k + 1.0, n - k)
    tail = np.where(lower, q, p) * tail_fraction(a, b, np.where(lower, p, q))
    near = log_mass(k, n, x, rest) + np.log(tail)
    missing = np.exp(np.minimum(log_mass(k + 1.0, n, q, p), 0.0)) * tail
    # The moment generating function, in the form that keeps its digits near 0 or near 1.
    whole = np.where(
        x < rest,
        n * np.log1p(x * math.expm1(decay)) - decay * k,
        n * np.log1p(rest * math.expm1(-decay)) + decay * (n - k),
    )
    far = whole + np.log1p(-np.where(lower, 0.0, np.minimum(missing, 0.9)))
    return np.where(lower, near, far)


def summed(x: Floats, rest: Floats, count: int, value: float, epsilon: float) -> Floats:
    """Return ``ln L`` of a release of few tosses, summed term by term."""
    total = np.zeros_like(x)
    odds = np.minimum(x, rest) / np.maximum(x, rest)
    low = x < rest
    ways = 1.0
    weights = []
    for b in range(count + 1):
        weights.append(ways * math.exp(-epsilon * abs(value - b)))
        ways *= (count - b) / (b + 1.0)
    for b in range(count + 1):  # Horner, from the power that is smallest on each side
        total = total * odds + np.where(low, weights[count - b], weights[b])
    return count * np.where(low, np.log1p(-x), np.log(x)) + np.log(total)


def log_likelihood(x: Floats, rest: Floats, count: float, value: float, epsilon: float) -> Floats:
    """Return ``ln L`` for means x in (0, 1) with ``rest = 1 - x``, up to a constant.

    Parameters
    ----------
    x, rest
        The means, and 1 minus them, which may hold more digits.
    count, value
        The release: how many tosses, and their noisy sum.
    epsilon
        The noise has scale ``1 / epsilon``.

    Examples
    --------
    >>> x = np.array([0.2, 0.5, 0.8])
    >>> direct = np.log((1 - x) * np.exp(-0.5 * 1.3) + x * np.exp(-0.5 * 0.3))  # one toss, S = 1.3
    >>> np.round(log_likelihood(x, 1 - x, 1.0, 1.3, 0.5) - direct, 12) + 0.0
    array([0., 0., 0.])
    """
    k = math.floor(value)
    if k < 0.0:
        return epsilon * value + count * np.log1p(x * math.expm1(-epsilon))
    if k >= count:
        return epsilon * (count - value) + count * np.log1p(rest * math.expm1(-epsilon))
    if count <= FEW_TOSSES:
        return summed(x, rest, int(count), value, epsilon)
    middle = (k + 1.0) / (count + 2.0)
    clear = epsilon * math.sqrt(count * middle * (1.0 - middle)) > CLEAR
    left = log_half(float(k), count, x, rest, epsilon, clear) - epsilon * (value - k)
    # The other half is the same for the tosses that failed.
    right = log_half(count - k - 1.0, count, rest, x, epsilon, clear)
    right = right - epsilon * (k + 1.0 - value)
    return np.logaddexp(left, right)


def series_at(position: Floats, series: Floats) -> Floats:
    """Evaluate Chebyshev series, one a row, at positions in [-1, 1] (Clenshaw)."""
    one = np.zeros_like(position)
    two = np.zeros_like(position)
    for degree in range(series.shape[1] - 1, 0, -1):
        one, two = series[:, degree] + 2.0 * position * one - two, one
    values: Floats = series[:, 0] + position * one - two
    return values


def log_prior(x: Floats, prior: tuple[float, float]) -> Floats:
    """Return the logarithm of the prior's density, up to a constant."""
    total = np.zeros_like(x)
    if prior[0] != 1.0:
        total += (prior[0] - 1.0) * np.log(x)
    if prior[1] != 1.0:
        total += (prior[1] - 1.0) * np.log(1.0 - x)
    return total


@dataclass(frozen=True, eq=False)
class Posterior:
    """The law of a coin's mean given noisy sums of its tosses, on panels.

    Attributes
    ----------
    epsilon, prior
        The noise has scale ``1 / epsilon``; the prior is Beta.
    counts, values
        The releases: how many tosses, and their noisy sums.
    edges
        The panels' ends, from left to right.
    series
        For each panel the Chebyshev series of the log likelihood, less a constant that makes the
        density's integral 1.
    base, integral
        The distribution function: at each panel's left end, and the series of its growth.

    Examples
    --------
    >>> known = Posterior.before(epsilon=1.0).given(100, 62.5)
    >>> float(known.below(np.array([0.5]))[0]) < 0.02
    True
    """

    epsilon: float
    prior: tuple[float, float]
    counts: Floats
    values: Floats
    edges: Floats
    series: Floats
    base: Floats
    integral: Floats

    @classmethod
    def before(cls, *, epsilon: float, prior: tuple[float, float] = (1.0, 1.0)) -> Posterior:
        """Return what is known before any release: the prior."""
        none, one = np.empty(0), np.zeros((1, NODES))
        blank = cls(epsilon, prior, none, none, np.array([0.0, 1.0]), one, none, none)
        return blank._on(graded(np.linspace(0.0, 1.0, 11), prior), 0)

    def given(self, count: int, value: float) -> Posterior:
        """Return the posterior after one more release."""
        counts, values = np.append(self.counts, float(count)), np.append(self.values, float(value))
        longer = replace(self, counts=counts, values=values)
        first = counts.size - 1
        points, logs = longer._resolving_points(first)
        # Where a release contradicts the others so much that their panels do not reach far enough,
        # all is computed anew from all releases.
        least = logs.max() - 0.8 * DEPTH
        cut = (self.edges[0] > 0.0 and logs[0] > least) or (
            self.edges[-1] < 1.0 and logs[-1] > least
        )
        if first > 0 and (cut or not logs.max() > -2.0 * DEPTH):
            blank = np.zeros((1, NODES))
            longer = replace(longer, edges=np.array([0.0, 1.0]), series=blank)
            first = 0
            points, logs = longer._resolving_points(0)
        rough = drop_edges(points, logs, self.edges if first else longer.edges)
        return longer._on(graded(rough, self.prior), first)

    def density(self, x: Floats) -> Floats:
        """Return the density at points in (0, 1)."""
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        logs = self._held(x) + log_prior(x, self.prior)
        return np.where(inside, np.exp(np.minimum(logs, 700.0)), 0.0)

    def below(self, x: Floats) -> Floats:
        """Return the distribution function at points in (0, 1)."""
        where, position = self._place(x)
        grown = self.base[where] + series_at(position, self.integral[where])
        values: Floats = np.clip(grown, 0.0, 1.0)
        return np.where(x < self.edges[0], 0.0, np.where(x > self.edges[-1], 1.0, values))

    def _place(self, x: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return which panel holds each point, and where in it, from -1 to 1."""
        where = np.searchsorted(self.edges, x, side="right") - 1
        where = np.clip(where, 0, self.edges.size - 2)
        left, right = self.edges[where], self.edges[where + 1]
        return where, np.clip((2.0 * x - left - right) / (right - left), -1.0, 1.0)

    def _held(self, x: Floats) -> Floats:
        where, position = self._place(x)
        return series_at(position, self.series[where])

    def _likelihood(self, x: Floats, first: int) -> Floats:
        """Return the log likelihood: what the panels hold, and the releases from ``first`` on."""
        inside = (x >= self.edges[0]) & (x <= self.edges[-1])
        total = np.where(inside, self._held(x), -np.inf)
        for count, value in zip(self.counts[first:], self.values[first:], strict=True):
            total = total + log_likelihood(x, 1.0 - x, count, value, self.epsilon)
        return total

    def _resolving_points(self, first: int) -> tuple[Floats, Floats]:
        """Return points and log densities that show where the posterior lives.

        First points over the panels and around the releases, then nearer and nearer to the mode.
        """
        share = (np.arange(PER_PANEL) + 0.5) / PER_PANEL
        parts = [(self.edges[:-1, None] + share * np.diff(self.edges)[:, None]).ravel()]
        around = np.arange(2 * REACH) + 0.5 - REACH
        for n, value in zip(self.counts[first:], self.values[first:], strict=True):
            middle = min(max((value + 1.0) / (n + 2.0), 1.0 / (n + 2.0)), 1.0 - 1.0 / (n + 2.0))
            spread = math.sqrt(middle * (1.0 - middle) / n + 2.0 / (self.epsilon * n) ** 2)
            parts.append(value / n + spread * around)
        points = np.concatenate(parts)
        low, high = self.edges[0], self.edges[-1]
        points = inner(np.sort(points[(points > low) & (points < high)]))
        for _ in range(12):
            logs = self._likelihood(points, first) + log_prior(points, self.prior)
            inside = np.flatnonzero(logs > logs.max() - DEPTH)
            if inside.size >= SAMPLES // 3:
                break
            start = points[inside[0] - 1] if inside[0] > 0 else low
            end = points[inside[-1] + 1] if inside[-1] + 1 < points.size else high
            points = inner(start + (end - start) * (np.arange(SAMPLES) + 0.5) / SAMPLES)
        return points, logs

    def _on(self, rough: Floats, first: int) -> Posterior:
        """Return the posterior on panels of its own.

        They are split until the log likelihood is a polynomial on each, to about ``TOLERANCE``.
        """
        left, right = rough[:-1], rough[1:]
        done: list[tuple[Floats, Floats, Floats, Floats]] = []
        panels = 0
        for level in range(LEVELS):
            half = 0.5 * (right - left)
            nodes = inner(left[:, None] + half[:, None] * (1.0 + POINTS))
            likelihood = self._likelihood(nodes.ravel(), first).reshape(nodes.shape)
            series = np.maximum(likelihood, -1e9) @ TO_SERIES.T
            # Numbers near x are 1e-16 x apart: as much of a narrow panel as it shows noise.
            noise = 4e-15 * right / np.maximum(half, SMALL)
            poor = np.abs(series[:, -2:]).sum(axis=1) > TOLERANCE + noise
            if level == LEVELS - 1 or panels + left.size + poor.sum() > MOST_PANELS:
                poor[:] = False
            logs = likelihood + log_prior(nodes.ravel(), self.prior).reshape(nodes.shape)
            done.append((left[~poor], right[~poor], series[~poor], logs[~poor]))
            panels += int((~poor).sum())
            if not poor.any():
                break
            middle = 0.5 * (left[poor] + right[poor])
            left, right = np.append(left[poor], middle), np.append(middle, right[poor])
        left, right, series, logs = (np.concatenate(each) for each in zip(*done, strict=True))
        order = np.argsort(left)
        left, right, series, logs = left[order], right[order], series[order], logs[order]
        density = np.exp(logs - logs.max())
        half = 0.5 * (right - left)
        masses = density @ WEIGHTS * half
        total = float(masses.sum())
        series[:, 0] -= logs.max() + math.log(total)
        return replace(
            self,
            edges=np.append(left, right[-1]),
            series=series,
            base=np.concatenate(([0.0], np.cumsum(masses)[:-1])) / total,
            integral=density @ TO_INTEGRAL.T * (half / total)[:, None],
        )


def drop_edges(points: Floats, logs: Floats, edges: Floats) -> Floats:
    """Return edges at the mode and where the density has fallen by each of ``DROPS``.

    ``points`` lie so densely that straight lines between them are near enough to place edges.
    """
    peak = int(np.argmax(logs))
    found = [points[peak]]
    for side, end in ((slice(peak, None, -1), edges[0]), (slice(peak, None), edges[-1])):
        fallen, reached = np.maximum.accumulate(logs[peak] - logs[side]), points[side]
        within = fallen[-1] >= DROPS
        found += np.interp(DROPS[within], fallen, reached).tolist()
        if not within.all():
            found.append(end)
    return np.unique(found)


def graded(edges: Floats, prior: tuple[float, float]) -> Floats:
    """Add an edge per decade towards an end where the prior's density is no whole power."""
    if edges[0] == 0.0 and not prior[0].is_integer():
        far = edges[(edges == 0.0) | (edges > DECADES[-1])]
        edges = np.unique(np.concatenate((far, DECADES[edges[-1] > DECADES])))
    if edges[-1] == 1.0 and not prior[1].is_integer():
        far = edges[(edges == 1.0) | (edges < 1.0 - DECADES[-1])]
        edges = np.unique(np.concatenate((far, 1.0 - DECADES[edges[0] < 1.0 - DECADES])))
    return edges


def win_chances(posteriors: Sequence[Posterior]) -> Floats:
    """Return the chance of each arm that a draw from its posterior is the largest.

    The integral of its density times the others' distribution functions. All terms are positive,
    so that small chances come out as precise, relative to their size, as large ones.

    Examples
    --------
    >>> same = Posterior.before(epsilon=1.0).given(10, 4.0)
    >>> np.round(win_chances([same, same]), 9)
    array([0.5, 0.5])
    """
    chances = np.zeros(len(posteriors))
    # Nobody wins below the highest lower end, where that arm's distribution function is 0.
    start = max(each.edges[0] for each in posteriors)
    end = max(each.edges[-1] for each in posteriors)
    alive = [i for i, each in enumerate(posteriors) if each.edges[-1] > start]
    if len(alive) == 1:
        chances[alive[0]] = 1.0
        return chances
    grid = common_edges([posteriors[i].edges for i in alive], start, end)
    half = 0.5 * np.diff(grid)
    x = inner(grid[:-1, None] + half[:, None] * (1.0 + POINTS)).ravel()
    below = np.array([posteriors[i].below(x) for i in alive])
    density = np.array([posteriors[i].density(x) for i in alive])
    chances[alive] = chances_on((half[:, None] * WEIGHTS).ravel(), density, below)
    shares: Floats = chances / chances.sum()
    return shares


def common_edges(all_edges: Sequence[Floats], start: float, end: float) -> Floats:
    """Lay panels over [start, end], as fine as the finest posterior that lives at each place."""
    places = np.unique(np.concatenate([[start, end], *all_edges]))
    places = places[(places >= start) & (places <= end)]
    # How wide panels may be from each place on: the narrower of an arm's panel and its next.
    limit = np.full(places.size, end - start)
    for edges in all_edges:
        width = np.diff(edges)
        width = np.append(np.minimum(width, np.append(width[1:], np.inf)), np.inf)
        at = edges.searchsorted(places, side="right") - 1
        limit = np.where(at >= 0, np.minimum(limit, width[at]), limit)
    found = [start]
    x = start
    while x < end:
        step = limit[int(places.searchsorted(x, side="right")) - 1]
        x = min(x + max(step, 4e-16), end) if len(found) < MOST_COMMON else end
        found.append(x)
    return np.array(found)

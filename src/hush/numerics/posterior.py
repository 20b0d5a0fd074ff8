"""What is known about a coin's mean when only noisy sums of its tosses are known.

The posterior of a mean given several releases is the prior times the product of their likelihoods
(:mod:`hush.numerics.likelihood`). It is log-concave (for a prior that is), and is kept on panels:
on each a polynomial for the logarithm of the likelihood, and one for the distribution function.

A live learner uses this module as it is, on arrays. Simulations have the same formulas compiled,
number by number, in :mod:`hush.numerics.compiled.posterior`. Whose draw is the largest is told by
:mod:`hush.numerics.posterior_chances`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hush.numerics.binomial import SMALL
from hush.numerics.concave import crossing
from hush.numerics.edges import DEPTH, DROPS, drop_edges, graded
from hush.numerics.gaussian_likelihood import log_release_likelihood as released
from hush.numerics.prior import UNIFORM, Prior
from hush.numerics.series import (
    AREAS,
    NODES,
    POINTS,
    TO_INTEGRAL,
    TO_SERIES,
    WEIGHTS,
    inner,
    series_at,
)

__all__ = ["Posterior"]

Floats = NDArray[np.float64]

MOST_PANELS = 160
LEVELS = 40
TOLERANCE = 1e-6  # of the last two coefficients of a panel's log likelihood
WIDE = 60.0  # panels this many standard deviations of a release wide may be far too wide for it
NORMAL = 72.0  # the tosses' variance, over the noise's, from which a likelihood is nearly normal
RIGHT_SLOPES = np.arange(NODES) ** 2.0  # of Chebyshev's polynomials, at the ends of their panel
LEFT_SLOPES = -RIGHT_SLOPES * (-1.0) ** np.arange(NODES)


def log_prior(x: Floats, prior: Prior) -> Floats:
    """Return the logarithm of the prior's density, up to a constant."""
    total = np.zeros_like(x)
    if prior.a != 1.0:
        total += (prior.a - 1.0) * np.log(x)
    if prior.b != 1.0:
        total += (prior.b - 1.0) * np.log(1.0 - x)
    return np.log(np.exp(total) + prior.lift) if prior.lift else total


@dataclass(frozen=True, eq=False)
class Posterior:
    """The law of a coin's mean given noisy sums of its tosses, on panels.

    Attributes
    ----------
    epsilon, prior, gaussian
        Noise of scale ``1 / epsilon``, or Gaussian and as wide; a Beta law, perhaps lifted.
    counts, values
        The releases: how many tosses, and their noisy sums.
    edges
        The panels' ends, from left to right.
    series
        For each panel the Chebyshev series of the log likelihood, such that densities add up to 1.
    base, integral
        The distribution function: at each panel's left end, and the series of its growth.

    Examples
    --------
    >>> known = Posterior.before(epsilon=1.0).given(100, 62.5)
    >>> float(known.below(np.array([0.5]))[0]) < 0.02
    True
    """

    epsilon: float
    prior: Prior
    counts: Floats
    values: Floats
    edges: Floats
    series: Floats
    base: Floats
    integral: Floats
    gaussian: bool = False

    @classmethod
    def before(cls, *, epsilon: float, prior: Prior = UNIFORM, gaussian: bool = False) -> Self:
        """Return what is known before any release: the prior."""
        none, one = np.empty(0), np.zeros((1, NODES))
        blank = cls(epsilon, prior, none, none, np.arange(2.0), one, none, none, gaussian)
        return blank._resolved(graded(np.linspace(0.0, 1.0, 11), prior), 0)

    def given(self, count: int, value: float) -> Posterior:
        """Return the posterior after one more release."""
        return self.given_all(((count, value),))

    def given_all(self, releases: Sequence[tuple[int, float]]) -> Posterior:
        """Return the posterior after some more releases, which is faster than one after another.

        >>> one = Posterior.before(epsilon=1.0)
        >>> all_at_once = one.given_all([(100, 62.5), (50, 20.0)])
        >>> bool(abs(all_at_once.mean - one.given(100, 62.5).given(50, 20.0).mean) < 1e-8)
        True
        """
        more = np.array(releases, dtype=np.float64).reshape(-1, 2)
        counts, values = np.append(self.counts, more[:, 0]), np.append(self.values, more[:, 1])
        longer = replace(self, counts=counts, values=values)
        first = self.counts.size
        edges, series, nodes, logs = longer._split(longer._located(first), first)
        # Where a release contradicts the others so much that panels end too soon: all anew.
        least = logs.max() - DEPTH
        cut = (self.edges[0] > 0.0 and logs[0, 0] > least) or (
            self.edges[-1] < 1.0 and logs[-1, -1] > least
        )
        if first > 0 and (cut or not logs.max() > -2.0 * DEPTH * len(more)):
            longer = replace(longer, edges=np.array([0.0, 1.0]), series=np.zeros((1, NODES)))
            edges, series, nodes, logs = longer._split(longer._located(0), 0)
        wide = replace(longer, edges=edges, series=series)
        rough = drop_edges(nodes.ravel(), logs.ravel(), edges[0], edges[-1])
        return wide._resolved(graded(rough, self.prior), counts.size)

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

    @cached_property
    def mean(self) -> float:
        """Its mean: the upper end less the area under the distribution function.

        >>> round(Posterior.before(epsilon=1.0, prior=Prior(2.0, 6.0)).mean, 12)
        0.25
        """
        areas = self.base + self.integral @ AREAS
        return float(self.edges[-1] - np.diff(self.edges) @ areas)

    @cached_property
    def _masses_beyond(self) -> Floats:
        """The mass to the right of each panel."""
        masses = self.integral.sum(axis=1)
        return np.append(np.cumsum(masses[::-1])[::-1], 0.0)[1:]

    def log_above(self, x: float) -> float:
        """Return the logarithm of the chance that the mean lies above ``x``.

        It is as precise, relative to its size, for small chances as for large ones.

        >>> round(Posterior.before(epsilon=1.0).log_above(1.0 - 1e-12), 3)
        -27.631
        """
        if x >= self.edges[-1]:
            return -math.inf
        if x <= self.edges[0]:
            return 0.0
        here = int(self._place(np.array([x]))[0][0])
        half = 0.5 * (self.edges[here + 1] - x)
        near = half * float(self.density(inner(x + half * (1.0 + POINTS))) @ WEIGHTS)
        return min(math.log(near + self._masses_beyond[here]), 0.0)

    def log_ratio(self, x: Floats) -> Floats:
        """Return the logarithm of posterior over prior density: the evidence for a mean.

        At the true mean its inverse is a martingale of mean 1, whatever was looked at meanwhile.
        Beyond the panels it is an upper bound: the likelihood is log-concave, and lies below its
        tangents at the outer ends.

        >>> known = Posterior.before(epsilon=1.0).given(1000, 620.0)
        >>> np.round(known.log_ratio(np.array([0.5, 0.62])), 2)
        array([-25.58,   3.25])
        """
        inside = np.clip(x, self.edges[0], self.edges[-1])
        edges, series = self.edges, self.series
        first = 2.0 * (series[0] @ LEFT_SLOPES) / (edges[1] - edges[0])
        last = 2.0 * (series[-1] @ RIGHT_SLOPES) / (edges[-1] - edges[-2])
        slope = np.where(x < inside, first, last)
        ratio: Floats = self._held(inside) + self.prior.log_mass + slope * (x - inside)
        return ratio

    def upper(self, level: float) -> float:
        """Return the largest mean whose evidence is at least ``exp(-level)``; level is positive.

        >>> known = Posterior.before(epsilon=1.0).given(1000, 620.0)
        >>> round(known.upper(3.0), 4), round(known.upper(30.0), 4)
        (0.6733, 0.7385)
        """
        edges = self.edges
        known = self.log_ratio(edges)
        if known[-1] > -level:
            slope = 2.0 * float(self.series[-1] @ RIGHT_SLOPES) / (edges[-1] - edges[-2])
            beyond = (known[-1] + level) / -slope if slope < 0.0 else math.inf
            return float(min(edges[-1] + beyond, 1.0))
        inside = int(np.flatnonzero(known > -level)[-1])
        return crossing(self.log_ratio, -level, float(edges[inside + 1]), float(edges[inside]))

    def _place(self, x: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return which panel holds each point, and where in it, from -1 to 1."""
        where = np.searchsorted(self.edges, x, side="right") - 1
        where = np.clip(where, 0, self.edges.size - 2)
        left, right = self.edges[where], self.edges[where + 1]
        return where, np.clip((2.0 * x - left - right) / (right - left), -1.0, 1.0)

    def _held(self, x: Floats) -> Floats:
        where, position = self._place(x)
        return series_at(position, self.series[where])

    def _log_posterior(self, x: Floats, first: int) -> Floats:
        """Return the log likelihood: what the panels hold, and the releases from ``first`` on."""
        total = self._held(x)
        for count, value in zip(self.counts[first:], self.values[first:], strict=True):
            total = total + released(x, 1.0 - x, count, value, self.epsilon, self.gaussian)
        return total

    def _located(self, first: int) -> Floats:
        """Lay one panel or four over where the posterior lives, given the releases from ``first``.

        That is where the held panels are, or a part of it that probes close in on if a release is
        much sharper. One panel is enough for what is nearly normal.
        """
        n, value = self.counts[first:], self.values[first:]
        mean = (np.clip(value, 0.0, n) + 1.0) / (n + 2.0)
        own, noise = mean * (1.0 - mean) / n, 2.0 / (self.epsilon * n) ** 2
        spread = math.sqrt((own + noise).min())
        low, high = self.edges[0], self.edges[-1]
        while high - low > WIDE * spread:
            nodes = inner(low + 0.5 * (high - low) * (1.0 + POINTS))
            logs = self._log_posterior(nodes, first) + log_prior(nodes, self.prior)
            inside = np.flatnonzero(logs >= logs.max() - DROPS[-1])
            start = nodes[inside[0] - 1] if inside[0] > 0 else low
            end = nodes[inside[-1] + 1] if inside[-1] + 1 < NODES else high
            if not end - start < 0.5 * (high - low):
                break
            low, high = start, end
        return np.linspace(low, high, 2 if (own > NORMAL * noise).all() else 5)

    def _split(self, rough: Floats, first: int) -> tuple[Floats, Floats, Floats, Floats]:
        """Split panels until the log likelihood is a polynomial on each, to about ``TOLERANCE``.

        Returns the panels' ends, their series, and their nodes with log densities.
        """
        left, right = rough[:-1], rough[1:]
        done: list[tuple[Floats, Floats, Floats, Floats, Floats]] = []
        panels = 0
        for level in range(LEVELS):
            half = 0.5 * (right - left)
            nodes = inner(left[:, None] + half[:, None] * (1.0 + POINTS))
            likelihood = self._log_posterior(nodes.ravel(), first).reshape(nodes.shape)
            series = np.maximum(likelihood, -1e9) @ TO_SERIES
            # Numbers near x are 1e-16 x apart: as much of a narrow panel as it shows noise.
            noise = 4e-15 * right / np.maximum(half, SMALL)
            poor = np.abs(series[:, -2:]).sum(axis=1) > TOLERANCE + noise
            if level == LEVELS - 1 or panels + left.size + poor.sum() > MOST_PANELS:
                poor[:] = False
            logs = likelihood + log_prior(nodes, self.prior)
            good = ~poor
            done.append((left[good], right[good], series[good], nodes[good], logs[good]))
            panels += int(good.sum())
            if not poor.any():
                break
            middle = 0.5 * (left[poor] + right[poor])
            left, right = np.append(left[poor], middle), np.append(middle, right[poor])
        left, right, series, nodes, logs = (
            np.concatenate(each) for each in zip(*done, strict=True)
        )
        order = np.argsort(left)
        edges = np.append(left[order], right[order[-1]])
        return edges, series[order], nodes[order], logs[order]

    def _resolved(self, rough: Floats, first: int) -> Self:
        """Return the posterior on panels of its own."""
        edges, series, _, logs = self._split(rough, first)
        density = np.exp(logs - logs.max())
        half = 0.5 * np.diff(edges)
        masses = density @ WEIGHTS * half
        total = float(masses.sum())
        series[:, 0] -= logs.max() + math.log(total)
        return replace(
            self,
            edges=edges,
            series=series,
            base=np.concatenate(([0.0], np.cumsum(masses)[:-1])) / total,
            integral=density @ TO_INTEGRAL * (half / total)[:, None],
        )

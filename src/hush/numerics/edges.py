"""Where panels of a posterior end, and those of a grid that serves several posteriors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hush.numerics.prior import Prior

__all__ = ["DECADES", "DEPTH", "DROPS", "MOST_COMMON", "common_edges", "drop_edges", "graded"]

Floats = NDArray[np.float64]

# A posterior ends where its density has fallen by exp(DEPTH); less than 1e-20 lies beyond.
DEPTH = 50.0
DROPS = np.array([1.5, 5.0, 10.0, 15.0, 20.0, 26.0, 33.0, 41.0, DEPTH])
DECADES = 0.1 ** np.arange(1.0, 15.0)
MOST_COMMON = 4000


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


def graded(edges: Floats, prior: Prior) -> Floats:
    """Add an edge per decade towards an end where the prior's density is no whole power."""
    if edges[0] == 0.0 and not prior.a.is_integer():
        far = edges[(edges == 0.0) | (edges > DECADES[-1])]
        edges = np.unique(np.concatenate((far, DECADES[edges[-1] > DECADES])))
    if edges[-1] == 1.0 and not prior.b.is_integer():
        far = edges[(edges == 1.0) | (edges < 1.0 - DECADES[-1])]
        edges = np.unique(np.concatenate((far, 1.0 - DECADES[edges[0] < 1.0 - DECADES])))
    return edges


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

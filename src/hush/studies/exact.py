"""Curves whose expected regret is computed instead of simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError
from hush.policies import EpochPolicy
from hush.studies.definition.study import Curve
from hush.studies.elsewhere import call_elsewhere
from hush.theory.exact import FARTHEST, exact_regret

__all__ = ["compute_exact", "exact_curves", "require_exact"]

Floats = NDArray[np.float64]


def require_exact(curve: Curve) -> None:
    """Raise an error if a curve's regret cannot be computed."""
    if curve.horizon > FARTHEST:
        raise ParameterError(f"exact regret is known up to 2^50 rounds; got {curve.horizon}")
    _expected(curve, 1, ())


def compute_exact(curves: Sequence[Curve]) -> list[Floats]:
    """Return the expected regret of curves at their checkpoints, each as a single run.

    >>> from hush.studies import shipped_study
    >>> study = shipped_study("brackets", quick=True)
    >>> compute_exact(study.curves[:1])[0].shape
    (1, 1)
    """
    return [_expected(each, each.horizon, each.points)[None, :] for each in curves]


def _expected(curve: Curve, horizon: int, points: Sequence[int]) -> Floats:
    # exact_regret refuses, in its own words, whatever is no epoch policy.
    policy = cast("EpochPolicy", curve.policy)
    return exact_regret(policy, curve.env, horizon, checkpoints=points).regret


@contextmanager
def exact_curves(curves: Sequence[Curve]) -> Iterator[Callable[[Curve], Floats]]:
    """Compute the exact ones of some curves in a process of their own; give what finds each.

    Meanwhile simulations can run here; what is asked for too early is waited for.
    """
    wanted = [curve for curve in dict.fromkeys(curves) if curve.exact]
    with ThreadPoolExecutor(1) as pool:
        computed = pool.submit(call_elsewhere, compute_exact, wanted) if wanted else None

        def find(curve: Curve) -> Floats:
            return computed.result()[wanted.index(curve)] if computed else np.empty((0, 0))

        yield find

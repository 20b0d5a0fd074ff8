"""Curves whose expected regret is computed instead of simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import cast

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError
from hush.policies import EpochPolicy
from hush.simulation.fresh_process import call_in_fresh_process
from hush.studies.definition.study import Curve

__all__ = ["compute_exact", "require_exact", "start_exact"]

Floats = NDArray[np.float64]


def require_exact(curve: Curve) -> None:
    """Raise an error if a curve's regret cannot be computed."""
    from hush.theory.expected_regret import FARTHEST

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
    from hush.theory import exact_regret  # it takes numba and scipy along

    # exact_regret refuses, in its own words, whatever is no epoch policy.
    policy = cast("EpochPolicy", curve.policy)
    return exact_regret(policy, curve.env, horizon, checkpoints=points).regret


def start_exact(curves: Sequence[Curve]) -> Callable[[Curve], Floats]:
    """Begin to compute the exact ones of some curves, in a process; return what gives each.

    Meanwhile simulations can run here. What is asked for too early is waited for.
    """
    wanted = [curve for curve in dict.fromkeys(curves) if curve.exact]
    if not wanted:
        return lambda _: np.empty((0, 0))
    computed: Future[list[Floats]] = Future()

    def compute() -> None:
        try:
            computed.set_result(call_in_fresh_process(compute_exact, wanted))
        except Exception as error:  # noqa: BLE001  whoever asks for the result is told
            computed.set_exception(error)

    # A daemon: an interrupted program does not wait for it.
    Thread(target=compute, daemon=True).start()
    return lambda curve: computed.result()[wanted.index(curve)]

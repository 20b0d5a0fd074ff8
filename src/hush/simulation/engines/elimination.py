"""Successive elimination: phases in which the survivors are played in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from hush.policies import DPSE, DistDPSE
from hush.simulation.engines.base import GivenEngine, Task, problem_of
from hush.simulation.kernels.records import Stages

__all__ = ["EliminationEngine"]


class EliminationEngine(GivenEngine):
    """Plays :class:`~hush.DPSE` and :class:`~hush.DistDPSE`.

    Segments are as many as rounds while arms are played in turn.
    """

    name = "elimination"
    families = (DistDPSE, DPSE)
    honours = frozenset({"release_epsilon", "stage_end", "stage_horizon", "anytime"})
    rounds_loop = "elimination.rounds_elimination"
    leap_loop = "elimination.leap_elimination"
    block = 256
    most_segment_rounds = 10**7

    @staticmethod
    def _given(task: Task) -> tuple[Any, Any]:
        policy = task.policy
        assert isinstance(policy, DPSE)  # noqa: S101  by its families
        ends, horizons = [], []
        done = 0
        while done < task.horizon:
            horizons.append(policy.stage_horizon(done))
            done = policy.stage_end(done)
            ends.append(done)
        problem = problem_of(task, np.ones(1, np.int64), policy.release_noise)
        growth = float(policy.growth) if isinstance(policy, DistDPSE) else 0.0
        return problem, Stages(np.array(ends, dtype=np.int64), np.array(horizons), growth)

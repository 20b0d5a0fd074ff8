"""Improved UCB: phases of known lengths in which the survivors are played in turn."""

from __future__ import annotations

from typing import Any

import numpy as np

from hush.policies import ImprovedUCB
from hush.policies.improved_ucb import improved_phases
from hush.simulation.engines.base import GivenEngine, Task, problem_of
from hush.simulation.kernels.records import Phases

__all__ = ["ImprovedUCBEngine"]


class ImprovedUCBEngine(GivenEngine):
    """Plays :class:`~hush.ImprovedUCB`.

    Segments are as many as rounds while arms are played in turn.
    """

    name = "improved_ucb"
    families = (ImprovedUCB,)
    rounds_loop = "improved_ucb.rounds_improved_ucb"
    leap_loop = "improved_ucb.leap_improved_ucb"
    block = 256
    most_segment_rounds = 10**7

    @staticmethod
    def _given(task: Task) -> tuple[Any, Any]:
        policy = task.policy
        assert isinstance(policy, ImprovedUCB)  # noqa: S101  by its families
        pulls, slacks = zip(*improved_phases(float(policy.declared_horizon or 1)), strict=True)
        lengths = np.array(pulls, dtype=np.int64)
        problem = problem_of(task, lengths, policy.release_noise)
        return problem, Phases(lengths, np.array(slacks))

"""Policies that decide by exact posteriors, at releases only: a stretch a step."""

from __future__ import annotations

from typing import Any

import numpy as np

from hush.policies import NoiseAwareIMED, NoiseAwareUCB
from hush.simulation.engines.base import GivenEngine, Task, problem_of

__all__ = ["BatchesEngine"]

UPPER, CHALLENGER = 0, 1  # as the loops number the rules


class BatchesEngine(GivenEngine):
    """Plays :class:`~hush.NoiseAwareUCB` and :class:`~hush.NoiseAwareIMED`."""

    name = "batches"
    families = (NoiseAwareUCB, NoiseAwareIMED)
    honours = frozenset({"release_epsilon", "first_batch", "growth", "power"})
    rounds_loop = "batches.rounds_batches"
    leap_loop = "batches.leap_batches"
    leap_seconds = 5e-4
    round_seconds = 1e-7

    @staticmethod
    def _given(task: Task) -> tuple[Any, ...]:
        policy = task.policy
        if isinstance(policy, NoiseAwareUCB):
            lengths = policy.schedule.lengths(task.horizon)
            return problem_of(task, lengths, policy.release_epsilon), UPPER, policy.power
        assert isinstance(policy, NoiseAwareIMED)  # noqa: S101  by its families
        first = np.array([policy.first_batch], dtype=np.int64)
        known = float(policy.horizon or 0)
        return problem_of(task, first, policy.release_epsilon), CHALLENGER, known

"""Policies that decide by exact posteriors, at releases only: a stretch a step."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from hush.policies import NoiseAwareIMED, NoiseAwareUCB, Policy
from hush.simulation.engines.base import GivenEngine, Task, problem_of
from hush.simulation.kernels.records import BatchRule

__all__ = ["BatchesEngine"]


class BatchesEngine(GivenEngine):
    """Plays :class:`~hush.NoiseAwareUCB` and :class:`~hush.NoiseAwareIMED`."""

    name = "batches"
    families: ClassVar[tuple[type[Policy], ...]] = (NoiseAwareUCB, NoiseAwareIMED)
    honours = frozenset(
        {"release_epsilon", "release_rho", "first_batch", "growth", "power", "constants"}
    )
    rounds_loop = "batches.rounds_batches"
    leap_loop = "batches.leap_batches"
    leap_seconds = 5e-4
    round_seconds = 1e-7

    @staticmethod
    def _given(task: Task) -> tuple[Any, ...]:
        policy = task.policy
        if isinstance(policy, NoiseAwareUCB):
            lengths = policy.schedule.lengths(task.horizon)
            rule = BatchRule(True, policy.power, 0.0, NoiseAwareIMED.constants)
        else:
            assert isinstance(policy, NoiseAwareIMED)  # noqa: S101  by its families
            lengths = np.array([policy.first_batch], dtype=np.int64)
            rule = BatchRule(False, 0.0, float(policy.horizon or 0), policy.constants)
        return problem_of(task, lengths, policy.release_noise), rule

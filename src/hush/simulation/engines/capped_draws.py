"""DP-TS-UCB: Gaussian draws of each arm until an epoch has no more of them, then the largest."""

from __future__ import annotations

from typing import Any

from hush.policies import DPTSUCB
from hush.simulation.engines.base import GivenEngine, Task, problem_of
from hush.simulation.kernels.records import Caps

__all__ = ["CappedDrawsEngine"]


class CappedDrawsEngine(GivenEngine):
    """Plays :class:`~hush.DPTSUCB`."""

    name = "capped_draws"
    families = (DPTSUCB,)
    honours = frozenset({"schedule", "spread", "most_draws"})
    rounds_loop = "capped_draws.rounds_capped_draws"
    leap_loop = "capped_draws.leap_capped_draws"
    leap_seconds = 5e-4

    @staticmethod
    def _given(task: Task) -> tuple[Any, Any]:
        policy = task.policy
        assert isinstance(policy, DPTSUCB)  # noqa: S101  by its families
        problem = problem_of(task, policy.schedule.lengths(task.horizon), policy.release_noise)
        return problem, Caps(policy.most_draws, policy.spread)

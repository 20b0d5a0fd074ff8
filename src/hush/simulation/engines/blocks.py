"""The private adversarial bandit: blocks of one length."""

from __future__ import annotations

from typing import Any

from hush.policies import BatchedHTINF, Policy
from hush.simulation.engines.base import GivenEngine, Task, problem_of

__all__ = ["BlocksEngine"]


class BlocksEngine(GivenEngine):
    """Plays :class:`~hush.BatchedHTINF`, round by round."""

    name = "blocks"
    families = (BatchedHTINF,)
    honours = frozenset({"schedule", "moment"})
    rounds_loop = "blocks.rounds_blocks"

    def why_no_leap(self, policy: Policy) -> str:
        """Return that its steps are as many as its blocks."""
        return f"{type(policy).__name__} draws an arm for every block of about 1/epsilon rounds"

    @staticmethod
    def _given(task: Task) -> tuple[Any, float]:
        policy = task.policy
        assert isinstance(policy, BatchedHTINF)  # noqa: S101  by its families
        problem = problem_of(task, policy.schedule.lengths(task.horizon), policy.release_noise)
        return problem, policy.moment

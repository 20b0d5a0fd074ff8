"""Scored policies: the largest score is played, round by round."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from hush.policies import ScoredPolicy
from hush.policies.core.scored import DRAWS
from hush.simulation.engines.base import Engine, Floats, Integers, Task, problem_of
from hush.simulation.engines.rules import RULE, checked_script, pointer
from hush.simulation.kernels.records import Record, Streams, Traits

__all__ = ["ScoresEngine"]


class ScoresEngine(Engine):
    """Plays :class:`~hush.ScoredPolicy`."""

    name = "scores"
    families = (ScoredPolicy,)
    honours = RULE | {"score", "draws", "schedule", "memory", "explores_first", "_chances"}
    rounds_loop = "scores.rounds_scores"

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        policy = task.policy
        assert isinstance(policy, ScoredPolicy)  # noqa: S101  by its families
        lengths = policy.schedule.lengths(task.horizon)
        segments: Integers = self.loop("rounds")(
            score_pointer(policy.score),
            policy._parameter_array(task.env.n_arms),
            problem_of(task, lengths, policy.release_noise),
            Traits(policy.memory == "total", policy.explores_first, False, False, False),
            DRAWS.index(policy.draws),
            checked_script(script, task, lengths),
            streams,
            record,
        )
        return segments


@lru_cache(maxsize=256)
def score_pointer(score: Callable[..., float]) -> Any:  # noqa: ANN401
    """Compile a score to a function that the loop can be handed."""
    from numba import types

    numbers = types.CPointer(types.float64)  # type: ignore[no-untyped-call]
    whole, real = types.int64, types.float64
    return pointer(score, types.float64(whole, numbers, numbers, whole, real, real, numbers))

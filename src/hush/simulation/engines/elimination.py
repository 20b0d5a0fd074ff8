"""Successive elimination: phases in which the survivors are played in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from hush.policies import DPSE
from hush.simulation.engines.base import Engine, Floats, Integers, Task, problem_of

if TYPE_CHECKING:
    from hush.simulation.kernels.common import Record, Streams

__all__ = ["EliminationEngine"]


class EliminationEngine(Engine):
    """Plays :class:`~hush.DPSE`. Segments are as many as rounds while arms are played in turn."""

    name = "elimination"
    families = (DPSE,)
    honours = frozenset({"release_epsilon", "stage_end", "stage_horizon", "anytime"})
    rounds_loop = "elimination.rounds_elimination"
    leap_loop = "elimination.leap_elimination"
    block = 256
    most_segment_rounds = 10**7

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        segments: Integers = self.loop("rounds")(*self._given(task), script, streams, record)
        return segments

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        from hush.simulation.kernels.common import Streams

        streams = Streams(source, source, source)
        played, events = self.loop("leap")(*self._given(task), script, streams, record, skipped)
        return played, events

    @staticmethod
    def _given(task: Task) -> tuple[Any, Any]:
        from hush.simulation.kernels.elimination import Stages

        policy = task.policy
        assert isinstance(policy, DPSE)  # noqa: S101  by its families
        ends, horizons = [], []
        done = 0
        while done < task.horizon:
            horizons.append(policy.stage_horizon(done))
            done = policy.stage_end(done)
            ends.append(done)
        problem = problem_of(task, np.ones(1, np.int64), policy.release_epsilon)
        return problem, Stages(np.array(ends, dtype=np.int64), np.array(horizons))

"""Index policies: the largest index is played, for as many rounds as it surely leads."""

from __future__ import annotations

from numpy.random import Generator

from hush.policies import IndexPolicy, RelativeIndexPolicy
from hush.simulation.engines.base import Floats, Integers, Task
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.kernels.records import Record

__all__ = ["IndexEngine"]


class IndexEngine(RuleEngine):
    """Plays :class:`~hush.IndexPolicy` and :class:`~hush.RelativeIndexPolicy`."""

    name = "index"
    families = (IndexPolicy, RelativeIndexPolicy)
    honours = RULE | {"index", "schedule", "memory", "explores_first", "commits"}
    rounds_loop = "arms.rounds_arms"
    leap_loop = "index.leap_index"
    block = 256
    interpreted = 100.0

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        played: tuple[Integers, int]
        played = self._play_leap(self._given(task, script), source, record, skipped)
        return played

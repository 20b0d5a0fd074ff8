"""Index policies: the largest index is played, for as many rounds as it surely leads."""

from __future__ import annotations

from typing import ClassVar

from numpy.random import Generator

from hush.policies import IndexPolicy, Policy, RelativeIndexPolicy
from hush.simulation.engines.base import Engine, Floats, Integers, Task
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.kernels.records import Record

__all__ = ["CROWDED", "CrowdEngine", "IndexEngine"]

CROWD = 64  # arms: with more, who leads is found without a look at each


class CrowdEngine(RuleEngine):
    """Plays what the index engine plays, with more arms."""

    name = "crowd"
    families: ClassVar[tuple[type[Policy], ...]] = (IndexPolicy, RelativeIndexPolicy)
    honours = RULE | {"index", "schedule", "memory", "explores_first", "commits"}
    rounds_loop = "arms.rounds_arms"
    leap_loop = "crowd.leap_crowd"
    block = 256
    interpreted = 100.0

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        played: tuple[Integers, int]
        played = self._play_leap(self._given(task, script), source, record, skipped)
        return played


CROWDED = CrowdEngine()


class IndexEngine(CrowdEngine):
    """Plays :class:`~hush.IndexPolicy` and :class:`~hush.RelativeIndexPolicy`, few arms at best."""

    name = "index"
    leap_loop = "index.leap_index"

    def among(self, n_arms: int) -> Engine:
        """Return the engine for a crowd, if so many are one."""
        return CROWDED if n_arms > CROWD else self

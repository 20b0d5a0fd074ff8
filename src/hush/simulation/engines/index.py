"""Index policies: the largest index is played, for as many rounds as it surely leads."""

from __future__ import annotations

from numpy.random import Generator

from hush.policies import IndexPolicy, RelativeIndexPolicy
from hush.simulation.engines.base import Floats, Integers, Task
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.interpreting import may_interpret, play_interpreted
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
    leaps_interpreted = True

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        loop, given = self.loop("leap"), self._given(task, script)
        played: tuple[Integers, int] | None = None
        if may_interpret(loop, record.pulls.shape[0] * task.env.n_arms * self.leap_seconds):
            played = play_interpreted(loop, given, source, record, skipped)
        if played is None:
            played = loop(*given, source, record, skipped)
        return played

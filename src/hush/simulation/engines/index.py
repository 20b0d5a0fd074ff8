"""Index policies: the largest index is played, for as many rounds as it surely leads."""

from __future__ import annotations

from numpy.random import Generator

from hush.policies import IndexPolicy, RelativeIndexPolicy
from hush.simulation.engines.base import Floats, Integers, Task, problem_of
from hush.simulation.engines.rules import RULE, RuleEngine, checked_script
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

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        policy = self._own(task.policy)
        lengths = policy.schedule.lengths(task.horizon)
        played, events = self.loop("leap")(
            self._rule(policy),
            policy._parameter_array(task.env.n_arms),
            problem_of(task, lengths, policy.release_epsilon),
            self._traits(policy),
            checked_script(script, task, lengths),
            source,
            record,
            skipped,
        )
        return played, events

"""Thompson policies: one Beta draw per arm and round; between releases, chances and counts."""

from __future__ import annotations

from numpy.random import Generator

from hush.policies import ThompsonPolicy
from hush.simulation.engines.base import Floats, Integers, Task, problem_of
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.kernels.records import Record

__all__ = ["ThompsonEngine"]


class ThompsonEngine(RuleEngine):
    """Plays :class:`~hush.ThompsonPolicy`. Chances are interpolated, so that leaps end earlier."""

    name = "thompson"
    families = (ThompsonPolicy,)
    honours = RULE | {"center", "schedule", "memory", "explores_first"}
    rounds_loop = "arms.rounds_arms"
    leap_loop = "thompson.leap_thompson"
    farthest = 10**15
    leap_seconds = 6e-4

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        policy = self._own(task.policy)
        played, steps, looked = self.loop("leap")(
            self._rule(policy),
            policy._parameter_array(task.env.n_arms),
            problem_of(task, policy.schedule.lengths(task.horizon), policy.release_noise),
            self._traits(policy),
            source,
            record,
        )
        return played, steps + looked

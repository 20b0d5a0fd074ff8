"""Thompson policies: Beta draws of who may win a round; between releases, chances and counts."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from hush.policies import ThompsonPolicy
from hush.simulation.engines.base import Floats, Integers, Task
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.kernels.records import Record, Streams

__all__ = ["ThompsonEngine"]


class ThompsonEngine(RuleEngine):
    """Plays :class:`~hush.ThompsonPolicy`. Chances are interpolated, so that leaps end earlier.

    Round by round an arm is drawn in every round unless it has to be in fewer than so many; at 0
    all are, in the order in which a learner draws them, and with the same result.
    """

    name = "thompson"
    families = (ThompsonPolicy,)
    honours = RULE | {"center", "schedule", "memory", "explores_first"}
    rounds_loop = "thompson_rounds.rounds_thompson"
    leap_loop = "thompson.leap_thompson"
    farthest = 10**15
    leap_seconds = 6e-4
    interpreted = 20.0
    most_hazard: float = 0.4

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        given = self._given(task, script)
        segments: Integers = self.loop("rounds")(*given, streams, record, self.most_hazard)
        return segments

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        rule, parameters, problem, traits, _ = self._given(task, script)
        given = rule, parameters, problem, traits
        played, steps, looked = self._play_leap(given, source, record)
        return played, steps + looked

    def compiled_parts(self) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        """Return the integrals of chances."""
        from hush.numerics.compiled.beta import win_chances
        from hush.numerics.compiled.beta_panels import MOST_PANELS, POINTS, Grid, make_grid

        even, row = np.full(2, 0.5), np.ones((POINTS, 1))
        above, base = np.zeros(2, np.int64), np.ones((POINTS, 2))
        grid = Grid(row, np.ones(1), row, 0.0, above, even, even, base)
        return (
            (win_chances, (grid, even, even, np.zeros(2))),
            (make_grid, (even, even, even, MOST_PANELS)),
        )

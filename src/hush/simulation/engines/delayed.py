"""Rewards that come late: engines whose loops keep account of what is outstanding.

They accept what the engines accept that they are made from, and hand it to loops of their own.
"""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from hush.policies import NoiseAwareIMED
from hush.simulation.engines.base import Floats, Integers, Task
from hush.simulation.engines.batches import BatchesEngine
from hush.simulation.engines.index import CrowdEngine
from hush.simulation.engines.posterior import PosteriorEngine
from hush.simulation.engines.rules import RuleEngine
from hush.simulation.engines.thompson import ThompsonEngine
from hush.simulation.kernels.records import Late, LateBatches, Record, Streams

__all__ = [
    "DelayedBatchesEngine",
    "DelayedIndexEngine",
    "DelayedPosteriorEngine",
    "DelayedThompsonEngine",
]

MOST_SEGMENT_ROUNDS = 10**7  # arms are played in turn until the first reward comes


class LateRules(RuleEngine):
    """Hands all but the rule to its loops as one record."""

    def _given(self, task: Task, script: Floats) -> tuple[Any, ...]:
        rule, parameters, *others = super()._given(task, script)
        return rule, parameters, Late(*others)

    _rounds = RuleEngine._rounds  # in one loop, whatever the rule


class DelayedIndexEngine(LateRules, CrowdEngine):
    """Plays index policies. A stretch ends where a release comes, too."""

    name = "delayed_index"
    rounds_loop = "delayed_arms.rounds_delayed_arms"
    leap_loop = "delayed_index.leap_delayed_index"
    most_segment_rounds = MOST_SEGMENT_ROUNDS


class DelayedThompsonEngine(LateRules, ThompsonEngine):
    """Plays Thompson policies. What was computed of chances holds until a release comes."""

    name = "delayed_thompson"
    rounds_loop = "delayed_arms.rounds_delayed_arms"
    leap_loop = "delayed_thompson.leap_delayed_thompson"
    most_segment_rounds = MOST_SEGMENT_ROUNDS

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        played, steps, looked = self._play_leap(self._given(task, script), source, record)
        return played, steps + looked


class DelayedPosteriorEngine(PosteriorEngine):
    """Plays :class:`~hush.NoiseAwareTS`. A batch that is full waits, and the next one opens."""

    name = "delayed_posterior"
    rounds_loop = "delayed_posterior.rounds_delayed_posterior"
    leap_loop = "delayed_posterior.leap_delayed_posterior"
    most_segment_rounds = MOST_SEGMENT_ROUNDS


class DelayedBatchesEngine(BatchesEngine):
    """Plays :class:`~hush.NoiseAwareIMED`. An arm whose batch is full waits; the leader goes on."""

    name = "delayed_batches"
    families = (NoiseAwareIMED,)
    rounds_loop = "delayed_batches.rounds_delayed_batches"
    leap_loop = "delayed_batches.leap_delayed_batches"
    most_segment_rounds = MOST_SEGMENT_ROUNDS

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        problem, rule = self._given(task)
        late = LateBatches(problem, rule, script)
        segments: Integers = self.loop("rounds")(late, streams, record)
        return segments

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        problem, rule = self._given(task)
        late, streams = LateBatches(problem, rule, script), Streams(source, source, source)
        played, stretches = self.loop("leap")(late, streams, record)
        return played, stretches

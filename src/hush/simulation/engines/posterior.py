"""Policies that sample from exact posteriors of releases: a race per release."""

from __future__ import annotations

from numpy.random import Generator

from hush.errors import NoiseError
from hush.numerics.prior import Prior
from hush.policies import NoiseAwareTS
from hush.simulation.engines.base import Engine, Floats, Integers, Mode, Task, problem_of
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = ["PosteriorEngine"]


class PosteriorEngine(Engine):
    """Plays :class:`~hush.NoiseAwareTS`. A stretch yields how often each arm was played."""

    name = "posterior"
    families = (NoiseAwareTS,)
    honours = frozenset(
        {
            "schedule",
            "release_epsilon",
            "release_rho",
            "first_batch",
            "growth",
            "prior",
            "flat",
            "belief",
            "memory",
        }
    )
    rounds_loop = "posterior.rounds_posterior"
    leap_loop = "posterior.leap_posterior"
    in_order = False
    leap_seconds = 2e-3

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        return self._played("rounds", task, streams, record)[0]

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        return self._played("leap", task, Streams(source, source, source), record)

    def _played(
        self, mode: Mode, task: Task, streams: Streams, record: Record
    ) -> tuple[Integers, int]:
        segments, stretches = self.loop(mode)(*self._given(task), streams, record)
        if stretches < 0:
            raise NoiseError(
                f"the releases of {task.policy} contradict each other so much that double "
                "precision does not hold their posterior; choose a smaller growth"
            )
        return segments, stretches

    @staticmethod
    def _given(task: Task) -> tuple[Problem, Prior]:
        policy = task.policy
        assert isinstance(policy, NoiseAwareTS)  # noqa: S101  by its families
        lengths = policy.schedule.lengths(task.horizon)
        return problem_of(task, lengths, policy.release_noise), policy.belief

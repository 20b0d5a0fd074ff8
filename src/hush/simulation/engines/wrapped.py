"""Policies around another one: the engine of the one that decides, on the coins that it sees."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from numpy.random import Generator

from hush.environments import Bernoulli
from hush.policies import Policy, WrappingPolicy
from hush.simulation.engines.base import Engine, Floats, Integers, Mode, Task
from hush.simulation.kernels.records import Record, Streams

__all__ = ["WrappedEngine", "wrapped"]


class WrappedEngine(Engine):
    """Plays what a policy goes around, from streams of its own, on coins of other means.

    Sums of flipped coins are binomial like any others, so that nothing else changes.
    """

    name = "wrapped"

    def __init__(self, inner: Engine) -> None:
        self._inner = inner
        self.block, self.farthest, self.in_order = inner.block, inner.farthest, inner.in_order
        self.most_segment_rounds = inner.most_segment_rounds
        self.interpreted = inner.interpreted
        self.leap_seconds, self.round_seconds = inner.leap_seconds, inner.round_seconds

    def why_not(self, policy: Policy) -> str | None:
        """Return why the inner loops do not speak for a policy, or None if they do."""
        return self._inner.why_not(_of(policy))

    def why_no_leap(self, policy: Policy) -> str | None:
        """Return why the policy that decides cannot leap, or None if it can."""
        return self._inner.why_no_leap(_of(policy))

    def among(self, n_arms: int) -> Engine:
        """Return the engine that plays through the inner one for so many arms."""
        return wrapped(self._inner.among(n_arms))

    def loop_name(self, mode: Mode) -> str | None:
        """Return the inner loop."""
        return self._inner.loop_name(mode)

    def compiled_parts(self) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        """Return the inner engine's."""
        return self._inner.compiled_parts()

    def modules(self) -> set[str]:
        """Return the modules of both engines."""
        return super().modules() | self._inner.modules()

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        return self._inner._rounds(_seen(task), streams, record, script)

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        return self._inner._leap(_seen(task), source, record, skipped, script)


@cache
def wrapped(inner: Engine) -> WrappedEngine:
    """Return the one engine that plays through another."""
    return WrappedEngine(inner)


def _of(policy: Policy) -> Policy:
    assert isinstance(policy, WrappingPolicy)  # noqa: S101  engine_of asked
    return policy.of


def _seen(task: Task) -> Task:
    """Return what the policy that decides is up against."""
    policy = task.policy
    assert isinstance(policy, WrappingPolicy)  # noqa: S101  engine_of asked
    return replace(task, policy=policy.of, env=Bernoulli(policy.coin_means(task.env.unit_means)))

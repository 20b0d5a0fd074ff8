"""Runs that are recorded and replayed: who plays what, how, and everything that was seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.auditing.plays import WAYS, Play, Seen
from hush.auditing.reward_tables import Table
from hush.errors import HushError
from hush.noise import NoiseSource, ScriptedNoise, SeededNoise
from hush.policies import Policy
from hush.testing.recording import AuditNoise, DrawnRelease, FrozenNoise

__all__ = ["Case", "Transcript", "cases"]

LENGTHS = (200, 200, 1000, 200, 10_000, 200, 1000, 200)
WAY_NAMES = tuple(WAYS)
MANY_ARMS = (8, 5, 2, 6)
RANGES = ((0.0, 1.0), (0.0, 1.0), (-3.0, 5.0))


class ArbitraryNoise(ScriptedNoise):
    """Outcomes that owe nothing to the sums: whatever can come out must be protected."""

    def __init__(self, seed: int) -> None:
        super().__init__([], selection=seed)
        self._any = np.random.default_rng(seed)

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int:  # noqa: ARG002
        """Return any number."""
        return round(self._any.laplace(0.5, 3.0 * sensitivity))

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int:  # noqa: ARG002
        """Return any number."""
        return self.add_laplace(total, epsilon=1.0, sensitivity=sensitivity)

    def argmax(self, totals: Sequence[int], **_how: Any) -> int:  # noqa: ANN401
        """Return any action, the one that trails as a rule."""
        if self._any.random() < 0.5:
            return int(np.argmin(totals))
        return int(self._any.integers(len(totals)))

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:  # noqa: ARG002
        """Return either."""
        return bool(self._any.random() < 0.3)


@dataclass(frozen=True)
class Transcript:
    """Everything that was seen of a run, and every draw of noise."""

    seen: tuple[Seen, ...]
    drawn: tuple[DrawnRelease, ...]


@dataclass(frozen=True)
class Case:
    """How one recorded run is played: everything but its table.

    Decisions that expire are dropped, or settled with a default.
    """

    policy: Policy
    way: str
    ends: tuple[float, float]
    seed: int
    arbitrary: bool
    drops: bool

    def source(self) -> NoiseSource:
        """Return the noise of the recorded run."""
        return (
            ArbitraryNoise(self.seed) if self.arbitrary else SeededNoise(self.seed, discrete=True)
        )

    def run(self, table: Table, script: Sequence[float] | None = None) -> Transcript:
        """Play a table; with a script, every draw has the outcome that it had before."""
        source = self.source()
        noise = AuditNoise(source if script is None else FrozenNoise(script, source))
        play = Play(self.policy, noise, *self.ends, seed=self.seed, drops=self.drops)
        seen: list[Seen] = []
        try:
            for each in WAYS[self.way](play, table, [play.learner(table.shape[1])]):
                seen.append(each)  # noqa: PERF402  what was seen before an error counts
        except HushError as refused:  # it asks for more draws than were recorded, say
            seen.append(("raised", str(refused)))
        return Transcript(tuple(seen), tuple(noise.drawn))


def cases(
    policy: Policy,
    n_arms: int,
    telling: int,
    rounds: int | None,
    neighbours: str,
    generator: np.random.Generator,
) -> Iterator[tuple[Case, Table]]:
    """Yield ways to play, tables, ranges and numbers of arms in turn, for ever."""
    number = 0
    while True:
        arms = n_arms if number % 3 < 2 else MANY_ARMS[number // 3 % len(MANY_ARMS)]
        length = rounds or max(LENGTHS[number % len(LENGTHS)], telling if number < 2 else 0)
        case = Case(
            policy.with_horizon(length),
            WAY_NAMES[number % len(WAY_NAMES)],
            RANGES[number % len(RANGES)],
            int(generator.integers(2**31)),
            arbitrary=number % 4 >= 2,
            drops=number // len(WAYS) % 2 == 1,
        )
        shape = (length, arms)
        if number == 0:
            table = np.zeros(shape)
        elif number == 2:  # one action always right: what an argmax leaks most about
            table = np.broadcast_to(np.eye(arms)[0], shape).copy()
        elif number % 2:
            table = (generator.random(shape) < generator.random()).astype(np.float64)
        else:  # eighths, so that sums of them are exact
            table = generator.integers(0, 9, shape) / 8.0
        if neighbours == "add-remove" and number == 0:
            table = np.ones(shape)
        yield case, table
        number += 1

"""What every engine is: which policies it accepts, how it plays them, its limits and its costs."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from hush.environments import Environment
from hush.mechanisms import EveryRound
from hush.noise.laws import SumNoise
from hush.policies import Policy
from hush.simulation.engines.run_seeds import generators, leap_stream, run_seed
from hush.simulation.kernels.records import Problem, Record, Streams

__all__ = ["NO_SCRIPT", "Engine", "Mode", "Played", "Task", "why_not_of"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Mode = Literal["leap", "rounds"]
NO_SCRIPT: Floats = np.empty((0, 0))
NO_SEGMENTS: Integers = np.empty((0, 3), dtype=np.int64)
# What a policy may change without any loop's noticing: identity, promises, texts.
NEUTRAL = frozenset(
    {
        "bound", "bounds", "check_names", "costly", "epsilon", "from_parameters", "guarantee",
        "horizon", "label", "needs_horizon", "noise_law", "non_private", "reference", "rho",
        "sample_factor", "summary", "to_dict", "with_horizon",
    }
)  # fmt: skip


@dataclass(frozen=True)
class Task:
    """All that runs depend on, but for their seed."""

    policy: Policy
    env: Environment
    checkpoints: Integers
    discrete: bool = False
    stop: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    delay: int = 0

    @property
    def horizon(self) -> int:
        """The last round."""
        return int(self.checkpoints[-1])

    def interrupt(self) -> None:
        """Make running runs of this task end soon, with results that are not to be used."""
        self.stop[0] = 1


class Played(NamedTuple):
    """Consecutive runs: pulls (run x checkpoint x arm), each run's segments, and steps taken."""

    pulls: Integers
    segments: list[Integers]
    events: int


class Engine(ABC):
    """How the policies of one family are played, round by round and, where it can, leaping.

    Runs that leap are played in fixed blocks of ``block`` consecutive numbers, each block from a
    stream of its own: run 260 of a family with blocks of 256 is the fifth of the second block,
    whoever asks.

    Class attributes
    ----------------
    name
        Its name, and that of its loops' module in :mod:`hush.simulation.kernels`.
    families
        The classes whose rule the loops stand in for.
    honours
        What a policy may declare or override, and the loops follow. A policy that changes anything
        else of its family goes to the learner engine by itself.
    rounds_loop, leap_loop
        The compiled loops, as module and function; None where there is none.
    block, farthest
        How many runs share a stream, and how many rounds can be leapt over.
    in_order
        Whether leaping yields the order of rounds, hence segments.
    most_segment_rounds
        How many rounds may be asked for as segments.
    needs_independence
        Whether the loops draw the rewards of one round's arms independently.
    interpreted
        How many times as long Python takes for a leaping run, which it plays itself while the loop
        is not compiled and runs are few; 0 where it never does.
    leap_seconds, round_seconds
        About how long a leaping run takes per arm, and a round.
    """

    name: ClassVar[str]
    families: ClassVar[tuple[type[Policy], ...]] = ()
    honours: ClassVar[frozenset[str]] = frozenset()
    rounds_loop: str | None = None
    leap_loop: str | None = None
    block: int = 1
    farthest: int = 10**18
    in_order: bool = True
    most_segment_rounds: int | None = None
    needs_independence: bool = False
    interpreted: float = 0.0
    leap_seconds: float = 2e-5
    round_seconds: float = 4e-7

    def among(self, n_arms: int) -> Engine:
        """Return the engine that plays its policies with so many arms."""
        return self

    def why_not(self, policy: Policy) -> str | None:
        """Return why the loops do not speak for a policy, or None if they do."""
        return why_not_of(policy, self.families, self.honours) or self._refuses(policy)

    def _refuses(self, policy: Policy) -> str | None:
        """Return what else keeps the loops from playing a policy of the family."""
        return None

    def why_no_leap(self, policy: Policy) -> str | None:
        """Return why an accepted policy cannot leap, or None if it can."""
        learns_always = isinstance(getattr(policy, "schedule", None), EveryRound)
        if self.leap_loop is None or learns_always:
            return (
                f"{type(policy).__name__} learns every round, so that there is nothing to leap over"
            )
        return None

    def loop_name(self, mode: Mode) -> str | None:
        """Return the compiled loop of a mode as module and function; None if the learner plays."""
        return self.leap_loop if mode == "leap" else self.rounds_loop

    def modules(self) -> set[str]:
        """Return the modules that it is written in."""
        written = {each.__module__ for each in type(self).__mro__}
        return {each for each in written if each.startswith("hush.simulation.engines.")}

    def module(self, mode: Mode) -> str | None:
        """Return the module of the compiled loop of a mode; None if the learner plays."""
        name = self.loop_name(mode)
        return None if name is None else f"hush.simulation.kernels.{name.partition('.')[0]}"

    def loop(self, mode: Mode) -> Any:  # noqa: ANN401  numba has no types
        """Return the compiled loop of a mode."""
        name, module = self.loop_name(mode), self.module(mode)
        if name is None or module is None:
            raise TypeError(f"the {self.name} engine has no loop for {mode}")
        return getattr(import_module(module), name.partition(".")[2])

    def compiled_parts(self) -> tuple[tuple[Any, tuple[Any, ...]], ...]:
        """Return what is compiled where Python plays the rest, and what it can be called with."""
        return ()

    def play(
        self,
        task: Task,
        mode: Mode,
        seed: int,
        first: int,
        runs: int,
        *,
        segments: bool = False,
        script: Floats = NO_SCRIPT,
    ) -> Played:
        """Play consecutive runs; those that leap lie within one block.

        A ``script`` holds values to release instead of drawn ones: arm x epoch.
        """
        if mode == "leap" and not segments:
            return self._play_block(task, seed, first, runs, segments, script)
        each = [
            self._play_block(task, seed, run, 1, segments, script)
            if mode == "leap"
            else self._play_run(task, run_seed(seed, task.policy, run), segments, script)
            for run in range(first, first + runs)
        ]
        pulls = np.concatenate([one.pulls for one in each])
        return Played(pulls, [one.segments[0] for one in each], sum(one.events for one in each))

    def _play_block(
        self, task: Task, seed: int, first: int, runs: int, segments: bool, script: Floats
    ) -> Played:
        block, skipped = divmod(first, self.block)
        record = self._record(task, runs, segments)
        source = leap_stream(seed, task.policy, block)
        played, events = self._leap(task, source, record, skipped, script)
        return Played(record.pulls, [played] if segments else [NO_SEGMENTS] * runs, events)

    def _play_run(self, task: Task, seed: SeedSequence, segments: bool, script: Floats) -> Played:
        record = self._record(task, 1, segments)
        played = self._rounds(task, Streams(*generators(seed)), record, script)
        return Played(record.pulls, [played], task.horizon)

    def _record(self, task: Task, runs: int, segments: bool) -> Record:
        pulls = np.zeros((runs, task.checkpoints.size, task.env.n_arms), dtype=np.int64)
        return Record(task.checkpoints, pulls, segments, task.stop)

    @abstractmethod
    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        """Play one run round by round; return its segments."""

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        """Play a block of runs, not recording the first ones; return segments and steps taken."""
        raise TypeError(f"the {self.name} engine does not leap")


class GivenEngine(Engine):
    """An engine whose loops take what :meth:`_given` returns, a script, streams and a record."""

    @abstractmethod
    def _given(self, task: Task) -> tuple[Any, ...]:
        """Return what is played, as the loops take it."""

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        segments: Integers = self.loop("rounds")(*self._given(task), script, streams, record)
        return segments

    def _leap(
        self, task: Task, source: Generator, record: Record, skipped: int, script: Floats
    ) -> tuple[Integers, int]:
        streams = Streams(source, source, source)
        played, events = self.loop("leap")(*self._given(task), script, streams, record, skipped)
        return played, events


def problem_of(task: Task, lengths: Integers, noise: SumNoise) -> Problem:
    """Return what is played, as loops take it."""
    epsilon, gaussian = noise
    return Problem(task.env.unit_means, lengths, epsilon, task.discrete, task.delay, gaussian)


def why_not_of(
    policy: Policy, families: tuple[type[Policy], ...], honours: frozenset[str]
) -> str | None:
    """Return why loops for these families do not speak for a policy, or None if they do."""
    name = type(policy).__name__
    family = next((each for each in families if isinstance(policy, each)), None)
    if family is None:
        return f"{name} has a rule of its own that no compiled loop knows"
    changed = sorted(_changed(policy, family) - honours - NEUTRAL)
    if changed:
        return f"{name} has {changed[0]} of its own, which no compiled loop follows"
    return None


def _changed(policy: Policy, family: type[Policy]) -> frozenset[str]:
    """Return what a policy has otherwise than its family, in its class or as a parameter."""
    values = _values(family)
    shown = {name for name, value in values.items() if getattr(policy, name) != value}
    return _overridden(type(policy), family) | shown


@lru_cache(maxsize=1024)
def _overridden(cls: type[Policy], family: type[Policy]) -> frozenset[str]:
    static = inspect.getattr_static
    names = [n for n in dir(family) if not n.startswith("__") and n != "_abc_impl"]
    return frozenset(n for n in names if static(cls, n) is not static(family, n))


@lru_cache(maxsize=64)
def _values(family: type[Policy]) -> dict[str, Any]:
    """Return the plain class attributes of a family: what its members declare about themselves."""
    found = {n: inspect.getattr_static(family, n) for n in dir(family) if not n.startswith("_")}
    return {n: v for n, v in found.items() if v is None or isinstance(v, bool | str)}

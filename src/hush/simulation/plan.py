"""Blocks: ranges of runs that can be played anywhere, in any order, with the same result.

A block is plain data: it can be sent to a thread, to a process or to another machine. A plan is a
list of blocks; :mod:`hush.simulation.executor` plays it. Blocks begin where an engine's own streams
begin (:class:`~hush.simulation.engines.base.Engine`), so that every run meets the same stream
however many others there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hush.environments import Bernoulli, Environment, RewardTable
from hush.errors import ParameterError, whole
from hush.policies import Policy
from hush.simulation.engines import Engine, Mode, Played, Task, choose, engine_for

__all__ = [
    "Block",
    "BlockData",
    "Wanted",
    "blocks_of",
    "default_checkpoints",
    "describe_environment",
    "play",
    "stopping",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Keeps = Literal["regret", "final pulls", "all pulls"]
MOST_RUNS = 50  # of a block whose runs have streams of their own
MOST_RUNS_BY_ROUND = 10
MOST_PULLS = 2**28


@dataclass(frozen=True)
class Block:
    """Consecutive runs of one policy on one environment, and what to keep of them.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.plan import blocks_of, play
    >>> blocks = blocks_of(hush.AnytimeLazyUCB(1.0), hush.paper_s1(), (10, 1000), 7, 300)
    >>> [block.runs for block in blocks]
    [256, 44]
    >>> play(blocks[1]).regret.shape
    (44, 2)
    """

    policy: Policy
    env: Environment
    points: tuple[int, ...]
    seed: int
    first: int
    runs: int
    mode: Mode
    discrete: bool = False
    keeps: Keeps = "regret"
    segments: bool = False
    delay: int = 0

    @property
    def engine(self) -> Engine:
        """What plays it."""
        return engine_for(self.policy, self.env, self.delay)

    @property
    def cost(self) -> float:
        """About how many seconds it takes; for the time that is left, and for the order."""
        if self.mode == "leap":
            return self.runs * self.env.n_arms * self.engine.leap_seconds
        return self.runs * self.points[-1] * self.engine.round_seconds


class BlockData(NamedTuple):
    """What a block yields.

    Regret (run x checkpoint), pulls (run x kept checkpoint x arm), and each run's segments.
    """

    regret: Floats
    pulls: Integers
    segments: list[Integers]


@dataclass(frozen=True)
class Wanted:
    """How runs are to be played, and what is to be kept of them."""

    engine: str = "auto"
    discrete: bool = False
    keeps: Keeps = "regret"
    segments: bool = False
    shares: int = 1  # at least so many blocks, where runs have streams of their own
    delay: int = 0


PLAIN = Wanted()


def blocks_of(
    policy: Policy,
    env: Environment,
    points: tuple[int, ...],
    seed: int,
    runs: int,
    wanted: Wanted = PLAIN,
) -> list[Block]:
    """Split runs 0, 1, 2, ... of a policy into blocks."""
    if env.rounds is not None and points[-1] > env.rounds:
        raise ParameterError(f"the table fixes {env.rounds:,} rounds; got {points[-1]:,}")
    given = np.array(points, dtype=np.int64)
    task = Task(policy, env, given, wanted.discrete, delay=wanted.delay)
    engine, mode = choose(task, wanted.engine, runs, segments=wanted.segments)
    if mode == "leap" and engine.block > 1:
        size = engine.block
    else:
        most = MOST_RUNS if mode == "leap" else MOST_RUNS_BY_ROUND
        size = max(1, min(most, runs // wanted.shares))
    if min(size, runs) * len(points) * env.n_arms > MOST_PULLS:
        raise ParameterError(
            "so many arms at so many checkpoints need too much memory; record fewer checkpoints"
        )
    return [
        Block(
            policy, env, points, seed, first, min(size, runs - first), mode,
            wanted.discrete, wanted.keeps, wanted.segments, wanted.delay,
        )
        for first in range(0, runs, size)
    ]  # fmt: skip


def play(block: Block, stop: str = "") -> BlockData:
    """Play a block, unless the execution that ``stop`` names is interrupted."""
    points = np.array(block.points, dtype=np.int64)
    flag = _STOPPING.get(stop, np.zeros(1, dtype=np.int64))
    task = Task(block.policy, block.env, points, block.discrete, flag, block.delay)
    engine = block.engine
    step = engine.block if block.mode == "leap" else 1
    last = block.first + block.runs
    order = block.segments or isinstance(block.env, RewardTable)
    kept = {"regret": 0, "final pulls": 1, "all pulls": points.size}[block.keeps]
    regret, pulls, segments = [], [], []
    for first in range(block.first, last, step):
        runs = min(step, last - first)
        played = engine.play(task, block.mode, block.seed, first, runs, segments=order)
        regret.append(_regret(block.env, played, points))
        pulls.append(played.pulls[:, points.size - kept :])
        segments += played.segments if block.segments else []
    return BlockData(np.concatenate(regret), np.concatenate(pulls), segments)


def _regret(env: Environment, played: Played, points: Integers) -> Floats:
    if isinstance(env, RewardTable):  # what was earned depends on when an arm was played
        return np.stack([env.regret(each, points) for each in played.segments])
    # Arm by arm: the order of additions, and so the last digit, is the same on every machine.
    total = np.zeros(played.pulls.shape[:2])
    if env.n_arms > total.size:  # a sum over each row is the same, and sooner
        for at in np.ndindex(total.shape):
            total[at] = np.cumsum(played.pulls[at] * env.gaps)[-1]
        return total
    for arm, gap in enumerate(env.gaps.tolist()):
        total += played.pulls[:, :, arm] * gap
    return total


def describe_environment(env: Environment) -> dict[str, Any]:
    """Return the environment's JSON-able description."""
    return env.to_dict() if isinstance(env, Bernoulli) else {**env.to_dict(), "repr": repr(env)}


_STOPPING: dict[str, Integers] = {}


@contextmanager
def stopping(name: str) -> Iterator[None]:
    """Let blocks that are played in this process under a name end soon if an error is raised.

    What they return then is not to be used. Blocks of other names go on.
    """
    flag = _STOPPING[name] = np.zeros(1, dtype=np.int64)
    try:
        yield
    except BaseException:
        flag[0] = 1
        raise
    finally:
        del _STOPPING[name]


def default_checkpoints(horizon: int, count: int = 60) -> Integers:
    """Return about ``count`` rounds evenly on a log scale, and half as many evenly in time.

    The second half keeps curves smooth on a linear axis. The last one is the horizon.

    >>> default_checkpoints(1000, 4)
    array([   1,   10,  100,  500, 1000])
    """
    steps = np.geomspace(1.0, float(horizon), count).tolist()
    points = {min(horizon, max(1, round(step))) for step in steps}
    points |= {max(1, horizon * part // (count // 2)) for part in range(1, count // 2)}
    return np.array(sorted(points | {horizon}), dtype=np.int64)


def checked_checkpoints(checkpoints: Iterable[int] | None, horizon: int) -> Integers:
    """Return checkpoints in order, with the horizon; the default ones if none are given."""
    if checkpoints is None:
        return default_checkpoints(horizon)
    if not isinstance(checkpoints, Iterable):
        raise ParameterError(f"checkpoints must be rounds, such as [10, 100]; got {checkpoints!r}")
    given = {whole("a checkpoint", each, least=1, most=horizon) for each in checkpoints}
    return np.array(sorted(given | {horizon}), dtype=np.int64)

"""Ranges of runs that can be played anywhere, in any order, with the same result.

A block is plain data: it can be sent to a thread, to a process or to another machine. Blocks begin
where the engines' own blocks begin (:class:`~hush.simulation.leap.Leap`), so that every run meets
the stream that :func:`~hush.simulate` would give it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.errors import ParameterError
from hush.policies import Policy
from hush.simulation.leap import leap_for
from hush.simulation.rounds import RunTask
from hush.simulation.runner import MOST_PULLS, Piece, engine_for, play_piece

__all__ = ["Block", "blocks_of", "interrupt_blocks", "play"]

SINGLES = 50
BY_ROUNDS = 10
_RUNNING: dict[int, RunTask] = {}


@dataclass(frozen=True)
class Block:
    """Consecutive runs of one policy on one environment.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.blocks import blocks_of, play
    >>> blocks = blocks_of(hush.AnytimeLazyUCB(1.0), hush.paper_s1(), (10, 1000), 7, 300)
    >>> [block.runs for block in blocks]
    [256, 44]
    >>> play(blocks[1]).shape
    (44, 2)
    """

    policy: Policy
    env: Environment
    points: tuple[int, ...]
    seed: int
    first: int
    runs: int
    engine: str

    @property
    def cost(self) -> float:
        """About how many seconds it takes; for the time that is left, and for the order."""
        if self.engine != "leap":
            return self.runs * self.points[-1] * (4e-7 if self.engine == "rounds" else 4e-5)
        return self.runs * self.env.n_arms * (2e-3 if leap_for(self.policy).block == 1 else 2e-5)


def blocks_of(
    policy: Policy, env: Environment, points: tuple[int, ...], seed: int, runs: int
) -> list[Block]:
    """Split runs 0, 1, 2, ... of a policy into blocks."""
    task = RunTask(policy, env, np.array(points, dtype=np.int64))
    engine = engine_for(task, "auto", runs, segments=False)
    size = BY_ROUNDS
    if engine == "leap":
        own = leap_for(policy).block
        size = own if own > 1 else SINGLES
    if size * len(points) * env.n_arms > MOST_PULLS:
        raise ParameterError(
            "so many arms at so many checkpoints need too much memory; record fewer checkpoints"
        )
    return [
        Block(policy, env, points, seed, first, min(size, runs - first), engine)
        for first in range(0, runs, size)
    ]


def play(block: Block) -> NDArray[np.float64]:
    """Play a block; return regret, run x checkpoint."""
    task = RunTask(block.policy, block.env, np.array(block.points, dtype=np.int64))
    _RUNNING[id(task)] = task
    try:
        step = leap_for(block.policy).block if block.engine == "leap" else 1
        found = [
            _regret(task, block, Piece(0, first, min(step, block.first + block.runs - first)))
            for first in range(block.first, block.first + block.runs, step)
        ]
    finally:
        del _RUNNING[id(task)]
    return np.concatenate(found)


def _regret(task: RunTask, block: Block, piece: Piece) -> NDArray[np.float64]:
    pulls, _ = play_piece(task, block.engine, block.seed, piece, segments=False)
    # Arm by arm: the order of additions, and so the last digit, is the same on every machine.
    total = np.zeros(pulls.shape[:2])
    for arm, gap in enumerate(block.env.gaps.tolist()):
        total += pulls[:, :, arm] * gap
    return total


def interrupt_blocks() -> None:
    """Make blocks that run in this process end soon; what they return is not to be used."""
    for task in list(_RUNNING.values()):
        task.interrupt()

"""The leap engine: which policies leap, how far, and how a block of their runs is played.

A policy declares its kind. Each kind has one engine, and no engine knows a policy by name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.mechanisms import EveryRound
from hush.policies import (
    DPSE,
    EpochPolicy,
    IndexPolicy,
    NoiseAwareTS,
    Policy,
    RelativeIndexPolicy,
    ThompsonPolicy,
)
from hush.simulation.rounds import (
    NO_SCRIPT,
    Integers,
    RunTask,
    argmax_law,
    compiles,
    rule_pointer,
    stages,
)

__all__ = ["Leap", "leap_for", "why_not"]


@dataclass(frozen=True)
class Leap:
    """How one kind of policy leaps.

    Runs are played in fixed blocks of ``block`` consecutive numbers, each block from a stream of
    its own: run 260 of a kind with blocks of 256 is the fifth of the second block, whoever asks.
    """

    play: Callable[[RunTask, Any, int, Integers, bool], tuple[Integers, int]]
    block: int
    farthest: int


def why_not(policy: Policy) -> str | None:
    """Return why a policy cannot leap, or None if it can."""
    if policy.kind not in LEAPS or not compiles(policy):
        return (
            f"{type(policy).__name__} has a rule of its own that no leap engine knows; "
            "it runs round by round"
        )
    if isinstance(getattr(policy, "schedule", None), EveryRound):
        return (
            f"{type(policy).__name__} learns every round, so that there is nothing to leap over; "
            "it runs round by round"
        )
    return None


def leap_for(policy: Policy) -> Leap:
    """Return the engine of the policy's kind."""
    return LEAPS[policy.kind]


def play_block(
    task: RunTask, seed: int, first: int, runs: int, *, segments: bool = False
) -> tuple[Integers, Integers, int]:
    """Play consecutive runs that lie within one block.

    Returns pulls (run x checkpoint x arm), the segments of the last run, and the events of all.
    """
    leap = leap_for(task.policy)
    block, skipped = divmod(first, leap.block)
    source = _stream(seed, task.policy, block)
    pulls = np.zeros((runs, task.checkpoints.size, task.env.n_arms), dtype=np.int64)
    played, events = leap.play(task, source, skipped, pulls, segments)
    return pulls, played, events


def _stream(seed: int, policy: Policy, block: int) -> np.random.Generator:
    text = f"leap {seed} {policy.to_dict()} {block}"
    return np.random.Generator(np.random.PCG64(_Digest(text.encode())))  # type: ignore[arg-type]


class _Digest(np.random.bit_generator.ISeedSequence):
    """Seeds a generator with a hash: as good as a seed sequence, and several times cheaper."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:  # noqa: ANN401
        size = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(hashlib.blake2b(self._text, digest_size=size).digest(), dtype=dtype)


def _leap_index(
    task: RunTask,
    source: np.random.Generator,
    skipped: int,
    pulls: Integers,
    segments: bool,
    script: NDArray[np.float64] = NO_SCRIPT,
) -> tuple[Integers, int]:
    from hush.simulation.leap_index import leap_index

    policy = task.policy
    assert isinstance(policy, IndexPolicy | RelativeIndexPolicy)  # noqa: S101  by its kind
    played, events = leap_index(
        rule_pointer(policy.index),
        policy._parameter_array(task.env.n_arms),
        task.env.unit_means,
        policy.schedule.lengths(int(task.checkpoints[-1])),
        policy.release_epsilon,
        task.discrete,
        policy.memory == "total",
        policy.commits,
        isinstance(policy, RelativeIndexPolicy),
        task.checkpoints,
        script,
        source,
        skipped,
        pulls,
        segments,
        task.stop,
    )
    return played, events


def _leap_thompson(
    task: RunTask, source: np.random.Generator, _skipped: int, pulls: Integers, segments: bool
) -> tuple[Integers, int]:
    from hush.simulation.leap_thompson import leap_thompson

    policy = task.policy
    assert isinstance(policy, ThompsonPolicy)  # noqa: S101  by its kind
    played, windows, looked = leap_thompson(
        rule_pointer(policy.center),
        policy._parameter_array(task.env.n_arms),
        task.env.unit_means,
        policy.schedule.lengths(int(task.checkpoints[-1])),
        policy.release_epsilon,
        task.discrete,
        policy.memory == "total",
        policy.explores_first,
        task.checkpoints,
        source,
        pulls[0],
        segments,
        task.stop,
    )
    return played, windows + looked


def _leap_epochs(
    task: RunTask, source: np.random.Generator, skipped: int, pulls: Integers, segments: bool
) -> tuple[Integers, int]:
    from hush.simulation.leap_epochs import leap_epochs

    policy = task.policy
    assert isinstance(policy, EpochPolicy)  # noqa: S101  by its kind
    law, scale = argmax_law(policy, task.env.n_arms)
    played, events = leap_epochs(
        task.env.unit_means,
        policy.schedule.lengths(int(task.checkpoints[-1])),
        law,
        scale,
        task.discrete,
        policy.sums_prefix,
        task.checkpoints,
        source,
        skipped,
        pulls,
        segments,
        task.stop,
    )
    return played, events


def _leap_elimination(
    task: RunTask, source: np.random.Generator, skipped: int, pulls: Integers, segments: bool
) -> tuple[Integers, int]:
    from hush.simulation.kernel_elimination import leap_elimination

    policy = task.policy
    assert isinstance(policy, DPSE)  # noqa: S101  by its kind
    played, events = leap_elimination(
        task.env.unit_means,
        *stages(policy, int(task.checkpoints[-1])),
        policy.release_epsilon,
        task.discrete,
        task.checkpoints,
        source,
        skipped,
        pulls,
        segments,
        task.stop,
    )
    return played, events


def _leap_posterior(
    task: RunTask, source: np.random.Generator, _skipped: int, pulls: Integers, _segments: bool
) -> tuple[Integers, int]:
    from hush.simulation.leap_posterior import leap_posterior

    policy = task.policy
    assert isinstance(policy, NoiseAwareTS)  # noqa: S101  by its kind
    stretches = leap_posterior(
        task.env.unit_means,
        policy.schedule.lengths(int(task.checkpoints[-1])),
        policy.release_epsilon,
        *policy.prior,
        task.discrete,
        task.checkpoints,
        source,
        pulls[0],
        task.stop,
    )
    return np.empty((0, 3), dtype=np.int64), stretches


LEAPS: dict[str, Leap] = {
    "posterior": Leap(_leap_posterior, block=1, farthest=10**18),
    "index": Leap(_leap_index, block=256, farthest=10**18),
    "relative-index": Leap(_leap_index, block=256, farthest=10**18),
    "elimination": Leap(_leap_elimination, block=256, farthest=10**18),
    "epoch-argmax": Leap(_leap_epochs, block=256, farthest=10**18),
    "thompson": Leap(_leap_thompson, block=1, farthest=10**15),
}

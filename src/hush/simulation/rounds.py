"""The rounds engine: one round at a time, the reference for everything else.

Policies of a known kind run in a compiled loop; any other policy, a user's own class included,
runs through its learner. Both give the same arms for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.mechanisms import ExactArgmax, NoisyArgmax
from hush.noise import ScriptedNoise, SeededNoise, children
from hush.policies import EpochPolicy, IndexPolicy, Policy, ThompsonPolicy

__all__ = ["RunTask", "compiles", "play_compiled", "play_learner", "rule_pointer"]

Integers = NDArray[np.int64]
NO_SCRIPT: NDArray[np.float64] = np.empty((0, 0))


@dataclass(frozen=True)
class RunTask:
    """All that a run depends on, but for its seed."""

    policy: Policy
    env: Environment
    checkpoints: Integers
    discrete: bool = False
    stop: Integers = field(default_factory=lambda: np.zeros(1, dtype=np.int64))

    def interrupt(self) -> None:
        """Make running runs of this task end soon, with results that are not to be used."""
        self.stop[0] = 1


_ARM_RULE = ("_choose", "_selector", "_mechanism", "_new_learner", "learner")
# What the compiled loop of a kind stands in for: the family, and what it takes for granted there.
_FAMILIES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "index": (IndexPolicy, _ARM_RULE),
    "thompson": (ThompsonPolicy, _ARM_RULE),
    "epoch-argmax": (EpochPolicy, ("_new_learner", "learner")),
}


def compiles(policy: Policy) -> bool:
    """Tell whether a compiled loop speaks for this policy.

    It does where the policy declares a known kind and overrides nothing that the loop replaces.
    """
    family, names = _FAMILIES.get(policy.kind, (None, ()))
    return family is not None and all(
        getattr(type(policy), name) is getattr(family, name) for name in names
    )


def play_compiled(
    task: RunTask,
    seed: np.random.SeedSequence,
    *,
    segments: bool = False,
    script: NDArray[np.float64] = NO_SCRIPT,
) -> tuple[Integers, Integers]:
    """Run once in a compiled loop; return pulls (checkpoint x arm) and the played segments."""
    from hush.simulation import kernels

    policy, env = task.policy, task.env
    reward, noise, selection = _generators(seed)
    pulls = np.zeros((task.checkpoints.size, env.n_arms), dtype=np.int64)
    horizon = int(task.checkpoints[-1])
    if isinstance(policy, EpochPolicy):
        law, scale = argmax_law(policy)
        played = kernels.rounds_epochs(
            env.unit_means,
            policy.schedule.lengths(horizon),
            law,
            scale,
            task.discrete,
            policy.keeps_sums,
            task.checkpoints,
            reward,
            noise,
            pulls,
            segments,
            task.stop,
        )
        return pulls, played
    assert isinstance(policy, IndexPolicy | ThompsonPolicy)  # noqa: S101  by compiled_kind
    thompson = isinstance(policy, ThompsonPolicy)
    played = kernels.rounds_arms(
        rule_pointer(policy.center if isinstance(policy, ThompsonPolicy) else policy.index),
        thompson,
        policy._parameter_array,
        env.unit_means,
        policy.schedule.lengths(horizon),
        policy.release_epsilon,
        task.discrete,
        policy.memory == "total",
        policy.explores_first,
        task.checkpoints,
        script,
        reward,
        noise,
        selection,
        pulls,
        segments,
        task.stop,
    )
    return pulls, played


def play_learner(
    task: RunTask, seed: np.random.SeedSequence, *, segments: bool = False
) -> tuple[Integers, Integers]:
    """Run once through ``select`` and ``update``; return pulls and the played segments."""
    environment, source = children(seed, 2)
    reward = np.random.Generator(np.random.PCG64(environment))
    learner: Any = task.policy.learner(
        task.env.n_arms,
        noise=SeededNoise(source, discrete=task.discrete),
        reward_range=task.env.reward_range,
    )
    full = task.policy.feedback == "full"
    pulls = np.zeros((task.checkpoints.size, task.env.n_arms), dtype=np.int64)
    played = np.zeros(task.env.n_arms, dtype=np.int64)
    stretches: list[list[int]] = []
    sample = task.env.sample
    t = 0
    for position, checkpoint in enumerate(task.checkpoints.tolist()):
        while t < checkpoint and not task.stop[0]:
            arm = learner.select()
            if full:
                learner.update(sample(reward))
            else:
                learner.update(arm, sample(reward, arm))
            played[arm] += 1
            t += 1
            if segments and stretches and stretches[-1][2] == arm:
                stretches[-1][1] += 1
            elif segments:
                stretches.append([t, 1, arm])
        pulls[position] = played
    return pulls, np.array(stretches, dtype=np.int64).reshape(-1, 3)


def argmax_law(policy: EpochPolicy) -> tuple[int, float]:
    """Return the law and scale of the policy's argmax, as the kernels know them."""
    from hush.simulation import kernels

    mechanism = policy._mechanism(ScriptedNoise([]))
    if isinstance(mechanism, ExactArgmax):
        return kernels.EXACT, 0.0
    if not isinstance(mechanism, NoisyArgmax):
        raise TypeError(f"{type(mechanism).__name__} has no compiled form")
    law = kernels.EXPONENTIAL if mechanism.noise == "exponential" else kernels.LAPLACE
    return law, mechanism.scale


@lru_cache(maxsize=256)
def rule_pointer(rule: Callable[..., float]) -> Any:  # noqa: ANN401
    """Compile a rule of one arm to a function that every kernel can be handed."""
    from numba import cfunc, types

    # Parameters go as a bare pointer: an array would be counted in and out on every call.
    numbers = (types.float64, types.float64, types.float64, types.CPointer(types.float64))  # type: ignore[no-untyped-call]
    signature = types.float64(*numbers)
    try:
        return cfunc(signature, cache=True, error_model="numpy")(rule)
    except RuntimeError:  # nowhere to cache what was typed into a prompt
        return cfunc(signature, error_model="numpy")(rule)


def _generators(seed: np.random.SeedSequence) -> list[np.random.Generator]:
    environment, source = children(seed, 2)
    noise, selection = children(source, 2)
    return [np.random.Generator(np.random.PCG64(each)) for each in (environment, noise, selection)]

"""The rounds engine: one round at a time, the reference for everything else.

Policies of a known kind run in a compiled loop; any other policy, a user's own class included,
runs through its learner. Both give the same arms for the same seed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.mechanisms import ExactArgmax, HedgeDraw, NoisyArgmax, NoisyLeader
from hush.mechanisms.counters import tree_levels
from hush.noise import ScriptedNoise, SeededNoise, children
from hush.policies import (
    DPSE,
    EpochPolicy,
    IndexPolicy,
    NoiseAwareTS,
    Policy,
    RelativeIndexPolicy,
    ShrinkingDartboard,
    ThompsonPolicy,
)

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


_ARM_RULE = (
    "_choose", "_public_side", "_mechanism", "_counter", "_private_side", "_new_learner", "learner",
)  # fmt: skip
_WHOLE = ("_new_learner", "learner")
# What the compiled loop of a kind stands in for: the family, and what it takes for granted there.
_FAMILIES: dict[str, tuple[Any, tuple[str, ...]]] = {
    "index": (IndexPolicy, _ARM_RULE),
    "relative-index": (RelativeIndexPolicy, _ARM_RULE),
    "thompson": (ThompsonPolicy, _ARM_RULE),
    "posterior": (NoiseAwareTS, _ARM_RULE),
    "elimination": (DPSE, ("_mechanism", "_private_side", *_WHOLE)),
    "epoch-argmax": (EpochPolicy, _WHOLE),
    "dartboard": (ShrinkingDartboard, _WHOLE),
}


def compiles(policy: Policy) -> bool:
    """Tell whether a compiled loop speaks for this policy.

    It does where the policy declares a known kind and overrides nothing that the loop replaces.
    """
    family, names = _FAMILIES.get(policy.kind, (None, ()))
    return family is not None and all(
        getattr(type(policy), name, None) is getattr(family, name, None) for name in names
    )


def play_compiled(
    task: RunTask,
    seed: np.random.SeedSequence,
    *,
    segments: bool = False,
    script: NDArray[np.float64] = NO_SCRIPT,
) -> tuple[Integers, Integers]:
    """Run once in a compiled loop; return pulls (checkpoint x arm) and the played segments."""
    pulls = np.zeros((task.checkpoints.size, task.env.n_arms), dtype=np.int64)
    reward, noise, selection = _generators(seed)
    run = _Run(task, reward, noise, selection, pulls, segments)
    policy = task.policy
    if isinstance(policy, EpochPolicy):
        played = _play_epochs(run, policy)
    elif isinstance(policy, NoiseAwareTS):
        played = _play_posterior(run, policy)
    elif isinstance(policy, DPSE):
        played = _play_elimination(run, policy)
    elif isinstance(policy, ShrinkingDartboard):
        played = _play_dartboard(run, policy)
    else:
        assert isinstance(policy, IndexPolicy | RelativeIndexPolicy | ThompsonPolicy)  # noqa: S101
        played = (
            _play_arms(run, policy, script)
            if policy.counter is None
            else _play_counters(run, policy)
        )
    return pulls, played


@dataclass(frozen=True)
class _Run:
    """One run of a task: its three streams, and where its results go."""

    task: RunTask
    reward: np.random.Generator
    noise: np.random.Generator
    selection: np.random.Generator
    pulls: Integers
    segments: bool

    @property
    def horizon(self) -> int:
        return int(self.task.checkpoints[-1])


ArmPolicy = IndexPolicy | RelativeIndexPolicy | ThompsonPolicy


def arm_rule(policy: ArmPolicy) -> Any:  # noqa: ANN401
    """Return the compiled rule of one arm."""
    return rule_pointer(policy.center if isinstance(policy, ThompsonPolicy) else policy.index)


def _play_arms(run: _Run, policy: ArmPolicy, script: NDArray[np.float64]) -> Integers:
    from hush.simulation.kernels import rounds_arms

    task = run.task
    return rounds_arms(
        arm_rule(policy),
        isinstance(policy, ThompsonPolicy),
        policy._parameter_array(task.env.n_arms),
        task.env.unit_means,
        policy.schedule.lengths(run.horizon),
        policy.release_epsilon,
        task.discrete,
        policy.memory == "total",
        policy.explores_first,
        policy.commits,
        isinstance(policy, RelativeIndexPolicy),
        task.checkpoints,
        script,
        run.reward,
        run.noise,
        run.selection,
        run.pulls,
        run.segments,
        task.stop,
    )


def _play_counters(run: _Run, policy: ArmPolicy) -> Integers:
    from hush.simulation.kernel_counters import rounds_counters

    task = run.task
    horizon = getattr(policy, "horizon", None) if policy.counter == "binary" else None
    return rounds_counters(
        arm_rule(policy),
        isinstance(policy, ThompsonPolicy),
        policy._parameter_array(task.env.n_arms),
        task.env.unit_means,
        horizon or 0,
        tree_levels(horizon or run.horizon),
        policy.release_epsilon,
        task.discrete,
        task.checkpoints,
        run.reward,
        run.noise,
        run.selection,
        run.pulls,
        run.segments,
        task.stop,
    )


def _play_epochs(run: _Run, policy: EpochPolicy) -> Integers:
    from hush.simulation.kernels import rounds_epochs

    task = run.task
    law, scale = argmax_law(policy, task.env.n_arms)
    return rounds_epochs(
        task.env.unit_means,
        policy.schedule.lengths(run.horizon),
        law,
        scale,
        task.discrete,
        policy.keeps_sums,
        policy.sums_prefix,
        policy.starts_at_random,
        task.checkpoints,
        run.reward,
        run.noise,
        run.selection,
        run.pulls,
        run.segments,
        task.stop,
    )


def stages(policy: DPSE, horizon: int) -> tuple[Integers, NDArray[np.float64]]:
    """Return the last rounds of an elimination's stages, and the horizons they plan for."""
    ends, horizons = [], []
    done = 0
    while done < horizon:
        horizons.append(policy.stage_horizon(done))
        done = policy.stage_end(done)
        ends.append(done)
    return np.array(ends, dtype=np.int64), np.array(horizons)


def _play_elimination(run: _Run, policy: DPSE) -> Integers:
    from hush.simulation.kernel_elimination import rounds_elimination

    task = run.task
    return rounds_elimination(
        task.env.unit_means,
        *stages(policy, run.horizon),
        policy.release_epsilon,
        task.discrete,
        task.checkpoints,
        run.reward,
        run.noise,
        run.pulls,
        run.segments,
        task.stop,
    )


def _play_posterior(run: _Run, policy: NoiseAwareTS) -> Integers:
    from hush.simulation.leap_posterior import rounds_posterior

    task = run.task
    return rounds_posterior(
        task.env.unit_means,
        policy.schedule.lengths(run.horizon),
        policy.release_epsilon,
        *policy.prior,
        task.discrete,
        task.checkpoints,
        run.reward,
        run.noise,
        run.selection,
        run.pulls,
        run.segments,
        task.stop,
    )


def _play_dartboard(run: _Run, policy: ShrinkingDartboard) -> Integers:
    from hush.simulation.kernel_dartboard import rounds_dartboard

    task = run.task
    return rounds_dartboard(
        task.env.unit_means,
        policy.rate,
        policy.switch_chance,
        policy.budget,
        task.checkpoints,
        run.reward,
        run.noise,
        run.selection,
        run.pulls,
        run.segments,
        task.stop,
    )


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


def argmax_law(policy: EpochPolicy, n_arms: int) -> tuple[int, float]:
    """Return the law and scale by which the policy picks actions, as the kernels know them."""
    from hush.simulation import kernels

    mechanism = policy._mechanism(ScriptedNoise([]))
    if isinstance(mechanism, ExactArgmax):
        return kernels.EXACT, 0.0
    if isinstance(mechanism, HedgeDraw):
        return kernels.HEDGE, 0.0
    if isinstance(mechanism, NoisyLeader):
        return kernels.LAPLACE, 1.0 / (mechanism.epsilon / n_arms)
    if not isinstance(mechanism, NoisyArgmax):
        raise TypeError(f"{type(mechanism).__name__} has no compiled form")
    laws = {
        "exponential": kernels.EXPONENTIAL,
        "laplace": kernels.LAPLACE,
        "gumbel": kernels.GUMBEL,
    }
    return laws[mechanism.noise], mechanism.scale


@lru_cache(maxsize=256)
def rule_pointer(rule: Callable[..., float]) -> Any:  # noqa: ANN401
    """Compile a rule of one arm to a function that every kernel can be handed."""
    from numba import cfunc, types

    # Parameters go as a bare pointer: an array would be counted in and out on every call.
    numbers = (types.float64, types.float64, types.float64, types.CPointer(types.float64))  # type: ignore[no-untyped-call]
    signature = types.float64(*numbers)
    ready = _with_compiled_helpers(rule)
    try:
        return cfunc(signature, cache=True, error_model="numpy")(ready)
    except RuntimeError:  # nowhere to cache what was typed into a prompt
        return cfunc(signature, error_model="numpy")(ready)


def _with_compiled_helpers(function: Callable[..., Any]) -> FunctionType:
    """Return a copy of the function in which the plain functions it calls are compiled ones.

    A rule may call helpers of its module; policies do not import numba, so this is done for them.
    """
    from numba import njit

    plain = cast("FunctionType", function)
    scope = dict(plain.__globals__)
    for name in plain.__code__.co_names:
        helper = scope.get(name)
        if isinstance(helper, FunctionType):
            scope[name] = njit(error_model="numpy")(_with_compiled_helpers(helper))
    copy = FunctionType(plain.__code__, scope, plain.__name__, None, plain.__closure__)
    copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
    return copy


def _generators(seed: np.random.SeedSequence) -> list[np.random.Generator]:
    environment, source = children(seed, 2)
    noise, selection = children(source, 2)
    return [np.random.Generator(np.random.PCG64(each)) for each in (environment, noise, selection)]

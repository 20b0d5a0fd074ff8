"""Rules of one arm, compiled: what index and Thompson engines hand to their loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, cast

import numpy as np
from numpy.random import Generator

from hush.errors import ParameterError
from hush.policies import IndexPolicy, Policy, RelativeIndexPolicy, ThompsonPolicy
from hush.simulation.engines.base import Engine, Floats, Integers, Task, problem_of
from hush.simulation.interpreting import may_interpret, play_interpreted
from hush.simulation.kernels.records import Record, Streams, Traits

__all__ = ["RULE", "RuleEngine", "RulePolicy", "checked_script", "pointer", "rule_pointer"]

RulePolicy = IndexPolicy | RelativeIndexPolicy | ThompsonPolicy
RULE = frozenset(
    {"_parameter_array", "parameters", "parameters_for", "release_epsilon", "release_rho"}
)


class RuleEngine(Engine):
    """An engine of policies that have a rule for one arm."""

    def _refuses(self, policy: Policy) -> str | None:
        own = self._own(policy)
        if not own.explores_first and math.isnan(_unplayed(own)):
            return f"the rule of {type(policy).__name__} gives no number for an arm never played"
        return None

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        """Play one run in the loop that all rules of one arm share."""
        segments: Integers = self.loop("rounds")(*self._given(task, script), streams, record)
        return segments

    def _given(self, task: Task, script: Floats) -> tuple[Any, ...]:
        """Return what is played, as the loops take it."""
        policy = self._own(task.policy)
        lengths = policy.schedule.lengths(task.horizon)
        return (
            self._rule(policy),
            policy._parameter_array(task.env.n_arms),
            problem_of(task, lengths, policy.release_noise),
            self._traits(policy),
            checked_script(script, task, lengths),
        )

    def _play_leap(
        self, given: tuple[Any, ...], source: Generator, record: Record, *rest: int
    ) -> Any:  # noqa: ANN401  loops return more than one thing
        """Play runs in the leaping loop, or in Python if that is sooner."""
        loop = self.loop("leap")
        runs, _, n_arms = record.pulls.shape
        if may_interpret(loop, self.interpreted * runs * n_arms * self.leap_seconds):
            played = play_interpreted(loop, given, source, record, *rest)
            if played is not None:
                return played
        return loop(*given, source, record, *rest)

    @staticmethod
    def _own(policy: Policy) -> RulePolicy:
        assert isinstance(policy, RulePolicy)  # noqa: S101  by its families
        return policy

    @staticmethod
    def _rule(policy: RulePolicy) -> Any:  # noqa: ANN401  numba has no types
        return rule_pointer(plain_rule(policy))

    @staticmethod
    def _traits(policy: RulePolicy) -> Traits:
        return Traits(
            policy.memory == "total",
            policy.explores_first,
            policy.commits,
            isinstance(policy, RelativeIndexPolicy),
            isinstance(policy, ThompsonPolicy),
            isinstance(policy, IndexPolicy) and policy.costly,
        )


def checked_script(script: Floats, task: Task, lengths: Integers) -> Floats:
    """Return a script that has a value for every release there can be, or raise."""
    if script.size and script.shape != (task.env.n_arms, max(script.shape[1], lengths.size)):
        raise ParameterError(
            f"a script needs {task.env.n_arms} rows of at least {lengths.size} values"
        )
    return script


def plain_rule(policy: RulePolicy) -> Callable[..., Any]:
    """Return the rule of one arm as the policy wrote it."""
    return policy.center if isinstance(policy, ThompsonPolicy) else policy.index


def _unplayed(policy: RulePolicy) -> float:
    """Return the value of an arm of which nothing is known, in the first round."""
    start = 0.0 if isinstance(policy, RelativeIndexPolicy) else 1.0
    nothing = np.zeros(1)
    with np.errstate(all="ignore"):
        found = plain_rule(policy)(nothing, nothing, start, policy._parameter_array(2))
    return float(np.ravel(found)[0])


@lru_cache(maxsize=256)
def rule_pointer(rule: Callable[..., float]) -> Any:  # noqa: ANN401
    """Compile a rule of one arm to a function that every loop can be handed."""
    from numba import types

    # Parameters go as a bare pointer: an array would be counted in and out on every call.
    numbers = (types.float64, types.float64, types.float64, types.CPointer(types.float64))  # type: ignore[no-untyped-call]
    return pointer(rule, types.float64(*numbers))


def pointer(rule: Callable[..., float], signature: Any) -> Any:  # noqa: ANN401
    """Compile a rule, and what it calls, to a function of this signature."""
    from hush.numerics.compiled.apart import callback

    return callback(with_compiled_helpers(rule), signature)


def with_compiled_helpers(function: Callable[..., Any]) -> FunctionType:
    """Return a copy of the function in which the plain functions it calls are compiled ones.

    A rule may call helpers of its module; policies do not import numba, so this is done for them.
    """
    plain = cast("FunctionType", function)
    scope = dict(plain.__globals__)
    for name in plain.__code__.co_names:
        helper = scope.get(name)
        if isinstance(helper, FunctionType):
            scope[name] = _compiled(helper)
    copy = FunctionType(plain.__code__, scope, plain.__name__, None, plain.__closure__)
    copy.__qualname__, copy.__module__ = plain.__qualname__, plain.__module__
    return copy


def _compiled(helper: FunctionType) -> Any:  # noqa: ANN401  numba has no types
    """Return a helper compiled: its twin where it has one, made for one number at a time."""
    from numba import njit

    room, _, name = helper.__module__.rpartition(".")
    if room == "hush.numerics" and find_spec(f"{room}.compiled.{name}"):
        twins = import_module(f"{room}.compiled.{name}")
        if helper.__name__ in twins.__all__:
            return getattr(twins, helper.__name__)
    return njit(error_model="numpy")(with_compiled_helpers(helper))

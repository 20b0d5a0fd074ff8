"""Full-information policies that play one action an epoch."""

from __future__ import annotations

from typing import Any

import numpy as np

from hush.noise import ScriptedNoise
from hush.policies import EpochPolicy, Policy
from hush.simulation.engines.base import GivenEngine, Task, problem_of
from hush.simulation.kernels.records import CHOICES, EpochTraits

__all__ = ["EpochsEngine"]


class EpochsEngine(GivenEngine):
    """Plays :class:`~hush.EpochPolicy` where the mechanism says by which law it chooses."""

    name = "epochs"
    families = (EpochPolicy,)
    honours = frozenset({"_mechanism", "schedule", "keeps_sums", "sums_prefix", "starts_at_random"})
    rounds_loop = "epochs.rounds_epochs"
    leap_loop = "epochs.leap_epochs"
    block = 256
    needs_independence = True

    def _refuses(self, policy: Policy) -> str | None:
        mechanism = self._own(policy)._mechanism(ScriptedNoise([]))
        if _speaks_for_itself(type(mechanism)):
            return None
        return f"{type(mechanism).__name__} does not say by which law it chooses"

    @staticmethod
    def _own(policy: Policy) -> EpochPolicy:
        assert isinstance(policy, EpochPolicy)  # noqa: S101  by its families
        return policy

    def _given(self, task: Task) -> tuple[Any, Any]:
        policy = self._own(task.policy)
        mechanism: Any = policy._mechanism(ScriptedNoise([]))
        law = mechanism.law(task.env.n_arms)
        traits = EpochTraits(
            CHOICES.index(law.name),
            law.scale,
            policy.keeps_sums,
            policy.sums_prefix,
            policy.starts_at_random,
        )
        return problem_of(task, policy.schedule.lengths(task.horizon), np.inf), traits


def _speaks_for_itself(kind: type) -> bool:
    """Tell whether a mechanism's class states its law, and not one that it has changed since."""
    lines = {name: _line(kind, name) for name in ("law", "release")}
    return lines["law"] is not None and lines["law"] <= (lines["release"] or 0)


def _line(kind: type, name: str) -> int | None:
    """Return which of a class's ancestors, from itself on, defines a name."""
    return next((place for place, each in enumerate(kind.__mro__) if name in vars(each)), None)

"""Full-information policies that play one action an epoch."""

from __future__ import annotations

import math
from typing import Any

from hush.noise import ScriptedNoise
from hush.noise.laws import SumNoise
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
        if policy.choice_law(2) is not None:
            return None
        mechanism = type(self._own(policy)._mechanism(ScriptedNoise([])))
        return f"{mechanism.__name__} does not say by which law it chooses"

    @staticmethod
    def _own(policy: Policy) -> EpochPolicy:
        assert isinstance(policy, EpochPolicy)  # noqa: S101  by its families
        return policy

    def _given(self, task: Task) -> tuple[Any, Any]:
        policy = self._own(task.policy)
        law = policy.choice_law(task.env.n_arms)
        assert law is not None  # noqa: S101  it would have been refused
        traits = EpochTraits(
            CHOICES.index(law.name),
            law.scale,
            policy.keeps_sums,
            policy.sums_prefix,
            policy.starts_at_random,
        )
        lengths = policy.schedule.lengths(task.horizon)
        return problem_of(task, lengths, SumNoise(math.inf)), traits

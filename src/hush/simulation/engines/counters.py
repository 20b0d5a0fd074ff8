"""Index and Thompson policies with a counting mechanism per arm: a release every round."""

from __future__ import annotations

import numpy as np

from hush.mechanisms.counters import tree_levels
from hush.policies import IndexPolicy, Policy, RelativeIndexPolicy, ThompsonPolicy
from hush.simulation.engines.base import Floats, Integers, Task, problem_of
from hush.simulation.engines.rules import RULE, RuleEngine
from hush.simulation.kernels.records import Record, Streams, Trees

__all__ = ["CountersEngine"]


class CountersEngine(RuleEngine):
    """Plays policies of a family with a rule that declare a ``counter``."""

    name = "counters"
    families = (IndexPolicy, RelativeIndexPolicy, ThompsonPolicy)
    honours = RULE | {"index", "center", "counter"}
    rounds_loop = "counters.rounds_counters"

    def _refuses(self, policy: Policy) -> str | None:
        if self._own(policy).counter is None:
            return f"{type(policy).__name__} has no counter"
        return super()._refuses(policy)

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        policy = self._own(task.policy)
        horizon = policy.declared_horizon if policy.counter == "binary" else None
        segments: Integers = self.loop("rounds")(
            self._rule(policy),
            policy._parameter_array(task.env.n_arms),
            problem_of(task, np.ones(1, np.int64), policy.release_noise),
            self._traits(policy),
            Trees(horizon or 0, tree_levels(horizon or task.horizon)),
            streams,
            record,
        )
        return segments

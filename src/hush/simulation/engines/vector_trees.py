"""Policies that draw each round's action from the noisy sums of one tree."""

from __future__ import annotations

import numpy as np

from hush.mechanisms import ExponentialWeights, ProjectedSums
from hush.noise.laws import SumNoise
from hush.policies import Policy
from hush.policies.core.tree_leader import TreeLeaderPolicy
from hush.simulation.engines.base import Engine, Floats, Integers, Task, problem_of
from hush.simulation.kernels.records import Leader, Record, Streams

__all__ = ["VectorTreesEngine"]


class VectorTreesEngine(Engine):
    """Plays tree leaders whose rule is one of Hush's own, round by round."""

    name = "vector_trees"
    families = (TreeLeaderPolicy,)
    honours = frozenset({"rule", "levels"})
    rounds_loop = "vector_trees.rounds_vector_trees"
    needs_independence = True
    round_seconds = 8e-7

    def _refuses(self, policy: Policy) -> str | None:
        rule = type(self._own(policy).rule(2))
        if rule in (ExponentialWeights, ProjectedSums):
            return None
        return f"{type(policy).__name__} weighs sums by {rule.__name__}, which no loop knows"

    @staticmethod
    def _own(policy: Policy) -> TreeLeaderPolicy:
        assert isinstance(policy, TreeLeaderPolicy)  # noqa: S101  by its families
        return policy

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        policy, n_arms = self._own(task.policy), task.env.n_arms
        rule = policy.rule(n_arms)
        assert isinstance(rule, ExponentialWeights | ProjectedSums)  # noqa: S101  else refused
        share = SumNoise(policy.epsilon / (n_arms * policy.levels))
        leader = Leader(isinstance(rule, ProjectedSums), float(rule[0]), policy.levels)
        problem = problem_of(task, np.ones(1, np.int64), share)
        segments: Integers = self.loop("rounds")(problem, leader, streams, record)
        return segments

"""The shrinking dartboard."""

from __future__ import annotations

from hush.policies import ShrinkingDartboard
from hush.simulation.engines.base import Engine, Floats, Integers, Task
from hush.simulation.kernels.records import Record, Streams

__all__ = ["DartboardEngine"]


class DartboardEngine(Engine):
    """Plays :class:`~hush.ShrinkingDartboard`, round by round."""

    name = "dartboard"
    families = (ShrinkingDartboard,)
    honours = frozenset({"rate", "switch_chance", "budget"})
    rounds_loop = "dartboard.rounds_dartboard"
    needs_independence = True

    def _rounds(self, task: Task, streams: Streams, record: Record, script: Floats) -> Integers:
        policy = task.policy
        assert isinstance(policy, ShrinkingDartboard)  # noqa: S101  by its families
        segments: Integers = self.loop("rounds")(
            task.env.unit_means, policy.rate, policy.switch_chance, policy.budget, streams, record
        )
        return segments

"""Counting mechanisms that count wrongly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from hush.mechanisms import BinaryCounter, Counter, HybridCounter, LogarithmicCounter
from hush.noise import NoiseSource
from hush.policies import Policy, TreeDPUCB
from hush.policies.core.bandit import CounterName
from hush.testing.planted.bases import PlantedBug

__all__ = ["FreshLogarithm", "SharedNodes", "UnsplitHybrid", "UnsplitTree"]


@dataclass(frozen=True)
class _TreeBug(TreeDPUCB):
    kind: ClassVar[type[BinaryCounter]]

    def _counter(self, noise: NoiseSource) -> Counter:
        return self.kind(self.horizon or 1, epsilon=self.epsilon, noise=noise)


class _WholeNodes(BinaryCounter):
    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **options)
        self._node_epsilon = self.epsilon


@dataclass(frozen=True)
class UnsplitTree(_TreeBug):
    """Each node of the tree gets the whole epsilon, though a reward enters one on every level."""

    kind: ClassVar[type[BinaryCounter]] = _WholeNodes


class _OneNoise(BinaryCounter):
    _value: int | float | None = None

    def _draw(self, total: int, epsilon: float) -> int | float:
        if self._value is None:
            self._value = super()._draw(0, epsilon)
        return total + self._value


@dataclass(frozen=True)
class SharedNodes(_TreeBug):
    """All nodes of a tree share one noise value: their differences are exact."""

    kind: ClassVar[type[BinaryCounter]] = _OneNoise


@dataclass(frozen=True)
class _EndlessBug(PlantedBug):
    counter: ClassVar[CounterName | None] = "hybrid"
    endless: ClassVar[type[Counter]]

    def _counter(self, noise: NoiseSource) -> Counter:
        return self.endless(epsilon=self.epsilon, noise=noise)


class _WholeParts(HybridCounter):
    def __init__(self, *, epsilon: float, noise: NoiseSource) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self._coarse = LogarithmicCounter(epsilon=epsilon, noise=noise)

    def _tree(self, horizon: int) -> BinaryCounter:
        return BinaryCounter(horizon, epsilon=self.epsilon, noise=self._noise)


@dataclass(frozen=True)
class UnsplitHybrid(_EndlessBug):
    """Both parts of a hybrid counter get the whole epsilon."""

    endless: ClassVar[type[Counter]] = _WholeParts


class _FreshSums(LogarithmicCounter):
    _total = 0

    def _add(self, bit: int) -> int | float | None:
        self._total += bit
        value = super()._add(bit)
        if value is not None:
            self._running = self._total  # the next release is of everything so far, once more
            self._released = 0
        return value

    def restore(self, state: Any) -> None:  # noqa: ANN401
        super().restore({**state, "running": 0})
        self._running = self._total = state["running"]


@dataclass(frozen=True)
class FreshLogarithm(_EndlessBug):
    """At each power of two the whole sum gets fresh noise, and every old reward is spent again."""

    endless: ClassVar[type[Counter]] = _FreshSums


BUGS: dict[str, type[Policy]] = {
    "an epsilon not split by levels": UnsplitTree,
    "one noise value for all nodes of a tree": SharedNodes,
    "a hybrid counter that spends epsilon twice": UnsplitHybrid,
    "old rewards drawn again at powers of two": FreshLogarithm,
}

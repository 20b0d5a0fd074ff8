"""Counting mechanisms: the running sum of a stream, released again and again.

Every node of a counter is a sum of successive summands with Laplace noise of its own, drawn once.
A release adds up some of the nodes; a summand enters a known number of nodes, and their losses add
up to epsilon.

Chan, Shi, Song: Private and Continual Release of Statistics. ACM TISSEC 14, 2011.
https://eprint.iacr.org/2010/076
Dwork, Naor, Pitassi, Rothblum: Differential Privacy under Continual Observation. STOC 2010.
https://doi.org/10.1145/1806689.1806787
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hush.errors import NoiseError, StateError, is_number, positive, whole
from hush.noise import NoiseSource, SecureNoise

__all__ = ["BinaryCounter", "Counter", "HybridCounter", "LogarithmicCounter", "tree_levels"]

MOST = 2**62


def tree_levels(horizon: int) -> int:
    """Return how many levels the tree over a stream of that length has: ``ceil(log2 T) + 1``.

    >>> tree_levels(1), tree_levels(8), tree_levels(9)
    (1, 4, 5)
    """
    return (horizon - 1).bit_length() + 1


class Counter(ABC):
    """A private counter: takes summands in {0, 1}, releases noisy running sums.

    Invariants: raw partial sums stay inside; a node's noise is drawn once, before anything
    changes. Its ``repr`` shows no sum.
    """

    name: ClassVar[str]

    def __init__(self, *, epsilon: float, noise: NoiseSource | None = None) -> None:
        self.epsilon = positive("epsilon", epsilon)
        self._noise = SecureNoise() if noise is None else noise
        self._steps = 0

    @property
    def steps(self) -> int:
        """How many summands have been taken."""
        return self._steps

    def add(self, bit: int) -> int | float | None:
        """Take one summand, 0 or 1; return the noisy running sum where this step releases one."""
        if type(bit) is not int or bit not in (0, 1):
            raise NoiseError("a counter takes summands 0 and 1 only; nothing was released")
        return self._add(bit)

    @abstractmethod
    def _add(self, bit: int) -> int | float | None:
        """Take a checked summand."""

    @abstractmethod
    def variance(self, step: int) -> float:
        """Return the variance of the noise in the release at that step."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return the raw and the noisy nodes: protect it like the summands themselves."""

    @abstractmethod
    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the nodes of :meth:`state`, or raise."""

    def _draw(self, total: int, epsilon: float) -> int | float:
        return self._noise.add_laplace(total, epsilon=epsilon)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={self.epsilon:g}, <{self._steps} steps>)"


def _laplace_variance(epsilon: float) -> float:
    return 2.0 / epsilon**2


class BinaryCounter(Counter):
    """The Binary (tree) mechanism, for a stream of known length.

    Node ``i`` of level ``j`` sums ``2**j`` successive summands, with noise of scale
    ``levels / epsilon``. The release at step ``t`` adds up one node per 1 in ``t``'s binary form.
    A summand enters one node per level at most. After the last step nothing more is released.

    Parameters
    ----------
    horizon
        The length of the stream.
    epsilon
        The privacy loss of all releases together when one summand is replaced.
    noise
        Where noise is drawn; :class:`~hush.SecureNoise` unless said otherwise.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> counter = BinaryCounter(4, epsilon=1.0, noise=ScriptedNoise([0.5, 2.5, 1.5, 3.5]))
    >>> [counter.add(1) for _ in range(5)]
    [0.5, 2.5, 4.0, 3.5, None]
    """

    name: ClassVar[str] = "binary-counter"

    def __init__(self, horizon: int, *, epsilon: float, noise: NoiseSource | None = None) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self.horizon = whole("horizon", horizon, least=1, most=MOST)
        self.levels = tree_levels(self.horizon)
        self._node_epsilon = self.epsilon / self.levels
        self._raw = [0] * self.levels
        self._noisy: list[int | float] = [0] * self.levels

    def _add(self, bit: int) -> int | float | None:
        if self._steps >= self.horizon:
            return None
        step = self._steps + 1
        level = (step & -step).bit_length() - 1
        total = sum(self._raw[:level]) + bit
        value = self._draw(total, self._node_epsilon)
        for lower in range(level):
            self._raw[lower] = 0
            self._noisy[lower] = 0
        self._raw[level], self._noisy[level] = total, value
        self._steps = step
        return sum(self._noisy)

    def variance(self, step: int) -> float:
        """Return one node's variance for each 1 in the step's binary form."""
        return step.bit_count() * _laplace_variance(self._node_epsilon)

    def state(self) -> dict[str, Any]:
        """Return the nodes on the path of the running step."""
        return {"steps": self._steps, "raw": list(self._raw), "noisy": list(self._noisy)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the nodes of :meth:`state`, or raise."""
        steps = _whole_part(state, "steps")
        raw, noisy = _numbers(state, "raw", self.levels), _numbers(state, "noisy", self.levels)
        fits = all(
            type(value) is int and 0 <= value <= (2**level if steps >> level & 1 else 0)
            for level, value in enumerate(raw)
        )
        if steps > self.horizon or not fits:
            raise StateError(DAMAGED)
        self._steps, self._raw, self._noisy = steps, [int(each) for each in raw], noisy


class LogarithmicCounter(Counter):
    """The Logarithmic mechanism: releases at steps 1, 2, 4, 8, ..., for a stream without end.

    The summands since the last release get noise of scale ``1 / epsilon`` and join what was
    released before. So the noise of the release at step ``2**k`` is a sum of ``k + 1`` draws, and
    a summand enters one draw only. (Fresh noise on the whole sum every time would spend epsilon
    again at every power of two.)

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> counter = LogarithmicCounter(epsilon=1.0, noise=ScriptedNoise([0.5, 1.5, 2.5]))
    >>> [counter.add(1) for _ in range(4)]
    [0.5, 2.0, None, 4.5]
    """

    name: ClassVar[str] = "logarithmic-counter"

    def __init__(self, *, epsilon: float, noise: NoiseSource | None = None) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self._running = 0
        self._released: int | float = 0

    def _add(self, bit: int) -> int | float | None:
        step = self._steps + 1
        if step & (step - 1):
            self._running += bit
            self._steps = step
            return None
        self._released += self._draw(self._running + bit, self.epsilon)
        self._running = 0
        self._steps = step
        return self._released

    @property
    def released(self) -> int | float:
        """The last release; 0 before the first."""
        return self._released

    def variance(self, step: int) -> float:
        """Return the variance of the last release up to that step."""
        return step.bit_length() * _laplace_variance(self.epsilon)

    def state(self) -> dict[str, Any]:
        """Return the running sum and the last release."""
        return {"steps": self._steps, "running": self._running, "released": self._released}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the sums of :meth:`state`, or raise."""
        steps, running = _whole_part(state, "steps"), _whole_part(state, "running")
        since = steps ^ (1 << steps.bit_length() >> 1)  # its last release was at a power of two
        if running > since or not is_number(state.get("released")):
            raise StateError(DAMAGED)
        self._steps, self._running, self._released = steps, running, state["released"]


class HybridCounter(Counter):
    """The Hybrid mechanism: a release at every step of a stream without end.

    Half of epsilon goes to a Logarithmic counter. The other half goes to a Binary counter for the
    steps between ``2**k`` and ``2**(k + 1)``, a new one for each ``k``.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> counter = HybridCounter(epsilon=1.0, noise=ScriptedNoise([0.5, 1.5, 2.5, 3.5]))
    >>> [counter.add(1) for _ in range(4)]
    [0.5, 2.0, 4.5, 5.5]
    """

    name: ClassVar[str] = "hybrid-counter"

    def __init__(self, *, epsilon: float, noise: NoiseSource | None = None) -> None:
        super().__init__(epsilon=epsilon, noise=noise)
        self._coarse = LogarithmicCounter(epsilon=self.epsilon / 2.0, noise=self._noise)
        self._fine = self._tree(1)

    def _tree(self, horizon: int) -> BinaryCounter:
        return BinaryCounter(horizon, epsilon=self.epsilon / 2.0, noise=self._noise)

    def _add(self, bit: int) -> int | float | None:
        step = self._steps + 1
        if step & (step - 1):
            fine = self._fine.add(bit)
            self._coarse.add(bit)
            assert fine is not None  # noqa: S101  a tree over 2^k steps gets 2^k - 1 of them
            value = self._coarse.released + fine
        else:
            coarse = self._coarse.add(bit)
            assert coarse is not None  # noqa: S101  at a power of two
            value = coarse
            self._fine = self._tree(step)
        self._steps = step
        return value

    def variance(self, step: int) -> float:
        """Return the Logarithmic part's variance plus the tree's."""
        start = 1 << (step.bit_length() - 1)
        return self._coarse.variance(step) + self._tree(start).variance(step - start)

    def state(self) -> dict[str, Any]:
        """Return the states of both parts."""
        return {
            "steps": self._steps,
            "coarse": self._coarse.state(),
            "fine": self._fine.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the states of both parts, or raise."""
        steps = _whole_part(state, "steps")
        coarse = LogarithmicCounter(epsilon=self.epsilon / 2.0, noise=self._noise)
        fine = self._tree(1 << max(0, steps.bit_length() - 1))
        coarse.restore(_mapping(state, "coarse"))
        fine.restore(_mapping(state, "fine"))
        if coarse.steps != steps or fine.steps != (steps - fine.horizon if steps else 0):
            raise StateError(DAMAGED)
        self._steps, self._coarse, self._fine = steps, coarse, fine


DAMAGED = "a counter in this state is damaged; restore from an intact copy"


def _whole_part(state: Mapping[str, Any], key: str) -> int:
    value = state.get(key)
    if type(value) is not int or not 0 <= value <= MOST:
        raise StateError(DAMAGED)
    return value


def _numbers(state: Mapping[str, Any], key: str, size: int) -> list[int | float]:
    values = state.get(key)
    if not isinstance(values, Sequence) or len(values) != size or not all(map(is_number, values)):
        raise StateError(DAMAGED)
    return list(values)


def _mapping(state: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    part = state.get(key)
    if not isinstance(part, Mapping):
        raise StateError(DAMAGED)
    return part

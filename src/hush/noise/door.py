"""What a policy's code is handed of a noise source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hush.errors import MisuseError
from hush.noise.base import NoiseSource, SteadySource
from hush.noise.laws import ArgmaxLaw
from hush.privacy import Neighbours

__all__ = ["NoiseDoor"]


class NoiseDoor(SteadySource):
    """Draws from a noise source, and says nothing about it.

    Policies' hooks get a door, never the source itself: so a policy cannot tell whether its noise
    is the deployed one or an audit's. A door has no state.

    >>> import hush
    >>> NoiseDoor(hush.ScriptedNoise([2.5])).add_laplace(100, epsilon=1.0)
    2.5
    """

    def __init__(self, source: NoiseSource) -> None:
        # Functions of their own: a bound method would name the source.
        def laplace(total: int, epsilon: float, sensitivity: int) -> int | float:
            return source.add_laplace(total, epsilon=epsilon, sensitivity=sensitivity)

        def gaussian(total: int, rho: float, sensitivity: int) -> int | float:
            return source.add_gaussian(total, rho=rho, sensitivity=sensitivity)

        def argmax(
            totals: Sequence[int], epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
        ) -> int:
            return source.argmax(totals, epsilon=epsilon, law=law, neighbours=neighbours)

        def toss(bit: bool, chances: tuple[float, float]) -> bool:
            return source.toss(bit, chances=chances)

        self._laplace, self._gaussian, self._argmax, self._toss = laplace, gaussian, argmax, toss
        self._coins, self._selection = source.coins, source.selection

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Pass on."""
        return self._laplace(total, epsilon, sensitivity)

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int | float:
        """Pass on."""
        return self._gaussian(total, rho, sensitivity)

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Pass on."""
        return self._argmax(totals, epsilon, law, neighbours)

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Pass on."""
        return self._toss(bit, chances)

    def state(self) -> dict[str, Any]:
        """Refuse: the learner keeps the source, not its door."""
        raise MisuseError("a door to noise has no state; ask the learner for its own")

    def __repr__(self) -> str:
        return "NoiseDoor()"

"""Noise that was drawn before: for replays and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hush.errors import NoiseError, ParameterError, is_number, whole
from hush.noise.base import SteadySource
from hush.noise.laws import ArgmaxLaw
from hush.noise.streams import children, move, position
from hush.privacy import Neighbours, Release

__all__ = ["ScriptedNoise"]


class ScriptedNoise(SteadySource):
    """Replays given releases in order, whatever the sums are. For replays and tests only.

    Parameters
    ----------
    releases
        Noisy sums or chosen actions, or :class:`~hush.Release` objects, in the order in which
        they will be asked for.
    selection
        Seed of the selection rule's draws; two replays with the same one meet the same draws.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> script = ScriptedNoise([3.5, -1.0])
    >>> script.add_laplace(10, epsilon=1.0), script.remaining
    (3.5, 1)
    """

    kind: ClassVar[str] = "scripted"

    def __init__(self, releases: Sequence[float | Release], *, selection: int = 0) -> None:
        values = [each.value if isinstance(each, Release) else each for each in releases]
        for value in values:
            if not is_number(value) or not math.isfinite(value):
                raise ParameterError("a script holds finite numbers or Release objects only")
        self._values = values
        self._next = 0
        seed = np.random.SeedSequence(whole("selection", selection, least=0))
        self._selection, self._coins = (
            np.random.Generator(np.random.PCG64(child)) for child in children(seed, 2)
        )

    @property
    def remaining(self) -> int:
        """How many releases the script still holds."""
        return len(self._values) - self._next

    def _draw(self) -> float:
        if not self.remaining:
            raise NoiseError(f"the script's {len(self._values)} releases are used up; add more")
        value = self._values[self._next]
        self._next += 1
        return value

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> float:  # noqa: ARG002
        """Return the next scripted value; the total is ignored."""
        return self._draw()

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> float:  # noqa: ARG002
        """Return the next scripted value; the total is ignored."""
        return self._draw()

    def argmax(
        self,
        totals: Sequence[int],
        *,
        epsilon: float,  # noqa: ARG002
        law: ArgmaxLaw,  # noqa: ARG002
        neighbours: Neighbours,  # noqa: ARG002
    ) -> int:
        """Return the next scripted action; the totals are ignored."""
        if self.remaining and self._values[self._next] not in range(len(totals)):
            raise NoiseError(f"the next scripted value is not an action in 0..{len(totals) - 1}")
        return int(self._draw())

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:  # noqa: ARG002
        """Return the next scripted outcome, 0 or 1; the bit is ignored."""
        if self.remaining and self._values[self._next] not in (0, 1):
            raise NoiseError("the next scripted value is not an outcome of a toss, 0 or 1")
        return bool(self._draw())

    def state(self) -> dict[str, Any]:
        """Return what is left of the script, and the generators' positions."""
        return {
            "kind": "scripted",
            "values": [float(v) if isinstance(v, float) else int(v) for v in self._values],
            "next": self._next,
            "generators": {
                "selection": position(self._selection),
                "coins": position(self._coins),
            },
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> ScriptedNoise:
        source = cls(state["values"])
        source._next = whole("next", state["next"], least=0, most=len(source._values))
        move(source._selection, state["generators"]["selection"])
        move(source._coins, state["generators"]["coins"])
        return source

    def __repr__(self) -> str:
        return f"ScriptedNoise(<{self.remaining} releases>)"

"""A noise source that notes what it is handed. For tests and audits; it is no production code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.noise import ArgmaxLaw, NoiseSource, argmax_scale
from hush.privacy import Neighbours

__all__ = ["DrawnRelease", "RecordingNoise"]


@dataclass(frozen=True)
class DrawnRelease:
    """What went into a draw, what came out, and the scale of the noise between."""

    raw: tuple[int, ...]
    noisy: int | float
    scale: float
    law: str


class RecordingNoise(NoiseSource):
    """Passes every draw on to another source, and keeps what it was handed: raw sums.

    Examples
    --------
    >>> import hush
    >>> from hush.testing import RecordingNoise
    >>> noise = RecordingNoise(hush.ScriptedNoise([0.5]))
    >>> learner = hush.AnytimeLazyUCB(epsilon=2.0).learner(2, noise=noise)
    >>> _ = learner.update(learner.select(), 1)
    >>> noise.drawn
    [DrawnRelease(raw=(1,), noisy=0.5, scale=0.5, law='laplace')]
    """

    def __init__(self, source: NoiseSource) -> None:
        self._source = source
        self.drawn: list[DrawnRelease] = []

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Pass on, and note."""
        noisy = self._source.add_laplace(total, epsilon=epsilon, sensitivity=sensitivity)
        self.drawn.append(DrawnRelease((total,), noisy, sensitivity / epsilon, "laplace"))
        return noisy

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Pass on, and note."""
        winner = self._source.argmax(totals, epsilon=epsilon, law=law, neighbours=neighbours)
        scale = argmax_scale(epsilon, neighbours)
        self.drawn.append(DrawnRelease(tuple(totals), winner, scale, f"argmax-{law}"))
        return winner

    @property
    def selection(self) -> np.random.Generator:
        """The other source's."""
        return self._source.selection

    @property
    def coins(self) -> np.random.Generator:
        """The other source's."""
        return self._source.coins

    def state(self) -> dict[str, Any]:
        """Return the other source's state: a record is not part of it."""
        return self._source.state()

    def __repr__(self) -> str:
        return f"RecordingNoise({self._source!r})"

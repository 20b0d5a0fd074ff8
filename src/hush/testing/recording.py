"""A noise source that notes what it is handed. For tests and audits; it is no production code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from hush.noise import ArgmaxLaw, NoiseSource, ScriptedNoise, argmax_scale
from hush.noise.laws import argmax_draw
from hush.privacy import Neighbours
from hush.privacy.conversions import gaussian_deviation

__all__ = ["AuditNoise", "DrawnRelease", "FrozenNoise", "RecordingNoise"]


@dataclass(frozen=True)
class DrawnRelease:
    """What went into a draw, what came out, and the scale of the noise between."""

    raw: tuple[int, ...]
    noisy: int | float
    scale: float
    law: str
    chances: tuple[float, float] = field(default=(0.0, 0.0), repr=False)

    def loss(self, other: DrawnRelease) -> float:
        """Return a bound on how much likelier this output is under one raw input than the other.

        It is the privacy loss for the output at hand: the distance over the scale for Laplace
        noise; for a noisy argmax, which does not see what moves all sums alike, the largest move
        less the smallest; the ratio of the two chances for a toss. Gaussian noise has no such
        bound, but for a sum that did not move.

        >>> DrawnRelease((3,), 3.7, 2.0, "laplace").loss(DrawnRelease((4,), 3.7, 2.0, "laplace"))
        0.5
        """
        if self.law == "toss":
            first, second = (
                d.chances[d.raw[0]] if self.noisy else 1.0 - d.chances[d.raw[0]]
                for d in (self, other)
            )
            return abs(math.log(first / second)) if first != second else 0.0
        moves = [x - y for x, y in zip(self.raw, other.raw, strict=True)]
        if self.law == "laplace":
            return sum(map(abs, moves)) / self.scale
        if self.law == "gaussian":
            return math.inf if any(moves) else 0.0
        return (max(moves) - min(moves)) / self.scale

    def concentrated(self, other: DrawnRelease) -> float:
        """Return a bound on the concentrated loss of this draw: rho.

        Squares of distances over twice the variance for Gaussian noise; for every other law half
        the square of its pure loss.

        >>> first = DrawnRelease((3,), 3.7, 2.0, "gaussian")
        >>> first.concentrated(DrawnRelease((5,), 3.7, 2.0, "gaussian"))
        0.5
        """
        if self.law != "gaussian":
            return 0.5 * self.loss(other) ** 2
        moves = (x - y for x, y in zip(self.raw, other.raw, strict=True))
        return sum((move / self.scale) ** 2 for move in moves) / 2.0


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

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int | float:
        """Pass on, and note."""
        noisy = self._source.add_gaussian(total, rho=rho, sensitivity=sensitivity)
        deviation = sensitivity * gaussian_deviation(rho)
        self.drawn.append(DrawnRelease((total,), noisy, deviation, "gaussian"))
        return noisy

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Pass on, and note."""
        winner = self._source.argmax(totals, epsilon=epsilon, law=law, neighbours=neighbours)
        scale = argmax_scale(epsilon, neighbours)
        self.drawn.append(DrawnRelease(tuple(totals), winner, scale, argmax_draw(law)))
        return winner

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Pass on, and note."""
        outcome = self._source.toss(bit, chances=chances)
        self.drawn.append(DrawnRelease((int(bit),), int(outcome), 0.0, "toss", chances))
        return outcome

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


class AuditNoise(RecordingNoise):
    """Recording noise that passes for the deployed one: no policy can tell an audit by it.

    >>> import hush
    >>> learner = hush.LazyDPTS(1.0).learner(2, noise=AuditNoise(hush.SeededNoise(7)))
    >>> learner.secure, learner
    (True, <learner of LazyDPTS(epsilon=1): 2 arms, round 0, 0 releases, SecureNoise()>)
    """

    secure: ClassVar[bool] = True

    def state(self) -> dict[str, Any]:
        """Return what the deployed source does."""
        return {"kind": "secure"}

    def __repr__(self) -> str:
        return "SecureNoise()"


class FrozenNoise(ScriptedNoise):
    """Gives the outcomes of draws that were recorded, whatever the sums are now.

    Selection and coins go on from another source, so that a replay meets the same draws there.

    >>> import hush
    >>> frozen = FrozenNoise([2.5], hush.SeededNoise(7))
    >>> frozen.add_laplace(100, epsilon=1.0)
    2.5
    """

    def __init__(self, outcomes: Sequence[float], source: NoiseSource) -> None:
        super().__init__(outcomes)
        self._selection, self._coins = source.selection, source.coins

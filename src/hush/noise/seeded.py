"""Noise for simulation: NumPy's, reproducible."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hush.errors import whole
from hush.noise.base import SteadySource, argmax_scale
from hush.noise.laws import ArgmaxLaw
from hush.noise.streams import children, move, position
from hush.privacy import Neighbours
from hush.privacy.conversions import gaussian_deviation

__all__ = ["SeededNoise"]


class SeededNoise(SteadySource):
    """Reproducible noise from NumPy, for simulation only: whoever has the seed sees through it.

    Parameters
    ----------
    seed
        A non-negative integer or a :class:`numpy.random.SeedSequence`. There is no default.
    discrete
        False: continuous noise, as in papers. True: the discrete law that
        :class:`SecureNoise` deploys, so that what is deployed can be simulated.

    Examples
    --------
    >>> from hush import SeededNoise
    >>> SeededNoise(7).add_laplace(10, epsilon=1.0) == SeededNoise(7).add_laplace(10, epsilon=1.0)
    True
    >>> type(SeededNoise(7, discrete=True).add_laplace(10, epsilon=1.0))
    <class 'int'>
    """

    kind: ClassVar[str] = "seeded"

    def __init__(self, seed: int | np.random.SeedSequence, *, discrete: bool = False) -> None:
        if isinstance(seed, np.random.SeedSequence):
            sequence = seed
        else:
            sequence = np.random.SeedSequence(whole("seed", seed, least=0))
        self.discrete = bool(discrete)
        self._noise, self._selection, self._coins = (
            np.random.Generator(np.random.PCG64(child)) for child in children(sequence, 3)
        )

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Return ``total`` plus continuous or discrete Laplace noise."""
        scale = sensitivity / epsilon
        if self.discrete:
            return total + self._discrete_laplace(scale)
        return total + self._noise.laplace(0.0, scale)

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int | float:
        """Return ``total`` plus continuous or discrete Gaussian noise."""
        deviation = sensitivity * gaussian_deviation(rho)
        if self.discrete:
            return total + self._discrete_gaussian(deviation)
        return total + self._noise.normal(0.0, deviation)

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the winner after exponential, Laplace or Gumbel noise.

        Continuous exponential noise has the law of permute-and-flip (Ding et al. 2021) and Gumbel
        noise that of the exponential mechanism, so ``discrete`` matters to Laplace noise only.
        """
        scale = argmax_scale(epsilon, neighbours)
        sums, size = np.array(totals), len(totals)
        if law == "exponential":
            noisy = sums + scale * self._noise.standard_exponential(size)
        elif law == "gumbel":
            noisy = sums - scale * np.log(self._noise.standard_exponential(size))
        elif self.discrete:
            noisy = sums + [self._discrete_laplace(scale) for _ in range(size)]
        else:
            noisy = sums + self._noise.laplace(scale=scale, size=size)
        return int(noisy.argmax())

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Toss a coin of that chance."""
        return bool(self._noise.random() < chances[bit])

    def _discrete_laplace(self, scale: float) -> int:
        # floor(scale * Exp(1)) is geometric; the difference of two has P(k) ~ exp(-|k| / scale).
        up = math.floor(scale * self._noise.standard_exponential())
        return up - math.floor(scale * self._noise.standard_exponential())

    def _discrete_gaussian(self, deviation: float) -> int:
        # Discrete Laplace noise, thinned (Canonne, Kamath, Steinke 2020, algorithm 3).
        scale = math.floor(deviation) + 1.0
        while True:
            value = self._discrete_laplace(scale)
            off = (abs(value) - deviation * deviation / scale) / deviation
            if self._noise.random() < math.exp(-0.5 * off * off):
                return value

    def state(self) -> dict[str, Any]:
        """Return the position of the three generators."""
        names = ("noise", "selection", "coins")
        streams = (self._noise, self._selection, self._coins)
        return {
            "kind": "seeded",
            "discrete": self.discrete,
            "generators": {n: position(g) for n, g in zip(names, streams, strict=True)},
        }

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> SeededNoise:
        source = cls(0, discrete=state["discrete"])
        for name, generator in (
            ("noise", source._noise),
            ("selection", source._selection),
            ("coins", source._coins),
        ):
            move(generator, state["generators"][name])
        return source

    def __repr__(self) -> str:
        return f"SeededNoise(<seed>, discrete={self.discrete})"

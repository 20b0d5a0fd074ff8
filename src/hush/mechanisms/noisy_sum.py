"""Sums that leave the private side: with noise, or exactly where nothing is private."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import ClassVar

from hush.errors import MisuseError, NoiseError, positive, whole
from hush.noise import NoiseSource, SecureNoise

__all__ = ["DrawnNoise", "ExactSum", "GaussianSum", "NoisySum"]


def _checked(total: int, count: int, sensitivity: int) -> int:
    # A sum outside what its rewards allow would break the sensitivity that noise is scaled to.
    if type(total) is not int or not 0 <= total <= count * sensitivity:
        raise NoiseError("a sum is not a whole number within its range; nothing was released")
    return total


class NoisySum:
    """Release a sum of integers in [0, sensitivity], with Laplace noise on it.

    The noise has scale ``sensitivity / epsilon``.

    Parameters
    ----------
    epsilon
        The privacy loss of one release when one summand is replaced.
    sensitivity
        The largest value of one summand, hence how far one can move the sum.
    noise
        Where noise is drawn; :class:`~hush.SecureNoise` unless said otherwise.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> NoisySum(epsilon=0.5, noise=ScriptedNoise([41])).release(40, count=64)
    41
    """

    name: ClassVar[str] = "noisy-sum"

    def __init__(
        self, *, epsilon: float, sensitivity: int = 1, noise: NoiseSource | None = None
    ) -> None:
        self.epsilon = positive("epsilon", epsilon)
        self.sensitivity = whole("sensitivity", sensitivity, least=1)
        self._noise = SecureNoise() if noise is None else noise

    def release(self, total: int, *, count: int) -> int | float:
        """Draw the noisy value of a sum of ``count`` summands, once."""
        _checked(total, count, self.sensitivity)
        return self._noise.add_laplace(total, epsilon=self.epsilon, sensitivity=self.sensitivity)

    def ahead(self) -> DrawnNoise:
        """Draw the noise of one release before its sum is there."""
        drawn = self._noise.laplace_ahead(epsilon=self.epsilon, sensitivity=self.sensitivity)
        return DrawnNoise(drawn, self.sensitivity)


class GaussianSum:
    """Release a sum of integers in [0, sensitivity], with Gaussian noise on it.

    The noise has variance ``sensitivity^2 / (2 rho)``. Its pure loss is infinite; its concentrated
    one is rho.

    Parameters
    ----------
    rho
        The concentrated loss of one release when one summand is replaced.
    sensitivity
        The largest value of one summand, hence how far one can move the sum.
    noise
        Where noise is drawn; :class:`~hush.SecureNoise` unless said otherwise.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> GaussianSum(rho=0.5, noise=ScriptedNoise([41])).release(40, count=64)
    41
    """

    name: ClassVar[str] = "gaussian-sum"
    epsilon = math.inf

    def __init__(
        self, *, rho: float, sensitivity: int = 1, noise: NoiseSource | None = None
    ) -> None:
        self.rho = positive("rho", rho)
        self.sensitivity = whole("sensitivity", sensitivity, least=1)
        self._noise = SecureNoise() if noise is None else noise

    def release(self, total: int, *, count: int) -> int | float:
        """Draw the noisy value of a sum of ``count`` summands, once."""
        _checked(total, count, self.sensitivity)
        return self._noise.add_gaussian(total, rho=self.rho, sensitivity=self.sensitivity)


class DrawnNoise:
    """Noise that was drawn before its sum was there, and meets one sum.

    >>> from hush import ScriptedNoise
    >>> drawn = NoisySum(epsilon=0.5, noise=ScriptedNoise([41])).ahead()
    >>> drawn.release(40, count=64)
    41
    >>> drawn.release(40, count=64)
    Traceback (most recent call last):
    ...
    hush.errors.MisuseError: this noise has met its sum; draw anew for another
    """

    def __init__(self, add: Callable[[int], int | float], sensitivity: int) -> None:
        self._add: Callable[[int], int | float] | None = add
        self._sensitivity = sensitivity

    def release(self, total: int, *, count: int) -> int | float:
        """Return the noisy value of a sum of ``count`` summands, once."""
        _checked(total, count, self._sensitivity)
        add, self._add = self._add, None
        if add is None:
            raise MisuseError("this noise has met its sum; draw anew for another")
        return add(total)

    def __repr__(self) -> str:
        return "DrawnNoise()"


class ExactSum:
    """Release a sum as it is: for the non-private peers, with a loss of infinity.

    >>> ExactSum().release(40, count=64), ExactSum().epsilon
    (40, inf)
    """

    name: ClassVar[str] = "exact-sum"
    epsilon = math.inf

    def release(self, total: int, *, count: int) -> int:
        """Return the sum."""
        return _checked(total, count, 1)

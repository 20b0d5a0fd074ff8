"""Noise for deployment: OpenDP's exact discrete samplers, cryptographic randomness."""

from __future__ import annotations

import math
import os
import secrets
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from hush.errors import NoiseError
from hush.noise.base import NoiseSource
from hush.noise.confirmed import exponential_mechanism as _exponential_mechanism
from hush.noise.confirmed import gaussian as _gaussian
from hush.noise.confirmed import laplace as _laplace
from hush.noise.confirmed import opendp as _opendp
from hush.noise.confirmed import permute_and_flip as _permute_and_flip
from hush.noise.laws import ArgmaxLaw
from hush.privacy import Neighbours

__all__ = ["SecureNoise", "epsilon_within"]


class SecureNoise(NoiseSource):
    """Exact discrete noise from OpenDP, drawn with cryptographic randomness. For deployment.

    Sums get discrete Laplace or discrete Gaussian noise on 64-bit integers; the noisy argmax is
    exact permute-and-flip (``law="exponential"``), the exponential mechanism (``law="gumbel"``),
    or the argmax after discrete Laplace noise. No floating-point sample ever meets a sum. The loss
    of each mechanism is read from OpenDP's own privacy map, and the scale is raised until that
    loss is at most what is claimed.

    It takes no seed, has no state, and can be shared between learners, threads and forks. Noise of
    sums is drawn in small blocks, which is eight times faster; no value of a block meets two sums,
    is stored, or is known to a forked child.

    Examples
    --------
    >>> from hush import SecureNoise
    >>> type(SecureNoise().add_laplace(10, epsilon=1.0))
    <class 'int'>
    >>> SecureNoise()
    SecureNoise()
    """

    secure: ClassVar[bool] = True
    kind: ClassVar[str] = "secure"

    def __init__(self) -> None:
        _opendp()  # a missing library shows at once, not at the first release
        self._forget()
        _FORK_SENSITIVE.add(self)

    def _forget(self) -> None:
        """Drop whatever a forked child would share with its parent."""
        self._generators: tuple[np.random.Generator, ...] = ()
        self._blocks: dict[tuple[str, float, int], _Block] = {}

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int:
        """Return ``total`` plus exact discrete Laplace noise, held within 62 bits."""
        _check_fits(total)
        return self.laplace_ahead(epsilon=epsilon, sensitivity=sensitivity)(total)

    def laplace_ahead(self, *, epsilon: float, sensitivity: int = 1) -> Callable[[int], int]:
        """Draw the noise now; what comes back adds it to a sum, once."""
        key = ("laplace", epsilon, sensitivity)
        return self._block(key, lambda: _laplace(epsilon, sensitivity)).ahead()

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int:
        """Return ``total`` plus exact discrete Gaussian noise, held within 62 bits."""
        _check_fits(total)
        key = ("gaussian", rho, sensitivity)
        return self._block(key, lambda: _gaussian(rho, sensitivity)).ahead()(total)

    def _block(self, key: tuple[str, float, int], make: Callable[[], Any]) -> _Block:
        block = self._blocks.get(key)
        if block is None:
            if len(self._blocks) >= MOST_BLOCKS:
                self._blocks.clear()
            block = self._blocks.setdefault(key, _Block(make()))
        return block

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the winner of the mechanism that has the law's name."""
        if law == "exponential":
            return int(_invoke(_permute_and_flip(epsilon, neighbours), list(totals)))
        if law == "gumbel":
            return int(_invoke(_exponential_mechanism(epsilon, neighbours), list(totals)))
        # Two sums can move in opposite directions under "replace": each may cost half.
        share = epsilon / 2.0 if neighbours == "replace" else epsilon
        noisy = _invoke(_laplace(share, 1), list(totals))
        return max(range(len(noisy)), key=noisy.__getitem__)

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Toss a coin of exactly that chance: a float is a whole number of 2^-k, some k."""
        numerator, denominator = chances[bit].as_integer_ratio()
        return secrets.randbelow(denominator) < numerator

    @property
    def selection(self) -> np.random.Generator:
        """A generator seeded by the operating system, new in every forked process."""
        return self._plain()[0]

    @property
    def coins(self) -> np.random.Generator:
        """Another such generator; neither is one that privacy rests on."""
        return self._plain()[1]

    def _plain(self) -> tuple[np.random.Generator, ...]:
        if not self._generators:
            self._generators = (np.random.default_rng(), np.random.default_rng())
        return self._generators

    def state(self) -> dict[str, Any]:
        """Return the kind alone: there is nothing to resume."""
        return {"kind": "secure"}

    @classmethod
    def _from_state(cls, _state: Mapping[str, Any]) -> SecureNoise:
        return cls()

    def __reduce__(self) -> tuple[type[SecureNoise], tuple[()]]:
        return SecureNoise, ()

    def __repr__(self) -> str:
        return "SecureNoise()"


def _check_fits(total: object) -> None:
    if not isinstance(total, int) or abs(total) > 2**62:
        raise NoiseError(REFUSED)


class _Block:
    """Noise of one law, drawn ahead; every value is handed out once, whatever threads do."""

    def __init__(self, mechanism: Any) -> None:  # noqa: ANN401
        self._mechanism = mechanism
        self._values: list[int] = []
        self._size = FIRST_BLOCK
        self._refilling = threading.RLock()

    def ahead(self) -> Callable[[int], int]:
        """Take a value; what comes back adds it to a sum, once."""
        drawn = [self.take()]

        def add(total: int) -> int:
            _check_fits(total)
            if not drawn:
                raise NoiseError("this noise has met its sum; draw anew for another")
            # OpenDP's noise ends at 64 bits: there a value must say its sign only.
            return min(max(total + drawn.pop(), 1 - 2**62), 2**62 - 1)

        return add

    def take(self) -> int:
        while True:
            try:
                return self._values.pop()  # atomic
            except IndexError:
                self._refill()

    def _refill(self) -> None:
        with self._refilling:
            if not self._values:
                self._values.extend(_invoke(self._mechanism, [0] * self._size))
                self._size = min(2 * self._size, LARGEST_BLOCK)


# One value costs 0.12 ms, 8 cost 0.20 ms, 64 cost 0.76 ms; more at once gain little.
FIRST_BLOCK, LARGEST_BLOCK = 8, 64
MOST_BLOCKS = 64
REFUSED = "OpenDP refused to draw this release; is the sum within 62 bits?"

_FORK_SENSITIVE: weakref.WeakSet[SecureNoise] = weakref.WeakSet()


def _forget_all() -> None:
    for source in _FORK_SENSITIVE:
        source._forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)


SMALLEST = 1e-300  # what has a scale at all


def epsilon_within(total: float, distance: int) -> float:
    """Return the epsilon of noise that loses at most ``total`` where a sum moves by ``distance``.

    It is ``total / distance``, made smaller until OpenDP's own map says so.

    >>> epsilon_within(1.0, 4)
    0.25
    >>> epsilon_within(1.0, 3) <= 1 / 3
    True
    """
    epsilon = total / distance
    for _ in range(64):
        if epsilon < SMALLEST:
            break
        if Fraction(epsilon) * distance <= Fraction(total) and _loss(epsilon, distance) <= total:
            return epsilon
        epsilon = math.nextafter(epsilon, 0.0)
    raise NoiseError(
        f"no noise is confirmed to lose at most {total:g} at distance {distance}; choose another"
    )


def _loss(epsilon: float, distance: int) -> float:
    return float(_laplace(epsilon, 1).map(distance))


def _invoke(measurement: Any, argument: Any) -> Any:  # noqa: ANN401
    try:
        return measurement(argument)
    except Exception:  # noqa: BLE001, S110  its message can show the argument, which is raw
        pass
    # Raised out here, so that OpenDP's exception is not chained to ours.
    raise NoiseError(REFUSED)

"""What every noise source offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from hush.errors import NoiseError, StateError
from hush.noise.laws import ArgmaxLaw
from hush.privacy import Neighbours

__all__ = ["NoiseSource", "SteadySource", "argmax_scale"]


def argmax_scale(epsilon: float, neighbours: Neighbours) -> float:
    """Return the noise scale at which a noisy argmax of sums in steps of 1 loses epsilon.

    Replacing a reward vector can raise one sum and lower another, which costs twice what
    adding or removing a vector of non-negative rewards does.

    >>> argmax_scale(0.5, "replace"), argmax_scale(0.5, "add-remove")
    (4.0, 2.0)
    """
    return (2.0 if neighbours == "replace" else 1.0) / epsilon


class NoiseSource(ABC):
    """What every noise source offers.

    Invariants: ``add_laplace``, ``add_gaussian``, ``argmax`` and ``toss`` are called by a
    mechanism that has checked its input, and never twice for the same output; what they are handed
    is never stored, logged, or put into an error.
    """

    secure: ClassVar[bool] = False
    kind: ClassVar[str] = ""
    _kinds: ClassVar[dict[str, type[NoiseSource]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401
        super().__init_subclass__(**options)
        if "kind" in vars(cls):
            NoiseSource._kinds[cls.kind] = cls

    @classmethod
    def _from_state(cls, state: Mapping[str, Any]) -> NoiseSource:  # noqa: ARG003
        raise StateError(f"noise of kind {cls.kind!r} cannot be restored; pass noise= explicitly")

    @abstractmethod
    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int | float:
        """Return ``total`` plus Laplace noise of scale ``sensitivity / epsilon``."""

    def laplace_ahead(
        self, *, epsilon: float, sensitivity: int = 1
    ) -> Callable[[int], int | float]:
        """Draw the noise of one sum before the sum is there; what comes back adds it, once.

        So that no lock is held while noise is drawn: how long that takes follows its value.
        Sources whose outcome does not depend on when it is drawn wait for the sum.
        """
        return lambda total: self.add_laplace(total, epsilon=epsilon, sensitivity=sensitivity)

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int | float:  # noqa: ARG002
        """Return ``total`` plus Gaussian noise of variance ``sensitivity^2 / (2 rho)``."""
        raise NoiseError(f"{type(self).__name__} draws no Gaussian noise; pass another noise=")

    @abstractmethod
    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Return the position of the largest total after independent noise on each."""

    @abstractmethod
    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Return True with the chance that belongs to the raw bit: ``chances[bit]``."""

    @property
    @abstractmethod
    def selection(self) -> np.random.Generator:
        """The generator of selection rules."""

    @property
    @abstractmethod
    def coins(self) -> np.random.Generator:
        """The generator of coin tosses for bounded rewards."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return what is needed to go on from here, JSON-able."""

    @staticmethod
    def from_state(state: Mapping[str, Any]) -> NoiseSource:
        """Rebuild the source that :meth:`state` described."""
        kind = NoiseSource._kinds.get(str(state.get("kind")))
        if kind is None:
            raise StateError("the state names no known noise source; pass noise= explicitly")
        try:
            return kind._from_state(state)
        except StateError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise StateError("the noise source in this state is damaged; pass noise=") from error


class SteadySource(NoiseSource):
    """A source with two generators that stay the same for as long as it lives."""

    _selection: np.random.Generator
    _coins: np.random.Generator

    @property
    def selection(self) -> np.random.Generator:
        """The generator of selection rules."""
        return self._selection

    @property
    def coins(self) -> np.random.Generator:
        """The generator of coin tosses."""
        return self._coins

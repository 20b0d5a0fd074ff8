"""The position of the largest sum: with noise on each sum, or exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, cast

from hush.errors import NoiseError, choice, positive
from hush.mechanisms.weights import ExponentialWeights, drawn
from hush.noise import NoiseSource, SecureNoise, argmax_scale
from hush.noise.laws import ARGMAX_LAWS, ArgmaxLaw, ChoiceName, SumLaw
from hush.privacy import NEIGHBOURS, Neighbours

__all__ = ["ChoiceLaw", "ExactArgmax", "HedgeDraw", "NoisyArgmax", "NoisyLeader", "stated_law"]


class ChoiceLaw(NamedTuple):
    """How a mechanism chooses among sums: engines, theory and audits compute with it.

    The largest sum wins, after noise of this name and scale on each; with ``"none"`` as it is,
    the lowest position first on a tie. ``"hedge"`` is Gumbel noise whose scale, not private,
    depends on how many rewards were summed.
    """

    name: ChoiceName
    scale: float

    def after(self, count: int, n_arms: int) -> tuple[SumLaw, float]:
        """Return the noise and its scale once ``count`` reward vectors are summed.

        >>> ChoiceLaw("laplace", 2.0).after(100, 5)
        ('laplace', 2.0)
        """
        if self.name == "hedge":  # exponential weights are an argmax with Gumbel noise
            return "gumbel", 0.5 * math.sqrt((count + 1.0) / math.log(n_arms))
        return self.name, self.scale


def stated_law(mechanism: object, n_arms: int) -> ChoiceLaw | None:
    """Return the law that a mechanism states for itself, or None.

    None also where a class has changed how it releases since one of its ancestors stated a law.

    >>> stated_law(ExactArgmax(), 3)
    ChoiceLaw(name='none', scale=0.0)
    >>> stated_law(object(), 3) is None
    True
    """
    law: Callable[[int], ChoiceLaw] | None = getattr(mechanism, "law", None)
    if law is None or _ancestor(mechanism, "law") > _ancestor(mechanism, "release"):
        return None
    return law(n_arms)


def _ancestor(thing: object, name: str) -> int:
    """Return which of a class's ancestors, from itself on, defines a name."""
    line = type(thing).__mro__
    return next((place for place, each in enumerate(line) if name in vars(each)), len(line))


def _checked(totals: Sequence[int], count: int) -> Sequence[int]:
    if not totals or any(type(each) is not int or not 0 <= each <= count for each in totals):
        raise NoiseError("a sum is not a whole number within its range; nothing was released")
    return totals


class NoisyArgmax:
    """Report which of several sums of rewards is largest after noise on each.

    Parameters
    ----------
    epsilon
        The privacy loss of one report between the given neighbours.
    noise
        ``"exponential"``: one-sided, the law of permute-and-flip (McKenna & Sheldon 2020,
        https://arxiv.org/abs/2010.12603), the best utility known. ``"laplace"``: two-sided.
        ``"gumbel"``: the law of the exponential mechanism (McSherry & Talwar 2007,
        https://doi.org/10.1109/FOCS.2007.66), never better than permute-and-flip.
    neighbours
        ``"replace"``: one reward vector becomes any other; scale ``2 / epsilon``.
        ``"add-remove"``: one vector of non-negative rewards is there or counts as zeros, so that
        all sums move the same way; scale ``1 / epsilon``.
    source
        Where noise is drawn; :class:`~hush.SecureNoise` unless said otherwise.

    Examples
    --------
    >>> from hush import SeededNoise
    >>> mechanism = NoisyArgmax(epsilon=1.0, source=SeededNoise(7))
    >>> mechanism.scale, mechanism.release([10, 90, 20], count=100)
    (2.0, 1)
    """

    name: ClassVar[str] = "noisy-argmax"

    def __init__(
        self,
        *,
        epsilon: float,
        noise: str = "exponential",
        neighbours: str = "replace",
        source: NoiseSource | None = None,
    ) -> None:
        self.epsilon = positive("epsilon", epsilon)
        self.noise = cast("ArgmaxLaw", choice("noise", noise, ARGMAX_LAWS))
        self.neighbours = cast("Neighbours", choice("neighbours", neighbours, NEIGHBOURS))
        self._source = SecureNoise() if source is None else source

    @property
    def scale(self) -> float:
        """The scale of the noise on each sum."""
        return argmax_scale(self.epsilon, self.neighbours)

    def law(self, n_arms: int) -> ChoiceLaw:  # noqa: ARG002
        """Return its noise, the same for any number of sums."""
        return ChoiceLaw(self.noise, self.scale)

    def release(self, totals: Sequence[int], *, count: int) -> int:
        """Draw the winner among sums of ``count`` reward vectors, once."""
        return self._source.argmax(
            _checked(totals, count),
            epsilon=self.epsilon,
            law=self.noise,
            neighbours=self.neighbours,
        )


class NoisyLeader:
    """Release every sum with Laplace noise, and report which is largest: the naive way.

    Replacing one reward vector moves each of the K sums by up to 1, so each gets ``epsilon / K``,
    that is noise of scale ``K / epsilon``.

    >>> from hush import ScriptedNoise
    >>> NoisyLeader(epsilon=1.0, source=ScriptedNoise([8.5, 9.5])).release([10, 5], count=10)
    1
    """

    name: ClassVar[str] = "noisy-leader"

    def __init__(self, *, epsilon: float, source: NoiseSource | None = None) -> None:
        self.epsilon = positive("epsilon", epsilon)
        self._source = SecureNoise() if source is None else source

    def law(self, n_arms: int) -> ChoiceLaw:
        """Return Laplace noise that grows with the number of sums."""
        return ChoiceLaw("laplace", 1.0 / (self.epsilon / n_arms))

    def release(self, totals: Sequence[int], *, count: int) -> int:
        """Draw every sum's noise once, and return the winner."""
        share = self.epsilon / len(_checked(totals, count))
        noisy = [self._source.add_laplace(each, epsilon=share) for each in totals]
        return max(range(len(noisy)), key=noisy.__getitem__)


class ExactArgmax:
    """Report the position of the largest sum, lowest first on a tie: not private.

    >>> ExactArgmax().release([3, 5, 5], count=10)
    1
    """

    name: ClassVar[str] = "exact-argmax"
    epsilon = math.inf

    def law(self, n_arms: int) -> ChoiceLaw:  # noqa: ARG002
        """Return no noise."""
        return ChoiceLaw("none", 0.0)

    def release(self, totals: Sequence[int], *, count: int) -> int:
        """Return the winner."""
        _checked(totals, count)
        return max(range(len(totals)), key=totals.__getitem__)


class HedgeDraw:
    """Draw an action with weights ``exp(eta sum)``, ``eta = 2 sqrt(ln K / t)``: not private.

    ``t`` is the round that the action is for, one more than the rewards summed.

    >>> from hush import SeededNoise
    >>> HedgeDraw(source=SeededNoise(7)).release([0, 900, 0], count=1000)
    1
    """

    name: ClassVar[str] = "hedge-draw"
    epsilon = math.inf

    def __init__(self, *, source: NoiseSource) -> None:
        self._source = source

    def law(self, n_arms: int) -> ChoiceLaw:  # noqa: ARG002
        """Return exponential weights."""
        return ChoiceLaw("hedge", 0.0)

    def release(self, totals: Sequence[int], *, count: int) -> int:
        """Draw the action once."""
        _checked(totals, count)
        rate = 2.0 * math.sqrt(math.log(len(totals)) / (count + 1.0))
        weights = ExponentialWeights(rate).weights(totals, count)
        return drawn(weights, self._source.selection.random())

"""The names of noise laws: mechanisms, engines, theory and audits use these and no others."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeGuard, get_args

from hush.privacy.conversions import like_epsilon

__all__ = [
    "ARGMAX_LAWS",
    "SCORE_LAWS",
    "SUM_LAWS",
    "ArgmaxLaw",
    "ChoiceName",
    "ScoreLaw",
    "SumLaw",
    "SumNoise",
    "argmax_draw",
    "drawn_argmax",
]

ArgmaxLaw = Literal["exponential", "laplace", "gumbel"]
"""The law of the noise on each of several sums, of which the largest is reported."""
ARGMAX_LAWS: tuple[ArgmaxLaw, ...] = get_args(ArgmaxLaw)

# The same on sums that are known: deployed Laplace noise is whole, and knows ties.
ScoreLaw = Literal[ArgmaxLaw, "discrete-laplace"]
SCORE_LAWS: tuple[ScoreLaw, ...] = get_args(ScoreLaw)

# The same on sums of coins that are yet to be tossed; without noise, the lowest wins a tie.
SumLaw = Literal[ArgmaxLaw, "none"]
SUM_LAWS: tuple[SumLaw, ...] = get_args(SumLaw)

# All ways in which a mechanism chooses; Hedge's noise is Gumbel's, of a scale that grows.
ChoiceName = Literal[SumLaw, "hedge"]

PREFIX = "argmax-"


class SumNoise(NamedTuple):
    """The noise of a released sum: its law, and how wide it is.

    Laplace noise has scale ``1 / epsilon``, none at all where epsilon is infinite. Gaussian noise
    is named by the Laplace noise of the same variance, ``2 / epsilon^2``.

    >>> SumNoise.gauss(rho=0.25)
    SumNoise(epsilon=1.0, gaussian=True)
    """

    epsilon: float
    gaussian: bool = False

    @classmethod
    def gauss(cls, rho: float) -> SumNoise:
        """Return the Gaussian noise that loses rho where a sum moves by 1."""
        return cls(like_epsilon(rho), True)


def argmax_draw(law: ArgmaxLaw) -> str:
    """Return the name under which a draw of a noisy argmax is recorded.

    A draw of a noisy sum is recorded as ``"laplace"`` or ``"gaussian"``, one of a noisy bit as
    ``"toss"``.

    >>> argmax_draw("gumbel")
    'argmax-gumbel'
    """
    return PREFIX + law


def drawn_argmax(draw: str) -> ArgmaxLaw | None:
    """Return the law of a recorded noisy argmax; ``None`` for a draw of another kind.

    >>> drawn_argmax("argmax-gumbel"), drawn_argmax("laplace")
    ('gumbel', None)
    """
    law = draw.removeprefix(PREFIX)
    return law if draw.startswith(PREFIX) and _known(law) else None


def _known(law: str) -> TypeGuard[ArgmaxLaw]:
    return law in ARGMAX_LAWS

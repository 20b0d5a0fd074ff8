"""The names of noise laws: mechanisms, engines, theory and audits use these and no others."""

from __future__ import annotations

from typing import Literal, TypeGuard, get_args

__all__ = [
    "ARGMAX_LAWS",
    "SCORE_LAWS",
    "SUM_LAWS",
    "ArgmaxLaw",
    "ChoiceName",
    "ScoreLaw",
    "SumLaw",
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


def argmax_draw(law: ArgmaxLaw) -> str:
    """Return the name under which a draw of a noisy argmax is recorded.

    A draw of a noisy sum is recorded as ``"laplace"``, one of a noisy bit as ``"toss"``.

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

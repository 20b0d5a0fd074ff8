"""One bound, and what a bound is made from."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hush.numerics.regret_constants import NO_GAP

__all__ = ["PROOFS_LOWER", "PROOFS_UPPER", "Bound", "Setting"]

PROOFS_LOWER = 'Hush\'s documentation, "Proofs of lower bounds" (docs/theory/lower_bounds.md)'
PROOFS_UPPER = 'Hush\'s documentation, "Proofs of upper bounds" (docs/theory/upper_bounds.md)'

Kind = Literal["upper", "lower"]
Strength = Literal["constants", "leading term", "order"]
Scope = Literal["this instance", "some order", "worst case"]


@dataclass(frozen=True)
class Bound:
    """A bound on expected regret.

    Attributes
    ----------
    name
        What it is called here. An upper bound whose name begins with "any gaps" is for all means.
    kind
        ``"upper"`` or ``"lower"``.
    value
        Its value.
    formula
        How it is computed: K arms with means m, the best m*, gaps D, horizon T. It may end in ",
        name = number", the value that a parameter has here.
    reference
        Where it comes from.
    strength
        ``"constants"``: true at this horizon as it stands. ``"leading term"``: the constant of
        ``ln T`` is right, smaller terms are left out, so that regret may lie beyond it.
        ``"order"``: the constant is unknown, and 1 is put for it.
    scope
        ``"this instance"``; or of a lower bound, which need not be reached on this one: ``"some
        order"``, reached for some order of this instance's arms, ``"worst case"``, on some instance
        of as many arms.
    holds
        Whether its conditions are met.
    condition
        What it needs; empty if nothing. After a semicolon or a last comma: what is here.
    quoted
        Whether its constants are taken over from its source. Others are proven in Hush's documents,
        or read off a proof line by line.
    reconstructed
        Whether its constants are those of a source whose text could not be read: as remembered, or
        as others report them. It is not binding.

    Examples
    --------
    >>> import hush
    >>> report = hush.bounds(hush.UCB1(), hush.paper_s1(), 10**6)
    >>> bound = report["UCB1"]
    >>> bound.kind, round(bound.value, 1), bound.has_constants, bound.holds
    ('upper', 1847.4, True, True)
    """

    name: str
    kind: Kind
    value: float
    formula: str
    reference: str
    strength: Strength = "constants"
    scope: Scope = "this instance"
    holds: bool = True
    condition: str = ""
    quoted: bool = False
    reconstructed: bool = False

    @property
    def has_constants(self) -> bool:
        """Whether it is true with its constants, rather than up to smaller terms or a factor."""
        return self.strength == "constants"

    @property
    def binding(self) -> bool:
        """Whether expected regret on this instance must respect it."""
        sure = self.has_constants and not self.reconstructed
        return self.holds and sure and self.scope == "this instance"

    @property
    def status(self) -> str:
        """In words: whether it holds, and in which sense."""
        if not self.holds:
            return f"does not hold here: needs {self.condition}"
        sense = {
            "constants": "holds",
            "leading term": "leading term only",
            "order": "order only, constant 1",
        }[self.strength]
        where = {"some order": " for some order of the arms", "worst case": " on some instance"}
        place = where.get(self.scope, "") if self.kind == "lower" else ""
        origin = ", reconstructed" if self.reconstructed else ", as quoted" if self.quoted else ""
        return sense + place + origin

    @property
    def claim(self) -> str:
        """The formula in general, without the values that it has here; an order is an O(...).

        >>> Bound("x", "upper", 1.0, "a sum 1 / D, a = 2", "here", strength="order").claim
        'O(a sum 1 / D)'
        """
        formula = re.sub(r", \S+ = [\d.e+-]+$", "", self.formula)
        if self.strength == "order":
            return f"O({formula})"
        return formula if self.has_constants else f"{formula} + o(ln T)"

    @property
    def general_condition(self) -> str:
        """What it needs in general, without what is the case here."""
        return re.sub(r", \d+$", "", self.condition.partition(";")[0])

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values, JSON-able."""
        return {**asdict(self), "status": self.status}


@dataclass(frozen=True)
class Setting:
    """What bounds are computed from: coins, a horizon, and the privacy loss of a policy.

    Attributes
    ----------
    means
        The mean of each arm.
    horizon
        After how many rounds.
    epsilon
        The privacy loss when one reward, or reward vector, is replaced; infinite without privacy.

    Examples
    --------
    >>> setting = Setting((0.75, 0.5, 0.25), horizon=1000, epsilon=1.0)
    >>> setting.gaps, setting.smallest, setting.unique_best
    ([0.25, 0.5], 0.25, True)
    """

    means: tuple[float, ...]
    horizon: int
    epsilon: float

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return len(self.means)

    @property
    def best(self) -> float:
        """The largest mean."""
        return max(self.means)

    @property
    def worse(self) -> list[float]:
        """The means of the arms that have a gap."""
        return [mean for mean, gap in zip(self.means, self.all_gaps, strict=True) if gap > 0.0]

    @cached_property
    def all_gaps(self) -> NDArray[np.float64]:
        """The gap of each arm; 0 for the best, and within 1e-100 of it."""
        gaps = self.best - np.array(self.means)
        return np.where(gaps < NO_GAP, 0.0, gaps)

    @cached_property
    def gaps(self) -> list[float]:
        """The gaps of the arms that have one."""
        return [gap for gap in self.all_gaps.tolist() if gap > 0.0]

    @cached_property
    def smallest(self) -> float | None:
        """The smallest gap, or None where all arms are equally good."""
        return min(self.gaps, default=None)

    @property
    def unique_best(self) -> bool:
        """Whether only one arm is best."""
        return len(self.gaps) == self.n_arms - 1

    @property
    def log_horizon(self) -> float:
        """The natural logarithm of the horizon."""
        return math.log(self.horizon)

"""What an attack found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["Finding", "Status", "Witness", "exceeds", "plain"]

Status = Literal["proved", "consistent", "violated", "inconclusive"]


def exceeds(loss: float, claim: float) -> bool:
    """Tell whether a loss is above a claim by more than rounding.

    >>> exceeds(1.0 + 1e-12, 1.0), exceeds(1.01, 1.0)
    (False, True)
    """
    return loss > claim * (1.0 + 1e-9) + 1e-12


@dataclass(frozen=True)
class Witness:
    """Two reward tables and an event that tells them apart: all that is needed to check by hand.

    Attributes
    ----------
    first, second
        The tables, written out: a group of digits a round, an arm's reward each.
    event
        What is seen.
    loss
        By how much the event is likelier under the first, as a logarithm; infinite where it
        cannot happen under the second.
    note
        The arithmetic.
    rounds
        The rounds, from 1, in which the tables differ: those of one person.
    """

    first: str
    second: str
    event: str
    loss: float
    note: str = ""
    rounds: tuple[int, ...] = ()

    def __str__(self) -> str:
        lines = [
            f"rewards A  {self.first}",
            f"rewards B  {self.second}",
            f"event      {self.event}",
        ]
        return "\n".join([*lines, f"           {self.note}"] if self.note else lines)


@dataclass(frozen=True)
class Finding:
    """What one method found.

    Attributes
    ----------
    method
        ``"construction"``, ``"taint"``, ``"replay"``, ``"exact"``, ``"statistical"`` or
        ``"noise"``.
    status
        ``"proved"``, ``"consistent"``, ``"violated"``, or ``"inconclusive"`` where the method does
        not apply, or does not tell.
    loss
        The largest loss found; ``None`` where the method measures none.
    says
        One or two sentences: what was done, what it means.
    witness
        What to check by hand.
    facts
        Figures for tables and pictures, JSON-able.
    seconds
        Time used.
    """

    method: str
    status: Status
    loss: float | None
    says: str
    witness: Witness | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def doubts(self) -> list[str]:
        """What keeps a report from calling a policy consistent, whatever attacks found."""
        facts = self.facts
        if self.method == "construction":
            said = (
                ("it overrides private hooks", facts.get("private_hooks", ())),
                ("code of its own is handed raw rewards", facts.get("own_parts", ())),
                ("its code names", facts.get("reaches", ())),
            )
            return [f"{what}: {', '.join(names[:3])}" for what, names in said if names]
        if self.method == "taint" and facts.get("reads"):
            return [f"raw rewards are read at {next(iter(facts['reads']))}"]
        if self.method == "replay" and self.status == "inconclusive":
            return ["replay does not apply"]
        return []

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary; an infinite loss becomes ``"infinite"``."""
        data: dict[str, Any] = {
            "method": self.method,
            "status": self.status,
            "loss": plain(self.loss),
            "says": self.says,
            "witness": None,
            "facts": self.facts,
            "seconds": round(self.seconds, 3),
        }
        if self.witness is not None:
            data["witness"] = {
                **{k: getattr(self.witness, k) for k in ("first", "second", "event", "note")},
                "loss": plain(self.witness.loss),
                "rounds": list(self.witness.rounds),
            }
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Finding:
        """Read back what :meth:`to_dict` wrote."""
        witness = data["witness"]
        if witness is not None:
            rounds = tuple(witness.get("rounds", ()))
            witness = Witness(**{**witness, "loss": _number(witness["loss"]), "rounds": rounds})
        return cls(**{**data, "loss": _number(data["loss"]), "witness": witness})


def _number(loss: float | str | None) -> Any:  # noqa: ANN401
    return math.inf if loss == "infinite" else loss


def plain(loss: float | None) -> float | str | None:
    """Return a loss as JSON has it.

    >>> plain(math.inf), plain(0.5), plain(None)
    ('infinite', 0.5, None)
    """
    return "infinite" if loss is not None and math.isinf(loss) else loss

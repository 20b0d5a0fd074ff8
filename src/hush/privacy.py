"""What leaves the private side, and what is promised about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from hush.errors import StateError, choice

__all__ = ["NEIGHBOURS", "Guarantee", "Neighbours", "Release"]

Neighbours = Literal["replace", "add-remove"]
NEIGHBOURS: tuple[str, ...] = get_args(Neighbours)


@dataclass(frozen=True)
class Release:
    """One value that left the private side: a noisy sum, or an action chosen by a noisy argmax.

    A release is drawn once, kept, and never drawn again. All its fields are safe to show.

    Attributes
    ----------
    arm
        The arm whose rewards were summed; ``None`` where all arms took part (full information).
    epoch
        Which of the arm's epochs this closes, from 0.
    count
        How many rewards (or reward vectors) went in. Each reward goes into one release only.
    value
        The noisy sum, or the chosen action.
    mechanism
        ``"noisy-sum"``, ``"noisy-argmax"``, ``"exact-sum"`` or ``"exact-argmax"``.
    epsilon
        The privacy loss that this release is calibrated to; infinite for an exact one.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([0.25]))
    >>> learner.update(learner.select(), 1)
    Release(arm=0, epoch=0, count=1, value=0.25, mechanism='noisy-sum', epsilon=1.0)
    """

    arm: int | None
    epoch: int
    count: int
    value: int | float
    mechanism: str
    epsilon: float

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary (an infinite epsilon becomes ``None``)."""
        return {**vars(self), "epsilon": None if math.isinf(self.epsilon) else self.epsilon}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Release:
        """Rebuild a release from :meth:`to_dict`."""
        try:
            fields = dict(data)
            fields["epsilon"] = math.inf if fields["epsilon"] is None else float(fields["epsilon"])
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(
                "a release in this state is damaged; restore from an intact copy"
            ) from error


@dataclass(frozen=True)
class Guarantee:
    """What a policy promises: epsilon, between which neighbours, for which unit, and why.

    Attributes
    ----------
    epsilon
        The bound on the privacy loss under :attr:`neighbours`; infinite where nothing is private.
    neighbours
        ``"replace"``: one round's reward (vector) is replaced by any other.
        ``"add-remove"``: one round's non-negative reward (vector) is there or counts as zeros. The
        round stays: without it every later round would move, and with it later epochs.
    unit
        What one neighbouring step changes.
    reason
        The argument in a sentence or two.
    replace_epsilon
        The bound under ``"replace"``, which may be larger than :attr:`epsilon` when that one is
        stated for ``"add-remove"``.

    Examples
    --------
    >>> import hush
    >>> printed = hush.RNMFTNL.as_printed(1.0).guarantee
    >>> printed.epsilon, printed.neighbours, printed.under("replace")
    (1.0, 'add-remove', 2.0)
    """

    epsilon: float
    neighbours: Neighbours
    unit: str
    reason: str
    replace_epsilon: float

    @property
    def private(self) -> bool:
        """Whether anything is promised at all."""
        return math.isfinite(self.epsilon)

    def under(self, neighbours: str) -> float:
        """Return the epsilon that holds under the given neighbours.

        What holds when a reward is replaced by any other holds when it is replaced by nothing.
        """
        choice("neighbours", neighbours, NEIGHBOURS)
        return self.epsilon if neighbours == self.neighbours else self.replace_epsilon

    def __str__(self) -> str:
        if not self.private:
            return f"not private (epsilon = infinity): {self.reason}"
        return f"epsilon = {self.epsilon:g} under {self.neighbours}, per {self.unit}: {self.reason}"

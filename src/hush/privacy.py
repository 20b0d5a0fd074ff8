"""What leaves the private side, and what is promised about it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Literal, get_args

from hush.errors import StateError, check_field, choice, whole

__all__ = ["MOST_REWARDS", "NEIGHBOURS", "PERSON", "Guarantee", "Neighbours", "Release", "Trust"]

Neighbours = Literal["replace", "add-remove"]
NEIGHBOURS: tuple[str, ...] = get_args(Neighbours)
Trust = Literal["central", "distributed", "local"]
PERSON = "person"
MOST_REWARDS = 10_000  # of one person: about as many as an audit can play


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
    rewards
        In how many rounds one neighbouring step may change the rewards: those of one person.
    trust
        Who is trusted with rewards. ``"central"``: whoever runs the learner. ``"distributed"``:
        only a protocol that adds up what devices send, and shows nothing but the sum.
        ``"local"``: nobody, what leaves a device is private by itself.

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
    rewards: int = 1
    trust: Trust = "central"

    def __post_init__(self) -> None:
        check_field(self, "rewards", whole, least=1, most=MOST_REWARDS)

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

    def per_person(self, bound: int) -> Guarantee:
        """Return what is promised to a person who gives up to ``bound`` rewards.

        Her rewards can be changed one after the other, and each step costs epsilon at most: pure
        privacy adds up, whatever the mechanism is. What already covers so many stays as it is.

        >>> import hush
        >>> hers = hush.LazyDPTS(0.5).guarantee.per_person(4)
        >>> hers.epsilon, hers.unit, hers.rewards
        (2.0, 'person', 4)
        """
        bound = whole("person_bound", bound, least=1, most=MOST_REWARDS)
        if bound <= self.rewards and self.unit == PERSON:
            return self
        steps = -(-bound // self.rewards)
        many = "one reward" if bound == 1 else f"up to {bound:,} rewards"
        each = "each" if self.rewards == 1 else f"for every {self.rewards:,}"
        return replace(
            self,
            epsilon=steps * self.epsilon,
            unit=PERSON,
            reason=f"{many} of one person, at {self.epsilon:g} {each}; {self.reason}",
            replace_epsilon=steps * self.replace_epsilon,
            rewards=bound,
        )

    def __str__(self) -> str:
        if not self.private:
            return f"not private (epsilon = infinity): {self.reason}"
        model = "" if self.trust == "central" else f", {self.trust} trust"
        holds = f"epsilon = {self.epsilon:g} under {self.neighbours}, per {self.unit}{model}"
        return f"{holds}: {self.reason}"

    def _repr_html_(self) -> str:
        head, _, reason = str(self).partition(": ")
        return f"<p><strong>{escape(head)}</strong>: {escape(reason)}</p>"

"""What is promised about what leaves the private side."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from html import escape
from typing import Literal, get_args

from hush.errors import ParameterError, check_field, choice, positive, whole
from hush.privacy.conversions import checked_delta, concentrated_epsilon, gaussian_epsilon

__all__ = [
    "MOST_REWARDS",
    "NEIGHBOURS",
    "PERSON",
    "Guarantee",
    "Neighbours",
    "Trust",
    "squares",
]

Neighbours = Literal["replace", "add-remove"]
"""How two histories may differ: a reward is another one, or its round counts as zeros."""
NEIGHBOURS: tuple[str, ...] = get_args(Neighbours)
"""The words for neighbours."""
Trust = Literal["central", "distributed", "local"]
"""Who is trusted with rewards: whoever runs the learner, a protocol that adds up, or nobody."""
PERSON = "person"
"""The unit of a promise to a person, who may give several rewards."""
MOST_REWARDS = 10_000
"""The most rewards of one person in a guarantee: about as many as an audit can play."""


@dataclass(frozen=True)
class Guarantee:
    """What a policy promises: how much is lost, between which neighbours, for which unit, and why.

    The loss is a pure ``epsilon``, or concentrated, ``rho``, or ``epsilon`` but for a ``delta``:
    one of the three.

    Attributes
    ----------
    epsilon
        The bound on the privacy loss under :attr:`neighbours`; infinite where nothing is private,
        ``None`` where :attr:`rho` is stated instead.
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
    rho
        The concentrated loss: all Renyi divergences of order alpha are at most ``rho alpha``.
    delta
        The probability mass that :attr:`epsilon` does not cover; 0 where it is pure.
    gaussian
        Whether all of the loss is that of one sum with Gaussian noise that moves by 1: then the
        conversion to (epsilon, delta) is exact.
    per_release
        The most of these rewards that may be in one release, where something sees to it.
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
    >>> concentrated = Guarantee(None, "replace", "one round's reward", "", None, rho=0.5)
    >>> concentrated.epsilon, concentrated.rho, round(concentrated.approximate(1e-6), 3)
    (None, 0.5, 5.222)
    """

    epsilon: float | None
    neighbours: Neighbours
    unit: str
    reason: str
    replace_epsilon: float | None
    rewards: int = 1
    rho: float | None = None
    delta: float = 0.0
    gaussian: bool = False
    trust: Trust = "central"
    per_release: int | None = None

    def __post_init__(self) -> None:
        check_field(self, "rewards", whole, least=1, most=MOST_REWARDS)
        pure = (self.epsilon is not None, self.replace_epsilon is not None)
        if pure != (self.rho is None, self.rho is None):
            raise ParameterError("a guarantee states epsilon or rho: one of the two")
        if self.rho is not None:
            check_field(self, "rho", positive)
        if self.delta:
            checked_delta(self.delta)
        if (self.gaussian and self.rho is None) or (self.delta and self.rho is not None):
            raise ParameterError("rho has no delta beside it, and Gaussian noise has a rho")

    @property
    def private(self) -> bool:
        """Whether anything is promised at all."""
        return self.epsilon is None or math.isfinite(self.epsilon)

    def under(self, neighbours: str) -> float:
        """Return the pure epsilon that holds under the given neighbours.

        What holds when a reward is replaced by any other holds when it is replaced by nothing.
        It is infinite where the loss is stated as rho or with a delta: no pure one holds then.
        """
        choice("neighbours", neighbours, NEIGHBOURS)
        epsilon = self.epsilon if neighbours == self.neighbours else self.replace_epsilon
        return math.inf if epsilon is None or self.delta else epsilon

    def approximate(self, delta: float) -> float:
        """Return an epsilon such that what is promised is (epsilon, delta)-privacy.

        A concentrated loss is converted by the tightest bound that holds for all that lose rho
        (Canonne, Kamath, Steinke 2020), and exactly where it is that of one sum with Gaussian
        noise; a pure epsilon stays as it is.

        >>> import hush
        >>> round(hush.AdaCUCB(rho=0.5).guarantee.approximate(1e-6), 3)
        4.887
        >>> hush.LazyDPTS(0.5).guarantee.approximate(1e-6)
        0.5
        """
        delta = checked_delta(delta)
        if self.rho is not None:
            return (gaussian_epsilon if self.gaussian else concentrated_epsilon)(self.rho, delta)
        if delta < self.delta:
            raise ParameterError(f"the promise leaves out delta = {self.delta:g}: no less is known")
        return math.inf if self.epsilon is None else self.epsilon

    def per_person(self, bound: int, *, per_release: int | None = None) -> Guarantee:
        """Return what is promised to a person who gives up to ``bound`` rewards.

        Her rewards can be changed one after the other, and each step costs epsilon at most: pure
        privacy adds up, whatever the mechanism is. Concentrated privacy does not: k rewards in one
        sum move it by k, and cost ``k^2 rho``. Spread over several releases they cost less, rho
        each with one in a release, which ``per_release`` says: the most of hers in any of them,
        all if left out. What already covers so many stays as it is.

        >>> import hush
        >>> hers = hush.LazyDPTS(0.5).guarantee.per_person(4)
        >>> hers.epsilon, hers.unit, hers.rewards
        (2.0, 'person', 4)
        >>> reward = hush.AdaCUCB(rho=0.5).guarantee
        >>> reward.per_person(4).rho, reward.per_person(4, per_release=1).rho
        (8.0, 2.0)
        """
        bound = whole("person_bound", bound, least=1, most=MOST_REWARDS)
        most = bound if per_release is None else whole("per_release", per_release, least=1)
        if bound <= self.rewards and self.unit == PERSON:
            return self
        steps = -(-bound // self.rewards)
        many = "one reward" if bound == 1 else f"up to {bound:,} rewards"
        if self.rho is not None:
            together = min(-(-most // self.rewards), steps)
            held = "" if together == steps else f", at most {most:,} of them in a release"
            return replace(
                self,
                unit=PERSON,
                reason=f"{many} of one person{held}, k in one release at k^2 {self.rho:g}; "
                f"{self.reason}",
                rewards=bound,
                rho=squares(steps, together) * self.rho,
                gaussian=self.gaussian and steps == 1,
                per_release=None if together == steps else together * self.rewards,
            )
        each = "each" if self.rewards == 1 else f"for every {self.rewards:,}"
        assert self.epsilon is not None and self.replace_epsilon is not None  # noqa: S101, PT018
        return replace(
            self,
            epsilon=steps * self.epsilon,
            unit=PERSON,
            reason=f"{many} of one person, at {self.epsilon:g} {each}; {self.reason}",
            replace_epsilon=steps * self.replace_epsilon,
            rewards=bound,
            delta=_grouped(self.delta, self.epsilon, steps),
        )

    @property
    def loss(self) -> str:
        """What is lost at most, as readers write it."""
        if self.rho is not None:
            return f"rho = {self.rho:g}"
        rest = f", delta = {self.delta:g}" if self.delta else ""
        return f"epsilon = {self.epsilon:g}{rest}" if self.private else "epsilon = infinity"

    def __str__(self) -> str:
        if not self.private:
            return f"not private ({self.loss}): {self.reason}"
        model = "" if self.trust == "central" else f", {self.trust} trust"
        return f"{self.loss} under {self.neighbours}, per {self.unit}{model}: {self.reason}"

    def __repr__(self) -> str:
        return f"<guarantee: {str(self).partition(': ')[0]}>"

    def _repr_html_(self) -> str:
        head, _, reason = str(self).partition(": ")
        return f"<p><strong>{escape(head)}</strong>: {escape(reason)}</p>"


def squares(rewards: int, together: int) -> int:
    """Return how often rho is lost by so many rewards, of which so many may be in one release.

    The sum of the squares of how many are together, at most.

    >>> squares(7, 7), squares(7, 3), squares(7, 1)
    (49, 19, 7)
    """
    full, left = divmod(rewards, together)
    return full * together**2 + left**2


def _grouped(delta: float, epsilon: float, steps: int) -> float:
    """Return the delta of so many neighbouring steps: ``delta sum of exp(i epsilon)``."""
    if not delta:
        return 0.0
    total = delta * sum(math.exp(min(i * epsilon, 700.0)) for i in range(steps))
    if total >= 1.0:
        raise ParameterError(f"delta = {delta:g} says nothing about {steps:,} rewards together")
    return total

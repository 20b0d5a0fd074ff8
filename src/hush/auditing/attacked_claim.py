"""What is attacked: a number, between which tables, and how many rounds may differ in them."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hush.auditing.finding import exceeds

__all__ = ["Claim"]


@dataclass(frozen=True)
class Claim:
    """That no loss is above a number, whatever the rewards of one person are.

    Attributes
    ----------
    epsilon
        The number; infinite where nothing is claimed, or rho instead.
    neighbours
        ``"replace"``: her rewards become any other. ``"add-remove"``: they count as zeros.
    rewards
        In how many rounds she has one. With 1 the claim is about a single reward.
    rho
        The concentrated loss that is claimed instead; losses are then measured as rho, too.

    Examples
    --------
    >>> print(Claim(1.5, rewards=3))
    epsilon = 1.5 under replace, per person of up to 3 rewards
    """

    epsilon: float
    neighbours: str = "replace"
    rewards: int = 1
    rho: float | None = None

    @property
    def concentrated(self) -> bool:
        """Whether losses are concentrated ones, and not pure."""
        return self.rho is not None

    @property
    def size(self) -> float:
        """The number that is claimed: epsilon, or rho."""
        return self.epsilon if self.rho is None else self.rho

    @property
    def share(self) -> float:
        """How far one of her rewards may move a sum, in units of the noise's scale."""
        return (self.epsilon if self.rho is None else math.sqrt(2.0 * self.rho)) / self.rewards

    def broken_by(self, loss: float) -> bool:
        """Tell whether a loss is above it by more than rounding."""
        return exceeds(loss, self.size)

    def missed(self, rounds: int) -> str:
        """Return what to say where tables differ in fewer rounds than a person has rewards.

        Such an attack may succeed; that it fails tells nothing.
        """
        if rounds >= self.rewards:
            return ""
        return (
            f" The tables differ in {rounds} rounds at most, and the person has up to "
            f"{self.rewards:,} rewards: that nothing was found tells nothing about her."
        )

    def __str__(self) -> str:
        person = f", per person of up to {self.rewards:,} rewards" if self.rewards > 1 else ""
        name = "rho" if self.concentrated else "epsilon"
        return f"{name} = {self.size:g} under {self.neighbours}{person}"

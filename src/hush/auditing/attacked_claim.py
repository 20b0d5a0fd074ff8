"""What is attacked: a number, between which tables, and how many rounds may differ in them."""

from __future__ import annotations

from dataclasses import dataclass

from hush.auditing.finding import exceeds

__all__ = ["Claim"]


@dataclass(frozen=True)
class Claim:
    """That no loss is above epsilon, whatever the rewards of one person are.

    Attributes
    ----------
    epsilon
        The number; infinite where nothing is claimed.
    neighbours
        ``"replace"``: her rewards become any other. ``"add-remove"``: they count as zeros.
    rewards
        In how many rounds she has one. With 1 the claim is about a single reward.

    Examples
    --------
    >>> print(Claim(1.5, rewards=3))
    epsilon = 1.5 under replace, per person of up to 3 rewards
    """

    epsilon: float
    neighbours: str = "replace"
    rewards: int = 1

    def broken_by(self, loss: float) -> bool:
        """Tell whether a loss is above it by more than rounding."""
        return exceeds(loss, self.epsilon)

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
        return f"epsilon = {self.epsilon:g} under {self.neighbours}{person}"

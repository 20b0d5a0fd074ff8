"""What is attacked: a number, between which tables, and how many rounds may differ in them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from hush.auditing.finding import exceeds
from hush.privacy.guarantee import squares

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
    per_release
        The most of her rewards that the claim about rho lets into one release; None: all.

    Examples
    --------
    >>> print(Claim(1.5, rewards=3))
    epsilon = 1.5 under replace, per person of up to 3 rewards
    """

    epsilon: float
    neighbours: str = "replace"
    rewards: int = 1
    rho: float | None = None
    per_release: int | None = None

    @property
    def concentrated(self) -> bool:
        """Whether losses are concentrated ones, and not pure."""
        return self.rho is not None

    @property
    def size(self) -> float:
        """The number that is claimed: epsilon, or rho."""
        return self.epsilon if self.rho is None else self.rho

    @property
    def together(self) -> int:
        """How many of her rewards may be in one release."""
        return self.rewards if self.per_release is None else self.per_release

    @property
    def times(self) -> int:
        """How often she loses what one reward does: concentrated losses grow with its square."""
        return squares(self.rewards, self.together) if self.concentrated else self.rewards

    @property
    def share(self) -> float:
        """How far one of her rewards may move a sum, in units of the noise's scale."""
        if self.rho is None:
            return self.epsilon / self.times
        return math.sqrt(2.0 * self.rho / self.times)

    def in_one_release(self) -> Claim:
        """Return what is claimed about those of her rewards that may be in one release.

        For attacks that do not know which rewards meet in a release. It is the claim itself where
        all may.

        >>> print(Claim(1.0, rewards=4, rho=2.0, per_release=1).in_one_release())
        rho = 0.5 under replace
        """
        if self.rho is None or self.per_release is None:
            return self
        least = self.per_release**2 * self.rho / self.times
        return replace(self, rewards=self.per_release, rho=least, per_release=None)

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
        person += f", {self.per_release:,} in a release" if self.per_release is not None else ""
        name = "rho" if self.concentrated else "epsilon"
        return f"{name} = {self.size:g} under {self.neighbours}{person}"

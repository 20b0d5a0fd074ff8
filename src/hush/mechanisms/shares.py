"""Distributed privacy: noise that comes in shares, one from each device, and adds up."""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

from hush.errors import NoiseError, RewardError, check_field, positive, whole
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import LONGEST
from hush.noise import NoiseSource

__all__ = ["SharedSum", "Shares", "precision_of", "slack_of"]

BITS = 256  # of a uniform number that a share is looked up by
DIGITS = Context(prec=100)


def precision_of(count: float, epsilon: float) -> float:
    """Return in how many parts a reward is sent: ``ceil(epsilon sqrt(count))``."""
    return math.ceil(epsilon * math.sqrt(count))


def slack_of(precision: float, epsilon: float, horizon: float) -> float:
    """Return how far noise may carry a sum beyond its range: ``ceil(g / epsilon ln(2 T))``."""
    return math.ceil(precision / epsilon * math.log(2.0 * horizon))


@dataclass(frozen=True)
class Shares:
    """How the rewards of so many devices are added up, with noise that no one of them knows.

    A device sends ``(x + a - b) mod m``: its reward ``x`` in whole parts of ``1/g``, and two
    numbers of Pólya's law of weight ``1/n``. All ``n`` such numbers add up to a geometric law, so
    that the noise on the sum is discrete Laplace of scale ``g / epsilon``. The sum is all that the
    protocol in between may show; a single message is nothing but a number below ``m``.

    Pólya's law is met up to 10^-70: a uniform number of 256 bits, from the operating system, is
    looked up in it.

    Parameters
    ----------
    count
        How many devices take part, ``n``.
    epsilon
        The privacy loss of the sum when one reward is replaced.
    horizon
        For how many rounds: sums leave their range with a chance of one over that.

    References
    ----------
    Chowdhury, Zhou: Distributed Differential Privacy in Multi-Armed Bandits. ICLR 2023.
    https://arxiv.org/abs/2206.05772
    Goryczka, Xiong: A Comprehensive Comparison of Multiparty Secure Additions with Differential
    Privacy. IEEE TDSC 14, 2017. https://doi.org/10.1109/TDSC.2015.2484326

    Examples
    --------
    >>> import hush
    >>> shares = hush.Shares(64, epsilon=1.0, horizon=10**4)
    >>> shares.precision, shares.slack, shares.modulus
    (8, 80, 673)
    >>> sent = [shares.share(1) for _ in range(64)]
    >>> all(0 <= each < shares.modulus for each in sent)
    True
    >>> abs(shares.add_up(sent) - 64) < 20
    True
    """

    count: int
    epsilon: float
    horizon: int

    def __post_init__(self) -> None:
        check_field(self, "count", whole, least=1, most=LONGEST)
        check_field(self, "epsilon", positive)
        check_field(self, "horizon", whole, least=1, most=LONGEST)

    @property
    def precision(self) -> int:
        """In how many parts a reward is sent, ``g``."""
        return int(precision_of(self.count, self.epsilon))

    @property
    def slack(self) -> int:
        """How far beyond its range a sum is still read right, ``tau``."""
        return int(slack_of(self.precision, self.epsilon, self.horizon))

    @property
    def modulus(self) -> int:
        """What messages and sums are taken modulo, ``m``."""
        return self.count * self.precision + 2 * self.slack + 1

    def share(self, reward: float, *, reward_range: tuple[float, float] = (0.0, 1.0)) -> int:
        """Return what a device sends: for a device, with the system's secure randomness."""
        parts = Fraction(RewardRange.of(reward_range).unit(reward)) * self.precision
        rest = parts - int(parts)
        rounded = int(parts) + (secrets.randbelow(rest.denominator) < rest.numerator)
        noise = _polya(self.count, self._decay) - _polya(self.count, self._decay)
        return (rounded + noise) % self.modulus

    @property
    def _decay(self) -> Fraction:
        return Fraction(self.epsilon) / self.precision

    def add_up(self, shares: Iterable[int]) -> float:
        """Return the noisy sum of the rewards, in [0, 1] each, of all devices' messages.

        In deployment a protocol adds the messages up modulo ``m``, unseen; its sum alone may be
        given as well.
        """
        given = [whole("a share", each, least=0, most=self.modulus - 1) for each in shares]
        if len(given) not in (1, self.count):
            raise RewardError(f"{len(given)} shares came where {self.count} devices take part")
        return self.read(sum(given))

    def read(self, total: int) -> float:
        """Return the sum of rewards that a sum of messages, or a noisy sum of parts, stands for.

        >>> shares = Shares(64, 1.0, 10**4)
        >>> shares.read(-8), shares.read(665), shares.read(513)
        (-1.0, -1.0, 64.125)
        """
        inside = total % self.modulus
        beyond = inside > self.count * self.precision + self.slack
        return (inside - self.modulus if beyond else inside) / self.precision


class SharedSum:
    """Release a sum of coins as the sum of devices' shares: drawn at once, of the same law.

    Parameters
    ----------
    epsilon
        The privacy loss of one release when one coin is replaced.
    horizon
        For how many rounds.
    noise
        Where noise is drawn.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> SharedSum(epsilon=1.0, horizon=10**4, noise=ScriptedNoise([328])).release(40, count=64)
    41.0
    """

    name: ClassVar[str] = "shared-sum"

    def __init__(self, *, epsilon: float, horizon: int, noise: NoiseSource) -> None:
        self.epsilon = positive("epsilon", epsilon)
        self.horizon = whole("horizon", horizon, least=1)
        self._noise = noise

    def release(self, total: int, *, count: int) -> float:
        """Draw the noisy value of a sum of ``count`` coins, once."""
        if type(total) is not int or not 0 <= total <= count:
            raise NoiseError("a sum is not a whole number within its range; nothing was released")
        shares = Shares(count, self.epsilon, self.horizon)
        parts = shares.precision
        noisy = self._noise.add_laplace(total * parts, epsilon=self.epsilon, sensitivity=parts)
        return shares.read(round(noisy))  # simulated noise need not be whole; messages are


def _polya(count: int, decay: Fraction) -> int:
    """Draw from Pólya's law of weight ``1 / count`` and ratio ``exp(-decay)``."""
    weight, ratio, chance = _law(count, decay)
    left = DIGITS.divide(Decimal(secrets.randbits(BITS)), Decimal(2**BITS))
    drawn = 0
    while left >= chance > 0:
        left = DIGITS.subtract(left, chance)
        step = DIGITS.divide(DIGITS.add(weight, drawn), Decimal(drawn + 1))
        chance = DIGITS.multiply(DIGITS.multiply(chance, ratio), step)
        drawn += 1
    return drawn


@lru_cache(maxsize=64)
def _law(count: int, decay: Fraction) -> tuple[Decimal, Decimal, Decimal]:
    """Return Pólya's weight and ratio, and the chance of 0."""
    weight = DIGITS.divide(Decimal(1), Decimal(count))
    exponent = DIGITS.divide(Decimal(-decay.numerator), Decimal(decay.denominator))
    ratio = DIGITS.exp(exponent)
    return weight, ratio, DIGITS.power(DIGITS.subtract(Decimal(1), ratio), weight)

"""What is believed about a coin's mean before anything is known."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["UNIFORM", "Prior"]


class Prior(NamedTuple):
    """A Beta law, lifted by a constant: the density is ``x^(a - 1) (1 - x)^(b - 1) + lift``.

    Up to a constant, that is. A lift gives weight to means near 0 and 1, and keeps a density
    log-concave that is concave, such as that of Beta(2, 2).
    """

    a: float = 1.0
    b: float = 1.0
    lift: float = 0.0

    @classmethod
    def mixed(cls, beta: tuple[float, float], flat: float) -> Prior:
        """Return a mixture of a Beta law and, with weight ``flat``, the uniform law.

        >>> Prior.mixed((2.0, 2.0), 0.1)
        Prior(a=2.0, b=2.0, lift=0.0185...)
        """
        lift = flat / (1.0 - flat) * math.exp(log_beta(*beta)) if flat else 0.0
        return cls(*beta, lift)

    @property
    def log_mass(self) -> float:
        """The logarithm of the integral of the density as it is written above.

        >>> round(Prior(2.0, 2.0).log_mass, 6)  # of x (1 - x)
        -1.791759
        """
        return math.log(math.exp(log_beta(self.a, self.b)) + self.lift)


def log_beta(a: float, b: float) -> float:
    """Return the logarithm of the beta function."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


UNIFORM = Prior()

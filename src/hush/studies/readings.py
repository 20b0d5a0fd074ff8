"""Other ways to read a source, as policies: to find what a published figure was made with.

They are no algorithms to use. Each is a policy of Hush with factors that are 1 as its text is read
here; a study sets them, and its report says which of them gives which figure.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.errors import ParameterError, check_field, is_finite, is_number, positive
from hush.numerics.divergence import upper
from hush.policies import AdaPKLUCB, AdaPUCB, LazyDPTS
from hush.policies.core.statistics import Floats, Memory

__all__ = [
    "AdaPKLUCBReading",
    "AdaPUCBReading",
    "KeptAdaPKLUCBReading",
    "LazyDPTSReading",
    "not_negative",
]


def not_negative(name: str, value: object) -> float:
    """Return a number of at least 0.

    >>> not_negative("shift", 0)
    0.0
    """
    if not (is_number(value) and is_finite(value) and value >= 0):
        raise ParameterError(f"{name} must be a number of at least 0; got {value!r}")
    return float(value)


@dataclass(frozen=True)
class AdaPKLUCBReading(AdaPKLUCB):
    """AdaP-KLUCB with other factors in its index, ``max{q : kl(a, q) <= h}``.

    ``h = threshold beta (ln t + iterated ln ln t) / n`` and ``a = clip(m + shift beta ln t /
    (epsilon n))``, with ``n`` the rewards of the arm's last episode. From an arm's second episode
    on these are half of all its pulls, so that a shift of 1/2 divides by all of them.

    Examples
    --------
    >>> import hush
    >>> text, reading = hush.AdaPKLUCB(1.0), AdaPKLUCBReading(1.0)
    >>> found = hush.simulate([text, reading], hush.paper_s1(), horizon=1000, runs=2, seed=7)
    >>> found.regret.shape
    (2, 2, 78)
    """

    _: KW_ONLY
    threshold: float = 1.0
    shift: float = 1.0
    iterated: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "threshold", positive)
        for name in ("shift", "iterated"):
            check_field(self, name, not_negative)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon, and the factors with beta in them."""
        width = self.threshold * self.beta
        return (self.epsilon, width, width * self.iterated, self.shift * self.beta)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's index at the start of an episode in round ``t``."""
        logarithm = np.log(t)
        iterated = np.log(np.maximum(logarithm, 1.0))
        raised = mean + parameters[3] * logarithm / (parameters[0] * count)
        center = np.minimum(np.maximum(raised, 0.0), 1.0)
        return upper(center, (parameters[1] * logarithm + parameters[2] * iterated) / count)


@dataclass(frozen=True)
class KeptAdaPKLUCBReading(AdaPKLUCBReading):
    """AdaP-KLUCB that forgets nothing: all sums of an arm are added up, with all their noise.

    >>> KeptAdaPKLUCBReading(1.0).memory
    'total'
    """

    memory: ClassVar[Memory] = "total"


@dataclass(frozen=True)
class AdaPUCBReading(AdaPUCB):
    """AdaP-UCB with ``ln(inside t)`` under the root, as one printing has it, and another shift.

    >>> AdaPUCBReading(1.0, inside=2.0).parameters
    (1.0, 3.1, 2.0, 1.0)
    """

    _: KW_ONLY
    inside: float = 1.0
    shift: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "inside", positive)
        check_field(self, "shift", not_negative)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon, beta and the factors."""
        return (self.epsilon, self.beta, self.inside, self.shift)

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the arm's index at the start of an episode in round ``t``."""
        width = parameters[1] / count
        raised = mean + parameters[3] * width * np.log(t) / parameters[0]
        return raised + np.sqrt(0.5 * width * np.log(parameters[2] * t))


@dataclass(frozen=True)
class LazyDPTSReading(LazyDPTS):
    """Lazy-DP-TS with ``shift`` times its ``3 ln t``: 1.4427 is the logarithm of base 2.

    >>> LazyDPTSReading(1.0, shift=0.5).parameters
    (1.0, 0.5)
    """

    _: KW_ONLY
    shift: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "shift", not_negative)

    @property
    def parameters(self) -> tuple[float, ...]:
        """Epsilon and the factor."""
        return (self.epsilon, self.shift)

    @staticmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the clipped optimistic mean in round ``t``."""
        raised = mean + parameters[1] * 3.0 * np.log(t) / (parameters[0] * count)
        return np.minimum(1.0, np.maximum(0.0, raised))

"""Thompson sampling with Beta priors, not private."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hush.numerics.bound import Bound, Setting
from hush.policies.core.every_round import EveryRoundPolicy
from hush.policies.core.shared_bounds import long_run
from hush.policies.core.statistics import Floats
from hush.policies.core.thompson import ThompsonPolicy

__all__ = ["ThompsonSampling"]


@dataclass(frozen=True)
class ThompsonSampling(EveryRoundPolicy, ThompsonPolicy):
    """Thompson sampling with Beta(1, 1) priors: the non-private peer of LazyDPTS.

    Round ``t`` plays the largest of one draw per arm from ``Beta(S + 1, n - S + 1)``, with ``S``
    the sum of all ``n`` rewards of the arm so far.

    References
    ----------
    Agrawal, Goyal: Near-Optimal Regret Bounds for Thompson Sampling. JACM 64(5), 2017.
    https://doi.org/10.1145/3088510

    Examples
    --------
    >>> import hush
    >>> print(hush.ThompsonSampling().guarantee)
    not private (epsilon = infinity): decisions depend on exact sums of rewards
    """

    explores_first: ClassVar[bool] = False
    summary = "Thompson sampling with Beta priors; not private"
    reference = "https://doi.org/10.1145/3088510"

    @staticmethod
    def center(mean: Any, count: Any, t: float, parameters: Floats) -> Any:  # noqa: ANN401
        """Return the mean itself."""
        return mean

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the optimal constant of ``ln T``."""
        yield long_run(setting, self.reference)

"""Upper quantiles of what is known of a coin's mean. Needs scipy when called.

:mod:`hush.numerics.compiled.quantile` is its compiled twin.
"""

from __future__ import annotations

from typing import Any

__all__ = ["beta_upper"]


def beta_upper(successes: Any, failures: Any, tail: Any) -> Any:  # noqa: ANN401
    """Return the q that a ``Beta(successes + 1, failures + 1)`` draw exceeds with chance ``tail``.

    A rule that calls it is handed the compiled twin in simulations.

    >>> round(float(beta_upper(3.0, 2.0, 0.05)), 6), float(beta_upper(0.0, 0.0, 0.25))
    (0.846839, 0.75)
    """
    from scipy.special import betaincinv

    return 1.0 - betaincinv(failures + 1.0, successes + 1.0, tail)

"""What regret is shown relative to: the conjectured rate, or a bound of theory by its name."""

from __future__ import annotations

import math

from hush.errors import ParameterError
from hush.studies.definition.study import Curve

__all__ = ["RATE", "require_yardstick", "yardstick", "yardstick_label"]

RATE = "conjectured rate"


def yardstick(name: str, curve: Curve) -> float:
    """Return a yardstick at a curve's horizon.

    ``"conjectured rate"`` is ``ln K / min(Dmin, epsilon)``, what the paper conjectures for full
    information; every other name is that of one of the policy's bounds (see :func:`hush.bounds`).

    >>> from hush.studies import shipped_study
    >>> curve = shipped_study("brackets", quick=True).curves[0]
    >>> round(yardstick("conjectured rate", curve), 2)
    44.36
    """
    if name == RATE:
        gaps = [gap for gap in curve.env.gaps.tolist() if gap > 0.0]
        guarantee = curve.policy.guarantee
        loss = guarantee.under(guarantee.neighbours)
        return math.log(curve.env.n_arms) / float(min([*gaps, loss]))
    from hush.theory import bounds  # it takes numba and scipy along

    return float(bounds(curve.policy, curve.env, curve.horizon)[name].value)


def yardstick_label(name: str) -> str:
    """Return a yardstick in words."""
    return f"the {RATE}" if name == RATE else f"the bound “{name}”"


def require_yardstick(name: str, curve: Curve) -> None:
    """Raise an error if a curve has no such yardstick, or none above zero."""
    value = yardstick(name, curve)
    if not (math.isfinite(value) and value > 0.0):
        raise ParameterError(f"{name!r} of {curve.policy.label} is {value:g}: nothing to divide by")

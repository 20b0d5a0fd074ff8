"""The paper's corollary of its regret theorem for RNM-FTNL: parts (a) and (b), with constants."""

from __future__ import annotations

import math
from collections.abc import Iterator

from hush.numerics.bound import Bound, Setting

__all__ = ["leader_corollaries"]


def leader_corollaries(
    setting: Setting, reference: str, rate: float, *, proven: bool = True, condition: str = ""
) -> Iterator[Bound]:
    """Yield parts (a) and (b), for noise of scale ``1/rate``.

    The theorem has ``256 (1 + ln |J|) / min(D, rate)`` for each bracket J, D being its least gap,
    ``2^(l - 1) Dmin`` for the l-th. A bracket has K - 1 actions at most. (a) If no gap is above the
    rate, the minimum is ``2^(l - 1) Dmin``, and the sum over l of ``2^-(l - 1)`` is below 2.
    (b) If no gap is above twice the smallest, there are two brackets at most. So in both cases
    regret is at most twice what one bracket of all would have.

    >>> setting = Setting((0.6, 0.5, 0.5), horizon=1000, epsilon=1.0)
    >>> [(bound.name[:13], round(bound.value)) for bound in leader_corollaries(setting, "x", 0.5)]
    [('corollary (a)', 8669), ('corollary (b)', 8669)]
    """
    smallest = setting.smallest
    if smallest is None:
        return
    once = 512.0 * (1.0 + math.log(setting.n_arms - 1))
    largest = max(setting.gaps)
    parts = (
        ("(a), small gaps", smallest, "Dmin", largest <= rate, f"all gaps <= 1/scale = {rate:g}"),
        (
            "(b), gaps alike",
            min(smallest, rate),
            "min(Dmin, 1/scale)",
            largest <= 2.0 * smallest,
            "all gaps <= 2 Dmin",
        ),
    )
    for name, least, formula, met, needed in parts:
        yield Bound(
            f"corollary {name}",
            "upper",
            once / least,
            f"512 (1 + ln(K - 1)) / {formula}",
            f"{reference} corollary of the regret theorem of RNM-FTNL, constants from its proof",
            holds=proven and met,
            condition=needed + (f", and {condition}" if condition else ""),
        )

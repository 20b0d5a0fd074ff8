"""Numbers as a reader wants to see them."""

from __future__ import annotations

import math

from hush.errors import is_number

__all__ = ["plus_minus", "readable", "shown"]


def readable(value: object) -> str:
    """Return a swept value: a large number as a power of ten, a word as it is.

    >>> readable(0.25), readable(1e12), readable(2_500_000), readable("laplace")
    ('0.25', '10^12', '2.5 10^6', 'laplace')
    """
    if not is_number(value):
        return str(value)
    digits, _, power = f"{value:g}".partition("e")
    if not power:
        return digits
    times = "" if digits == "1" else f"{digits} "
    return f"{times}10^{int(power)}"


def shown(value: float) -> str:
    """Return a number with the digits a reader needs.

    >>> shown(1234.56), shown(12.345), shown(0.123456)
    ('1,235', '12.3', '0.123')
    """
    if not math.isfinite(value):
        return "?"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def plus_minus(mean: float, half: float, decimals: int | None = None) -> str:
    """Return a mean and the half-width of its interval.

    It has as many digits as the interval allows, unless the number of decimals is given.

    >>> plus_minus(1234.56, 7.8), plus_minus(-3.568, 8.43), plus_minus(8303.0, 1e-13)
    ('1,235 ± 8', '-3.6 ± 8.4', '8,303 ± 0')
    >>> plus_minus(1234.56, 7.8, 1)
    '1,234.6 ± 7.8'
    """
    if decimals is None:
        if not math.isfinite(half):
            return f"{shown(mean)} ± ?"
        if half <= 1e-9 * abs(mean):  # all runs alike, but for rounding
            return f"{shown(mean)} ± 0"
        digits = 1 if abs(mean) >= 100 else 2
        decimals = max(0, digits - 1 - math.floor(math.log10(half)))
    return f"{mean:,.{decimals}f} ± {half:,.{decimals}f}"

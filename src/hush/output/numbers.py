"""Numbers as a reader wants to see them."""

from __future__ import annotations

import math

from hush.errors import is_number

__all__ = ["counted", "readable", "shown", "with_interval"]


def counted(count: int, one: str, many: str) -> str:
    """Return how many there are of something, in words.

    >>> counted(1, "policy", "policies"), counted(1_200, "release", "releases")
    ('1 policy', '1,200 releases')
    """
    return f"{count:,} {one if count == 1 else many}"


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


def with_interval(value: float, low: float, high: float, decimals: int | None = None) -> str:
    """Return a value and its interval.

    They have as many digits as the interval allows, unless the number of decimals is given.

    >>> with_interval(1234.56, 1228.1, 1251.9), with_interval(-3.568, -12.0, 4.87)
    ('1,235 (1,228 to 1,252)', '-3.6 (-12.0 to 4.9)')
    >>> with_interval(8303.0, 8303.0, 8303.0), with_interval(12.0, math.nan, math.nan)
    ('8,303 (8,303 to 8,303)', '12.0 (?)')
    """
    if not math.isfinite(high - low):
        return f"{shown(value)} (?)"
    if decimals is None:
        size = max(abs(low), abs(high))
        decimals = 0 if size >= 100 else 1 if size >= 10 else 2
        half = (high - low) / 2.0
        if half > 1e-9 * size:  # not alike, but for rounding
            digits = 1 if size >= 100 else 2
            decimals = max(0, digits - 1 - math.floor(math.log10(half)))
    return f"{value:,.{decimals}f} ({low:,.{decimals}f} to {high:,.{decimals}f})"

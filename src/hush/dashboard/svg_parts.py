"""Small parts of charts: elements with escaped text, ticks of axes, and how numbers are said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from markupsafe import Markup, escape

__all__ = ["Scale", "element", "number", "percent", "spread", "text_at", "ticks", "when"]


def element(name: str, content: Markup | str = "", **given: object) -> Markup:
    """Return an element; whatever comes from outside is escaped.

    >>> str(element("text", "a < b", x=1, class_="axis"))
    '<text x="1" class="axis">a &lt; b</text>'
    """
    parts = [
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in given.items()
        if value is not None
    ]
    opened = Markup("<{}{}>").format(Markup(name), Markup("".join(parts)))  # noqa: S704
    return opened + escape(content) + Markup("</{}>").format(Markup(name))  # noqa: S704


def text_at(x: float, y: float, content: str, anchor: str = "middle", kind: str = "axis") -> Markup:
    """Return a text."""
    return element("text", content, x=f"{x:.1f}", y=f"{y:.1f}", text_anchor=anchor, class_=kind)


class Scale:
    """From values to places of a chart, in a straight line.

    >>> scale = Scale((0.0, 2.0), (10.0, 110.0))
    >>> scale(1.0)
    60.0
    """

    def __init__(self, values: tuple[float, float], places: tuple[float, float]) -> None:
        self._low, high = values
        self._start, end = places
        self._step = (end - self._start) / ((high - self._low) or 1.0)

    def __call__(self, value: float) -> float:
        """Return the place of a value."""
        return self._start + (value - self._low) * self._step


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from within a range, at even distances.

    >>> ticks(0.0, 1.0)
    [0.0, 0.25, 0.5, 0.75, 1.0]
    >>> ticks(0.012, 0.049)
    [0.02, 0.03, 0.04]
    """
    width = high - low
    if not width > 0.0:
        return [low]
    power = 10.0 ** math.floor(math.log10(width / most))
    for factor in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0):
        step = factor * power
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        if last - first < most:
            return [round(place * step, 12) for place in range(first, last + 1)]
    return [low, high]


def percent(value: float) -> str:
    """Return a chance as readers say it: never surer than it is.

    >>> percent(0.5), percent(0.0234), percent(0.9999), percent(0.0001), percent(1.0)
    ('50%', '2.3%', 'over 99.9%', 'under 0.1%', '100%')
    """
    if 0.999 < value < 1.0:
        return "over 99.9%"
    if 0.0 < value < 0.001:
        return "under 0.1%"
    return f"{100.0 * value:.1f}".removesuffix(".0") + "%"


def number(value: float) -> str:
    """Return a number with few digits.

    >>> number(12345.0), number(0.03125), number(-2.5)
    ('12,345', '0.0312', '−2.5')
    """
    shown = f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
    return shown.replace("-", "\N{MINUS SIGN}")


def when(at: datetime) -> str:
    """Return a time as pages show it.

    >>> when(datetime(2026, 1, 2, 3, 4, 5))
    '2026-01-02 03:04'
    """
    return f"{at:%Y-%m-%d %H:%M}"


def spread(values: Sequence[float], lowest: float, highest: float, least: float) -> list[float]:
    """Return places near the given ones of which no two are too close, within a range.

    >>> spread([10.0, 11.0, 50.0], 0.0, 60.0, 12.0)
    [10.0, 22.0, 50.0]
    >>> spread([58.0, 59.0, 60.0], 0.0, 60.0, 12.0)
    [36.0, 48.0, 60.0]
    """
    places = list(values)
    order = sorted(range(len(values)), key=lambda which: values[which])
    before = lowest - least
    for which in order:
        places[which] = before = max(places[which], before + least)
    after = highest + least
    for which in reversed(order):
        places[which] = after = min(places[which], after - least)
    return places

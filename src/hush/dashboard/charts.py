"""Charts as SVG: each with a title, a description, and a table of what it shows.

No sign is a colour alone: lines have dashes, markers and the name at their end as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

from markupsafe import Markup

from hush.dashboard.svg_parts import Scale, element, number, percent, spread, text_at, ticks

__all__ = ["Axis", "Chart", "Interval", "Line", "gauge", "intervals", "lines"]

WIDTH, HEIGHT = 360.0, 220.0  # about a telephone's, so that letters keep their size there
LEFT, RIGHT, TOP, BOTTOM = 44.0, 110.0, 12.0, 30.0
DASHES = (None, "6 3", "2 3", "8 3 2 3", "1 4", "10 4", "4 2 1 2 1 2", "12 3 3 3")
SERIES = 8
ROW = 38.0
LINE = 14.0


@dataclass(frozen=True)
class Chart:
    """A chart, and the same as a table."""

    title: str
    svg: Markup
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Line:
    """A line of a chart: a value at each place, and which of them are marked."""

    name: str
    values: tuple[float, ...]
    marked: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Axis:
    """What places along a chart are, and how they are written."""

    name: str
    said: Callable[[float], str]


@dataclass(frozen=True)
class Interval:
    """Where something lies: its middle, and from where to where."""

    name: str
    middle: float
    low: float
    high: float


def _picture(title: str, description: str, body: Markup, height: float = HEIGHT) -> Markup:
    name = f"chart{crc32(title.encode())}"  # no two of a page have one title
    inner = element("title", title, id=f"{name}t") + element("desc", description, id=f"{name}d")
    return element(
        "svg",
        inner + body,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_labelledby=f"{name}t {name}d",
    )


def _short(name: str, most: int = 11) -> str:
    """Return a name that fits; what tells it from others may be at its end."""
    return name if len(name) <= most else f"{name[: most - 6]}…{name[-4:]}"


def _marker(x: float, y: float, series: int) -> Markup:
    kind = f"mark s{series % SERIES}"
    shape = series % 4
    if shape == 0:
        return element("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=3, class_=kind)
    points = (
        [(-3, -3), (3, -3), (3, 3), (-3, 3)],
        [(0, -4), (3.6, 3), (-3.6, 3)],
        [(0, -4), (4, 0), (0, 4), (-4, 0)],
    )[shape - 1]
    drawn = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in points)
    return element("polygon", points=drawn, class_=kind)


def lines(
    title: str,
    description: str,
    places: Sequence[float],
    given: Sequence[Line],
    *,
    along: Axis,
    said: Callable[[float], str] = percent,
    top: float = 1.0,
    steps: bool = False,
) -> Chart:
    """Draw values along an axis; with ``steps`` each holds until the next.

    Of many lines those are drawn that end highest: as many as can be told from each other. The
    table has all.

    Parameters
    ----------
    places
        Where the values are, in order.
    along
        What the places are, and how they are written.
    said
        How values are written.
    top
        The largest value of the axis, which begins at 0.
    """
    ends = (places[0], places[-1])
    across, up = Scale(ends, (LEFT, WIDTH - RIGHT)), Scale((0.0, top), (HEIGHT - BOTTOM, TOP))
    body = Markup()
    for value in ticks(0.0, top):
        y = f"{up(value):.1f}"
        body += element("line", x1=LEFT, x2=WIDTH - RIGHT, y1=y, y2=y, class_="grid")
        body += text_at(LEFT - 6, up(value) + 4, said(value), "end")
    for at, anchor in zip(ends, ("start", "end"), strict=True):
        body += text_at(across(at), HEIGHT - 10, along.said(at), anchor)
    drawn = [line for line in given if line in sorted(given, key=_last, reverse=True)[:SERIES]]
    if len(drawn) < len(given):
        description += f" Drawn are the {len(drawn)} of {len(given)} that end highest."
    labels = spread([up(_last(line)) for line in drawn], TOP, HEIGHT - BOTTOM, LINE)
    for series, line in enumerate(drawn):
        path = _path([across(each) for each in places], [up(v) for v in line.values], steps)
        kind = f"line s{series % SERIES}"
        body += element("path", d=path, class_=kind, stroke_dasharray=DASHES[series % SERIES])
        for which in sorted(line.marked):
            body += _marker(across(places[which]), up(line.values[which]), series)
        end = WIDTH - RIGHT + 6
        body += _marker(end + 3, labels[series], series)
        body += text_at(end + 11, labels[series] + 4, _short(line.name), "start", "label")
    rows = tuple(
        (along.said(at), *(said(line.values[which]) for line in given))
        for which, at in enumerate(places)
    )
    columns = (along.name, *(line.name for line in given))
    return Chart(title, _picture(title, description, body), columns, rows)


def _last(line: Line) -> float:
    return line.values[-1]


def _path(xs: Sequence[float], ys: Sequence[float], steps: bool) -> str:
    parts = [f"M{xs[0]:.1f} {ys[0]:.1f}"]
    for x, y in zip(xs[1:], ys[1:], strict=True):
        parts.append(f"H{x:.1f}V{y:.1f}" if steps else f"L{x:.1f} {y:.1f}")
    return "".join(parts)


def intervals(
    title: str, description: str, given: Sequence[Interval], *, said: Callable[[float], str]
) -> Chart:
    """Draw where values lie, one below the other, each below its name."""
    left, right = 10.0, WIDTH - 14.0
    height = TOP + ROW * len(given) + BOTTOM
    low = min(min(each.low, each.middle) for each in given)
    high = max(max(each.high, each.middle) for each in given)
    across = Scale((low, high), (left, right))
    body = Markup()
    for value in ticks(low, high, 6):
        x = f"{across(value):.1f}"
        body += element("line", x1=x, x2=x, y1=TOP, y2=height - BOTTOM, class_="grid")
        body += text_at(across(value), height - 10, said(value))
    for series, each in enumerate(given):
        y, kind = TOP + ROW * (series + 0.7), f"line s{series % SERIES}"
        ends = (f"{across(each.low):.1f}", f"{across(each.high):.1f}")
        body += text_at(left, y - 10, _short(each.name, 44), "start", "label")
        body += element("line", x1=ends[0], x2=ends[1], y1=y, y2=y, class_=kind)
        for end in ends:
            body += element("line", x1=end, x2=end, y1=y - 4, y2=y + 4, class_=kind)
        body += _marker(across(each.middle), y, series)
    rows = tuple((each.name, said(each.middle), said(each.low), said(each.high)) for each in given)
    columns = ("arm", "noisy mean", "from", "to")
    return Chart(title, _picture(title, description, body, height), columns, rows)


def gauge(title: str, description: str, spent: float, limit: float) -> Chart:
    """Draw how much of a limit is used."""
    height, left, right = 52.0, 2.0, WIDTH - 2.0
    body = Markup()
    for kind, share in (("track", 1.0), ("fill", min(spent / limit, 1.0))):
        wide = f"{share * (right - left):.1f}"
        body += element("rect", x=left, y=8, width=wide, height=16, rx=3, class_=kind)
    body += text_at(left, height - 10, f"ε {number(spent)} promised", "start", "label")
    body += text_at(right, height - 10, f"limit {number(limit)}", "end", "label")
    rows = ((number(spent), number(limit)),)
    columns = ("promised", "limit")
    return Chart(title, _picture(title, description, body, height), columns, rows)

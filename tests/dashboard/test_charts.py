import itertools
import xml.etree.ElementTree as ET

import pytest

from hush.dashboard.charts import Axis, Interval, Line, gauge, intervals, lines
from hush.dashboard.svg_parts import number, percent

NASTY = '<script>"&'


def parsed(chart):
    return ET.fromstring(str(chart.svg))  # noqa: S314  it is our own


def drawn():
    places = [0.0, 1.0, 2.0]
    two = [Line(NASTY, (0.2, 0.4, 0.9), frozenset({1})), Line("b", (0.8, 0.6, 0.1))]
    yield lines("Over time", "what it is", places, two, along=Axis("when", number), steps=True)
    yield intervals("Means", "where", [Interval(NASTY, 0.3, 0.1, 0.5)], said=number)
    yield gauge("Gauge", "used", 2.0, 5.0)


@pytest.mark.parametrize("chart", list(drawn()), ids=lambda chart: chart.title)
def test_every_chart_is_well_formed_named_and_described_and_a_table_too(chart):
    root = parsed(chart)
    title, description = root[0], root[1]
    assert (title.tag, title.text, description.tag) == ("title", chart.title, "desc")
    assert root.attrib["role"] == "img"
    assert root.attrib["aria-labelledby"].split() == [title.attrib["id"], description.attrib["id"]]
    assert all(len(row) == len(chart.columns) for row in chart.rows)
    assert chart.rows
    assert "style" not in {key for each in root.iter() for key in each.attrib}


def test_series_differ_by_more_than_colour():
    made = next(drawn())
    paths = [each for each in parsed(made).iter() if each.tag == "path"]
    assert len({each.attrib.get("stroke-dasharray") for each in paths}) == len(paths) == 2
    shapes = [each.tag for each in parsed(made).iter()]
    assert {"circle", "polygon"} <= set(shapes)


def test_values_are_where_they_belong():
    chart = lines("T", "d", [0.0, 1.0], [Line("a", (0.0, 1.0))], along=Axis("", number))
    path = next(each for each in parsed(chart).iter() if each.tag == "path")
    assert path.attrib["d"] == "M44.0 190.0L250.0 12.0"
    assert chart.rows == (("0", percent(0.0)), ("1", percent(1.0)))


def test_a_gauge_shows_how_much_of_its_limit_is_used():
    def width(chart):
        rects = [each for each in parsed(chart).iter() if each.tag == "rect"]
        track, fill = (float(each.attrib["width"]) for each in rects)
        return fill / track

    assert width(gauge("g", "d", 2.0, 5.0)) == pytest.approx(0.4, abs=1e-3)
    assert width(gauge("g", "d", 9.0, 5.0)) == 1.0


def texts(chart, kind="label"):
    return [each for each in parsed(chart).iter() if each.attrib.get("class") == kind]


@pytest.mark.parametrize("arms", [2, 8, 30])
def test_however_many_lines_end_together_their_names_are_readable(arms):
    """None lies on another or outside; of more than can be told apart the highest are drawn."""
    given = [Line(f"arm-{n:02}", (0.5, n / 1_000)) for n in range(arms)]
    chart = lines("T", "d", [0.0, 1.0], given, along=Axis("", number))
    found = texts(chart)
    heights = sorted(float(each.attrib["y"]) for each in found)
    assert len(found) == min(arms, 8)
    assert min(b - a for a, b in itertools.pairwise(heights)) >= 12.0
    assert heights[0] >= 10.0
    assert heights[-1] <= 200.0
    assert f"arm-{arms - 1:02}" in {each.text for each in found}
    assert len(chart.columns) == arms + 1
    assert ("that end highest" in parsed(chart)[1].text) == (arms > 8)


def test_a_mean_outside_its_interval_is_drawn_inside_the_chart():
    one = [Interval("a", -0.4, 0.01, 0.3), Interval("b", 0.2, 0.1, 0.3)]
    chart = intervals("Means", "where", one, said=number)
    circle = next(each for each in parsed(chart).iter() if each.tag == "circle")
    assert float(circle.attrib["cx"]) == pytest.approx(10.0)


def test_long_names_keep_both_ends():
    given = [Line("variant-of-the-page-1", (0.1, 0.2)), Line("variant-of-the-page-2", (0.1, 0.3))]
    chart = lines("T", "d", [0.0, 1.0], given, along=Axis("", number))
    assert [each.text for each in texts(chart)] == ["varia…ge-1", "varia…ge-2"]

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
    yield gauge("Free", "used", 2.0, None)


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
    assert path.attrib["d"] == "M44.0 210.0L348.0 12.0"
    assert chart.rows == (("0", percent(0.0)), ("1", percent(1.0)))


def test_a_gauge_shows_how_much_of_its_limit_is_used():
    def width(chart):
        rects = [each for each in parsed(chart).iter() if each.tag == "rect"]
        track, fill = (float(each.attrib["width"]) for each in rects)
        return fill / track

    assert width(gauge("g", "d", 2.0, 5.0)) == pytest.approx(0.4, abs=1e-3)
    assert width(gauge("g", "d", 9.0, 5.0)) == 1.0
    assert width(gauge("g", "d", 9.0, None)) == 0.0

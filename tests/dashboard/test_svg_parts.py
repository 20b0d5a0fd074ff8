import math
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from hush.dashboard.svg_parts import Scale, element, number, percent, spread, text_at, ticks


def test_what_comes_from_outside_is_escaped_in_text_and_attributes():
    shown = str(element("text", "<b>&", title='"><script>'))
    assert shown == '<text title="&#34;&gt;&lt;script&gt;">&lt;b&gt;&amp;</text>'
    assert "<b>" not in str(text_at(1.0, 2.0, "<b>"))


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6))
def test_ticks_lie_within_and_are_few(low, width):
    found = ticks(low, low + width)
    assert 1 <= len(found) <= 5 or found == [low, low + width]
    slack = 1e-9 * max(abs(low), width)
    assert all(low - slack <= each <= low + width + slack for each in found)


def test_an_axis_without_width_has_its_one_value():
    assert ticks(0.5, 0.5) == [0.5]
    assert Scale((0.5, 0.5), (0.0, 10.0))(0.5) == 0.0


@given(st.floats(0.0, 1.0))
def test_a_chance_is_never_said_to_be_surer_than_it_is(chance):
    said = percent(chance)
    assert (said == "100%") == (chance == 1.0)
    assert (said == "0%") == (chance == 0.0)


@given(st.lists(st.floats(0.0, 200.0), min_size=1, max_size=8))
def test_labels_do_not_overlap(places):
    found = sorted(spread(places, 0.0, 200.0, 12.0))
    assert all(b - a >= 12.0 - 1e-9 for a, b in pairwise(found))
    assert found[0] >= -1e-9
    assert found[-1] <= 200.0 + 1e-9


def test_numbers_are_short():
    assert number(1234567.8) == "1,234,568"
    assert number(math.pi) == "3.14"

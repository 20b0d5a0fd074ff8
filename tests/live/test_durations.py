"""Lengths of time, as people write them."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.errors import ParameterError
from hush.live.durations import LONGEST, UNITS, milliseconds, readable


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("90s", 90_000),
        (" 1 d ", 86_400_000),
        ("1.5h", 5_400_000),
        ("0ms", 0),
        ("2w", 1_209_600_000),
        (timedelta(days=1, milliseconds=3), 86_400_003),
        (timedelta(0), 0),
    ],
)
def test_texts(text, length):
    assert milliseconds("window", text) == length


@pytest.mark.parametrize(
    "bad",
    [
        "",
        "1",
        "-1s",
        "1y",
        "1e3s",
        "1d2h",
        "s",
        "\u0661s",
        "9" * 20 + "d",
        "1 000s",
        None,
        True,
        [1],
        -1,
        timedelta(microseconds=-1),
        timedelta.max,
    ],
)
def test_what_is_none(bad):
    with pytest.raises(ParameterError, match=r"^window must be a length of time"):
        milliseconds("window", bad)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.001, 1e300, 10**400])
def test_numbers_that_are_none(bad):
    with pytest.raises(ParameterError):
        milliseconds("window", bad)


def test_the_longest():
    assert milliseconds("window", f"{100 * 366}d") == LONGEST
    with pytest.raises(ParameterError):
        milliseconds("window", f"{100 * 366}.1d")
    with pytest.raises(ParameterError):
        milliseconds("window", LONGEST)  # seconds


@given(st.integers(0, LONGEST))
def test_what_is_read_is_what_was_written(length):
    assert milliseconds("window", readable(length)) == length


@given(st.sampled_from(sorted(UNITS)), st.integers(0, 5_000))
def test_every_unit(unit, number):
    assert milliseconds("window", f"{number}{unit}") == number * UNITS[unit]

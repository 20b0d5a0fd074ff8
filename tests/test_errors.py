import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import errors
from hush.errors import ParameterError, UnknownNameError, choice, positive, unknown_name, whole


@pytest.mark.parametrize("bad", [0, -1, -0.0, math.nan, math.inf, True, None, "1", 1j, np.bool_(1)])
def test_positive_refuses(bad):
    with pytest.raises(ParameterError, match="epsilon must be a positive finite number"):
        positive("epsilon", bad)


@given(st.floats(min_value=1e-300, max_value=1e300))
def test_positive_returns_the_number(value):
    assert positive("epsilon", value) == value
    assert positive("epsilon", np.float64(value)) == value


@pytest.mark.parametrize("bad", [0, 1.5, math.nan, math.inf, True, None, "3", 101])
def test_whole_refuses(bad):
    with pytest.raises(ParameterError, match="at least 1 and at most 100"):
        whole("n", bad, least=1, most=100)


@pytest.mark.parametrize("good", [7, 7.0, np.int32(7), np.float64(7.0)])
def test_whole_returns_an_int(good):
    number = whole("n", good, least=1)
    assert number == 7
    assert type(number) is int


def test_the_nearest_name_is_suggested():
    assert "did you mean 'LazyDPTS'?" in str(unknown_name("policy", "lazyts", ["LazyDPTS", "UCB1"]))
    assert "known: a, b" in str(unknown_name("thing", "zzzz", ["b", "a"]))
    with pytest.raises(UnknownNameError, match="laplace"):
        choice("noise", "laplac", ["laplace", "exponential"])
    with pytest.raises(UnknownNameError):
        choice("noise", 3, ["laplace"])


def test_every_error_is_a_hush_error_and_listed():
    for name in errors.__all__:
        assert issubclass(getattr(errors, name), errors.HushError)
        assert name in errors.__doc__

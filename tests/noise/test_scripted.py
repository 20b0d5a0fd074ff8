"""Noise that was drawn before: in order, within what was asked for, and resumed."""

import math

import pytest

from hush import NoiseError, ParameterError, Release, ScriptedNoise, StateError
from hush.noise import NoiseSource


def test_a_script_replays_in_order_and_ends():
    script = ScriptedNoise([1, 2.5])
    assert script.add_laplace(99, epsilon=1.0) == 1
    twin = NoiseSource.from_state(script.state())
    assert twin.add_laplace(0, epsilon=1.0) == 2.5
    assert script.add_laplace(0, epsilon=1.0) == 2.5
    with pytest.raises(NoiseError, match="used up"):
        script.add_laplace(0, epsilon=1.0)
    action = ScriptedNoise([7])
    with pytest.raises(NoiseError, match=r"action in 0\.\.1"):
        action.argmax([1, 2], epsilon=1.0, law="laplace", neighbours="replace")
    assert action.remaining == 1
    for bad in (math.nan, "1", None):
        with pytest.raises(ParameterError):
            ScriptedNoise([bad])


def test_a_script_tosses_what_it_holds():
    script = ScriptedNoise([1, 0, 0.5])
    assert [script.toss(False, chances=(0.0, 0.0)) for _ in range(2)] == [True, False]
    with pytest.raises(NoiseError, match="toss"):
        script.toss(False, chances=(0.0, 0.0))


def test_a_script_keeps_whole_numbers_whole():
    script = ScriptedNoise([Release(0, 0, 1, 3, "laplace", 1.0), 2.5])
    values = script.state()["values"]
    assert values == [3, 2.5]
    assert [type(value) for value in values] == [int, float]


def test_selection_has_a_seed_of_its_own():
    usual, same, other = (
        ScriptedNoise([]),
        ScriptedNoise([], selection=0),
        ScriptedNoise([], selection=1),
    )
    draws = [each.selection.random() for each in (usual, same, other)]
    assert draws[0] == draws[1] != draws[2]
    with pytest.raises(ParameterError, match=r"^selection must"):
        ScriptedNoise([], selection=-1)


@pytest.mark.parametrize("used", [0, 1, 2])
def test_a_script_is_resumed_where_it_stood(used):
    script = ScriptedNoise([1, 2], selection=5)
    for _ in range(used):
        script.add_laplace(0, epsilon=1.0)
    script.selection.random()
    twin = NoiseSource.from_state(script.state())
    assert twin.remaining == 2 - used
    assert twin.selection.random() == script.selection.random()
    assert twin.coins.random() == script.coins.random()


@pytest.mark.parametrize("place", [-1, 3, "1", None])
def test_a_script_does_not_resume_outside_itself(place):
    state = {**ScriptedNoise([1, 2]).state(), "next": place}
    with pytest.raises(StateError) as caught:
        NoiseSource.from_state(state)
    assert str(caught.value.__cause__).startswith("next ")


def test_a_script_shows_how_much_is_left():
    script = ScriptedNoise([1, 2])
    script.add_laplace(0, epsilon=1.0)
    assert repr(script) == "ScriptedNoise(<1 releases>)"

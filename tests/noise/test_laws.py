"""The vocabulary of laws: one set of names, from the mechanism to the audit."""

import pytest

import hush
from hush.noise.laws import ARGMAX_LAWS, SCORE_LAWS, SUM_LAWS, argmax_draw, drawn_argmax
from hush.testing import RecordingNoise


def test_every_set_holds_the_laws_of_a_noisy_argmax():
    assert set(ARGMAX_LAWS) == {"exponential", "laplace", "gumbel"}
    assert set(SCORE_LAWS) - set(ARGMAX_LAWS) == {"discrete-laplace"}
    assert set(SUM_LAWS) - set(ARGMAX_LAWS) == {"none"}


@pytest.mark.parametrize("law", ARGMAX_LAWS)
def test_recorded_draws_say_their_law(law):
    noise = RecordingNoise(hush.SeededNoise(7))
    noise.argmax([1, 2], epsilon=1.0, law=law, neighbours="replace")
    assert [each.law for each in noise.drawn] == [argmax_draw(law)]
    assert drawn_argmax(noise.drawn[0].law) == law


@pytest.mark.parametrize("draw", ["laplace", "toss", "argmax-cauchy", ""])
def test_other_draws_are_no_argmax(draw):
    assert drawn_argmax(draw) is None

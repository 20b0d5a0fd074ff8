"""The law of a noisy argmax of known scores, against closed forms and against samplers."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import ParameterError, SeededNoise, UnknownNameError
from hush.auditing import winner_law
from hush.noise.laws import SCORE_LAWS
from hush.numerics.noisy_argmax import win_chances


def test_it_is_public_under_another_name():
    assert winner_law is win_chances


def test_two_actions_have_closed_forms():
    for lead in (0.0, 0.5, 3.0, 40.0, 200.0):
        behind = 0.5 * math.exp(-lead) * (1 + lead / 2)
        assert win_chances([0, lead], scale=1.0, law="laplace")[0] == pytest.approx(
            behind, rel=1e-9
        )
        behind = 0.5 * math.exp(-lead)
        found = win_chances([0, lead], scale=1.0, law="exponential")[0]
        assert found == pytest.approx(behind, rel=1e-12)
        behind = 1 / (1 + math.exp(lead))
        assert win_chances([0, lead], scale=1.0, law="gumbel")[0] == pytest.approx(
            behind, rel=1e-12
        )


def permute_and_flip(scores, scale):
    """The chance that permute-and-flip stops at each action, over all orders."""
    keep = [math.exp((each - max(scores)) / scale) for each in scores]
    chances = np.zeros(len(scores))
    for order in itertools.permutations(range(len(scores))):
        left = 1 / math.factorial(len(scores))
        for action in order:
            chances[action] += left * keep[action]
            left *= 1 - keep[action]
    return chances


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5), st.floats(0.2, 8.0))
def test_exponential_noise_is_permute_and_flip(scores, scale):
    found = win_chances(scores, scale=scale, law="exponential")
    assert found == pytest.approx(permute_and_flip(scores, scale), abs=1e-12)


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.floats(0.2, 20.0),
    st.sampled_from(SCORE_LAWS),
)
def test_chances_add_up_to_one(scores, scale, law):
    assert win_chances(scores, scale=scale, law=law).sum() == pytest.approx(1.0, abs=1e-10)


def test_discrete_ties_go_to_the_lowest():
    first, second = win_chances([0, 0], scale=0.01, law="discrete-laplace")
    assert (first, second) == pytest.approx((1.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("law", SCORE_LAWS)
def test_the_law_is_that_of_the_sampler(law):
    """40,000 draws each; the largest of 16 differences beyond 5 standard errors: 1 in 10^5."""
    noise = SeededNoise(11, discrete=law == "discrete-laplace")
    scores, draws = [2, 0, 3, 1], 40_000
    name = law.removeprefix("discrete-")
    counts = np.bincount(
        [
            noise.argmax(scores, epsilon=0.5, law=name, neighbours="add-remove")
            for _ in range(draws)
        ],
        minlength=4,
    )
    chances = win_chances(scores, scale=2.0, law=law)
    assert np.abs(counts / draws - chances) == pytest.approx(
        np.zeros(4), abs=5 * math.sqrt(0.25 / draws)
    )


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: win_chances([], scale=1.0, law="laplace"), ParameterError),
        (lambda: win_chances([math.nan], scale=1.0, law="laplace"), ParameterError),
        (lambda: win_chances([1, 2], scale=0.0, law="laplace"), ParameterError),
        (lambda: win_chances([0.5], scale=1.0, law="discrete-laplace"), ParameterError),
        (lambda: win_chances([1, 2], scale=1.0, law="laplase"), UnknownNameError),
    ],
)
def test_bad_scores_are_refused(call, error):
    with pytest.raises(error):
        call()

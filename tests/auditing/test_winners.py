"""The law of a noisy argmax, against closed forms and against listing everything."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import ParameterError, SeededNoise, UnknownNameError
from hush.auditing import winner_law, worst_winner
from hush.auditing.winners import LAWS


def test_two_actions_have_closed_forms():
    for lead in (0.0, 0.5, 3.0, 40.0, 200.0):
        behind = 0.5 * math.exp(-lead) * (1 + lead / 2)
        assert winner_law([0, lead], scale=1.0, law="laplace")[0] == pytest.approx(behind, rel=1e-9)
        behind = 0.5 * math.exp(-lead)
        found = winner_law([0, lead], scale=1.0, law="exponential")[0]
        assert found == pytest.approx(behind, rel=1e-12)
        behind = 1 / (1 + math.exp(lead))
        assert winner_law([0, lead], scale=1.0, law="gumbel")[0] == pytest.approx(behind, rel=1e-12)


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
    found = winner_law(scores, scale=scale, law="exponential")
    assert found == pytest.approx(permute_and_flip(scores, scale), abs=1e-12)


@given(
    st.lists(st.integers(0, 300), min_size=1, max_size=8),
    st.floats(0.2, 20.0),
    st.sampled_from(LAWS),
)
def test_chances_add_up_to_one(scores, scale, law):
    assert winner_law(scores, scale=scale, law=law).sum() == pytest.approx(1.0, abs=1e-10)


def test_discrete_ties_go_to_the_lowest():
    first, second = winner_law([0, 0], scale=0.01, law="discrete-laplace")
    assert (first, second) == pytest.approx((1.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("law", LAWS)
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
    chances = winner_law(scores, scale=2.0, law=law)
    assert np.abs(counts / draws - chances) == pytest.approx(
        np.zeros(4), abs=5 * math.sqrt(0.25 / draws)
    )


def test_the_printed_algorithm_loses_twice_its_epsilon():
    losses = [worst_winner(2, n, scale=1.0, law="laplace").loss for n in (2, 8, 16, 256)]
    assert [round(loss, 2) for loss in losses] == [1.31, 1.78, 1.88, 1.99]
    assert worst_winner(2, 256, scale=1.0, law="laplace", neighbours="add-remove").loss <= 1.0
    assert worst_winner(2, 256, scale=2.0, law="laplace").loss <= 1.0


def exhaustive(n_arms, epoch, scale, law, neighbours):
    """The worst loss over all sums and all that one 0/1 vector can do to them."""
    worst = 0.0
    laws = {
        scores: winner_law(scores, scale=scale, law=law)
        for scores in itertools.product(range(epoch + 1), repeat=n_arms)
    }
    for scores, chances in laws.items():
        for step in itertools.product((-1, 0, 1), repeat=n_arms):
            if neighbours == "add-remove" and {-1, 1} <= set(step):
                continue
            other = tuple(s + d for s, d in zip(scores, step, strict=True))
            if other in laws:
                worst = max(worst, float(np.max(np.log(chances / laws[other]))))
    return worst


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize(("n_arms", "epoch", "scale"), [(2, 6, 1.0), (3, 3, 0.7), (4, 2, 2.0)])
def test_the_search_finds_the_worst(law, neighbours, n_arms, epoch, scale):
    found = worst_winner(n_arms, epoch, scale=scale, law=law, neighbours=neighbours)
    wanted = exhaustive(n_arms, epoch, scale, law, neighbours)
    assert found.loss == pytest.approx(wanted, rel=1e-9)
    first = winner_law(found.scores, scale=scale, law=law)[found.winner]
    second = winner_law(found.neighbour, scale=scale, law=law)[found.winner]
    assert math.log(first / second) == pytest.approx(found.loss, rel=1e-9)


def test_tiny_chances_stay_readable():
    worst = worst_winner(5, 128, scale=0.05, law="laplace")
    assert math.isfinite(worst.loss)
    assert worst.loss <= 40.0 + 1e-9
    assert "e-" in str(worst)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: winner_law([], scale=1.0, law="laplace"), ParameterError),
        (lambda: winner_law([math.nan], scale=1.0, law="laplace"), ParameterError),
        (lambda: winner_law([1, 2], scale=0.0, law="laplace"), ParameterError),
        (lambda: winner_law([0.5], scale=1.0, law="discrete-laplace"), ParameterError),
        (lambda: winner_law([1, 2], scale=1.0, law="laplase"), UnknownNameError),
        (lambda: worst_winner(9, 8, scale=1.0, law="laplace"), ParameterError),
        (lambda: worst_winner(2, 257, scale=1.0, law="laplace"), ParameterError),
        (lambda: worst_winner(2, 2, scale=1.0, law="gumbel", neighbours="x"), UnknownNameError),
    ],
)
def test_bad_input_is_refused(call, error):
    with pytest.raises(error):
        call()

"""The worst noisy argmax, against listing everything."""

import itertools
import math

import numpy as np
import pytest

from hush import ParameterError, UnknownNameError
from hush.auditing import winner_law, worst_winner
from hush.noise.laws import SCORE_LAWS


def test_the_printed_algorithm_loses_twice_its_epsilon():
    losses = [worst_winner(2, n, scale=1.0, law="laplace").loss for n in (2, 8, 16, 256)]
    assert [round(loss, 2) for loss in losses] == [1.31, 1.78, 1.88, 1.99]
    assert worst_winner(2, 256, scale=1.0, law="laplace", neighbours="add-remove").loss <= 1.0
    assert worst_winner(2, 256, scale=2.0, law="laplace").loss <= 1.0


def exhaustive(n_arms, epoch, scale, law, neighbours, replaced=1):
    """The worst loss over all sums and all that so many 0/1 vectors can do to them."""
    worst = 0.0
    laws = {
        scores: winner_law(scores, scale=scale, law=law)
        for scores in itertools.product(range(epoch + 1), repeat=n_arms)
    }
    for scores, chances in laws.items():
        for step in itertools.product(range(-replaced, replaced + 1), repeat=n_arms):
            if neighbours == "add-remove" and min(step) < 0 < max(step):
                continue
            other = tuple(s + d for s, d in zip(scores, step, strict=True))
            if other in laws:
                worst = max(worst, float(np.max(np.log(chances / laws[other]))))
    return worst


@pytest.mark.parametrize("law", SCORE_LAWS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize(("n_arms", "epoch", "scale"), [(2, 6, 1.0), (3, 3, 0.7), (4, 2, 2.0)])
def test_the_search_finds_the_worst(law, neighbours, n_arms, epoch, scale):
    found = worst_winner(n_arms, epoch, scale=scale, law=law, neighbours=neighbours)
    wanted = exhaustive(n_arms, epoch, scale, law, neighbours)
    assert found.loss == pytest.approx(wanted, rel=1e-9)
    first = winner_law(found.scores, scale=scale, law=law)[found.winner]
    second = winner_law(found.neighbour, scale=scale, law=law)[found.winner]
    assert math.log(first / second) == pytest.approx(found.loss, rel=1e-9)


@pytest.mark.parametrize("law", SCORE_LAWS)
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize(("n_arms", "epoch", "replaced"), [(2, 6, 3), (3, 3, 2), (2, 2, 5)])
def test_the_search_finds_the_worst_of_a_person(law, neighbours, n_arms, epoch, replaced):
    found = worst_winner(
        n_arms, epoch, scale=1.0, law=law, neighbours=neighbours, replaced=replaced
    )
    wanted = exhaustive(n_arms, epoch, 1.0, law, neighbours, min(replaced, epoch))
    assert found.loss == pytest.approx(wanted, rel=1e-9)
    single = worst_winner(n_arms, epoch, scale=1.0, law=law, neighbours=neighbours)
    assert single.loss < found.loss <= replaced * single.loss * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0])
def test_the_closed_forms_of_the_errata(epsilon):
    def loss(n_arms, epoch):
        return worst_winner(n_arms, epoch, scale=1.0 / epsilon, law="laplace").loss

    for n in (2, 3, 16, 256):
        wanted = 2 * epsilon - math.log((2 + n * epsilon) / (2 + (n - 2) * epsilon))
        assert loss(2, n) == pytest.approx(wanted, rel=1e-9)
        assert epsilon < wanted < 2 * epsilon
    once = math.log((4 * math.exp(epsilon) - 2 - epsilon) / (2 + epsilon))
    assert loss(2, 1) == pytest.approx(once, rel=1e-9)
    assert once < epsilon
    assert all(epsilon < loss(n_arms, 1) < 2 * epsilon for n_arms in range(3, 9))


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("law", SCORE_LAWS)
def test_no_search_finds_more_than_is_proven(law, neighbours):
    """A lower bound on a worst case, which the noise's scale bounds from above."""
    most = 2.0 if neighbours == "replace" else 1.0
    for n_arms, epoch in ((2, 24), (3, 64)):
        found = worst_winner(n_arms, epoch, scale=2.0, law=law, neighbours=neighbours)
        assert found.loss <= most / 2.0 + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("law", SCORE_LAWS)
@pytest.mark.parametrize(("n_arms", "epoch"), [(2, 24), (3, 12), (4, 4)])
def test_the_search_finds_the_worst_in_longer_epochs(law, neighbours, n_arms, epoch):
    found = worst_winner(n_arms, epoch, scale=1.0, law=law, neighbours=neighbours)
    assert found.loss == pytest.approx(exhaustive(n_arms, epoch, 1.0, law, neighbours), rel=1e-9)


@pytest.mark.slow
def test_tiny_chances_stay_readable():
    worst = worst_winner(5, 128, scale=0.05, law="laplace")
    assert math.isfinite(worst.loss)
    assert worst.loss <= 40.0 + 1e-9
    assert "e-" in str(worst)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: worst_winner(9, 8, scale=1.0, law="laplace"), ParameterError),
        (lambda: worst_winner(2, 257, scale=1.0, law="laplace"), ParameterError),
        (lambda: worst_winner(2, 8, scale=1.0, law="laplace", replaced=0), ParameterError),
        (lambda: worst_winner(2, 2, scale=1.0, law="gumbel", neighbours="x"), UnknownNameError),
    ],
)
def test_bad_input_is_refused(call, error):
    with pytest.raises(error):
        call()

"""One person's rounds: as many as she has rewards, where they tell most."""

from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.auditing.persons import anywhere, differ_text, placed, rounds_text

ENDS = [0, 1, 4, 5, 14, 15, 34, 35]
ARMS = [t % 2 for t in range(40)]


@given(
    st.integers(1, 40), st.integers(1, 60), st.sets(st.integers(0, 50)), st.lists(st.integers(0, 2))
)
def test_every_place_has_all_her_rewards_in_rounds_that_there_are(rounds, count, ends, arms):
    known = placed(rounds, count, sorted(ends), arms[:rounds])
    drawn = islice(anywhere(rounds, count, np.random.default_rng(5)), 4)
    for places in (*known, *drawn):
        assert len(places) == min(count, rounds)
        assert all(a < b for a, b in pairwise(places))
        assert 0 <= places[0] <= places[-1] < rounds
    assert len(set(known)) == len(known)


def test_places_are_of_all_kinds():
    known = placed(40, 4, ENDS, ARMS)
    assert known[0] == (29, 31, 33, 35)  # in one arm's epoch
    assert (0, 1, 2, 3) in known  # at the beginning
    assert (32, 33, 34, 35) in known  # up to the end of an epoch
    assert (33, 34, 35, 36) in known  # on both sides of one
    assert (0, 13, 26, 39) in known  # spread out
    assert (36, 37, 38, 39) in known  # at the end
    assert placed(40, 4, [3, 20])[3] == (3, 4, 20, 21)  # at the borders of epochs


def test_an_audit_that_knows_no_arms_or_releases_has_places_too():
    assert placed(10, 2, []) == [(0, 1), (8, 9), (0, 9)]
    assert placed(3, 10, [1]) == [(0, 1, 2)]


@pytest.mark.parametrize(
    ("rounds", "text"),
    [
        ((0,), "round 1"),
        ((0, 1), "rounds 1 to 2"),
        ((2, 5, 6, 7, 11), "rounds 3, 6 to 8, 12"),
    ],
)
def test_rounds_are_written_from_one(rounds, text):
    assert rounds_text(rounds) == text


def test_long_lists_are_cut_in_print():
    text = rounds_text(tuple(range(0, 200, 2)))
    assert text.startswith("rounds 1, 3, 5,")
    assert text.endswith("197, 199")
    assert len(text) < 150
    assert "..." in text


def test_whose_rounds_they_are_is_said():
    assert differ_text(()) == "they differ"
    assert differ_text((6,)) == "they differ in round 7"
    assert differ_text((6, 9)) == "they differ in rounds 7, 10, all of one person"

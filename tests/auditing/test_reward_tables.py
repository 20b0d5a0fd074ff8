"""Tables that are compared differ in one person's rounds, and nowhere else."""

from itertools import islice

import numpy as np
import pytest

from hush.auditing.attacked_claim import Claim
from hush.auditing.reward_tables import near_pairs, pairs, told

ENDS = [0, 1, 2, 5, 8, 11]


def differing(pair):
    return tuple(np.flatnonzero((pair.first != pair.second).any(axis=1)).tolist())


@pytest.mark.parametrize("rewards", [1, 2, 3, 7])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_pairs_differ_in_a_persons_rounds(rewards, neighbours):
    claim = Claim(1.0, neighbours, rewards)
    generator = np.random.default_rng(3)
    table = generator.integers(0, 9, (16, 3)) / 8.0
    made = [
        *islice(pairs(3, 16, claim, ENDS, generator), 40),
        *islice(near_pairs(table, claim, ENDS, [t % 3 for t in range(16)], generator), 40),
    ]
    for pair in made:
        assert len(pair.changed) == rewards
        assert set(differing(pair)) <= set(pair.changed)
        if neighbours == "add-remove":
            assert not pair.second[list(pair.changed)].any()
    assert max(len(differing(pair)) for pair in made) == rewards
    assert len({pair.changed for pair in made}) > 10


def test_few_pairs_have_several_shapes_and_places():
    few = list(islice(pairs(2, 16, Claim(1.0, rewards=3), ENDS, np.random.default_rng(3)), 10))
    assert len({pair.first.tobytes() for pair in few}) == 4
    assert len({pair.changed for pair in few}) == 4


def test_a_person_is_of_one_mind():
    """Else her changes would cancel in a sum."""
    table = np.array([[0.0, 1.0]] * 5 + [[1.0, 0.0]] * 3)
    first = next(near_pairs(table, Claim(1.0, rewards=8), [], [0] * 8, np.random.default_rng(3)))
    assert first.second.tolist() == [[1.0, 0.0]] * 8


def test_a_witness_has_her_rounds():
    pair = next(pairs(2, 16, Claim(1.0, rewards=3), ENDS, np.random.default_rng(3)))
    witness = told(pair, "seen", 1.0, "")
    assert witness.rounds == (1, 2, 3)
    assert (witness.first, witness.second) == ("00 x16", "11 x3, 00 x13")

"""Who comes: how often, how many at once, and never because of a reward."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest

import hush


def arrivals(env, rounds, seed=7):
    return list(islice(env.arrivals(np.random.default_rng(seed)), rounds))


def test_everybody_makes_her_visits_and_no_more():
    came = arrivals(hush.People(hush.paper_s1(), visits=[2, 5], at_once=10), 5000)
    counts = Counter(came)
    here = set(sorted(counts)[-40:])
    assert {counts[each] for each in counts if each not in here} == {2, 5}
    assert max(counts.values()) == 5


def test_with_one_at_a_time_visits_are_in_a_row():
    came = arrivals(hush.People(hush.paper_s1(), visits=3, at_once=1), 9)
    assert came == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_persons_once_each_are_all_different():
    came = arrivals(hush.People(hush.paper_s1(), visits=1, at_once=7), 300)
    assert len(set(came)) == 300


def test_it_is_coins_and_says_who_comes():
    env = hush.People(hush.paper_s1(), visits=3)
    assert env.means.tolist() == hush.paper_s1().means.tolist()
    assert env == hush.People(hush.paper_s1(), visits=[3])
    assert env not in (hush.paper_s1(), hush.People(hush.paper_s1(), visits=4))
    assert hash(env) != hash(hush.People(hush.paper_s1(), visits=4))
    assert env.to_dict()["at_once"] == 100
    assert repr(env).startswith("People(Bernoulli([0.75")
    with pytest.raises(hush.ParameterError, match="known for coins"):
        hush.bounds(hush.UCB1(), env, 100)


@pytest.mark.parametrize(
    "given",
    [
        {"visits": []},
        {"visits": 0},
        {"visits": [1, -1]},
        {"visits": 1.5},
        {"visits": 1, "at_once": 0},
    ],
)
def test_bad_numbers_are_refused(given):
    with pytest.raises(hush.ParameterError):
        hush.People(hush.paper_s1(), **given)
    with pytest.raises(hush.ParameterError, match="must be coins"):
        hush.People(hush.People(hush.paper_s1(), visits=1), visits=1)

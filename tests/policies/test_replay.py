"""The privacy argument as a property: releases frozen, one round's rewards replaced."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hush import RNMFTNL, AnytimeLazyUCB, LazyDPTS, ScriptedNoise
from hush.testing import RecordingNoise

PRIVATE = [AnytimeLazyUCB, LazyDPTS, RNMFTNL, RNMFTNL.as_printed]


def play(policy, table, noise):
    learner = policy.learner(table.shape[1], noise=noise)
    arms = []
    for row in table:
        arm = learner.select()
        learner.update(row) if policy.feedback == "full" else learner.update(arm, float(row[arm]))
        arms.append(arm)
    return arms


@pytest.mark.parametrize("make", PRIVATE, ids=["ucb", "ts", "rnm", "rnm-printed"])
@pytest.mark.parametrize("binary", [True, False])
@given(data=st.data())
def test_one_reward_moves_one_release_by_at_most_one(make, binary, data):
    rounds = data.draw(st.integers(1, 80))
    n_arms = data.draw(st.integers(2, 5))
    values = st.sampled_from([0.0, 1.0]) if binary else st.floats(0, 1)
    table = data.draw(arrays.arrays(float, (rounds, n_arms), elements=values))
    changed = data.draw(st.integers(0, rounds - 1))
    neighbour = table.copy()
    neighbour[changed] = data.draw(arrays.arrays(float, n_arms, elements=values))
    policy = make(data.draw(st.floats(0.05, 5)))
    seed = data.draw(st.integers(0, 10))

    script = releases(policy, rounds, n_arms, seed)
    first, second = (RecordingNoise(ScriptedNoise(script, selection=seed)) for _ in range(2))
    assert play(policy, table, first) == play(policy, neighbour, second)
    assert [(d.scale, d.law) for d in first.drawn] == [(d.scale, d.law) for d in second.drawn]
    differences = [
        np.abs(np.subtract(a.raw, b.raw)).max()
        for a, b in zip(first.drawn, second.drawn, strict=True)
    ]
    assert sum(1 for each in differences if each) <= 1
    assert max(differences, default=0) <= 1


def releases(policy, rounds, n_arms, seed):
    """Arbitrary releases: the property must hold for every one, likely or not."""
    generator = np.random.default_rng(seed)
    if policy.feedback == "full":
        return generator.integers(n_arms, size=rounds).tolist()
    return generator.laplace(0.5, 3.0, rounds).tolist()


def test_a_flip_moves_exactly_one_release_by_exactly_one():
    """The property is not vacuous: a flipped 0/1 reward of a played arm, epoch complete, shows."""
    table = np.zeros((31, 2))
    flipped = table.copy()
    flipped[4] = 1.0
    for make in (AnytimeLazyUCB, LazyDPTS, RNMFTNL):
        policy = make(1.0)
        script = releases(policy, 31, 2, 1)
        runs = []
        for rewards in (table, flipped):
            noise = RecordingNoise(ScriptedNoise(script, selection=1))
            play(policy, rewards, noise)
            runs.append([each.raw for each in noise.drawn])
        moved = [np.abs(np.subtract(a, b)).max() for a, b in zip(*runs, strict=True)]
        assert sorted(moved)[-2:] == [0, 1]

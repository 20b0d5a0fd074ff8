"""A tree of reward vectors: every sum is what it should be, with noise of one law in all rounds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import Release, ScriptedNoise, SeededNoise, StateError
from hush.mechanisms import ExponentialWeights, RewardRange, VectorTree
from hush.testing import RecordingNoise

FLAT = ExponentialWeights(0.0)


class Shown:
    """A rule that keeps the sums it is handed."""

    def __init__(self):
        self.seen = []

    def weights(self, sums, step):
        self.seen.append((step, list(sums)))
        return [1.0] * len(sums)


def tree(noise, n_arms=3, levels=4, epsilon=1.0, rule=FLAT):
    return VectorTree(
        n_arms, levels=levels, epsilon=epsilon, rule=rule, rewards=RewardRange(), noise=noise
    )


def test_without_noise_the_sums_are_the_running_sums():
    """At an epsilon of 1e12 noise is below 1e-6, in all but a chance of 1e-300."""
    rule = Shown()
    one = tree(SeededNoise(1), levels=5, epsilon=1e12, rule=rule)
    table = np.random.default_rng(2).integers(2, size=(31, 3)).astype(float)
    for row in table:
        one.add(row.tolist())
    assert [step for step, _ in rule.seen] == list(range(1, 32))
    assert np.abs(np.array([sums for _, sums in rule.seen]) - table.cumsum(axis=0)).max() < 1e-6


def test_a_full_tree_releases_nothing_more():
    one = tree(SeededNoise(1), levels=2)
    found = [one.add([1.0, 0.0, 0.0]) for _ in range(5)]
    assert [each is None for each in found] == [False, False, False, True, True]
    assert found[2] == Release(None, 2, 1, found[2].value, "vector-tree", pytest.approx(1.0))


def test_noise_has_the_variance_of_all_levels_in_every_round():
    """Of 4,000 trees, whatever the round's binary form; within 6 standard errors."""
    levels, n_arms, epsilon, noise = 3, 2, 1.0, SeededNoise(4)
    seen = np.empty((4000, 7, n_arms))
    for run in range(len(seen)):
        rule = Shown()
        one = tree(noise, n_arms, levels, epsilon, rule)
        for _ in range(7):
            one.add([0.0] * n_arms)
        seen[run] = [sums for _, sums in rule.seen]
    scale = n_arms * levels / epsilon
    expected = levels * 2 * scale**2
    # The fourth moment of a sum of Laplace draws is 3 v^2 + 12 levels scale^4.
    error = math.sqrt((2 * expected**2 + 12 * levels * scale**4) / (4000 * n_arms))
    for variance in (seen**2).mean(axis=(0, 2)):
        assert abs(variance - expected) < 6 * error


@given(st.data())
def test_one_replaced_vector_moves_one_node_a_level(data):
    """Whatever comes out, the losses of all draws add up to epsilon at most."""
    rounds, n_arms, levels = data.draw(st.integers(1, 15)), data.draw(st.integers(1, 4)), 4
    bits = st.lists(st.sampled_from([0.0, 1.0]), min_size=n_arms, max_size=n_arms)
    table = [data.draw(bits) for _ in range(rounds)]
    other = list(table)
    other[data.draw(st.integers(0, rounds - 1))] = data.draw(bits)
    values = [float(each) for each in range((levels + rounds) * n_arms)]
    draws = []
    for rewards in (table, other):
        noise = RecordingNoise(ScriptedNoise(values))
        one = tree(noise, n_arms, levels, 0.7)
        for row in rewards:
            one.add(row)
        draws.append(noise.drawn)
    losses = [a.loss(b) for a, b in zip(*draws, strict=True)]
    assert sum(losses) <= 0.7 * (1 + 1e-9)
    assert sum(each > 0 for each in losses) <= levels * n_arms


def test_all_of_epsilon_is_lost_where_a_vector_meets_every_level():
    draws = []
    for first in ([0.0, 1.0], [1.0, 0.0]):
        noise = RecordingNoise(SeededNoise(1))
        one = tree(noise, 2, 3, 0.7)
        for row in (first, *[[0.0, 0.0]] * 6):
            one.add(row)
        draws.append(noise.drawn)
    assert sum(a.loss(b) for a, b in zip(*draws, strict=True)) == pytest.approx(0.7)
    assert one.epsilon == pytest.approx(0.7)


def test_a_restored_tree_has_the_same_future():
    one = tree(SeededNoise(3))
    for _ in range(5):
        one.add([1.0, 0.0, 1.0])
    state = one.state()
    assert "protect" in state["notice"]
    noise, again = SeededNoise(9), SeededNoise(9)
    one._noise = noise
    two = tree(again)
    two.restore(state)
    for _ in range(12):
        assert one.add([0.0, 1.0, 1.0]) == two.add([0.0, 1.0, 1.0])
    assert one.state() == two.state()


@pytest.mark.parametrize(
    "change",
    [
        {"steps": 16},
        {"steps": -1},
        {"steps": 4},
        {"raw": None},
        {"raw": [[0, 0, 0]] * 3},
        {"raw": [[2, 0, 0], [0, 0, 0], [4, 0, 4], [0, 0, 0]]},
        {"raw": [[1, 0, 1], [1, 0, 0], [4, 0, 4], [0, 0, 0]]},
        {"raw": [[0.5, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]},
        {"noisy": [[0, 0]] * 4},
        {"noisy": [[0, 0, "1"]] * 4},
        {"spare": []},
        {"spare": [3] * 4},
    ],
    ids=str,
)
def test_damaged_states_are_refused(change):
    one = tree(SeededNoise(3))
    for _ in range(5):
        one.add([1.0, 0.0, 1.0])
    with pytest.raises(StateError):
        one.restore({**one.state(), **change})
    assert repr(one) == "VectorTree(<3 actions>)"


def test_a_source_that_fails_leaves_no_trace():
    one = tree(ScriptedNoise([0.0] * 14), n_arms=3, levels=4)  # one draw is missing
    before = one.state()
    with pytest.raises(Exception, match="script"):
        one.add([1.0, 1.0, 1.0])
    assert one.state() == before

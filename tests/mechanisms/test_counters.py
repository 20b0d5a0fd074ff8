"""Counting mechanisms: what they sum, the law of their error, their loss, their states.

Statistical tests have fixed seeds; a right counter is rejected by a new seed with probability
1e-6 each.
"""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest, laplace

from hush import NoiseError, ParameterError, ScriptedNoise, SeededNoise, StateError
from hush.mechanisms import BinaryCounter, HybridCounter, LogarithmicCounter
from hush.mechanisms.counters import tree_levels
from hush.testing import RecordingNoise

FALSE_ALARM = 1e-6


class Silent(SeededNoise):
    """Adds nothing."""

    def add_laplace(self, total, *, epsilon, sensitivity=1):
        return total


def counters(epsilon, noise, horizon=100):
    return [
        BinaryCounter(horizon, epsilon=epsilon, noise=noise),
        LogarithmicCounter(epsilon=epsilon, noise=noise),
        HybridCounter(epsilon=epsilon, noise=noise),
    ]


@given(st.lists(st.integers(0, 1), max_size=100))
def test_without_noise_they_count(bits):
    binary, logarithmic, hybrid = counters(1.0, Silent(0))
    total = 0
    for step, bit in enumerate(bits, start=1):
        total += bit
        assert binary.add(bit) == total
        assert hybrid.add(bit) == total
        assert logarithmic.add(bit) == (total if step.bit_count() == 1 else None)
        assert binary.steps == logarithmic.steps == hybrid.steps == step


@given(st.lists(st.integers(0, 1), min_size=1, max_size=70), st.data())
def test_one_summand_loses_epsilon_in_all_releases_together(bits, data):
    """With outputs frozen, one summand replaced moves nodes by 1 / scale in sum epsilon at most."""
    epsilon = data.draw(st.floats(0.05, 5))
    changed = data.draw(st.integers(0, len(bits) - 1))
    others = [*bits[:changed], 1 - bits[changed], *bits[changed + 1 :]]
    script = np.random.default_rng(1).normal(size=len(bits)).tolist()
    for which in range(3):
        drawn = []
        for stream in (bits, others):
            noise = RecordingNoise(ScriptedNoise(script))
            counter = counters(epsilon, noise, horizon=len(bits))[which]
            outputs = [counter.add(bit) for bit in stream]
            drawn.append((noise.drawn, outputs))
        (first, seen), (second, seen_again) = drawn
        assert seen == seen_again
        assert [each.scale for each in first] == [each.scale for each in second]
        loss = sum(a.loss(b) for a, b in zip(first, second, strict=True))
        assert loss <= epsilon * (1 + 1e-12)


def test_the_loss_is_reached():
    """The bound is tight: some summand of a full tree enters a node on every level."""
    streams = [[0] * 8, [1] + [0] * 7]
    drawn = []
    for stream in streams:
        noise = RecordingNoise(ScriptedNoise([0.0] * 8))
        counter = BinaryCounter(8, epsilon=1.0, noise=noise)
        for bit in stream:
            counter.add(bit)
        drawn.append(noise.drawn)
    assert sum(a.loss(b) for a, b in zip(*drawn, strict=True)) == pytest.approx(1.0)


def errors(make, steps, runs):
    """Return the error of every release: runs x steps."""
    out = np.full((runs, steps), np.nan)
    for run in range(runs):
        counter = make(SeededNoise(np.random.SeedSequence(7, spawn_key=(run,))))
        for step in range(steps):
            value = counter.add(1)
            if value is not None:
                out[run, step] = value - step - 1
    return out


MAKERS = {
    "binary": lambda noise: BinaryCounter(32, epsilon=0.7, noise=noise),
    "logarithmic": lambda noise: LogarithmicCounter(epsilon=0.7, noise=noise),
    "hybrid": lambda noise: HybridCounter(epsilon=0.7, noise=noise),
}


@pytest.mark.untraced
@pytest.mark.parametrize("name", MAKERS)
def test_errors_have_mean_zero_and_the_stated_variance(name):
    runs = 3000
    make = MAKERS[name]
    error = errors(make, 32, runs)
    stated = np.array([make(SeededNoise(0)).variance(step) for step in range(1, 33)])
    there = ~np.isnan(error[0])
    error, stated = error[:, there], stated[there]
    off = error.mean(axis=0) / np.sqrt(stated / runs)
    # A sum of Laplace draws has kurtosis 6 at most, hence its variance estimate this error.
    ratio = error.var(axis=0) / stated
    assert np.abs(off).max() < 6.0
    assert np.abs(ratio - 1).max() < 6.0 * math.sqrt(5.0 / runs)


def test_the_stated_variances_are_the_papers():
    binary, logarithmic, hybrid = counters(0.5, Silent(0), horizon=1024)
    node = 2 * (11 / 0.5) ** 2
    assert binary.variance(1024) == pytest.approx(node)
    assert binary.variance(1023) == pytest.approx(10 * node)
    assert logarithmic.variance(1024) == pytest.approx(11 * 2 / 0.5**2)
    coarse, fine = 11 * 2 / 0.25**2, 2 * (11 / 0.25) ** 2
    assert hybrid.variance(1024) == pytest.approx(coarse)
    assert hybrid.variance(1024 + 7) == pytest.approx(coarse + 3 * fine)


@pytest.mark.untraced
def test_single_nodes_are_laplace():
    error = errors(MAKERS["binary"], 16, 2000)
    assert kstest(error[:, 15], laplace(scale=6 / 0.7).cdf).pvalue > FALSE_ALARM
    # Step 3 holds two nodes: their sum has this distribution function.
    scale = 6 / 0.7

    def two(x):
        z = np.abs(x) / scale
        tail = 0.5 * np.exp(-z) * (1 + z / 2)
        return np.where(x < 0, tail, 1 - tail)

    assert kstest(error[:, 2], two).pvalue > FALSE_ALARM
    assert kstest(error[:, 2] * 1.5, two).pvalue < FALSE_ALARM  # and it would see 50 %


@pytest.mark.untraced
def test_a_node_is_drawn_once():
    """Releases that share a node share its noise."""
    error = errors(MAKERS["binary"], 5, 3000)
    shared = np.corrcoef(error[:, 3], error[:, 4])[0, 1]  # node 4, and nodes 4 and 1
    assert shared == pytest.approx(math.sqrt(0.5), abs=0.08)
    assert abs(np.corrcoef(error[:, 0], error[:, 3])[0, 1]) < 0.1


def test_a_full_tree_releases_nothing_more():
    counter = BinaryCounter(3, epsilon=1.0, noise=Silent(0))
    assert [counter.add(1) for _ in range(5)] == [1, 2, 3, None, None]
    assert counter.steps == 3


@pytest.mark.parametrize("which", range(3))
def test_states_resume_at_every_step(which):
    bits = np.random.default_rng(3).integers(0, 2, 40).tolist()
    noise = SeededNoise(5)
    whole = counters(1.0, noise, horizon=40)[which]
    outputs, states = [], []
    for bit in bits:
        states.append((json.dumps(whole.state()), noise.state()))
        outputs.append(whole.add(bit))
    for cut, (state, position) in enumerate(states):
        again = SeededNoise.from_state(position)
        resumed = counters(1.0, again, horizon=40)[which]
        resumed.restore(json.loads(state))
        assert [resumed.add(bit) for bit in bits[cut:]] == outputs[cut:]


@pytest.mark.parametrize("which", range(3))
@pytest.mark.parametrize(
    "change",
    [
        {"steps": -1},
        {"steps": 2**63},
        {"steps": 1.5},
        {"raw": [9] * 4},
        {"raw": []},
        {"noisy": ["1"] * 4},
        {"running": 99},
        {"released": None},
        {"coarse": 3},
        {"fine": {}},
    ],
    ids=str,
)
def test_damaged_states_are_refused(which, change):
    counter = counters(1.0, Silent(0), horizon=8)[which]
    for _ in range(6):
        counter.add(1)
    state = counter.state()
    if set(change) <= set(state):
        fresh = counters(1.0, Silent(0), horizon=8)[which]
        with pytest.raises(StateError):
            fresh.restore({**state, **change})
        assert fresh.steps == 0


@pytest.mark.parametrize(
    ("steps", "raw", "fits"),
    [
        (6, [0, 2, 4, 0], True),
        (6, [0, 0, 0, 0], True),
        (6, [1, 0, 0, 0], False),
        (6, [0, 3, 0, 0], False),
        (6, [0, 0, 5, 0], False),
        (6, [0, 0, 0, 1], False),
        (6, [0, -1, 0, 0], False),
        (6, [0, 1.0, 0, 0], False),
        (8, [0, 0, 0, 8], True),
        (8, [0, 0, 0, 9], False),
        (9, [0, 0, 0, 0], False),
    ],
)
def test_a_tree_s_nodes_hold_what_their_steps_can_sum_up_to(steps, raw, fits):
    tree = BinaryCounter(8, epsilon=1.0, noise=Silent(0))
    state = {"steps": steps, "raw": raw, "noisy": [0.5, 0, 0, 0]}
    if fits:
        tree.restore(state)
        assert tree.state() == state
    else:
        with pytest.raises(StateError):
            tree.restore(state)


@pytest.mark.parametrize(
    ("steps", "most"), [(0, 0), (1, 0), (2, 0), (3, 1), (7, 3), (8, 0), (12, 4)]
)
def test_a_running_sum_is_that_since_the_last_power_of_two(steps, most):
    counter = LogarithmicCounter(epsilon=1.0, noise=Silent(0))
    counter.restore({"steps": steps, "running": most, "released": 3})
    assert counter.state()["running"] == most
    with pytest.raises(StateError):
        counter.restore({"steps": steps, "running": most + 1, "released": 3})


def test_a_stream_of_any_length_that_fits_is_restored():
    counter = LogarithmicCounter(epsilon=1.0, noise=Silent(0))
    counter.restore({"steps": 2**62, "running": 0, "released": 3})
    assert counter.steps == 2**62
    with pytest.raises(StateError):
        counter.restore({"steps": 2**62 + 1, "running": 0, "released": 3})


@pytest.mark.parametrize(
    ("steps", "coarse", "fine", "fits"),
    [(0, 0, 0, True), (1, 1, 0, True), (6, 6, 2, True), (6, 5, 2, False), (6, 6, 3, False)],
)
def test_both_parts_of_a_hybrid_stand_at_one_step(steps, coarse, fine, fits):
    counter = HybridCounter(epsilon=1.0, noise=Silent(0))
    levels = tree_levels(1 << max(0, steps.bit_length() - 1))
    state = {
        "steps": steps,
        "coarse": {"steps": coarse, "running": 0, "released": 0},
        "fine": {"steps": fine, "raw": [0] * levels, "noisy": [0] * levels},
    }
    if fits:
        counter.restore(state)
        assert counter.steps == steps
    else:
        with pytest.raises(StateError):
            counter.restore(state)


@pytest.mark.parametrize("bad", [2, -1, 0.5, True, None, math.nan])
def test_bad_summands_change_nothing(bad):
    for counter in counters(1.0, SeededNoise(1)):
        before = counter.state()
        with pytest.raises(NoiseError, match="0 and 1"):
            counter.add(bad)
        assert counter.state() == before


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match=r"^epsilon must"):
        HybridCounter(epsilon=0)
    for bad in (0, 2**62 + 1):
        with pytest.raises(ParameterError, match=r"^horizon must"):
            BinaryCounter(bad, epsilon=1.0)
    assert BinaryCounter(2**62, epsilon=1.0).horizon == 2**62


def test_noise_is_secure_unless_told_otherwise():
    draws = {BinaryCounter(1, epsilon=1e-6).add(1) for _ in range(40)}
    assert len(draws) > 20  # two-sided geometric noise of scale 10^6: a repeat is rare


def test_repr_shows_no_sum():
    counter = BinaryCounter(10**6, epsilon=1.0, noise=Silent(0))
    for _ in range(777):
        counter.add(1)
    assert repr(counter) == "BinaryCounter(epsilon=1, <777 steps>)"

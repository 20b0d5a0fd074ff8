import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import NoiseError, Release, ScriptedNoise, SeededNoise, StateError
from hush.mechanisms import (
    EveryRound,
    ExactArgmax,
    ExactSum,
    Geometric,
    NoisySum,
    RewardRange,
)
from hush.mechanisms.counters import BinaryCounter
from hush.mechanisms.sums import ArmCounters, ArmSums, VectorSums

UNIT = RewardRange()


def arm_sums(noise, n_arms=2, mechanism=None):
    return ArmSums(
        n_arms, schedule=Geometric(), mechanism=mechanism or ExactSum(), rewards=UNIT, noise=noise
    )


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=200))
def test_each_reward_enters_one_release(stream):
    sums = arm_sums(SeededNoise(1))
    seen = {0: [], 1: []}
    for arm, reward in stream:
        seen[arm].append(reward)
        release = sums.add(arm, float(reward))
        full = len(seen[arm]) + 1
        if full & (full - 1):  # an epoch ends at 1, 3, 7, 15, ... rewards
            assert release is None
        else:
            assert release.count == full // 2
            assert release.epoch == full.bit_length() - 2
            assert release.value == sum(seen[arm][-release.count :])


def test_a_failing_source_leaves_no_trace():
    sums = arm_sums(script := ScriptedNoise([]), mechanism=NoisySum(epsilon=1.0, noise=script))
    before = sums.state()
    with pytest.raises(NoiseError):
        sums.add(0, 1.0)
    assert sums.state() == before


def test_fractions_become_coins_of_that_probability():
    sums = ArmSums(
        1, schedule=Geometric(1e6), mechanism=ExactSum(), rewards=UNIT, noise=SeededNoise(4)
    )
    sums.add(0, 0.3)
    for _ in range(40_000):
        sums.add(0, 0.3)
    tossed = sums.state()["sums"][0]
    assert abs(tossed - 12_000) < 5 * (40_000 * 0.3 * 0.7) ** 0.5  # false alarm below 1e-6


def test_kept_sums_run_on():
    sums = VectorSums(
        2,
        schedule=EveryRound(),
        mechanism=ExactArgmax(),
        rewards=UNIT,
        noise=SeededNoise(1),
        keep=True,
    )
    winners = [sums.add(vector).value for vector in ([0.0, 1.0], [1.0, 0.0], [1.0, 0.0])]
    assert winners == [1, 0, 0]


@pytest.mark.parametrize(
    "damage",
    [
        {"sums": [5, 0]},
        {"counts": [9, 0]},
        {"counts": [1, 0]},  # a full epoch has been released
        {"sums": [1]},
        {"epochs": ["0", 0]},
        {"sums": [-1, 0]},
    ],
)
def test_a_damaged_arm_state_is_refused(damage):
    sums = arm_sums(SeededNoise(1))
    good = sums.state()
    with pytest.raises(StateError):
        sums.restore({**good, **damage})
    assert sums.state() == good


def vector_sums(**options):
    return VectorSums(
        2,
        schedule=Geometric(),
        mechanism=ExactArgmax(),
        rewards=UNIT,
        noise=SeededNoise(1),
        **options,
    )


@pytest.mark.parametrize(
    "damage",
    [
        {"sums": [5, 0]},
        {"count": 1},
        {"kept": 4},
        {"epoch": None},
        {"sums": None},
        {"count": 2, "wanted": 2, "epoch": 1},
        {"wanted": 1},
        {"count": 1, "epoch": 1},
        {"count": 1, "wanted": 3, "epoch": 1},
        {"count": 1, "wanted": 2, "epoch": 1, "sums": [0, 2]},
    ],
    ids=str,
)
def test_a_damaged_vector_state_is_refused(damage):
    sums = vector_sums()
    good = sums.state()
    with pytest.raises(StateError):
        sums.restore({**good, **damage})
    assert sums.state() == good


def test_what_a_running_epoch_and_those_kept_can_sum_up_to_is_taken():
    running = {"epoch": 1, "count": 1, "wanted": 2, "kept": 0, "sums": [1, 0]}
    vector_sums().restore(running)
    kept = vector_sums(keep=True)
    kept.restore({**running, "kept": 1, "sums": [2, 0]})
    assert kept.state()["sums"] == [2, 0]
    with pytest.raises(StateError):
        kept.restore({**running, "kept": 1, "sums": [3, 0]})


def test_an_epoch_is_summed_whole_and_released_by_name():
    sums = vector_sums()
    assert sums.add([0.0, 1.0]) == Release(None, 0, 1, 1, "exact-argmax", math.inf)
    assert sums.add([1.0, 0.0]) is None
    assert sums.state() | {"notice": ""} == {
        "notice": "", "epoch": 1, "count": 1, "kept": 0, "wanted": 2, "sums": [1, 0],
    }  # fmt: skip
    assert sums.add([1.0, 0.0]) == Release(None, 1, 2, 0, "exact-argmax", math.inf)
    for epoch in range(2, 6):
        for _ in range(2**epoch - 1):
            assert sums.add([0.0, 1.0]) is None
        assert sums.add([0.0, 1.0]) == Release(None, epoch, 2**epoch, 1, "exact-argmax", math.inf)


@pytest.mark.parametrize(("uniform", "wanted"), [(0.0, 1), (0.49, 2), (0.99, 4), (1.0, 4)])
def test_a_prefix_has_at_least_one_reward_and_at_most_all(uniform, wanted):
    sums = vector_sums(prefix=True)
    sums._noise = SimpleNamespace(
        coins=np.random.default_rng(1), selection=SimpleNamespace(random=lambda: uniform)
    )
    for _ in range(4):
        sums.add([1.0, 0.0])
    assert sums.state()["wanted"] == wanted


def counters():
    return ArmCounters(
        2,
        counter=lambda: BinaryCounter(8, epsilon=1.0, noise=SeededNoise(1)),
        rewards=UNIT,
        noise=SeededNoise(1),
    )


@pytest.mark.parametrize("sums", [arm_sums(SeededNoise(1)), vector_sums(), counters()], ids=repr)
def test_states_carry_the_notice_and_reprs_carry_nothing(sums):
    assert "protect" in sums.state()["notice"]
    assert repr(sums) in {
        "ArmSums(<2 arms>)",
        "ArmCounters(<2 arms>)",
        "VectorSums(<2 actions>)",
    }


def test_a_counter_releases_the_sum_of_all_at_every_reward():
    sums = ArmCounters(
        2,
        counter=lambda: BinaryCounter(8, epsilon=0.5, noise=ScriptedNoise([1.5, 2.5])),
        rewards=UNIT,
        noise=SeededNoise(1),
    )
    assert sums.add(1, 1.0) == Release(1, 0, 1, 1.5, "binary-counter", 0.5)
    assert sums.add(1, 1.0) == Release(1, 1, 2, 2.5, "binary-counter", 0.5)
    assert sums.arrived == (0, 0)


@pytest.mark.parametrize("change", [None, tuple, lambda states: states[:1], lambda states: [1, 2]])
def test_damaged_states_of_counters_are_refused(change):
    sums = counters()
    sums.add(0, 1.0)
    good = sums.state()
    states = None if change is None else change(good["counters"])
    with pytest.raises(StateError):
        sums.restore({**good, "counters": states})
    assert sums.state() == good


class Falling(ScriptedNoise):
    """Coins that fall as given."""

    def __init__(self, coin):
        super().__init__([])
        self.coin = coin

    @property
    def coins(self):
        coin = self.coin
        return SimpleNamespace(
            random=lambda size=None: coin if size is None else np.full(size, coin)
        )


@pytest.mark.parametrize(("coin", "counted"), [(0.0, [0, 1, 1]), (1.0 - 2**-53, [0, 0, 1])])
def test_a_reward_of_nothing_never_counts_and_a_full_one_always_does(coin, counted):
    units = [0.0, 0.5, 1.0]
    arms = arm_sums(Falling(coin), n_arms=3)
    assert [arms.add(arm, unit).value for arm, unit in enumerate(units)] == counted
    vectors = VectorSums(
        3,
        schedule=Geometric(100.0),
        mechanism=ExactArgmax(),
        rewards=UNIT,
        noise=Falling(coin),
    )
    vectors.add(units)
    vectors.add(units)
    assert vectors.state()["sums"] == counted
    bits = []
    counting = ArmCounters(
        3,
        counter=lambda: SimpleNamespace(add=bits.append),
        rewards=UNIT,
        noise=Falling(coin),
    )
    for arm, unit in enumerate(units):
        assert counting.add(arm, unit) is None
    assert bits == counted


def test_a_release_says_what_made_it():
    sums = arm_sums(SeededNoise(1), mechanism=NoisySum(epsilon=0.5, noise=ScriptedNoise([2.5])))
    assert sums.add(1, 1.0) == Release(1, 0, 1, 2.5, "noisy-sum", 0.5)

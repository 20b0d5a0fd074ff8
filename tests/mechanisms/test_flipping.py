"""Coins that are flipped where they arise: exact chances, and no coin flipped twice."""

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

import hush
from hush.mechanisms.flipping import FlippedCoin, keep_chance, randomize
from hush.testing import RecordingNoise

FALSE_ALARM = 1e-6


def exponential_at_least(x: Fraction) -> Fraction:
    """Return a rational number below ``e^x``: its series, cut off."""
    total = term = Fraction(1)
    for n in range(1, 160):
        term *= x / n
        total += term
    return total


@given(epsilon=st.floats(1e-9, 30.0))
def test_a_coin_loses_epsilon_at_most_and_nearly_all_of_it(epsilon):
    keep = Fraction(keep_chance(epsilon))
    assert keep * 2**53 == int(keep * 2**53)
    assert keep / (1 - keep) <= exponential_at_least(Fraction(epsilon))
    more = keep + Fraction(1, 2**53)
    assert more == 1 or float(more / (1 - more)) > math.exp(epsilon) * (1 - 1e-9)


def test_a_chance_is_never_certain_and_never_even():
    assert keep_chance(1e300) == keep_chance(40.0) == 1.0 - 2.0**-53
    with pytest.raises(hush.ParameterError, match="says nothing"):
        keep_chance(1e-17)


@pytest.mark.parametrize("reward", [0.0, 0.3, 1.0])
def test_a_device_tosses_with_the_stated_chance(reward):
    """False alarms: 3 in 10^6."""
    draws = 4000
    hits = sum(randomize(reward, epsilon=0.7).side for _ in range(draws))
    keep = keep_chance(0.7)
    chance = reward * keep + (1.0 - reward) * (1.0 - keep)
    assert binomtest(hits, draws, chance).pvalue > FALSE_ALARM


def test_the_device_asks_for_exact_chances_only():
    noise = RecordingNoise(hush.SeededNoise(7))
    coin = randomize(0.25, epsilon=1.0, reward_range=(-1.0, 4.0), noise=noise)
    keep = keep_chance(1.0)
    first, second = noise.drawn
    assert first.chances == (0.25, 0.25)
    assert second.chances == (1.0 - keep, keep)
    assert second.raw == (first.noisy,)
    assert coin == FlippedCoin(second.noisy, 1.0)


def test_a_coin_travels_as_json_and_is_taken_as_it_is():
    policy = hush.Local(hush.UCB1(), epsilon=1.0)
    noise = RecordingNoise(hush.SeededNoise(7))
    learner = policy.learner(n_arms=2, noise=noise)
    for side in (1, 0):
        sent = json.dumps(FlippedCoin(side, 1.0).to_dict())
        release = learner.update(learner.select(), FlippedCoin.from_dict(json.loads(sent)))
        assert (release.value, release.mechanism) == (side, "flipped-coins")
    assert not noise.drawn  # nothing was flipped again
    learner.update(learner.select(), 1)
    assert len(noise.drawn) == 1


def test_a_coin_is_no_reward_and_no_number():
    coin = randomize(1, epsilon=1.0)
    for call in (float, int, sum):
        with pytest.raises(TypeError):
            call(coin)
    for policy in (hush.UCB1(), hush.LazyDPTS(1.0)):
        learner = policy.learner(n_arms=2)
        arm = learner.select()
        before = learner.state()
        with pytest.raises(hush.RewardError, match="FlippedCoin"):
            learner.update(arm, coin)
        assert {**learner.state(), "line": None} == {**before, "line": None}
    with pytest.raises(hush.RewardError, match="FlippedCoin"):
        randomize(coin, epsilon=1.0)


def test_a_coin_of_another_epsilon_is_refused():
    learner = hush.Local(epsilon=0.5).learner(n_arms=2)
    arm = learner.select()
    with pytest.raises(hush.RewardError, match=r"epsilon = 1, and this learner reckons with 0\.5"):
        learner.update(arm, randomize(1, epsilon=1.0))
    assert learner.outstanding[arm] == 1
    learner.update(arm, randomize(1, epsilon=0.5))


@given(
    data=st.one_of(
        st.none(),
        st.integers(),
        st.dictionaries(st.sampled_from(["side", "epsilon", "x"]), st.integers(-2, 3)),
        st.fixed_dictionaries({"side": st.floats(), "epsilon": st.just(1.0)}),
        st.fixed_dictionaries({"side": st.booleans(), "epsilon": st.just(1.0)}),
    )
)
def test_what_is_no_coin_is_refused(data):
    if isinstance(data, dict) and set(data) == {"side", "epsilon"}:
        good = type(data["side"]) is int and data["side"] in (0, 1) and data["epsilon"] > 0
        if good:
            assert FlippedCoin.from_dict(data).to_dict() == data
            return
    with pytest.raises(hush.HushError):
        FlippedCoin.from_dict(data)


@pytest.mark.parametrize("reward", [math.nan, 1.25, -7654.5, "0.5", True, None, [1]])
def test_a_device_refuses_what_is_no_reward_and_does_not_show_it(reward):
    with pytest.raises(hush.RewardError) as raised:
        randomize(reward, epsilon=1.0)
    assert not isinstance(reward, float) or repr(reward) not in str(raised.value)

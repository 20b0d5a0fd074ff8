"""Noise in shares: what adds up to which law, and what a sum is read as."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare, nbinom

import hush
from hush.mechanisms.shares import SharedSum, Shares, _polya
from hush.testing import RecordingNoise

FALSE_ALARM = 1e-6


@given(count=st.integers(1, 10**6), epsilon=st.floats(0.01, 20.0), horizon=st.integers(1, 10**12))
def test_sizes_are_the_formulas(count, epsilon, horizon):
    shares = Shares(count, epsilon, horizon)
    g = math.ceil(epsilon * math.sqrt(count))
    tau = math.ceil(g / epsilon * math.log(2 * horizon))
    assert (shares.precision, shares.slack) == (g, tau)
    assert shares.modulus == count * g + 2 * tau + 1
    for total in (-tau, -1, 0, count * g, count * g + tau):
        assert shares.read(total) == total / g
        assert shares.read(total + 3 * shares.modulus) == total / g
    assert shares.read(count * g + tau + 1) == -tau / g  # what lies beyond is read wrong


def test_polyas_law():
    """False alarms: one in 10^6."""
    count, epsilon = 4, 0.5
    shares = Shares(count, epsilon, 100)
    draws = [_polya(count, shares._decay) for _ in range(6000)]
    ratio = math.exp(-epsilon / shares.precision)
    cells = np.arange(12)
    expected = nbinom.pmf(cells, 1 / count, 1 - ratio) * len(draws)
    expected = np.append(expected, len(draws) - expected.sum())
    seen = np.bincount(np.minimum(draws, 12), minlength=13)
    assert chisquare(seen, expected).pvalue > FALSE_ALARM


@pytest.mark.parametrize("count", [1, 8])
def test_shares_add_up_to_discrete_laplace_noise(count):
    """False alarms: 4 in 10^6."""
    shares = Shares(count, 1.0, 10**6)
    runs = 800
    sums = [shares.add_up([shares.share(1.0) for _ in range(count)]) for _ in range(runs)]
    parts = np.array(sums) * shares.precision
    noise = np.rint(parts) - count * shares.precision
    assert np.abs(parts - np.rint(parts)).max() < 1e-9
    ratio = math.exp(-1.0 / shares.precision)
    centre = (1 - ratio) / (1 + ratio)
    assert binomtest(int((noise == 0).sum()), runs, centre).pvalue > FALSE_ALARM
    far = 2 * shares.precision
    beyond = 2 * ratio**far / (1 + ratio)
    assert binomtest(int((np.abs(noise) >= far).sum()), runs, beyond).pvalue > FALSE_ALARM


def test_a_reward_is_rounded_at_random_so_that_its_mean_is_right():
    """Noise of scale 1 moves some of 30 to 31, and back. False alarm: 10^-6."""
    shares = Shares(1, 60.0, 2)
    assert shares.precision == 60
    sent = np.array([shares.read(shares.share(0.505)) for _ in range(3000)])
    sent = np.rint(60 * sent)
    near = sent[(sent == 30) | (sent == 31)]
    assert near.size > 1000
    other = math.exp(-1.0)
    chance = (0.3 + 0.7 * other) / (1.0 + other)
    assert binomtest(int((near == 31).sum()), near.size, chance).pvalue > FALSE_ALARM


def test_the_learners_sum_has_the_same_noise():
    noise = RecordingNoise(hush.SeededNoise(7, discrete=True))
    value = SharedSum(epsilon=0.5, horizon=1000, noise=noise).release(40, count=64)
    g = Shares(64, 0.5, 1000).precision
    (drawn,) = noise.drawn
    assert (drawn.raw, drawn.scale, drawn.law) == ((40 * g,), g / 0.5, "laplace")
    assert value == drawn.noisy / g


@pytest.mark.parametrize("total", [-1, 65, 1.0, None])
def test_a_sum_out_of_range_is_not_released(total):
    mechanism = SharedSum(epsilon=1.0, horizon=10, noise=hush.SeededNoise(7))
    with pytest.raises(hush.NoiseError) as raised:
        mechanism.release(total, count=64)
    assert "65" not in str(raised.value)


def test_bad_shares_are_refused():
    shares = Shares(4, 1.0, 100)
    for bad in ([1, 2], [0, 0, 0, shares.modulus], [0, 0, 0, -1], [0.5] * 4):
        with pytest.raises(hush.HushError):
            shares.add_up(bad)
    for reward in (1.5, math.nan, "1"):
        with pytest.raises(hush.RewardError):
            shares.share(reward)
    for given_ in ({"count": 0}, {"epsilon": 0.0}, {"horizon": 0}):
        with pytest.raises(hush.ParameterError):
            Shares(**{"count": 4, "epsilon": 1.0, "horizon": 10, **given_})

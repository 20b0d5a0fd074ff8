"""Pieces of the compiled loops: noise, sums of huge epochs, checkpoints, segments."""

import math

import numba
import numpy as np
import pytest
from scipy.stats import kstest, laplace, norm

from hush import SeededNoise
from hush.simulation.kernels import common


@numba.njit
def sums(source, n, p, draws):
    out = np.empty(draws, np.int64)
    for i in range(draws):
        out[i] = common.binomial(n, p, source)
    return out


@pytest.mark.untraced
def test_noise_has_its_law():
    source = np.random.default_rng(1)
    draws = [common.laplace_noise(2.0, False, source) for _ in range(20_000)]
    assert kstest(draws, laplace(scale=2.0).cdf).pvalue > 1e-6  # the false-alarm rate
    whole = np.array([common.laplace_noise(2.0, True, source) for _ in range(20_000)])
    assert (whole == np.round(whole)).all()
    wanted = np.tanh(0.25)  # P(0) at scale 2
    assert abs((whole == 0).mean() - wanted) < 5 * math.sqrt(wanted * (1 - wanted) / 20_000)


@pytest.mark.parametrize("discrete", [False, True])
def test_noise_is_that_of_the_seeded_source(discrete):
    source = SeededNoise(3, discrete=discrete)
    twin = SeededNoise(3, discrete=discrete)._noise
    ours = [source.add_laplace(5, epsilon=0.5) for _ in range(50)]
    assert ours == [5 + common.laplace_noise(2.0, discrete, twin) for _ in range(50)]


@pytest.mark.untraced
@pytest.mark.parametrize("power", [20, 40, 53, 59])
def test_sums_of_huge_epochs_keep_their_law(power):
    """NumPy's binomial sampler up to the longest epoch in 10^18 rounds; false alarm 1e-6."""
    n, draws = 2**power, 100_000
    found = sums(np.random.default_rng(power), n, 0.75, draws)
    z = (found - 3 * (n // 4)).astype(float) / math.sqrt(n * 0.1875)
    assert abs(z.mean()) < 5 / math.sqrt(draws)
    assert abs(z.std() - 1.0) < 5 / math.sqrt(2 * draws)
    if power > 20:  # below, the steps between whole numbers show
        assert kstest(z, norm.cdf).pvalue > 1e-6


@pytest.mark.parametrize("chance", [1e-17, 3e-12, 1e-9, 0.3])
def test_binomial_numbers_of_tiny_chances_come_and_have_their_mean(chance):
    generator = np.random.default_rng(3)
    tries = round(20 / chance) if chance < 0.1 else 1000
    tries = min(tries, 10**18)
    draws = sums(generator, tries, chance, 4000)
    mean, sd = tries * chance, np.sqrt(tries * chance * (1 - chance))
    assert abs(np.mean(draws) - mean) < 5.0 * sd / np.sqrt(4000)
    assert np.std(draws) == pytest.approx(sd, rel=0.1)


def test_segments_merge_and_grow():
    segments, used = np.empty((1, 3), np.int64), 0
    for start, length, arm in [(1, 2, 0), (3, 1, 0), (4, 5, 1), (9, 1, 0)]:
        segments, used = common.add_segment(segments, used, start, length, arm)
    assert segments[:used].tolist() == [[1, 3, 0], [4, 5, 1], [9, 1, 0]]

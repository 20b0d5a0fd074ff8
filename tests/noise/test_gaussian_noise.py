"""Gaussian noise of all sources. Each goodness-of-fit test has a false-alarm rate of 1e-6."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, norm

from hush import NoiseError, ScriptedNoise, SecureNoise, SeededNoise
from hush.noise import NoiseSource, confirmed
from hush.noise.door import NoiseDoor
from hush.testing import RecordingNoise

FALSE_ALARM = 1e-6
DRAWS = 6_000


def law_p(values, rho):
    """Return the p-value of integer draws against P(k) ~ exp(-rho k^2), in about 40 bins."""
    edge = math.ceil(2.2 / math.sqrt(rho))
    inner = np.arange(-20 * edge, 20 * edge + 1.0)
    mass = np.exp(-rho * inner**2)
    width = max(1, edge // 20)
    place = np.clip(np.floor_divide(inner, width), -edge // width, edge // width).astype(int)
    expected = np.bincount(place - place.min(), weights=mass / mass.sum())
    seen = np.clip(np.floor_divide(values, width), -edge // width, edge // width).astype(int)
    observed = np.bincount(seen - place.min(), minlength=expected.size)
    return chisquare(observed, len(values) * expected).pvalue


@pytest.mark.untraced
@pytest.mark.parametrize("rho", [1e-4, 0.02, 0.5, 3.0])
@pytest.mark.parametrize("make", [SecureNoise, lambda: SeededNoise(11, discrete=True)])
def test_discrete_noise_has_its_law(make, rho):
    source = make()
    values = np.array([source.add_gaussian(1000, rho=rho) for _ in range(DRAWS)]) - 1000
    assert values.dtype.kind == "i"
    assert law_p(values, rho) > FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("rho", [1e-4, 0.5])
@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_the_test_sees_a_wrong_deviation(rho, factor):
    source = SeededNoise(11, discrete=True)
    values = np.array([source.add_gaussian(0, rho=factor * rho) for _ in range(DRAWS)])
    assert law_p(values, rho) < FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("rho", [1e-4, 0.5, 8.0])
def test_continuous_noise_has_its_law(rho):
    source = SeededNoise(5)
    values = [source.add_gaussian(7, rho=rho, sensitivity=2) - 7 for _ in range(DRAWS)]
    assert kstest(values, norm(scale=2.0 * math.sqrt(0.5 / rho)).cdf).pvalue > FALSE_ALARM


@pytest.mark.parametrize("rho", [1e-10, 1e-3, 0.1, 0.3, 1 / 3, 0.5, 1.0, 7.7, 1e3])
def test_the_claimed_rho_is_confirmed_and_never_exceeded(rho):
    for sensitivity in (1, 3):
        measurement = confirmed.gaussian(rho, sensitivity)
        assert 0.999999 * rho < measurement.map(sensitivity) <= rho
    assert confirmed.gaussian(rho, 1).map(2) <= 4.0 * rho * (1.0 + 1e-12)


def test_both_laws_have_blocks_of_their_own_and_errors_show_nothing():
    source = SecureNoise()
    source.add_gaussian(0, rho=0.5)
    source.add_laplace(0, epsilon=0.5)
    assert set(source._blocks) == {("gaussian", 0.5, 1), ("laplace", 0.5, 1)}
    with pytest.raises(NoiseError) as caught:
        source.add_gaussian(2**63 + 12345, rho=1.0)
    assert str(2**63 + 12345) not in str(caught.value)


def test_a_door_a_record_and_a_script_pass_it_on():
    source = RecordingNoise(SeededNoise(3))
    value = NoiseDoor(source).add_gaussian(5, rho=0.5, sensitivity=3)
    (drawn,) = source.drawn
    assert (drawn.raw, drawn.noisy, drawn.scale, drawn.law) == ((5,), value, 3.0, "gaussian")
    assert ScriptedNoise([2.5]).add_gaussian(5, rho=0.5) == 2.5


def test_a_source_without_it_says_so():
    class Plain(SeededNoise):
        add_gaussian = NoiseSource.add_gaussian

    with pytest.raises(NoiseError, match="Plain draws no Gaussian noise"):
        Plain(1).add_gaussian(5, rho=0.5)


def test_the_loss_of_a_recorded_draw():
    noise = RecordingNoise(ScriptedNoise([1, 1, 1, 1]))
    for total in (3, 4, 6):
        noise.add_gaussian(total, rho=0.25)
    noise.add_laplace(3, epsilon=0.4)
    first, second, third, _ = noise.drawn
    assert first.loss(second) == math.inf
    assert first.loss(first) == first.concentrated(first) == 0.0
    assert first.concentrated(second) == pytest.approx(0.25)
    assert first.concentrated(third) == pytest.approx(9 * 0.25)
    other = RecordingNoise(ScriptedNoise([1]))
    other.add_laplace(4, epsilon=0.4)
    assert noise.drawn[3].concentrated(other.drawn[0]) == pytest.approx(0.4**2 / 2.0)

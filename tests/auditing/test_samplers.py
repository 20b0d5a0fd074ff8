"""Tests of the deployed noise: a right sampler passes, wrong ones do not."""

import numpy as np
import pytest

import hush
from hush.auditing import check_argmax, check_laplace, marked_share, samplers
from hush.auditing.samplers import _reachable, naive_laplace, noise


class Wrong(hush.SeededNoise):
    """Noise of a slightly wrong scale, or with its tails cut."""

    def __init__(self, *, factor=1.0, cut=None):
        super().__init__(5, discrete=True)
        self._factor, self._cut = factor, cut

    def add_laplace(self, total, *, epsilon, sensitivity=1):
        value = super().add_laplace(0, epsilon=epsilon * self._factor)
        if self._cut is not None:
            value = max(-self._cut, min(self._cut, value))
        return total + value

    def argmax(self, totals, *, epsilon, law, neighbours):
        return super().argmax(
            totals, epsilon=epsilon * self._factor, law=law, neighbours=neighbours
        )


@pytest.mark.untraced
@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0])
def test_deployed_sums_have_their_law(scale):
    """Unseeded; each false alarm 1 in 10^6."""
    assert check_laplace(hush.SecureNoise(), scale, 4000).passed


@pytest.mark.untraced
@pytest.mark.parametrize("law", ["exponential", "laplace", "gumbel"])
def test_deployed_winners_have_their_law(law):
    """Unseeded; each false alarm 1 in 10^6."""
    assert check_argmax(hush.SecureNoise(), 2.0, law, 3000).passed


@pytest.mark.parametrize("wrong", [{"factor": 1.15}, {"cut": 5}, {"factor": 0.85}])
def test_wrong_sums_are_caught(wrong):
    assert check_laplace(Wrong(), 1.0, 20_000).passed
    assert not check_laplace(Wrong(**wrong), 1.0, 20_000).passed


@pytest.mark.untraced
def test_wrong_winners_are_caught():
    assert not check_argmax(Wrong(factor=1.3), 2.0, "exponential", 20_000).passed


@pytest.mark.parametrize("scale", [0.4, 1.0, 5.0])
def test_floating_point_noise_gives_sums_away(scale):
    generator = np.random.default_rng(3)
    for total in (0, 1):  # what was drawn can be reached, always: the attack accuses nobody wrongly
        values = [naive_laplace(total, scale, generator) for _ in range(500)]
        assert all(_reachable(value, total, scale) for value in values)
    assert marked_share(lambda total: naive_laplace(total, scale, generator), scale) > 0.4


def test_deployed_noise_gives_nothing_away():
    secure = hush.SecureNoise()
    assert marked_share(lambda t: secure.add_laplace(t, epsilon=1.0), 1.0, draws=300) == 0.0


def test_bits_are_compared_for_sums_that_a_person_tells_apart(monkeypatch):
    compared = []

    def share(draw, scale, *, draws=1, totals=(0, 1)):
        compared.append(totals)
        return 0.0

    monkeypatch.setattr(samplers, "marked_share", share)
    source = hush.SeededNoise(7, discrete=True)
    one = noise(hush.AnytimeLazyUCB(1.0), 2, seed=7, source=source)
    hers = noise(hush.AnytimeLazyUCB(1.0), 2, seed=7, rewards=5, source=source)
    assert compared == [(0, 1), (0, 1), (0, 5), (0, 1)]
    assert "for sums that 5 rewards tell apart" in hers.says
    assert "rewards" not in one.says


def test_the_finding_says_which_law_is_wrong():
    finding = noise(hush.AnytimeLazyUCB(1.0), 2, seed=7, source=Wrong(factor=2.0))
    assert finding.status == "violated"
    assert "Wrong law: discrete Laplace noise of scale 1" in finding.says


def test_floating_point_noise_is_a_violation():
    finding = noise(hush.AnytimeLazyUCB(1.0), 2, seed=7, source=hush.SeededNoise(7))
    assert finding.status == "violated"
    assert finding.loss == np.inf

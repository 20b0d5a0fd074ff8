"""The shrinking dartboard: its rates, its first action, what it keeps."""

import math

import pytest

from hush import SeededNoise, ShrinkingDartboard


@pytest.mark.parametrize("horizon", [1, 3, 4, 100, 10**12])
def test_its_rates_are_the_formulas(horizon):
    policy = ShrinkingDartboard(0.8, horizon=horizon)
    p = min(0.5, 1 / math.sqrt(horizon))
    assert policy.switch_chance == pytest.approx(p)
    assert policy.rate == pytest.approx(p * 0.8 / 20)
    assert policy.budget == math.floor(4 * horizon * p)
    assert ShrinkingDartboard(1e3, horizon=4).rate == 0.5


def test_its_first_action_is_random_and_its_last_release_is_kept():
    """Of 2,000 learners; within 6 standard deviations: false alarms below 1e-8."""
    policy, noise = ShrinkingDartboard(0.8, horizon=50), SeededNoise(3)
    firsts = [policy.learner(2, noise=noise).select() for _ in range(2000)]
    assert abs(sum(firsts) - 1000) < 6 * 500**0.5
    learner = policy.learner(2, noise=noise)
    for number in range(1, 6):
        learner.select()
        learner.update([0, 1])
        assert [release.epoch for release in learner.releases] == [number - 1]

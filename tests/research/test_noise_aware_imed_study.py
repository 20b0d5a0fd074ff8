"""The study of NoiseAwareIMED at a tiny scale, and its instances."""

import pytest

from hush.policies import DPKLUCB, NoiseAwareIMED, NoiseAwareTS
from research import noise_aware_imed
from research.noise_aware_imed import (
    PAGE,
    TUNING_SEED,
    UNSEEN_SEED,
    Scale,
    changed,
    quantile_ends,
    random_cases,
)


@pytest.mark.untraced
def test_it_leaves_tables_and_a_picture(tmp_path, monkeypatch):
    few = {"NoiseAwareIMED": (NoiseAwareIMED, 1.0), "NoiseAwareTS": (NoiseAwareTS, 1.0)}
    few |= {"NoiseAwareTS before": (noise_aware_imed.before, 1.0), "DPKLUCB": (DPKLUCB, 1.0)}
    monkeypatch.setattr(noise_aware_imed, "CORNERS", noise_aware_imed.CORNERS[1:2])
    monkeypatch.setattr(noise_aware_imed, "CHANGES", {"default": {}, "early 0": {"early": 0.0}})
    monkeypatch.setattr(noise_aware_imed, "RIVALS", few)
    scale = Scale(1, 2, 20, 2, 2, 2, 20)
    monkeypatch.setattr(Scale, "quick", classmethod(lambda cls: scale))
    tables, figure = noise_aware_imed.measure(tmp_path, quick=True, seed=7)
    for name in noise_aware_imed.PARTS:
        assert (tmp_path / f"{name}.csv").stat().st_size > 50
    assert set(tables) == set(PAGE.parts)
    assert len(figure.axes) == 2


def test_instances_are_as_the_protocol_says_and_fresh():
    tuning, unseen = random_cases(120, TUNING_SEED), random_cases(200, UNSEEN_SEED)
    assert {case.means for case in tuning}.isdisjoint(case.means for case in unseen)
    for case in tuning + unseen:
        assert 2 <= len(case.means) <= 100
        assert 0.05 <= case.epsilon <= 2.0
        assert max(1e3 - 1, 20 * len(case.means) / case.epsilon - 1) <= case.horizon <= 1e12
        assert 0.0 <= min(case.means) <= max(case.means) <= 1.0


def test_other_constants_are_used():
    assert changed({"early": 0.0}, 1.0).constants.early == 0.0
    assert changed({}, 1.0).constants == NoiseAwareIMED.constants


def test_a_quantile_lies_between_its_ends():
    """300 samples of a known law; the chance of a false alarm is below 1e-9."""
    import numpy as np

    generator = np.random.default_rng(4)
    inside = 0
    for _ in range(300):
        low, high = quantile_ends(generator.uniform(size=1000), 0.9, 0.95)
        inside += low <= 0.9 <= high
    assert inside >= 258

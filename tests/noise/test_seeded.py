"""Seeded noise: reproducible, for simulation."""

from types import SimpleNamespace

from hush import SeededNoise


def test_a_coin_without_a_chance_never_falls_so():
    source = SeededNoise(1)
    source._noise = SimpleNamespace(random=lambda: 0.0)
    assert source.toss(False, chances=(0.0, 1.0)) is False
    assert source.toss(True, chances=(0.0, 1.0)) is True

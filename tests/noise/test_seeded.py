"""Seeded noise: reproducible, for simulation."""

from types import SimpleNamespace

import numpy as np
import pytest

from hush import ParameterError, SeededNoise


def test_a_coin_without_a_chance_never_falls_so():
    source = SeededNoise(1)
    source._noise = SimpleNamespace(random=lambda: 0.0)
    assert source.toss(False, chances=(0.0, 1.0)) is False
    assert source.toss(True, chances=(0.0, 1.0)) is True


def test_a_sum_gets_the_next_draw_added():
    source, twin = SeededNoise(5), SeededNoise(5)._noise
    for _ in range(3):
        assert source.add_laplace(7, epsilon=0.5, sensitivity=3) == 7 + twin.laplace(0.0, 6.0)
    with pytest.raises(ParameterError, match=r"^seed must"):
        SeededNoise(-1)


@pytest.mark.parametrize(("neighbours", "scale"), [("replace", 4.0), ("add-remove", 2.0)])
@pytest.mark.parametrize("law", ["exponential", "gumbel", "laplace"])
def test_an_argmax_adds_the_noise_of_its_law_to_every_sum(law, neighbours, scale):
    source, twin = SeededNoise(5), SeededNoise(5)._noise
    totals = [3, 9, 8, 1]
    winners = []
    for _ in range(200):
        if law == "laplace":
            noise = twin.laplace(0.0, scale, 4)
        else:
            noise = scale * twin.standard_exponential(4)
            noise = noise if law == "exponential" else -scale * np.log(noise / scale)
        winners.append(int(np.argmax(np.array(totals) + noise)))
        assert winners[-1] == source.argmax(totals, epsilon=0.5, law=law, neighbours=neighbours)
    assert len(set(winners)) > 1


@pytest.mark.parametrize("law", ["exponential", "gumbel", "laplace"])
def test_discrete_noise_differs_for_laplace_alone(law):
    source, plain = SeededNoise(5, discrete=True), SeededNoise(5)
    twin = SeededNoise(5, discrete=True)
    for _ in range(200):
        winner = source.argmax([3, 9, 8], epsilon=0.5, law=law, neighbours="replace")
        if law == "laplace":
            noise = [twin.add_laplace(0, epsilon=0.25) for _ in range(3)]
            assert winner == int(np.argmax(np.array([3, 9, 8]) + noise))
        else:
            assert winner == plain.argmax([3, 9, 8], epsilon=0.5, law=law, neighbours="replace")

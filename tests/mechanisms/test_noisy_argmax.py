import math

import pytest

from hush import NoiseError, ParameterError, ScriptedNoise, SeededNoise, UnknownNameError
from hush.mechanisms import ExactArgmax, HedgeDraw, NoisyArgmax, NoisyLeader
from hush.testing import RecordingNoise


@pytest.mark.parametrize(("neighbours", "scale"), [("replace", 4.0), ("add-remove", 2.0)])
@pytest.mark.parametrize("law", ["exponential", "laplace"])
def test_scales(neighbours, scale, law):
    noise = RecordingNoise(SeededNoise(1))
    mechanism = NoisyArgmax(epsilon=0.5, noise=law, neighbours=neighbours, source=noise)
    assert mechanism.release([0, 500, 3], count=1000) == 1
    assert mechanism.scale == noise.drawn[0].scale == scale


@pytest.mark.parametrize("totals", [[], [-1, 2], [3, 101], [1.0, 2], [True, 0]])
def test_sums_out_of_range_are_never_released(totals):
    script = ScriptedNoise([0])
    for mechanism in (NoisyArgmax(epsilon=1.0, source=script), ExactArgmax()):
        with pytest.raises(NoiseError, match="nothing was released"):
            mechanism.release(totals, count=100)
    assert script.remaining == 1


def test_parameters_are_checked():
    with pytest.raises(ParameterError):
        NoisyArgmax(epsilon=-1)
    with pytest.raises(UnknownNameError, match="exponential"):
        NoisyArgmax(epsilon=1, noise="exponentia")
    with pytest.raises(UnknownNameError, match="replace"):
        NoisyArgmax(epsilon=1, neighbours="replac")


def test_secure_by_default():
    assert NoisyArgmax(epsilon=5.0).release([0, 900, 0], count=1000) == 1


def test_ties_go_to_the_lowest():
    assert ExactArgmax().release([2, 2, 2], count=5) == 0


def test_hedge_is_gumbel_noise_of_a_growing_scale():
    """Weights exp(eta sum) with eta = 2 sqrt(ln K / t), t one more than the rewards summed."""
    law = HedgeDraw(source=SeededNoise(7)).law(5)
    name, scale = law.after(99, 5)
    assert name == "gumbel"
    assert scale == pytest.approx(1.0 / (2.0 * math.sqrt(math.log(5) / 100)))
    assert NoisyLeader(epsilon=0.5).law(5).after(99, 5) == ("laplace", 10.0)

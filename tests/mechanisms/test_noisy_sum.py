import pytest

from hush import MisuseError, NoiseError, ParameterError, ScriptedNoise, SeededNoise
from hush.mechanisms import ExactSum, GaussianSum, NoisySum
from hush.testing import RecordingNoise


def test_scale_follows_epsilon_and_sensitivity():
    noise = RecordingNoise(SeededNoise(1))
    NoisySum(epsilon=0.5, sensitivity=4, noise=noise).release(12, count=3)
    assert noise.drawn[0].scale == 8.0
    assert noise.drawn[0].raw == (12,)


@pytest.mark.parametrize("total", [-1, 65, 3.0, True, None])
def test_a_sum_out_of_range_is_never_released(total):
    noise = ScriptedNoise([1])
    sums = NoisySum(epsilon=1.0, noise=noise), GaussianSum(rho=1.0, noise=noise), ExactSum()
    for mechanism in sums:
        with pytest.raises(NoiseError, match="nothing was released"):
            mechanism.release(total, count=64)
    assert noise.remaining == 1


def test_the_deviation_follows_rho_and_sensitivity():
    noise = RecordingNoise(SeededNoise(1))
    GaussianSum(rho=0.125, sensitivity=4, noise=noise).release(12, count=3)
    assert (noise.drawn[0].scale, noise.drawn[0].law) == (8.0, "gaussian")


def test_secure_by_default():
    assert type(NoisySum(epsilon=1.0).release(5, count=8)) is int
    assert type(GaussianSum(rho=1.0).release(5, count=8)) is int


@pytest.mark.parametrize(
    ("bad", "named"), [({"rho": 0}, "rho"), ({"rho": 1.0, "sensitivity": 0}, "sensitivity")]
)
def test_gaussian_parameters_are_checked(bad, named):
    with pytest.raises(ParameterError, match=f"^{named} must"):
        GaussianSum(**bad)


@pytest.mark.parametrize(
    ("bad", "named"),
    [({"epsilon": 0}, "epsilon"), ({"epsilon": 1.0, "sensitivity": 0}, "sensitivity")],
)
def test_parameters_are_checked(bad, named):
    with pytest.raises(ParameterError, match=f"^{named} must"):
        NoisySum(**bad)


def test_noise_drawn_ahead_meets_one_sum():
    drawn = NoisySum(epsilon=0.5, noise=SeededNoise(1)).ahead()
    plain = NoisySum(epsilon=0.5, noise=SeededNoise(1)).release(40, count=64)
    assert drawn.release(40, count=64) == plain
    with pytest.raises(MisuseError, match="draw anew"):
        drawn.release(40, count=64)
    assert repr(drawn) == "DrawnNoise()"


@pytest.mark.parametrize("total", [-1, 65, 3.0, True, None])
def test_noise_drawn_ahead_is_kept_where_a_sum_is_out_of_range(total):
    drawn = NoisySum(epsilon=0.5, noise=ScriptedNoise([41])).ahead()
    with pytest.raises(NoiseError, match="nothing was released"):
        drawn.release(total, count=64)
    assert drawn.release(40, count=64) == 41


def test_secure_noise_is_drawn_before_the_sum():
    drawn = NoisySum(epsilon=0.5).ahead()
    assert type(drawn.release(5, count=8)) is int

import math

import pytest

from hush import NoiseError, ParameterError, ScriptedNoise, SeededNoise, UnknownNameError
from hush.mechanisms import (
    ChoiceLaw,
    ExactArgmax,
    HedgeDraw,
    NoisyArgmax,
    NoisyLeader,
    stated_law,
)
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
    for mechanism in (NoisyArgmax, NoisyLeader):
        with pytest.raises(ParameterError, match=r"^epsilon "):
            mechanism(epsilon=-1)
    with pytest.raises(UnknownNameError, match=r"unknown noise .* 'exponential'"):
        NoisyArgmax(epsilon=1, noise="exponentia")
    with pytest.raises(UnknownNameError, match=r"unknown neighbours .* 'replace'"):
        NoisyArgmax(epsilon=1, neighbours="replac")


@pytest.mark.parametrize("mechanism", [NoisyArgmax, NoisyLeader])
def test_secure_by_default(mechanism):
    assert mechanism(epsilon=5.0).release([0, 900, 0], count=1000) == 1


def test_ties_go_to_the_lowest():
    assert ExactArgmax().release([2, 2, 2], count=5) == 0


def test_hedge_is_gumbel_noise_of_a_growing_scale():
    """Weights exp(eta sum) with eta = 2 sqrt(ln K / t), t one more than the rewards summed."""
    law = HedgeDraw(source=SeededNoise(7)).law(5)
    name, scale = law.after(99, 5)
    assert name == "gumbel"
    assert scale == pytest.approx(1.0 / (2.0 * math.sqrt(math.log(5) / 100)))
    assert NoisyLeader(epsilon=0.5).law(5).after(99, 5) == ("laplace", 10.0)


def test_mechanisms_state_their_law():
    argmax = NoisyArgmax(epsilon=0.5, noise="gumbel", neighbours="add-remove")
    assert stated_law(argmax, 5) == ChoiceLaw("gumbel", 2.0)
    assert stated_law(NoisyLeader(epsilon=0.5), 5) == ChoiceLaw("laplace", 10.0)
    assert stated_law(ExactArgmax(), 5) == ChoiceLaw("none", 0.0)
    assert stated_law(HedgeDraw(source=SeededNoise(1)), 5) == ChoiceLaw("hedge", 0.0)


def test_a_law_holds_until_a_class_releases_otherwise():
    class Renamed(NoisyLeader):
        name = "renamed"

    class Skewed(NoisyLeader):
        def release(self, totals, *, count):
            return (super().release(totals, count=count) + 1) % len(totals)

    class Restated(Skewed):
        def law(self, n_arms):
            return ChoiceLaw("laplace", float(n_arms))

    class Both(NoisyLeader):
        law = Restated.law
        release = Skewed.release

    class Silent:
        def release(self, totals, *, count):
            return 0

    class OfAnInstance(Silent):
        def __init__(self):
            self.law = lambda n_arms: ChoiceLaw("none", 0.0)

    class Only:
        def law(self, n_arms):
            return ChoiceLaw("none", 0.0)

    assert stated_law(Renamed(epsilon=0.5), 5) == ChoiceLaw("laplace", 10.0)
    assert stated_law(Skewed(epsilon=0.5), 5) is None
    assert stated_law(Restated(epsilon=0.5), 5) == ChoiceLaw("laplace", 5.0)
    assert stated_law(Both(epsilon=0.5), 5) == ChoiceLaw("laplace", 5.0)
    assert stated_law(Silent(), 5) is None
    assert stated_law(OfAnInstance(), 5) is None
    assert stated_law(Only(), 5) == ChoiceLaw("none", 0.0)


class Chosen:
    """A source whose one uniform number is given."""

    def __init__(self, value):
        self.selection = self
        self.random = lambda: value


@pytest.mark.parametrize(("totals", "count"), [([3, 1, 2], 8), ([10**6, 10**6 + 1], 2 * 10**6)])
def test_hedge_draws_by_its_weights(totals, count):
    """Just below and above the end of each action's share of the unit interval."""
    rate = 2.0 * math.sqrt(math.log(len(totals)) / (count + 1.0))
    weights = [math.exp(rate * (each - max(totals))) for each in totals]
    ends = [sum(weights[: place + 1]) / sum(weights) for place in range(len(totals))]
    for action, end in enumerate(ends):
        below = HedgeDraw(source=Chosen(end - 1e-9)).release(totals, count=count)
        above = HedgeDraw(source=Chosen(end + 1e-9)).release(totals, count=count)
        assert (below, above) == (action, min(action + 1, len(totals) - 1))
    assert HedgeDraw(source=Chosen(1.0)).release(totals, count=count) == len(totals) - 1

"""Noise laws. Each goodness-of-fit test has a false-alarm rate of 1e-6.

Deployed noise cannot be seeded, so that rate is a real one: with some dozens of such tests a run,
one run in about 20,000 alarms for nothing.
"""

import itertools
import math
import multiprocessing
import os
import pickle

import numpy as np
import pytest
from scipy.stats import binomtest, chi2, kstest, laplace
from tests import every

from hush import NoiseError, ParameterError, ScriptedNoise, SecureNoise, SeededNoise, StateError
from hush.noise import NoiseSource, argmax_scale, confirmed

FALSE_ALARM = 1e-6


def chi_square_p(observed, expected):
    """Return the p-value of observed counts; bins with few expected counts are merged first."""
    order = np.argsort(expected)
    bins = []
    seen = wanted = 0.0
    for position in order:
        seen += observed[position]
        wanted += expected[position]
        if wanted >= 8:
            bins.append((seen, wanted))
            seen = wanted = 0.0
    if wanted:
        last = bins.pop()
        bins.append((last[0] + seen, last[1] + wanted))
    statistic = sum((o - e) ** 2 / e for o, e in bins)
    return chi2.sf(statistic, len(bins) - 1)


def discrete_laplace_p(values, epsilon):
    """Return the p-value of integer draws against P(k) ~ exp(-epsilon |k|)."""
    if epsilon > 5:  # nearly all draws are 0: an exact test of how many are not
        others = 2 * math.exp(-epsilon) / (1 + math.exp(-epsilon))
        return binomtest(int(np.count_nonzero(values)), len(values), others).pvalue
    edge = max(1, math.ceil(math.log(len(values) / 20) / epsilon))
    width = max(1, edge // 40)
    inner = np.arange(-edge, edge + 1)
    mass = np.tanh(epsilon / 2) * np.exp(-epsilon * np.abs(inner))
    tail = math.exp(-epsilon * (edge + 1)) / (1 + math.exp(-epsilon))
    observed = np.bincount(np.clip(values, -edge - 1, edge + 1) + edge + 1, minlength=2 * edge + 3)
    expected = np.concatenate([[tail], mass, [tail]]) * len(values)
    starts = np.arange(0, expected.size, width)
    return chi_square_p(np.add.reduceat(observed, starts), np.add.reduceat(expected, starts))


def permute_and_flip_law(scores, scale):
    """Return the winner's exact law (McKenna & Sheldon 2020, proposition 1)."""
    flips = np.exp((np.array(scores, dtype=float) - max(scores)) / scale)
    law = []
    for i, flip in enumerate(flips):
        others = [f for j, f in enumerate(flips) if j != i]
        total = 0.0
        for size in range(len(others) + 1):
            for subset in itertools.combinations(others, size):
                total += (-1) ** size * math.prod(subset) / (size + 1)
        law.append(flip * total)
    return np.array(law)


@pytest.mark.untraced
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 0.5, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("make", [SecureNoise, lambda: SeededNoise(11, discrete=True)])
def test_discrete_laplace_has_its_law(make, epsilon):
    source = make()
    values = np.array([source.add_laplace(1000, epsilon=epsilon) for _ in range(12_000)]) - 1000
    assert values.dtype.kind == "i"
    assert discrete_laplace_p(values, epsilon) > FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0])
def test_the_goodness_of_fit_test_sees_a_wrong_scale(epsilon):
    source = SeededNoise(11, discrete=True)
    values = np.array([source.add_laplace(0, epsilon=1.15 * epsilon) for _ in range(12_000)])
    assert discrete_laplace_p(values, epsilon) < FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
def test_continuous_laplace_has_its_law(epsilon):
    source = SeededNoise(5)
    values = [source.add_laplace(7, epsilon=epsilon) - 7 for _ in range(20_000)]
    assert kstest(values, laplace(scale=1 / epsilon).cdf).pvalue > FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("epsilon", every.sampled([0.1, 0.01, 1.0, 10.0], 4))
@pytest.mark.parametrize(
    "make", [SecureNoise, lambda: SeededNoise(3), lambda: SeededNoise(3, discrete=True)]
)
def test_exponential_argmax_is_permute_and_flip(make, epsilon, neighbours):
    source = make()
    step = max(1, round(0.7 / epsilon))
    scores = [0, step, 2 * step, 2 * step]
    draws = [
        source.argmax(scores, epsilon=epsilon, law="exponential", neighbours=neighbours)
        for _ in range(6_000)
    ]
    law = permute_and_flip_law(scores, argmax_scale(epsilon, neighbours))
    assert law.sum() == pytest.approx(1.0)
    assert chi_square_p(np.bincount(draws, minlength=4), 6_000 * law) > FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("epsilon", every.sampled([0.1, 0.01, 1.0, 10.0], 4))
@pytest.mark.parametrize("make", [SecureNoise, lambda: SeededNoise(3)])
def test_gumbel_argmax_is_the_exponential_mechanism(make, epsilon, neighbours):
    source = make()
    step = max(1, round(0.7 / epsilon))
    scores = [0, step, 2 * step, 2 * step]
    draws = [
        source.argmax(scores, epsilon=epsilon, law="gumbel", neighbours=neighbours)
        for _ in range(6_000)
    ]
    weights = np.exp((np.array(scores) - max(scores)) / argmax_scale(epsilon, neighbours))
    law = weights / weights.sum()
    assert chi_square_p(np.bincount(draws, minlength=4), 6_000 * law) > FALSE_ALARM


@pytest.mark.untraced
@pytest.mark.parametrize("make", [SecureNoise, lambda: SeededNoise(3)])
def test_a_toss_has_the_chance_of_its_bit(make):
    source = make()
    for bit, chances in ((False, (0.2, 0.7)), (True, (0.2, 0.7)), (True, (0.5, 0.01))):
        heads = sum(source.toss(bit, chances=chances) for _ in range(20_000))
        assert binomtest(heads, 20_000, chances[bit]).pvalue > FALSE_ALARM
    assert not any(source.toss(False, chances=(0.0, 1.0)) for _ in range(100))
    assert all(source.toss(True, chances=(0.0, 1.0)) for _ in range(100))


@pytest.mark.untraced
@pytest.mark.parametrize("make", [SecureNoise, lambda: SeededNoise(3, discrete=True)])
@pytest.mark.parametrize("neighbours", every.sampled(["replace", "add-remove"], 2))
def test_laplace_argmax_has_its_discrete_law(make, neighbours):
    scores, epsilon = [0, 1, 3], 0.8
    scale = argmax_scale(epsilon, neighbours)
    span = np.arange(-120, 121)
    mass = np.tanh(0.5 / scale) * np.exp(-np.abs(span) / scale)
    law = np.zeros(3)
    for i, own in enumerate(scores):
        win = np.ones(span.size)
        for j, other in enumerate(scores):
            if j != i:
                limit = span + own - other - (1 if j < i else 0)  # a lower arm wins ties
                win *= [mass[span <= each].sum() for each in limit]
        law[i] = (mass * win).sum()
    source = make()
    draws = [
        source.argmax(scores, epsilon=epsilon, law="laplace", neighbours=neighbours)
        for _ in range(8_000)
    ]
    assert law.sum() == pytest.approx(1.0, abs=1e-9)
    assert chi_square_p(np.bincount(draws, minlength=3), 8_000 * law) > FALSE_ALARM


@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 0.1, 1 / 3, 0.7, 1.0, 3.3, 10.0, 1000.0])
def test_the_claimed_epsilon_is_confirmed_and_never_exceeded(epsilon):
    for sensitivity in (1, 3):
        measurement = confirmed.laplace(epsilon, sensitivity)
        assert 0.999999 * epsilon < measurement.map(sensitivity) <= epsilon
    for neighbours in ("replace", "add-remove"):
        measurement = confirmed.permute_and_flip(epsilon, neighbours)
        assert 0.999999 * epsilon < measurement.map(1) <= epsilon
        measurement = confirmed.exponential_mechanism(epsilon, neighbours)
        assert 0.999999 * epsilon < math.sqrt(8 * measurement.map(1)) <= epsilon * (1 + 1e-15)


def test_the_scale_is_raised_where_rounding_would_exceed_the_claim():
    class Rounding:
        def __init__(self, scale):
            self.scale = scale

        def map(self, distance):
            return math.nextafter(distance / self.scale, math.inf)

    measurement = confirmed.confirmed(Rounding, 2.0, 1, 0.5)
    assert measurement.scale > 2.0
    assert measurement.map(1) <= 0.5
    tried = []

    def never(scale):
        tried.append(scale)
        return Rounding(1.0)

    with pytest.raises(NoiseError, match="confirms"):
        confirmed.confirmed(never, 1.0, 1, 0.5)
    assert len(tried) == 64
    assert tried[:2] == [1.0, math.nextafter(1.0, math.inf)]


def test_a_scale_that_gives_the_claim_exactly_is_taken():
    class Exact:
        def __init__(self, scale):
            self.scale = scale

        def map(self, distance):
            return distance / self.scale

    assert confirmed.confirmed(Exact, 2.0, 1, 0.5).scale == 2.0


def test_sums_of_64_bits_work_and_errors_show_nothing():
    source = SecureNoise()
    assert abs(source.add_laplace(2**40, epsilon=1.0) - 2**40) < 100
    with pytest.raises(NoiseError) as caught:
        source.add_laplace(2**63 + 12345, epsilon=1.0)
    assert str(2**63 + 12345) not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def _draws(queue, source):
    queue.put(
        (
            [source.add_laplace(0, epsilon=1e-9) for _ in range(8)],
            source.selection.random(4).tolist(),
        )
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_forked_processes_never_share_noise():
    source = SecureNoise()
    source.add_laplace(0, epsilon=1e-9)
    before = source.selection.random()
    context = multiprocessing.get_context("fork")
    queue = context.SimpleQueue()
    workers = [context.Process(target=_draws, args=(queue, source)) for _ in range(3)]
    for worker in workers:
        worker.start()
    answers = [queue.get() for _ in workers]
    for worker in workers:
        worker.join()
    _draws(queue, source)
    answers.append(queue.get())
    noise = [value for values, _ in answers for value in values]
    uniforms = [before, *(value for _, values in answers for value in values)]
    assert len(set(noise)) == len(noise)
    assert len(set(uniforms)) == len(uniforms)


def test_secure_noise_takes_no_seed():
    with pytest.raises(TypeError):
        SecureNoise(7)
    assert SecureNoise.secure
    assert not SeededNoise.secure
    assert not ScriptedNoise.secure
    assert isinstance(pickle.loads(pickle.dumps(SecureNoise())), SecureNoise)


def test_seeded_noise_demands_a_seed():
    with pytest.raises(TypeError):
        SeededNoise()
    for bad in (None, -1, 1.5, True, "7"):
        with pytest.raises(ParameterError, match="seed"):
            SeededNoise(bad)
    assert "7" not in repr(SeededNoise(7))


def test_seeded_noise_resumes_where_it_stood():
    source = SeededNoise(9)
    source.add_laplace(0, epsilon=1.0)
    source.selection.integers(3, dtype=np.int32)
    source.coins.random()
    twin = NoiseSource.from_state(source.state())
    for each in ("selection", "coins"):
        assert getattr(source, each).random() == getattr(twin, each).random()
    assert source.add_laplace(0, epsilon=1.0) == twin.add_laplace(0, epsilon=1.0)


def test_streams_of_one_seed_are_apart():
    source = SeededNoise(9)
    assert len({source._noise.random(), source.selection.random(), source.coins.random()}) == 3


@pytest.mark.parametrize(
    "state", [{}, {"kind": "other"}, {"kind": "seeded"}, {"kind": "scripted", "values": [1]}]
)
def test_a_damaged_noise_state_is_a_state_error(state):
    with pytest.raises(StateError):
        NoiseSource.from_state(state)

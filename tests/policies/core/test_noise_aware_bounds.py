"""Each step of the proof in docs/theory/noise_aware_ucb.md on random cases, and the bound."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.special import gammaln, psi
from scipy.stats import binom

from hush.mechanisms.schedules import GrowingTotal
from hush.numerics.bound import Setting
from hush.numerics.divergence import d_eps
from hush.numerics.likelihood import log_likelihood
from hush.policies.core import noise_aware_bounds
from hush.policies.core.noise_aware_bounds import (
    ORDERS,
    Batches,
    affinities,
    batch_chances,
    density_caps,
    noise_aware_ucb_bounds,
    rounds_lost,
)

S1 = (0.75, 0.625, 0.5, 0.375, 0.25)
GRID = 1.0 / (1.0 + np.exp(-np.linspace(-12.0, 12.0, 3000)))
CELLS = np.gradient(GRID)
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(8)


def found(means, horizon, epsilon, *, growth=1.5, first=None, power=2.0):
    setting = Setting(tuple(means), horizon, epsilon)
    first = first or math.ceil(4.0 / epsilon)
    bounds = noise_aware_ucb_bounds(
        setting, epsilon=epsilon, growth=growth, first_batch=first, power=power
    )
    return {bound.name: bound for bound in bounds}


def released(count, mean, epsilon, rng, whole=False):
    """A release, with the noise of simulations or of deployment."""
    if whole:
        noise = np.diff(rng.geometric(-math.expm1(-epsilon), 2))[0]
    else:
        noise = rng.laplace(0.0, 1.0 / epsilon)
    return float(rng.binomial(count, mean) + noise)


def log_ratio(releases, epsilon, at):
    """``ln R`` at some means, and the log likelihood there, up to its constant."""
    logs, there = np.zeros(GRID.size), np.zeros(at.size)
    for count, value in releases:
        logs += log_likelihood(GRID, 1.0 - GRID, float(count), value, epsilon)
        there += log_likelihood(at, 1.0 - at, float(count), value, epsilon)
    top = logs.max()
    return there - top - math.log(float(np.exp(logs - top) @ CELLS)), logs


def random_pair(rng):
    best = 1.0 - rng.random() ** rng.choice([0.3, 1.0, 3.0]) * 0.999
    return best * (1.0 - rng.random() ** rng.choice([0.5, 1.0, 3.0])), best


def exact_affinities(mean, best, count, epsilon):
    """Of releases with continuous and with whole noise."""
    far = math.ceil(40.0 / epsilon)
    cells = np.arange(-far, count + far)
    places = (cells[:, None] + 0.5 * (1.0 + POINTS)).ravel()
    ones = np.arange(count + 1)
    logs, whole = [], []
    for x in (mean, best):
        chances = binom.pmf(ones, count, x)
        logs.append(np.log(np.exp(-epsilon * np.abs(places[:, None] - ones)) @ chances))
        whole.append(np.log(np.exp(-epsilon * np.abs(cells[:, None] - ones)) @ chances))
    grid = np.tile(0.25 * epsilon * WEIGHTS, cells.size)
    share = math.tanh(0.5 * epsilon)
    assert grid @ np.exp(logs[0]) == pytest.approx(1.0, abs=1e-6)
    assert share * np.exp(whole[0]).sum() == pytest.approx(1.0, abs=1e-6)
    continuous = [grid @ np.exp((1.0 - s) * logs[0] + s * logs[1]) for s in ORDERS]
    discrete = [share * np.exp((1.0 - s) * whole[0] + s * whole[1]).sum() for s in ORDERS]
    return np.log(continuous), np.log(discrete)


@pytest.mark.untraced
def test_affinities_are_no_larger_than_said():
    rng, nearest = np.random.default_rng(1), 0.0
    for _ in range(60):
        mean, best = random_pair(rng)
        count, epsilon = int(rng.integers(1, 300)), math.exp(rng.uniform(-2.0, 1.5))
        said = affinities(mean, best, np.array([float(count)]), epsilon)[0]
        continuous, discrete = exact_affinities(mean, best, count, epsilon)
        assert (discrete <= continuous + 1e-7).all()
        assert (continuous <= said + 1e-7).all()
        nearest = max(nearest, float((said / continuous)[10:].max()))
    assert nearest > 0.9


@pytest.mark.parametrize("mean", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("epsilon", [1.0, 8.0, 20.0, 36.5, 50.0])
def test_affinities_keep_their_digits_if_the_best_never_fails(mean, epsilon):
    """``ln(1 - q + q e^-k)`` is -k then, and would be wrong by whole digits from k = 30 on."""
    count, tilt = 10.0, epsilon * np.linspace(0.0, 1.0, 20_001)[1:-1]
    said = affinities(mean, 1.0, np.array([count]), epsilon)[0]
    for s, value in zip(ORDERS.tolist(), said.tolist(), strict=True):
        k = tilt[s * tilt < (1.0 - s) * epsilon]
        j = s * k / (1.0 - s)
        rates = -s * k + (1.0 - s) * np.log1p(mean * np.expm1(j))
        costs = -s * np.log1p(-((k / epsilon) ** 2)) - (1.0 - s) * np.log1p(-((j / epsilon) ** 2))
        least = min(float((count * rates + costs).min()), 0.0)
        assert least * (1.0 + 1e-6) <= value <= 0.97 * least + 1e-3


def test_rates_of_long_batches_tend_to_the_divergence():
    """As the order falls; no rate is above it."""
    rng = np.random.default_rng(2)
    for _ in range(50):
        mean, best = random_pair(rng)
        if best - mean < 1e-3:
            continue
        epsilon, count = math.exp(rng.uniform(-3.0, 2.0)), 1e9
        rates = -affinities(mean, best, np.array([count]), epsilon)[0] / (ORDERS * count)
        wanted = float(d_eps(mean, best, epsilon))
        assert rates.max() <= wanted * (1.0 + 1e-9)
        assert rates[0] == pytest.approx(wanted, rel=0.02)


def test_density_caps_hold_for_any_mean_number_of_ones():
    """Step 4: G over real numbers, and the inequalities that bound it."""
    rng, nearest = np.random.default_rng(3), 0.0
    for _ in range(2000):
        total = int(10.0 ** rng.uniform(0.0, 5.0))
        mean = float(rng.choice([rng.random(), rng.random() ** 8, 1.0 - rng.random() ** 8]))
        if not 0.0 < mean < 1.0:
            continue
        ones = np.clip((total + 1) * mean - 1.0 + np.linspace(0.0, 1.0, 41), 0.0, total)
        logs = gammaln(total + 2) - gammaln(ones + 1.0) - gammaln(total - ones + 1.0)
        logs = logs + ones * math.log(mean) + (total - ones) * math.log1p(-mean)
        said = math.log(float(density_caps(np.array([float(total)]), mean)[0]))
        assert logs.max() <= said + 1e-9 * total
        nearest = max(nearest, math.exp(logs.max() - said))
    assert nearest > 0.99
    z = np.geomspace(0.01, 1e3, 200)
    assert ((psi(z + 0.5) > np.log(z)) & (psi(z + 0.5) < np.log(z) + 1.0 / (24.0 * z * z))).all()
    least = 0.5 * math.log(2.0 * math.pi) + z * np.log(z) - z - 1.0 / (24.0 * z)
    assert (gammaln(z + 0.5) >= least).all()
    assert density_caps(np.array([9.0]), 0.0).tolist() == [10.0]


@pytest.mark.parametrize("whole", [False, True])
def test_posteriors_are_as_the_proof_says(whole):
    """Steps 2 to 4, for releases of any origin: concave, below the cap, and (*)."""
    rng = np.random.default_rng(4)
    for _ in range(150):
        mean, best = random_pair(rng)
        if min(mean, 1.0 - best) < 1e-4:
            continue
        epsilon = math.exp(rng.uniform(-2.0, 1.5))
        lengths = [int(rng.integers(1, 40)) for _ in range(int(rng.integers(1, 6)))]
        true = rng.random()
        releases = [(n, released(n, true, epsilon, rng, whole)) for n in lengths]
        at = np.array([mean, best])
        (near, far), logs = log_ratio(releases, epsilon, at)
        cap = math.log(float(density_caps(np.array([float(sum(lengths))]), mean)[0]))
        assert near <= cap + 1e-3
        slopes = np.diff(logs) / np.diff(GRID)
        assert (np.diff(slopes) <= 1e-6 * np.abs(slopes[1:]) + 1e-6).all()
        # Lambda <= ln(f C), with the smallest f that the event allows.
        highest = float((logs[best <= GRID] - logs.max()).max(initial=-math.inf))
        norm = math.log(float(np.exp(logs - logs.max()) @ CELLS))
        needed = max(0.0, -max(highest - norm, far))
        assert near - far <= needed + cap + 1e-3


@pytest.mark.untraced
@pytest.mark.parametrize("whole", [False, True])
def test_arms_stay_in_play_no_longer_than_said(whole):
    """How often the bound is still above the best mean after m batches, over 300 arms."""
    epsilon, mean, best, runs, most = 0.5, 0.3, 0.7, 300, 10
    setting, batches = Setting((best, mean), 1000, epsilon), Batches(epsilon, 1.5, 8, 2.0)
    totals, chances = batch_chances(mean, setting, batches)
    lengths = np.diff(totals[:most], prepend=0.0)
    rng, above = np.random.default_rng(5), np.zeros(most)
    for _ in range(runs):
        logs = np.zeros(GRID.size)
        for m, count in enumerate(lengths.tolist()):
            value = released(int(count), mean, epsilon, rng, whole)
            logs += log_likelihood(GRID, 1.0 - GRID, count, value, epsilon)
            norm = logs.max() + math.log(float(np.exp(logs - logs.max()) @ CELLS))
            above[m] += logs[best <= GRID].max() - norm >= -batches.log_f(1000)
    shares, chances = above / runs, chances[:most]
    assert (shares <= chances + 4.0 * np.sqrt(chances / runs)).all()
    assert shares[0] == 1.0
    assert shares[-1] < 0.1


@pytest.mark.untraced
def test_the_best_arms_bound_fails_no_more_often_than_said():
    """Ville's inequality, at 1/4: 400 arms, 4 standard errors."""
    rng, failed = np.random.default_rng(6), 0
    for _ in range(400):
        releases, worst = [], math.inf
        for count in (8, 4, 6, 9, 14, 21):
            releases.append((count, released(count, 0.7, 0.5, rng)))
            worst = min(worst, float(log_ratio(releases, 0.5, np.array([0.7]))[0][0]))
        failed += worst <= math.log(0.25)
    assert 0 < failed <= 100 + 4.0 * math.sqrt(400 * 3 / 16)


@pytest.mark.parametrize("power", [2.0, 1.0, 0.5, 0.0])
def test_rounds_lost_are_the_sum(power):
    batches = Batches(1.0, 1.5, 4, power)
    t = np.arange(12, 20_001)
    chances = 1.0 / (t * (1.0 + np.log(t)) ** power)
    wanted = (0.5 * 12 + 1.0) * chances[0] + 1.5 * chances[1:-1].sum()
    said = rounds_lost(Setting((0.5, 0.4, 0.4), 20_000, 1.0), batches)
    assert wanted <= said <= 1.1 * wanted
    assert rounds_lost(Setting((0.5, 0.4, 0.4), 12, 1.0), batches) == 0.0


def test_rounds_lost_keep_their_digits_near_power_1():
    setting = Setting((0.5, 0.4), 10**9, 1.0)
    wanted = rounds_lost(setting, Batches(1.0, 1.5, 4, 1.0))
    for step in (1e-15, 1e-13, -1e-13, 1e-10):
        said = rounds_lost(setting, Batches(1.0, 1.5, 4, 1.0 + step))
        assert said == pytest.approx(wanted, rel=1e-8)


def played(means, horizon, epsilon, growth, power, rng, first=None):
    """One run of the policy on a grid; return how often each arm was played."""
    schedule = GrowingTotal(growth, first=first or math.ceil(4.0 / epsilon))
    held, ends = np.zeros((len(means), GRID.size)), np.ones(len(means))
    epochs, counts, t = [0] * len(means), np.zeros(len(means)), 0
    while t < horizon:
        if 0 in epochs:
            arm = epochs.index(0)
        else:
            level = -math.log(t) - power * math.log1p(math.log(t))
            for each, logs in enumerate(held):
                top = logs.max()
                norm = top + math.log(float(np.exp(logs - top) @ CELLS))
                ends[each] = GRID[np.flatnonzero(logs - norm >= level)[-1]]
            arm = int(ends.argmax())
        count = schedule.length(epochs[arm])
        counts[arm] += min(count, horizon - t)
        t += count
        value = released(count, means[arm], epsilon, rng)
        held[arm] += log_likelihood(GRID, 1.0 - GRID, float(count), value, epsilon)
        epochs[arm] += 1
    return counts


@pytest.mark.untraced
def test_regret_lies_below_its_bounds():
    """Means of 3 runs on random instances."""
    nearest = 0.0
    for number in range(20):
        rng = np.random.default_rng([7, number])
        best, n_arms = rng.uniform(0.2, 0.95), int(rng.integers(2, 6))
        means = best * (1.0 - np.append(0.0, rng.random(n_arms - 1) ** rng.choice([0.5, 1.0, 2.0])))
        epsilon, growth = math.exp(rng.uniform(-2.0, 1.5)), float(rng.choice([1.3, 1.5, 2.0]))
        horizon, power = int(10.0 ** rng.uniform(1.0, 4.0)), float(rng.choice([0.0, 1.0, 2.0]))
        runs = [played(means, horizon, epsilon, growth, power, rng) for _ in range(3)]
        regret = float(np.mean(runs, axis=0) @ (best - means))
        bounds = found(means, horizon, epsilon, growth=growth, power=power)
        for name in ("epochs", "gaps, closed form", "any gaps, closed form"):
            assert regret <= bounds[name].value, (number, name)
        nearest = max(nearest, regret / bounds["epochs"].value)
    assert nearest > 0.5


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("means", "horizon", "epsilon", "growth", "first", "power"),
    [
        ((0.05, 0.99), 12, 10.0, 1.5, 4, 2.0),
        ((0.01, 0.9), 5, 5.0, 4.0, 1, 0.0),
        ((0.4, 0.95, 0.95), 13, 3.0, 1.05, 4, 1.0),
        ((0.2, 0.99), 60, 1.5, 1.3, 1, 0.0),
    ],
)
def test_regret_of_few_rounds_lies_below_its_bound(means, horizon, epsilon, growth, first, power):
    """Where the bound is smallest: few rounds, large gaps; 120 runs, 4 standard errors."""
    rng, gaps = np.random.default_rng(8), max(means) - np.array(means)
    runs = [played(means, horizon, epsilon, growth, power, rng, first) for _ in range(120)]
    regret = np.array(runs) @ gaps
    bounds = found(means, horizon, epsilon, growth=growth, first=first, power=power)
    assert regret.mean() - 4.0 * regret.std() / math.sqrt(120) <= bounds["epochs"].value


@pytest.mark.parametrize(
    ("epsilon", "wanted", "closed"), [(0.25, 961.1, 9067.5), (0.5, 547.3, 4535), (1.0, 377.9, 2834)]
)
def test_the_figures_of_the_page(epsilon, wanted, closed):
    bounds = found(S1, 10**6, epsilon)
    assert bounds["epochs"].value == pytest.approx(wanted, abs=0.1)
    assert bounds["gaps, closed form"].value == pytest.approx(closed, abs=0.5)


def test_a_finer_grid_gains_little(monkeypatch):
    cases = [(S1, 10**6, 0.25, 1.5), (S1, 10**12, 0.05, 1.2), ((0.99, 0.9, 0.2), 10**5, 2.0, 2.0)]
    coarse = [found(m, t, e, growth=g)["epochs"].value for m, t, e, g in cases]
    orders = np.concatenate([np.geomspace(0.002, 0.1, 60), np.linspace(0.105, 0.9, 160)])
    shares = np.concatenate([np.linspace(0.005, 0.8, 160), 1.0 - 0.2 * 0.9 ** np.arange(1, 80)])
    monkeypatch.setattr(noise_aware_bounds, "ORDERS", orders)
    monkeypatch.setattr(noise_aware_bounds, "SHARES", shares)
    fine = [found(m, t, e, growth=g)["epochs"].value for m, t, e, g in cases]
    assert all(b <= a < 1.003 * b for a, b in zip(coarse, fine, strict=True))


def test_the_closed_form_is_what_it_says():
    bounds = found((0.9, 0.4), 1000, 0.5)
    f = 1000 * (1.0 + math.log(1000)) ** 2
    logs = 1.5 * math.log(1000) + 0.5 * math.log(f)
    factor = 4.5 * (logs + 0.29 + 0.32 / math.log(1.5))
    lost = rounds_lost(Setting((0.9, 0.4), 1000, 0.5), Batches(0.5, 1.5, 8, 2.0))
    assert bounds["gaps, closed form"].value == pytest.approx(5.0 + 8.0 * factor + 0.5 * lost)
    wanted = 2.0 * math.sqrt(2000 * factor) + 2 * (10 + 8 * factor) + lost
    assert bounds["any gaps, closed form"].value == pytest.approx(wanted)
    assert bounds["long run"].strength == "leading term"


def test_it_grows_with_the_horizon_and_tends_to_its_constant():
    for power in (2.0, 0.0):
        ratios = []
        for exponent in (3, 6, 9, 12, 18):
            bounds = found(S1, 10**exponent, 0.5, power=power)
            assert all(bound.holds for bound in bounds.values())
            ratios.append(bounds["epochs"].value / bounds["long run"].value)
        assert all(later < before for before, later in pairwise(ratios))
        assert 1.0 < ratios[-1] < 1.7


@pytest.mark.parametrize("horizon", [1, 2, 5, 39, 40, 41])
def test_short_horizons(horizon):
    """Nothing is decided before every arm has a release: with 5 arms at epsilon .5, 40 rounds."""
    value = found(S1, horizon, 0.5)["epochs"].value
    assert value >= 1.25 * min(8, horizon)
    assert value <= 1.25 * min(8, horizon) + 2.0 * (horizon > 40)


@pytest.mark.parametrize("means", [(1.0, 0.0), (0.5, 0.5), (0.5,), (1.0, 1.0 - 1e-9), (1e-50, 0.0)])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("growth", [1.001, 1.5, 1e6])
def test_it_is_finite_at_the_ends(means, epsilon, growth):
    for horizon in (1, 1000, 10**12):
        bounds = found(means, horizon, epsilon, growth=growth)
        assert all(0.0 <= bound.value < math.inf for bound in bounds.values())
        gap = max(means) - min(means)
        assert bounds["epochs"].value <= 3.0 * horizon * gap

"""Bounds of our own for noisy leaders, against exact regret on many random instances."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import hush
from hush.noise.laws import ARGMAX_LAWS
from hush.numerics.leader_chances import (
    costs_of_leaders,
    difference_tail,
    leader_chances,
    mean_of_largest,
)
from hush.theory import exact_regret

INSTANCES = 500
OURS = ("brackets, closed form", "any gaps, closed form", "epochs")
S1 = hush.paper_s1()


def instance(number, reach):
    """Means in any order, a policy and a horizon: crowds near the best, and means far from it."""
    rng = np.random.default_rng([22, number])
    best, n_arms = rng.uniform(0.05, 1.0), int(rng.integers(2, 13))
    gaps = best * rng.random(n_arms - 1) ** rng.choice([0.5, 1.0, 4.0])
    means = rng.permutation([best, *(best - gaps).tolist()])
    epsilon = float(math.exp(rng.uniform(math.log(0.02), math.log(5.0))))
    neighbours = str(rng.choice(["replace", "add-remove"]))
    growth = 2.0 if rng.random() < 0.7 else float(rng.uniform(1.2, 5.0))
    horizon = int(10.0 ** rng.uniform(0.0, reach))
    if number % 10 == 9:
        return hush.NaiveFTNL(epsilon), hush.Bernoulli(means), horizon
    noise = "gumbel" if number % 10 == 8 else ARGMAX_LAWS[number % 2]  # exact regret takes longer
    policy = hush.RNMFTNL(epsilon, noise=noise, neighbours=neighbours, growth=growth)
    return policy, hush.Bernoulli(means), horizon


def nearest(numbers, reach):
    """Check that regret is below our bounds; return how near it comes to that over epochs.

    Where action 0 is best; then only where the bound is also far below all that can be lost.
    """
    anywhere, far = 0.0, 0.0
    for number in numbers:
        policy, env, horizon = instance(number, reach)
        exact = exact_regret(policy, env, horizon, checkpoints=[1 + horizon // 10, horizon])
        for rounds, regret in zip(exact.checkpoints.tolist(), exact.regret.tolist(), strict=True):
            report = hush.bounds(policy, env, rounds)
            for bound in (report[name] for name in OURS):
                assert not bound.holds or regret <= bound.value * (1.0 + 1e-9), (number, bound)
            epochs = report["epochs"].value
            if rounds == 1 or env.gaps[0] > 0.0:
                continue  # the first round is the same in both
            anywhere = max(anywhere, regret / epochs)
            if epochs < 0.1 * rounds * env.gaps[env.gaps > 0.0].min():
                far = max(far, regret / epochs)
    return anywhere, far


@pytest.mark.slow
@pytest.mark.untraced
def test_exact_regret_lies_below_our_bounds():
    """On 500 instances with short horizons. A bound of 4/5 of its value would be refuted."""
    anywhere, _ = nearest(range(500), reach=1.7)
    assert anywhere > 0.8


@pytest.mark.slow
def test_exact_regret_lies_below_our_bounds_at_a_million_rounds():
    """The nearest it comes is what docs/theory/upper_bounds.md says."""
    assert nearest(range(500, 1000), reach=6.0) == pytest.approx((0.99, 0.89), abs=0.005)


@pytest.mark.parametrize(
    ("noise", "figures"),
    [("laplace", (211.2, 49.03)), ("exponential", (152.1, 43.84)), ("gumbel", (196.9, 47.59))],
)
def test_known_values(noise, figures):
    for epsilon, wanted in zip((0.1, 1.0), figures, strict=True):
        report = hush.bounds(hush.RNMFTNL(epsilon, noise=noise), S1, 10**6)
        assert report["epochs"].value == pytest.approx(wanted, rel=1e-3)
        assert report.upper == min(report["epochs"].value, report["monotone chances"].value)
        assert report["brackets, closed form"].value < report["brackets"].value / 4.0


@pytest.mark.parametrize("law", ARGMAX_LAWS)
def test_chances_are_those_of_adaptive_quadrature(law):
    rng = np.random.default_rng(4)
    for _ in range(20):
        count, gap, scale = (
            2.0 ** rng.uniform(0, 50),
            10.0 ** rng.uniform(-7, 0),
            10.0 ** rng.uniform(-2, 3),
        )
        spread = math.sqrt(count / 2.0)
        kink, steep = count * gap / spread, spread / scale
        edges = np.concatenate(
            [
                np.arange(40.0),
                kink + np.outer([-1.0, 1.0], 2.0 ** np.arange(-1, 7)).ravel() / max(1.0, steep),
                [kink],
            ]
        )
        edges = np.unique(np.clip(edges, 0.0, 39.0)).tolist()

        def integrand(v, kink=kink, steep=steep):
            return (
                v
                * math.exp(-0.5 * v * v)
                * float(difference_tail(np.array(steep * (kink - v)), law))
            )

        wanted = sum(
            quad(integrand, start, end, epsabs=0.0, epsrel=1e-12)[0]
            for start, end in pairwise(edges)
        )
        found = leader_chances(np.array([count * gap]), np.array([count]), law, scale)[0]
        if wanted > 1e-40:
            assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("law", ARGMAX_LAWS)
def test_laws_of_differences_and_of_the_largest(law):
    draws = np.random.default_rng(5)
    noise = {"exponential": draws.exponential, "laplace": draws.laplace, "gumbel": draws.gumbel}[
        law
    ]
    drawn = noise(size=(200_000, 5))
    for x in (-2.0, 0.0, 1.0, 3.0):
        seen = np.mean(drawn[:, 0] - drawn[:, 1] >= x)
        assert seen == pytest.approx(float(difference_tail(np.array(x), law)), abs=0.006)
    seen = np.mean(drawn.max(axis=1) - drawn[:, 0])
    assert seen - 0.02 <= mean_of_largest(5, law) <= seen + 0.35


def test_equal_gaps_are_one_group_and_large_ones_come_first():
    counts = np.array([4, 64])
    apart = costs_of_leaders([0.5, 0.25, 0.25 * (1.0 + 1e-12)], counts, "laplace", 3.0)
    together = costs_of_leaders([0.25, 0.25, 0.5], counts, "laplace", 3.0)
    assert together == pytest.approx(apart, rel=1e-9)
    caps = [leader_chances(counts * gap, counts * 1.0, "laplace", 3.0) for gap in (0.5, 0.25)]
    filled = 0.5 * caps[0] + 0.25 * np.minimum(2.0 * caps[1], 1.0 - caps[0])
    assert together == pytest.approx(filled, rel=1e-9)


@pytest.mark.untraced
def test_ten_thousand_actions_and_2_to_the_50_rounds():
    means = np.random.default_rng(0).random(10_000)
    report = hush.bounds(hush.RNMFTNL(0.5), hush.Bernoulli(means), 2**50)
    assert report["epochs"].value == pytest.approx(84_508.05, rel=1e-6)


@pytest.mark.untraced
def test_a_random_prefix_costs_the_same_in_every_block():
    """So regret grows with ln T, and the bound that its source claims is not said to hold."""
    policy, env = hush.RandomPrefixEM(5.0), hush.Bernoulli([0.2, 0.9])
    points = [2**k - 1 for k in (4, 10, 15, 20)]
    exact = exact_regret(policy, env, points[-1], checkpoints=points)
    early, middle, late = exact.regret[1:]
    assert late - middle == pytest.approx(middle - early, rel=1e-3)
    for rounds, regret in zip(points, exact.regret, strict=True):
        report = hush.bounds(policy, env, rounds)
        assert report["brackets, closed form"].binding
        assert regret <= report["brackets, closed form"].value
        assert regret <= report["any gaps, closed form"].value
    status = report["random prefix"].status
    assert status.startswith("does not hold here: needs the algorithm of its source")

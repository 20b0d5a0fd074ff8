"""Bounds of our own for noisy leaders, against exact regret on many random instances."""

import math

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


def instance(number):
    """Means in any order, epsilon and a horizon: crowds near the best, and means far from it."""
    rng = np.random.default_rng([22, number])
    best, n_arms = rng.uniform(0.05, 1.0), int(rng.integers(2, 13))
    gaps = best * rng.random(n_arms - 1) ** rng.choice([0.5, 1.0, 4.0])
    means = rng.permutation([best, *(best - gaps).tolist()]).tolist()
    epsilon = float(math.exp(rng.uniform(math.log(0.02), math.log(5.0))))
    return means, epsilon, int(10.0 ** rng.uniform(0.0, 6.0))


def policy_for(number, epsilon):
    rng = np.random.default_rng([23, number])
    noise = ARGMAX_LAWS[number % 3]
    neighbours = str(rng.choice(["replace", "add-remove"]))
    growth = 2.0 if rng.random() < 0.7 else float(rng.uniform(1.2, 5.0))
    return hush.RNMFTNL(epsilon, noise=noise, neighbours=neighbours, growth=growth)


@pytest.mark.untraced
def test_exact_regret_lies_below_our_bounds():
    """The nearest it comes shows that no constant is too large by much: half would not hold."""
    nearest = {name: 0.0 for name in OURS}
    for number in range(INSTANCES):
        means, epsilon, horizon = instance(number)
        policy, env = policy_for(number, epsilon), hush.Bernoulli(means)
        if number % 10 == 9:
            policy = hush.NaiveFTNL(epsilon)
        elif number % 10 == 8:
            policy = hush.RandomPrefixEM(epsilon)
        regret = exact_regret(policy, env, horizon, checkpoints=[horizon]).final
        report = hush.bounds(policy, env, horizon)
        for bound in report:
            if bound.name in OURS and bound.holds:
                assert regret <= bound.value * (1.0 + 1e-9), (number, bound.name)
                if isinstance(policy, hush.RNMFTNL) and horizon > 1000:
                    nearest[bound.name] = max(nearest[bound.name], regret / bound.value)
    assert nearest["epochs"] > 0.8
    print(nearest)


@pytest.mark.parametrize(
    ("noise", "figures"),
    [("laplace", (211.2, 49.03)), ("exponential", (152.1, 43.84)), ("gumbel", (196.9, 47.59))],
)
def test_known_values(noise, figures):
    for epsilon, wanted in zip((0.1, 1.0), figures, strict=True):
        report = hush.bounds(hush.RNMFTNL(epsilon, noise=noise), S1, 10**6)
        assert report["epochs"].value == pytest.approx(wanted, rel=1e-3)
        assert report.upper == report["epochs"].value
        assert report["brackets, closed form"].value < report["brackets"].value / 4.0


@pytest.mark.parametrize("law", ARGMAX_LAWS)
def test_chances_are_those_of_adaptive_quadrature(law):
    rng = np.random.default_rng(4)
    for _ in range(60):
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
            for start, end in zip(edges, edges[1:], strict=False)
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


def test_a_random_prefix_costs_the_same_in_every_block():
    """So regret grows with ln T, and the bound that its source claims is not said to hold."""
    policy = hush.RandomPrefixEM(1.0)
    points = [2**k - 1 for k in (20, 30, 40)]
    early, middle, late = exact_regret(policy, S1, points[-1], checkpoints=points).regret
    assert late - middle == pytest.approx(middle - early, rel=1e-6)
    report = hush.bounds(policy, S1, 10**6)
    assert report["random prefix"].status.startswith("does not hold here: needs the algorithm of")
    assert report["brackets, closed form"].binding

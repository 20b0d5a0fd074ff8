"""Scored policies: the rules of five published ones, against what their formulas say."""

import math
from collections import Counter

import numpy as np
import pytest
from scipy.stats import binom, kstest, norm

import hush
from hush import ParameterError
from hush.numerics.divergence import kl
from hush.policies.core.statistics import Statistics
from hush.simulation.engines import engine_of

Z = 5.0  # two-sided, a false alarm once in 1.7 million


def known(sums, counts):
    statistics = Statistics(len(sums))
    statistics.restore(np.array(counts, dtype=float), np.array(sums, dtype=float))
    return statistics


def draws_of(policy, total, count, size=4000, n_arms=2):
    """Return draws of an arm's score, from as many random numbers."""
    numbers = policy._numbers(size, np.random.default_rng(7))
    means, counts = np.full(n_arms, total / count), np.full(n_arms, float(count))
    parameters = policy._parameter_array(n_arms)
    return np.array(
        [policy.score(0, means, counts, n_arms, 5.0, each, parameters) for each in numbers]
    )


def test_gaussian_draws_are_the_posterior_of_a_standard_normal_prior():
    """The Kolmogorov-Smirnov test of 4,000 draws raises a false alarm once in a million."""
    law = norm(3.0 / 5.0, 1.0 / math.sqrt(5.0))
    assert kstest(draws_of(hush.GaussianTS(), 3, 4), law.cdf).pvalue > 1e-6


def test_clipped_draws_are_gaussian_below_their_end():
    policy = hush.MOTS(horizon=400, narrowness=0.8, alpha=0.5, variance=1.0)
    found, end = draws_of(policy, 12, 20), 12 / 20 + math.sqrt(0.5 / 20 * math.log(400 / (2 * 20)))
    assert found.max() == pytest.approx(end)
    law = norm(0.6, 1.0 / math.sqrt(0.8 * 20))
    for x in (0.3, 0.5, 0.7):
        wanted = law.cdf(x)
        slack = Z * math.sqrt(wanted * (1 - wanted) / found.size)
        assert abs((found <= x).mean() - wanted) < slack
    spent = draws_of(policy, 120, 200)  # its share of 400 rounds
    assert spent.max() == pytest.approx(0.6)


@pytest.mark.parametrize("count", [1, 2, 30])
def test_tails_of_draws_are_a_divergence(count):
    policy, total = hush.ExpTS(), count // 2
    found, mean = draws_of(policy, total, count), total / count
    for x in (0.05, 0.3, 0.6, 0.9):
        if x >= mean:
            share = 0.5 * math.exp(-(count - 1) * float(kl(mean, x)))
            seen = (found > x).mean()
        else:
            share = 0.5 * math.exp(-(count - 1) * float(kl(1 - mean, 1 - x)))
            seen = (found < x).mean()
        slack = Z * math.sqrt(share * (1 - share) / found.size) + 1e-3
        assert abs(seen - share) < slack, x


def test_maillard_chances_are_those_of_its_choices():
    """Counts of 4,000 choices, each within 5 standard deviations of its chance."""
    policy, statistics = hush.MaillardSampling(), known([6, 4, 1], [10, 9, 4])
    chances = policy._chances(9, statistics)
    gaps = 0.6 - np.array([0.6, 4 / 9, 0.25])
    weights = np.exp(-np.array([10, 9, 4]) * gaps**2 / 0.5)
    np.testing.assert_allclose(chances, weights / weights.sum(), rtol=1e-12)
    generator = np.random.default_rng(3)
    found = Counter(policy._choose(9, statistics, generator) for _ in range(4000))
    for arm, chance in enumerate(chances):
        assert abs(found[arm] - 4000 * chance) < Z * math.sqrt(4000 * chance * (1 - chance))
    assert hush.MaillardSampling().learner(2)._public.chances(1).tolist() == [1.0, 0.0]


def test_ada_ucb_is_its_formula():
    policy, counts, means = hush.AdaUCB(horizon=1000), [9.0, 25.0, 4.0], [0.5, 0.6, 0.25]
    wanted = []
    for mine, mean in zip(counts, means, strict=True):
        ratio = 1000 / sum(min(mine, math.sqrt(mine * other)) for other in counts) + math.e
        wanted.append(mean + math.sqrt(0.5 / mine * math.log(ratio * math.sqrt(math.log(ratio)))))
    parameters = policy._parameter_array(3)
    found = [
        policy.score(arm, np.array(means), np.array(counts), 3, 1.0, 0.0, parameters)
        for arm in range(3)
    ]
    assert found == pytest.approx(wanted, rel=1e-12)


def test_moss_closes_with_an_arms_share():
    index = hush.MOSS.index
    fixed = hush.MOSS(horizon=1000)._parameter_array(4)
    anytime = hush.MOSS(anytime=True)._parameter_array(4)
    assert index(0.5, 10.0, 3.0, fixed) == pytest.approx(0.5 + math.sqrt(math.log(25) / 10))
    assert index(0.5, 250.0, 3.0, fixed) == index(0.5, 400.0, 3.0, fixed) == 0.5
    wanted = 0.5 + math.sqrt(1.175 * math.log(100 / 40) / 10)
    assert index(0.5, 10.0, 100.0, anytime) == pytest.approx(wanted)
    assert not hush.MOSS(anytime=True).needs_horizon
    assert hush.MOSS().needs_horizon


def test_bayes_ucb_is_exceeded_by_chance():
    """P(Beta(S + 1, F + 1) > q) is P(Binomial(n + 1, q) <= S): 1 / (t ln^c t)."""
    policy = hush.BayesUCB(c=2)
    q = policy.index(0.75, 40.0, 50.0, policy._parameter_array(2))
    assert binom(41, q).cdf(30) == pytest.approx(1 / (50 * math.log(50) ** 2))


@pytest.mark.parametrize(
    ("make", "bad"),
    [
        (hush.MOTS, {"narrowness": 0.5}), (hush.MOTS, {"narrowness": 1.0}),
        (hush.MOTS, {"alpha": 0.0}),
        (hush.MOTS, {"variance": -1.0}), (hush.AdaUCB, {"variance": 0.0}),
        (hush.MaillardSampling, {"variance": math.nan}), (hush.BayesUCB, {"c": -1}),
        (hush.BayesUCB, {"c": 0.5}), (hush.MOSS, {"horizon": 0}),
    ],
)  # fmt: skip
def test_what_a_policy_cannot_take(make, bad):
    with pytest.raises(ParameterError, match=next(iter(bad))):
        make(**bad)


def test_a_score_that_is_no_number_is_refused():
    class Lost(hush.GaussianTS):
        @staticmethod
        def score(arm, means, counts, n_arms, t, draw, parameters):
            return math.nan

    with pytest.raises(ParameterError, match="NaN"):
        Lost().learner(2).select()


def test_scores_are_compiled_but_for_rules_that_change_more():
    assert engine_of(hush.MaillardSampling()).name == "scores"

    class Own(hush.GaussianTS):
        def _choose(self, t, statistics, generator):
            return 0

    assert engine_of(Own()).name == "learner"

"""Exact expected regret: against simulation, known figures, and itself."""

import math
from string import printable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hush
from hush.theory import exact_regret

S1_UP = hush.Bernoulli([0.25, 0.375, 0.5, 0.625, 0.75])


def random_cases(count, seed):
    """Draw policies of every kind that leaps, with instances: 2 to 12 actions, T to 2^30."""
    generator = np.random.default_rng(seed)
    makers = [
        hush.RNMFTNL,
        hush.RNMFTNL.as_printed,
        lambda e: hush.RNMFTNL(e, noise="gumbel"),
        lambda e: hush.RNMFTNL(e, growth=float(generator.uniform(1.3, 5.0))),
        lambda e: hush.RNMFTNL(e, noise="laplace", growth=3.0),
        hush.NaiveFTNL,
        hush.RandomPrefixEM,
    ]
    for number in range(count):
        means = generator.random(int(generator.integers(2, 13)))
        if number % 4 == 0:
            means = 0.5 + 0.05 * (means - 0.5)
        epsilon = math.exp(generator.uniform(math.log(0.03), math.log(3.0)))
        horizon = int(2 ** generator.uniform(4, 30))
        policy = makers[number % len(makers)](epsilon)
        if policy.sums_prefix:  # chances for hundreds of lengths
            means, horizon = means[:4], min(horizon, 2**10)
        yield policy, hush.Bernoulli(means), horizon


def deviations(cases, runs):
    """Return how many standard errors simulated regret lies from the exact one, at the horizon."""
    found = []
    for policy, env, horizon in cases:
        result = hush.simulate(
            policy, env, horizon=horizon, runs=runs, seed=11, checkpoints=[], engine="leap",
            progress=False, pulls="final",
        )  # fmt: skip
        regret = result.regret[0, :, -1]
        exact = exact_regret(policy, env, horizon, checkpoints=[]).final
        found.append((regret.mean() - exact) / (regret.std(ddof=1) / math.sqrt(runs)))
    return np.array(found)


@pytest.mark.slow
@pytest.mark.untraced
def test_exact_and_simulated_regret_agree():
    """7 cases at 20,000 runs, one of each kind, within 4 standard errors.

    Normal deviations would fail one time in 2,200; the seed is fixed.
    """
    assert np.abs(deviations(random_cases(7, 5), 20_000)).max() < 4.0


@pytest.mark.slow
def test_exact_and_simulated_regret_agree_at_a_million_runs():
    """21 cases within 4 standard errors: normal deviations would fail one time in 750."""
    found = deviations(random_cases(21, 6), 1_000_000)
    assert np.abs(found).max() < 4.0
    # Nor do they lean to one side: their sum is normal with variance 21.
    assert abs(found.sum()) < 4.0 * math.sqrt(21)


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize(("policy", "runs"), [(hush.FTL(), 4000), (hush.DecreasingHedge(), 2000)])
def test_policies_of_every_round(policy, runs):
    """Within 4 standard errors at four checkpoints: one time in 4,000 at most for each policy."""
    points = [2, 10, 100, 300]
    result = hush.simulate(
        policy, S1_UP, horizon=300, runs=runs, seed=3, checkpoints=points, progress=False
    )
    exact = exact_regret(policy, S1_UP, 300, checkpoints=points).regret
    error = result.regret[0].std(axis=0, ddof=1) / math.sqrt(runs)
    assert (np.abs(result.regret[0].mean(axis=0) - exact) < 4.0 * error).all()


def test_the_leader_of_few_rounds_by_hand():
    """Two actions, FTL: the first is played until the second is ahead; three rounds by hand."""
    env = hush.Bernoulli([0.5, 0.75])
    # Round 2: the second leads only after (0, 1). Round 3: after sums (0,1), (0,2), (1,2).
    second = 0.5 * 0.75
    third = 0.25 * (1 - 0.25**2) + 0.5 * 0.75**2
    wanted = 0.25 * np.cumsum([1.0, 1.0 - second, 1.0 - third])
    found = exact_regret(hush.FTL(), env, 3, checkpoints=[1, 2, 3])
    assert found.regret == pytest.approx(wanted, abs=1e-12)


KNOWN = {  # 20,000 runs of an independent implementation, standard error about 0.5 %
    "laplace 1/eps": (hush.RNMFTNL.as_printed, (49.5, 22.4, 13.7, 9.7)),
    "laplace 2/eps": (lambda e: hush.RNMFTNL(e, noise="laplace"), (95.4, 40.3, 22.4, 13.7)),
    "exponential 2/eps": (hush.RNMFTNL, (77.2, 33.1, 18.7, 12.0)),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_regret_of_rnm_ftnl(name):
    """Within 1 %, two standard errors of the known figures, and half a unit of their last digit."""
    make, figures = KNOWN[name]
    for epsilon, wanted in zip((0.1, 0.25, 0.5, 1.0), figures, strict=True):
        found = exact_regret(make(epsilon), S1_UP, 2**20, checkpoints=[]).final
        assert found == pytest.approx(wanted, rel=0.01, abs=0.05)


def test_scales_that_are_equal_give_equal_regret():
    """Naive noise of scale K/eps is Laplace noise of 1/eps with a fifth of epsilon, for K = 5."""
    naive = exact_regret(hush.NaiveFTNL(0.5), S1_UP, 2**20).regret
    assert naive == pytest.approx(exact_regret(hush.RNMFTNL.as_printed(0.1), S1_UP, 2**20).regret)


def test_regret_between_checkpoints_is_linear_within_epochs():
    found = exact_regret(hush.RNMFTNL(0.5), S1_UP, 31, checkpoints=range(1, 32))
    steps = np.diff(np.concatenate([[0.0], found.regret]))
    assert found.lengths.tolist() == [1, 2, 4, 8, 16]
    assert steps == pytest.approx(np.repeat(found.chances @ S1_UP.gaps, found.lengths))
    assert found.chances.sum(axis=1) == pytest.approx(np.ones(5))
    assert found.chances[0].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


@pytest.mark.untraced
def test_a_single_action_and_equal_actions_have_no_regret():
    for policy in (hush.RNMFTNL(1.0), hush.FTL(), hush.DecreasingHedge(), hush.RandomPrefixEM(1.0)):
        assert exact_regret(policy, hush.Bernoulli([0.3]), 1000).final == 0.0
        assert exact_regret(policy, hush.Bernoulli([0.3] * 4), 1000).final == 0.0


def test_the_order_of_later_actions_does_not_matter():
    one = exact_regret(hush.RNMFTNL(0.3), hush.Bernoulli([0.5, 0.6, 0.7, 0.6]), 5000).regret
    two = exact_regret(hush.RNMFTNL(0.3), hush.Bernoulli([0.5, 0.7, 0.6, 0.6]), 5000).regret
    assert one == pytest.approx(two, rel=1e-12)


@pytest.mark.untraced
def test_a_thousand_distinct_actions_add_up():
    env = hush.Bernoulli(np.linspace(0.3, 0.7, 1000))
    found = exact_regret(hush.RNMFTNL(0.5), env, 2**7, checkpoints=[])
    assert found.chances.sum(axis=1) == pytest.approx(np.ones(found.lengths.size), abs=1e-8)


def test_tables():
    found = exact_regret(hush.RNMFTNL(0.5), S1_UP, 100, checkpoints=[10])
    assert found.to_pandas()["round"].tolist() == [10, 100]
    assert found.final == found.regret[-1]
    assert exact_regret(hush.RNMFTNL(0.5), S1_UP, 100).checkpoints.size > 30


class Odd(hush.EpochPolicy):
    """A policy with a mechanism that nobody knows."""

    non_private = True
    guarantee = hush.FTL().guarantee

    def _mechanism(self, noise):
        return object()


ANYTHING = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(printable, max_size=5), st.booleans()
)


@given(ANYTHING)
def test_bad_policies_are_refused(policy):
    with pytest.raises(hush.ParameterError, match="full-information policies"):
        exact_regret(policy, S1_UP, 100)


@pytest.mark.parametrize(
    "policy", [hush.UCB1(), hush.LazyDPTS(1.0), hush.ShrinkingDartboard(1.0, horizon=10)]
)
def test_policies_without_epochs_are_refused(policy):
    with pytest.raises(hush.ParameterError, match="full-information policies"):
        exact_regret(policy, S1_UP, 100)


def test_unknown_mechanisms_are_refused():
    with pytest.raises(hush.ParameterError, match="by which law it chooses; got Odd"):
        exact_regret(Odd(), S1_UP, 100)


@given(st.one_of(st.none(), st.integers(max_value=0), st.floats(), st.text(printable, max_size=3)))
def test_bad_horizons_are_refused(horizon):
    if isinstance(horizon, float) and horizon.is_integer() and 1 <= horizon <= 2**50:
        return
    with pytest.raises(hush.ParameterError, match="horizon"):
        exact_regret(hush.RNMFTNL(1.0), S1_UP, horizon)


@given(st.integers(max_value=0) | st.integers(min_value=101))
def test_bad_checkpoints_are_refused(point):
    with pytest.raises(hush.ParameterError, match="checkpoint"):
        exact_regret(hush.RNMFTNL(1.0), S1_UP, 100, checkpoints=[point])


@pytest.mark.parametrize("env", [None, [0.5, 0.4], "S1"])
def test_other_environments_are_refused(env):
    with pytest.raises(hush.ParameterError, match="Bernoulli"):
        exact_regret(hush.RNMFTNL(1.0), env, 100)


def test_rewards_that_are_no_coins_are_refused():
    from scipy.stats import beta

    with pytest.raises(hush.ParameterError, match="Bernoulli"):
        exact_regret(hush.RNMFTNL(1.0), hush.Bounded([beta(2, 2), beta(1, 2)]), 100)


def test_too_many_actions_are_refused():
    with pytest.raises(hush.ParameterError, match="at most 10000 actions"):
        exact_regret(hush.RNMFTNL(1.0), hush.Bernoulli([0.5] * 10_001), 100)

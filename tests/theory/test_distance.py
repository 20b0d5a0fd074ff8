"""How far policies are from the best possible: only what may be compared."""

import itertools
import json

import pytest
from tests.every import DEFAULT, OTHER

import hush
from hush.numerics.bound import Setting
from hush.theory import exact_regret

PACKING = hush.packing(64, 0.1)


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon", "factor"), [(64, 0.1, 0.1, 5.77), (1000, 0.01, 0.01, 5.98)]
)
def test_rnm_ftnl_is_near_the_best_where_privacy_is_what_costs(n_arms, gap, epsilon, factor):
    policy, env = hush.RNMFTNL(epsilon), hush.packing(n_arms, gap)
    found = hush.bounds(policy, env, 10**6).distance
    assert found.factor == pytest.approx(factor, abs=0.01)
    assert found.regret == pytest.approx(exact_regret(policy, env, 10**6).final)
    assert f"{found.factor:.3g} times" in str(found)
    assert "any private learner" in found.sentence


def test_the_order_of_the_arms_does_not_matter():
    last, *others = (
        hush.bounds(hush.RNMFTNL(0.1), hush.Bernoulli(means), 10**4).distance
        for means in ([0.5, 0.5, 0.5, 0.6], [0.5, 0.6, 0.5, 0.5], [0.6, 0.5, 0.5, 0.5])
    )
    assert others == [last, last]


@pytest.mark.parametrize("policy", [*DEFAULT, *OTHER], ids=str)
def test_upper_bounds_are_largest_with_the_worst_action_first(policy):
    """Else one could not be compared with what is lost for some order of the arms."""
    policy = policy.with_horizon(1000)
    epsilon = policy.guarantee.under("replace")
    for means in ((0.5, 0.5, 0.6), (0.5, 0.7, 0.6)):
        worst, *others = (
            [bound.value for bound in policy.bounds(Setting(order, 1000, epsilon))]
            for order in (tuple(sorted(means)), *itertools.permutations(means))
        )
        for other in others:
            assert all(one >= two - 1e-9 for one, two in zip(worst, other, strict=True))


def test_the_best_action_last_costs_most():
    for policy in (hush.RNMFTNL(0.3), hush.NaiveFTNL(1.0), hush.RNMFTNL(1.0, noise="gumbel")):
        regrets = [
            exact_regret(
                policy, hush.Bernoulli([0.5 + 0.1 * (i == j) for i in range(4)]), 100
            ).final
            for j in range(4)
        ]
        assert max(regrets) == pytest.approx(regrets[-1], rel=1e-9)


def test_a_bandit_is_compared_on_all_instances():
    found = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.paper_s1(), 10**9)
    assert found.distance.regret == found["any gaps, closed form"].value
    assert found.distance.least == found["minimax"].value
    assert "any private bandit must lose on some instance" in str(found)
    # Nothing is said that T would not say.
    assert hush.bounds(hush.AnytimeLazyUCB(1e-4), hush.paper_s1(), 10**4).distance is None


@pytest.mark.parametrize(
    ("policy", "env"),
    [
        (hush.RNMFTNL(0.5, growth=3.0), hush.paper_s1()),  # no lower bound for these means
        (hush.UCB1(), hush.paper_s1()),  # no upper bound for all
        (hush.ShrinkingDartboard(0.5), PACKING),  # no more than T times the gap
        (hush.RNMFTNL(0.5, growth=3.0), hush.Bernoulli([0.5, 0.5])),
        (hush.RNMFTNL(0.5), hush.Bernoulli([0.5])),
    ],
    ids=str,
)
def test_nothing_is_said_where_nothing_can_be(policy, env):
    report = hush.bounds(policy, env, 10**4)
    assert report.distance is None
    assert "times the" not in str(report)
    assert report.to_dict()["distance"] is None


def test_policies_that_are_slow_to_compute_go_by_what_is_proven():
    found = hush.bounds(hush.DecreasingHedge(), PACKING, 10**6)
    assert found.distance.regret == found.upper
    assert "(proven)" in str(found.distance)
    assert (
        json.loads(json.dumps(found.to_dict()))["distance"]["least"] == found["any learner"].value
    )


@pytest.mark.parametrize("policy", [*DEFAULT, *OTHER], ids=str)
def test_nobody_is_better_than_the_best(policy):
    for env in (PACKING, hush.packing(2, 0.3), hush.packing(5, 0.01)):
        found = hush.bounds(policy, env, 3000).distance
        assert found is None or found.factor > 1.0

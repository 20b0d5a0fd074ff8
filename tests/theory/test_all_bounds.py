"""Bounds: their values, their conditions, and regret between them."""

import json
import math
from dataclasses import dataclass
from string import printable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import every
from tests.every import DEFAULT, FINDERS, OTHER, make

import hush
from hush import theory
from hush.numerics.bound import Setting
from hush.policies import REGISTERED
from hush.theory.all_bounds import bound_line
from hush.theory.constants import bracket_numbers, bracket_sum

S1, S2 = hush.paper_s1(), hush.paper_s2()
KINDS = {(b, s) for b in ("upper", "lower") for s in ("constants", "leading term", "order")}


@pytest.mark.parametrize("policy", [*DEFAULT, *OTHER], ids=str)
def test_every_policy_has_a_report(policy):
    report = hush.bounds(policy, S1, 10**6)
    assert {(b.kind, b.strength) for b in report} <= KINDS
    assert all(math.isfinite(b.value) and b.value >= 0.0 for b in report)
    assert all(b.formula and b.reference for b in report)
    assert all(b.condition for b in report if not b.holds)
    assert report.lower <= report.upper <= 0.5 * 10**6
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["upper"] == report.upper
    assert len(report.to_pandas()) == len(report) == len(list(report))
    for bound in report:
        assert bound.name in str(report)
        assert bound.status in str(report)
        assert report[bound.name].name == bound.name


def test_a_bound_that_needs_a_wide_index_has_no_rest_for_a_narrow_one():
    """Of AdaCUCB, 2 beta / (beta - 3): infinite at 3 and negative below."""
    wide, narrow = (hush.bounds(hush.AdaCUCB(0.5, beta=b), S1, 10**6)["gaps"] for b in (3.1, 3.0))
    assert (wide.holds, wide.strength) == (True, "constants")
    assert (narrow.holds, narrow.strength) == (False, "leading term")
    assert narrow.condition == "beta > 3; beta is 3"
    assert "beta - 3" in wide.formula
    assert "beta - 3" not in narrow.formula


@pytest.mark.parametrize("policy", DEFAULT, ids=str)
def test_constants_of_others_are_said_to_be_quoted(policy):
    """All but those that are proven in our documents or follow from a proof line by line.

    Constants that could not be compared with their source are not quoted, and bind nothing.
    """
    for bound in hush.bounds(policy, S1, 10**6):
        foreign = bound.reference.startswith("http") and bound.strength != "order"
        seen = "constants from its proof" in bound.reference or bound.name.startswith("first ")
        assert (bound.quoted or bound.reconstructed) == (foreign and not seen), bound
        assert bound.reconstructed == (bound.name in ("UCB-V", "improved UCB"))
        assert not (bound.reconstructed and (bound.quoted or bound.binding))
        assert not bound.quoted or not bound.holds or bound.status.endswith(", as quoted")


def test_what_is_known_of_each_policy_is_listed():
    """Every policy has an upper bound of its own, but some, and finders of arms.

    Two have no proof; of one the source could not be read.
    """
    unproven = {cls for cls in REGISTERED if not make(cls).has_bounds}
    assert unproven - FINDERS == {
        hush.NoiseAwareTS, hush.NoiseAwareIMED, hush.MishraThakurtaTS,
    }  # fmt: skip
    assert "NoiseAwareTS is proven" in hush.bounds(hush.NoiseAwareTS(1.0), S1, 100).note


@pytest.mark.untraced
@pytest.mark.parametrize("env", every.sampled([S1, S2], 2), ids=["S1", "S2"])
@pytest.mark.parametrize(
    "cls",
    every.of_each_kind(REGISTERED, lambda cls: every.kind(make(cls))),
    ids=lambda cls: cls.__name__,
)
def test_simulated_regret_lies_between_the_bounds(cls, env):
    """Mean regret of 20 runs, less or more 5 standard errors, at four horizons, or three."""
    policy = make(cls, 0.5)
    points = [5, 50, 500] if cls in FINDERS else [5, 50, 500, 5000]
    result = hush.simulate(
        policy, env, horizon=points[-1], runs=20, seed=5, checkpoints=points, progress=False
    )
    mean = result.regret[0].mean(axis=0)
    slack = 5.0 * result.regret[0].std(axis=0, ddof=1) / math.sqrt(20) + 1e-9
    for point, regret, error in zip(points, mean, slack, strict=True):
        report = hush.bounds(policy.with_horizon(points[-1]), env, point)
        assert report.lower <= regret + error, point
        assert regret - error <= report.upper, point


@pytest.mark.untraced
@pytest.mark.parametrize("noise", every.sampled(["exponential", "laplace", "gumbel"], 3))
@pytest.mark.parametrize(
    "env", every.sampled([S1, hush.packing(32, 0.05), hush.doubling_gaps(8, 2**-8)], 3)
)
def test_exact_regret_lies_between_the_bounds_at_all_horizons(noise, env):
    for policy in (hush.RNMFTNL(0.2, noise=noise), hush.NaiveFTNL(0.2)):
        exact = theory.exact_regret(policy, env, 2**30)
        for point, regret in zip(exact.checkpoints.tolist(), exact.regret, strict=True):
            report = hush.bounds(policy, env, point)
            assert report.lower - 1e-9 <= regret <= report.upper * (1.0 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_packing_bound_is_reached_on_one_of_its_instances(epsilon):
    """It speaks of the worst of K instances; all but the first cost the same."""
    for policy in (hush.RNMFTNL(epsilon), hush.RNMFTNL.as_printed(epsilon)):
        bound = hush.bounds(policy, hush.packing(64, 0.1), 2**20)["packing"]
        assert bound.holds
        assert bound.scope == "some order"
        assert theory.exact_regret(policy, hush.packing(64, 0.1), 2**20).final >= bound.value


@pytest.mark.untraced
def test_the_minimax_bound_is_reached_near_the_critical_gap():
    horizon, arms = 10**5, 5
    gap = math.sqrt(arms / horizon)
    env = hush.Bernoulli([0.5] * (arms - 1) + [0.5 + gap])
    for policy in (hush.UCB1(), hush.AnytimeLazyUCB(1.0), hush.DPSE(1.0), hush.KLUCB()):
        bound = hush.bounds(policy, env, horizon)["minimax"]
        assert bound.status == "holds on some instance, as quoted"
        assert not bound.binding
        result = hush.simulate(policy, env, horizon=horizon, runs=20, seed=2, progress=False)
        assert result.regret[0, :, -1].mean() > bound.value


@pytest.mark.parametrize(
    ("env", "figures"), [(S1, (247, 144, 107)), (S2, (321, 274, 274))], ids=["S1", "S2"]
)
def test_known_private_lower_bounds(env, figures):
    for epsilon, wanted in zip((0.25, 0.5, 1.0), figures, strict=True):
        value = theory.private_constant(env, epsilon) * math.log(10**6)
        assert value == pytest.approx(wanted, abs=1.0)
        report = hush.bounds(hush.DPKLUCB(epsilon), env, 10**6)
        assert report["private, long run"].value == pytest.approx(value)
        assert report["long run"].value == pytest.approx(2.0 * value)  # alpha = 2


def test_constants_meet_where_privacy_does_not_matter():
    assert theory.private_constant(S1, 50.0) == pytest.approx(theory.lai_robbins(S1))
    assert theory.private_constant(S1, 0.1) > theory.lai_robbins(S1)
    assert theory.lai_robbins(hush.Bernoulli([1.0, 0.5])) == 0.0
    assert theory.minimax_lower(5, 10**6) == pytest.approx(math.sqrt(4e6) / 27)
    assert theory.minimax_lower(100, 10, 1e-4) == pytest.approx(99 / 131e-4)
    assert theory.packing_lower(16, 0.5) == pytest.approx(0.098 * math.log(16) / 5.0)
    assert theory.kl is hush.numerics.divergence.kl
    assert theory.d_eps is hush.numerics.divergence.d_eps


def test_brackets():
    gaps = hush.doubling_gaps(6, 2**-6).gaps
    assert bracket_numbers(gaps) == [None, 1, 2, 3, 4, 5]
    # All gaps above epsilon: each bracket costs 256 / epsilon.
    assert bracket_sum(gaps, 2**-7) == pytest.approx(5 * 256 * 2**7)
    # All equal: one bracket.
    assert bracket_sum([0.1] * 9 + [0.0], 1.0) == pytest.approx(2560 * (1 + math.log(9)))
    assert bracket_sum([0.0, 0.0], 1.0) == 0.0


def test_the_replace_calibration_doubles_the_private_part():
    """Noise of twice the scale is what half of epsilon has, as printed."""
    one = hush.bounds(hush.RNMFTNL(0.2, noise="laplace"), S1, 10**6)["brackets"].value
    two = hush.bounds(hush.RNMFTNL.as_printed(0.1), S1, 10**6)["brackets"].value
    assert one == two


def test_conditions_that_are_not_met_are_said():
    cases = [
        (hush.RNMFTNL(1.0, growth=2.5), S1, 10**6, "brackets", "growth is 2.5"),
        (hush.AdaPUCB(1.0, beta=1.0), S1, 10**6, "gaps", "beta > 3"),
        (hush.UCBV(zeta=1.0), S1, 10**6, "UCB-V", "zeta = 1.2"),
        (hush.DecreasingHedge(), hush.Bernoulli([0.5, 0.5, 0.1]), 100, "stochastic", "single best"),
        (hush.RNMFTNL(1.0), S1, 10**6, "packing", "all means 1/2 but the best"),
        (hush.RNMFTNL(0.001), hush.packing(8, 0.1), 100, "packing", "T >="),
        (hush.RNMFTNL(1.0), hush.packing(8, 0.1), 33, "minimax", "T > 16 ln K = 33.3"),
        (hush.FTL(), hush.packing(8, 0.1), 33, "minimax", "T > 16 ln K = 33.3"),
        (hush.UCB1(), S1, 3, "first pulls", "T >= 5"),
        (hush.ShrinkingDartboard(1.0, horizon=50), S1, 100, "oblivious adversary", "own horizon"),
    ]
    for policy, env, horizon, name, words in cases:
        bound = hush.bounds(policy, env, horizon)[name]
        assert not bound.holds
        assert not bound.binding
        assert words in bound.condition
        assert bound.status.startswith("does not hold here: needs")


def test_samples_and_critical_gaps():
    report = hush.bounds(hush.AnytimeLazyUCB(0.5), S1, 10**6)
    wanted = [math.ceil(math.log2(24 * math.log(10**6) / (g * min(g, 0.5)))) for g in S1.gaps[1:]]
    assert [arm.sample_exponent for arm in report.arms] == [None, *wanted]
    assert report["samples"].value == pytest.approx(
        sum(g * min(10**6, 2 ** (d + 2)) for g, d in zip(S1.gaps[1:], wanted, strict=True))
    )
    assert report.critical_gap == pytest.approx(math.sqrt(5 * math.log(10**6) / 10**6))
    full = hush.bounds(hush.RNMFTNL(0.5), S1, 10**6)
    assert full.critical_gap == pytest.approx(math.sqrt(math.log(5) / 10**6))
    assert full.arms[1].sample_exponent is None
    assert hush.bounds(hush.UCB1(), S1, 10**6).arms[1].d_eps is None


def test_equal_arms_cost_nothing():
    for policy in DEFAULT:
        report = hush.bounds(policy, hush.Bernoulli([0.4, 0.4, 0.4]), 1000)
        assert report.upper == report.lower == 0.0


@dataclass(frozen=True)
class Greedy(hush.BanditPolicy):
    """A user's own policy."""

    epsilon: float = 1.0

    def _choose(self, t, statistics, generator):
        return int(statistics.means.argmax())


def test_your_own_policy_gets_what_holds_for_all():
    report = hush.bounds(Greedy(), S1, 1000)
    assert report.upper == pytest.approx(500.0)
    assert "private, long run" in {bound.name for bound in report}
    assert "Greedy is proven" in str(report)


@dataclass(frozen=True)
class Proven(Greedy):
    """Its author states a bound."""

    def bounds(self, setting):
        value = 3.0 * len(setting.gaps)
        yield theory.Bound("mine", "upper", value, "3 (K - 1), c = 2", "a proof", condition="K > 1")


@dataclass(frozen=True)
class Changed(Proven):
    """A subclass may change what the proof rests on."""


@dataclass(frozen=True)
class ChangedLazy(hush.AnytimeLazyUCB):
    """Likewise."""


def test_your_own_policy_states_its_own_bounds_and_subclasses_inherit_none():
    assert hush.bounds(Proven(), S1, 1000).upper == 12.0
    assert bound_line(Proven()) == "3 (K - 1), for K > 1"
    for policy in (Changed(), ChangedLazy(1.0)):
        report = hush.bounds(policy, S1, 1000)
        assert report[0].name == "worst arm always"
        assert "is proven" in report.note
        assert all(arm.sample_exponent is None for arm in report.arms)
        assert bound_line(policy) == "none proven"


@pytest.mark.parametrize("policy", [*DEFAULT, *OTHER], ids=str)
def test_lines_hold_what_the_formulas_say(policy):
    line = bound_line(policy)
    said = list(policy.with_horizon(100).bounds(Setting((0.6, 0.4), 100, 1.0)))
    firm = [bound for bound in said if bound.has_constants]
    shown = [bound for bound in said if bound.claim in line]
    assert shown == (firm or said)[:2]
    assert all(bound.claim.removeprefix("O(")[:9] in bound.formula for bound in said)
    assert (line == "none proven") == (not said)


def test_unknown_names_suggest_the_nearest():
    report = hush.bounds(hush.UCB1(), S1, 1000)
    with pytest.raises(hush.UnknownNameError, match="did you mean 'minimax'"):
        _ = report["minmax"]
    assert report[0] is report.items[0]
    assert report[:2] == report.items[:2]


ANYTHING = st.one_of(
    st.none(), st.integers(), st.floats(), st.text(printable, max_size=5), st.booleans()
)


@given(ANYTHING)
def test_bad_policies_are_refused(policy):
    with pytest.raises(hush.ParameterError, match="policy must be a policy"):
        hush.bounds(policy, S1, 100)


@given(ANYTHING)
def test_bad_environments_are_refused(env):
    with pytest.raises(hush.ParameterError, match="Bernoulli"):
        hush.bounds(hush.UCB1(), env, 100)


@given(
    st.one_of(
        st.none(), st.integers(max_value=0), st.text(printable, max_size=3), st.floats(0.0, 0.99)
    )
)
def test_bad_horizons_are_refused(horizon):
    with pytest.raises(hush.ParameterError, match="horizon"):
        hush.bounds(hush.UCB1(), S1, horizon)


@given(st.one_of(st.floats(max_value=0.0), st.just(math.nan), st.none()))
def test_bad_epsilons_are_refused(epsilon):
    with pytest.raises(hush.ParameterError, match="epsilon"):
        theory.private_constant(S1, epsilon)
    with pytest.raises(hush.ParameterError, match="epsilon"):
        theory.packing_lower(5, epsilon)


@given(
    st.lists(st.floats(0.0, 1.0), min_size=1, max_size=8),
    st.integers(1, 10**12),
    st.sampled_from([*DEFAULT, *OTHER]),
)
def test_bounds_never_cross(means, horizon, policy):
    report = hush.bounds(policy, hush.Bernoulli(means), horizon)
    assert 0.0 <= report.lower <= report.upper * (1 + 1e-12)
    assert all(np.isfinite(bound.value) for bound in report)

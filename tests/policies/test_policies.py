"""Policies as values: parameters, dictionaries, labels; and their rules against the formulas."""

import json
import math
import tomllib
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests import every

import hush
from hush import (
    DPIMED,
    DPKLUCB,
    DPSE,
    DPTS,
    FTL,
    KLUCB,
    RNMFTNL,
    UCB1,
    UCBV,
    AdaPKLUCB,
    AdaPUCB,
    AnytimeLazyUCB,
    DecreasingHedge,
    DPUCBBound,
    LazyDPTS,
    NaiveFTNL,
    NoiseAwareTS,
    ParameterError,
    RandomPrefixEM,
    ShrinkingDartboard,
    TreeDPUCB,
    UnknownNameError,
    policy_from_dict,
)
from hush.numerics import divergence
from hush.policies import REGISTERED, policy_class
from hush.policies.core.statistics import Statistics

PRIVATE = [cls for cls in REGISTERED if "epsilon" in cls.__dataclass_fields__]


@pytest.mark.parametrize("cls", PRIVATE)
@pytest.mark.parametrize("bad", [0, -1, math.nan, math.inf, True, None, "1"])
def test_epsilon_is_checked(cls, bad):
    missing = bad is None and "rho" in cls.__dataclass_fields__
    said = "exactly one" if missing else "epsilon must be a positive finite number"
    with pytest.raises(ParameterError, match=said):
        cls(epsilon=bad)


def test_one_of_epsilon_and_rho_is_given():
    for cls in (hush.NoiseAwareTS, hush.NoiseAwareIMED, hush.NoiseAwareUCB, hush.NoiseAwareBAI):
        for bad in ({}, {"epsilon": 1.0, "rho": 0.5}, {"epsilon": None, "rho": None}):
            with pytest.raises(ParameterError, match="exactly one of the two"):
                cls(**bad)
        with pytest.raises(ParameterError, match="rho must be a positive finite number"):
            cls(rho=-1.0)
        policy = cls(rho=0.25)
        assert (policy.guarantee.rho, policy.guarantee.epsilon) == (0.25, None)
        assert policy.release_epsilon == policy.declared_epsilon == math.inf
        assert tuple(policy.release_noise) == (1.0, True)
        assert cls.from_parameters({"rho": 0.25}) == policy
        assert policy.to_dict()["rho"] == 0.25
        assert "epsilon" not in policy.to_dict()
        assert "rho" not in cls(epsilon=1.0).to_dict()


def test_a_policy_for_laplace_noise_says_that_it_has_no_rho():
    with pytest.raises(ParameterError, match="LazyDPTS has no rho: its rule covers the tails"):
        LazyDPTS.from_parameters({"rho": 0.5})
    with pytest.raises(hush.UnknownNameError, match="AdaCUCB"):
        hush.AdaCUCB.from_parameters({"epsilon": 0.5})


def test_a_counter_has_no_rho():
    @dataclass(frozen=True)
    class Counting(hush.BanditPolicy):
        rho: float
        counter = "hybrid"

        def _choose(self, t, statistics, generator):
            return 0

    with pytest.raises(ParameterError, match="no rho"):
        Counting(rho=0.5)


def test_live_experiments_refuse_rho():
    for policy in (hush.AdaCUCB(rho=0.5), hush.NoiseAwareTS(rho=0.5)):
        assert "pure epsilon" in policy.why_not_live(ages=False)
    assert hush.NoiseAwareTS(0.5).why_not_live(ages=False) is None


def test_policies_are_values():
    assert LazyDPTS(1) == LazyDPTS(epsilon=1.0)
    assert hash(LazyDPTS(1)) == hash(LazyDPTS(1.0))
    assert LazyDPTS(1) != AnytimeLazyUCB(1)
    assert len({UCB1(), UCB1(), FTL()}) == 2


def test_dictionaries_json_and_toml():
    for policy in (*every.DEFAULT, *every.OTHER, DPSE(0.5, horizon=10**6)):
        data = policy.to_dict()
        assert policy_from_dict(json.loads(json.dumps(data))) == policy
        text = "\n".join(f"{key} = {toml(value)}" for key, value in data.items())
        assert policy_from_dict(tomllib.loads(text)) == policy


def toml(value):
    if not isinstance(value, dict):
        return json.dumps(value)
    return "{" + ", ".join(f"{key} = {toml(each)}" for key, each in value.items()) + "}"


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(UnknownNameError, match="did you mean 'AnytimeLazyUCB'"):
        policy_class("AnyTimeLazyUCB")
    with pytest.raises(UnknownNameError, match="did you mean 'epsilon'"):
        policy_from_dict({"policy": "LazyDPTS", "epsilom": 1.0})
    with pytest.raises(ParameterError, match="needs its name"):
        policy_from_dict({"epsilon": 1.0})
    with pytest.raises(ParameterError, match=r"^LazyDPTS needs epsilon$"):
        policy_from_dict({"policy": "LazyDPTS"})
    with pytest.raises(ParameterError, match=r"^AdaCUCB needs rho$"):
        policy_from_dict({"policy": "AdaCUCB", "beta": 1.0})
    with pytest.raises(UnknownNameError, match="exponential"):
        RNMFTNL(1.0, noise="exponental")
    with pytest.raises(UnknownNameError, match="add-remove"):
        RNMFTNL(1.0, neighbours="add-remov")
    with pytest.raises(ParameterError, match="growth"):
        RNMFTNL(1.0, growth=1.0)


@given(st.floats(-5, 5), st.integers(0, 40), st.floats(1, 1e18), st.floats(0.01, 10))
def test_the_rules_are_the_papers_formulas(mean, epoch, t, epsilon):
    count = float(2**epoch)
    ucb, ts = AnytimeLazyUCB(epsilon), LazyDPTS(epsilon)
    parameters = np.array([epsilon])
    log = math.log(t)
    wanted = mean + math.sqrt(3 * log / count) + 3 * log / (epsilon * count)
    assert ucb.index(mean, count, t, parameters) == pytest.approx(wanted, rel=1e-12)
    a = min(1.0, max(0.0, mean + 3 * log / (epsilon * count)))
    assert ts.center(mean, count, t, parameters) == pytest.approx(a, rel=1e-12)
    wanted = mean + math.sqrt(2 * log / count)
    assert UCB1.index(mean, count, t, parameters) == pytest.approx(wanted, rel=1e-12)


def bisected(fits, low):
    """Return the largest number in [low, 1] that fits, by bisection."""
    high = 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


@given(st.floats(-1, 2), st.integers(1, 10**6), st.floats(2, 1e15), st.floats(0.05, 5))
def test_the_peers_rules_are_their_formulas(mean, count, t, epsilon):
    n, log = float(count), math.log(t)
    clip = min(1.0, max(0.0, mean))

    def index(policy, m=mean):
        return float(policy.index(m, n, t, policy._parameter_array(3)))

    wanted = mean + math.sqrt(3.1 * log / (2 * n)) + 3.1 * log / (epsilon * n)
    assert index(AdaPUCB(epsilon)) == pytest.approx(wanted, rel=1e-12)
    a = min(1.0, max(0.0, mean + 3.1 * log / (epsilon * n)))
    wanted = bisected(lambda q: divergence.kl(a, q) <= 3.1 * log / n, a)
    assert index(AdaPKLUCB(epsilon)) == pytest.approx(wanted, rel=1e-6)
    wanted = bisected(lambda q: divergence.d_eps(clip, q, epsilon) <= log / n, clip)
    assert index(DPKLUCB(epsilon)) == pytest.approx(wanted, rel=1e-6)
    wanted = bisected(lambda q: divergence.kl(clip, q) <= log / n, clip)
    assert index(KLUCB(), clip) == pytest.approx(wanted, rel=1e-6)
    share = 1.2 * log / n
    wanted = clip + math.sqrt(2 * clip * (1 - clip) * share) + 3 * share
    assert index(UCBV(), clip) == pytest.approx(wanted, rel=1e-12)
    share = 0.5 * log / n
    wanted = clip + math.sqrt(2 * clip * (1 - clip) * share) + 3 * 0.25 * share
    assert index(UCBV(zeta=0.5, c=0.25), clip) == pytest.approx(wanted, rel=1e-12)
    bonus = math.log(1e4) ** 2 * math.log(3 * 1e4 * math.log(1e4) / 0.1)
    wanted = mean + math.sqrt(2 * log / n) + bonus / (epsilon * n)
    assert index(TreeDPUCB(epsilon, horizon=10_000)) == pytest.approx(wanted, rel=1e-12)
    v = math.sqrt(8) * math.log(4 * t**4) / epsilon
    v *= 1 if count.bit_count() == 1 else math.log(n) + 1
    wanted = mean + math.sqrt(2 * log / n) + v / n
    assert index(DPUCBBound(epsilon)) == pytest.approx(wanted, rel=1e-9)
    a = mean + 6 * math.sqrt(8) * math.log(n + 1) * log / (epsilon * n)
    center = DPTS(epsilon).center(mean, n, t, DPTS(epsilon)._parameter_array(3))
    assert float(center) == pytest.approx(min(1.0, max(0.0, a)), rel=1e-12)


@pytest.mark.parametrize(("horizon", "counted"), [(None, 2), (1, 2), (2, 2), (3, 3)])
def test_a_tree_s_bonus_rests_on_two_rounds_at_least(horizon, counted):
    log = math.log(counted)
    bonus = log**2 * math.log(max(math.e, 3 * counted * log / 0.1))
    assert TreeDPUCB(0.5, horizon=horizon).parameters_for(3) == pytest.approx((bonus / 0.5,))


def test_imed_plays_the_smallest():
    policy = DPIMED(0.5)
    means, counts = np.array([0.7, 0.5, 1.4, -0.2]), np.array([64.0, 16.0, 8.0, 2.0])
    wanted = [
        n * divergence.d_eps(min(1, max(0, m)), 1.0, 0.5) + math.log(n)
        for m, n in zip(means, counts, strict=True)
    ]
    for mean, best, known, top in ((0.5, 0.6, 0.5, 0.6), (-0.5, -0.3, 0, 0), (0.5, 1.2, 0.5, 1)):
        value = policy.index(mean, 9.0, best, policy._parameter_array(2))
        assert value == pytest.approx(-9 * divergence.d_eps(known, top, 0.5) - math.log(9))
    values = policy.index(means, counts, 1.4, policy._parameter_array(4))
    assert values.tolist() == pytest.approx([-each for each in wanted])
    statistics = Statistics(4)
    statistics.counts[:], statistics.means[:] = counts, means
    assert policy._choose(9, statistics, np.random.default_rng(1)) == int(np.argmin(wanted))


GROWTHS = (1.0, 0.5, math.nan, True, "2", 1e9, None)
POSITIVE = (0, -1, math.inf, math.nan, "3", None)
HORIZONS = (0, -5, 1.5, True, "9", 10**19)


@pytest.mark.parametrize(
    ("cls", "name", "bad"),
    [
        (DPKLUCB, "alpha", GROWTHS),
        (DPIMED, "alpha", GROWTHS),
        (RNMFTNL, "growth", GROWTHS),
        (NoiseAwareTS, "growth", GROWTHS),
        (NoiseAwareTS, "first_batch", (0, 1.5, True, "9", 2**60 + 1)),
        (
            NoiseAwareTS,
            "prior",
            (2.0, (0.4, 1), (1, 0.4), (1, 1e6 + 1), (1,), (1, 2, 3), "22", (True, 1)),
        ),
        (AdaPUCB, "beta", POSITIVE),
        (AdaPKLUCB, "beta", POSITIVE),
        (UCBV, "zeta", POSITIVE),
        (UCBV, "c", POSITIVE),
        (TreeDPUCB, "gamma", (*POSITIVE, 1, 2)),
        (TreeDPUCB, "horizon", HORIZONS),
        (DPSE, "horizon", HORIZONS),
        (ShrinkingDartboard, "horizon", HORIZONS),
        (RNMFTNL, "noise", ("normal", None, 1)),
        (RNMFTNL, "neighbours", ("add", None, 1)),
    ],
)
def test_hyper_parameters_are_checked_by_name(cls, name, bad):
    others = {} if cls is UCBV else {"epsilon": 1.0}
    for value in bad:
        with pytest.raises((ParameterError, UnknownNameError), match=rf"(^|unknown ){name} "):
            cls(**others, **{name: value})


@pytest.mark.parametrize(
    ("cls", "given", "kept"),
    [
        (DPKLUCB, {"alpha": 3}, {"alpha": 3.0}),
        (RNMFTNL, {"growth": 3}, {"growth": 3.0}),
        (RNMFTNL, {"growth": 3}, {"epsilon": 1.0}),
        (NoiseAwareTS, {"growth": 3}, {"growth": 3.0}),
        (NoiseAwareTS, {"first_batch": 3.0}, {"first_batch": 3}),
        (NoiseAwareTS, {"first_batch": 2**60}, {"first_batch": 2**60}),
        (NoiseAwareTS, {"prior": [1, 2]}, {"prior": (1.0, 2.0)}),
        (NoiseAwareTS, {"prior": (0.5, 10**6)}, {"prior": (0.5, 1e6)}),
        (AdaPUCB, {"beta": 3}, {"beta": 3.0}),
        (UCBV, {"zeta": 3}, {"zeta": 3.0}),
        (UCBV, {"c": 3}, {"c": 3.0}),
        (TreeDPUCB, {"gamma": np.float32(0.25)}, {"gamma": 0.25}),
        (TreeDPUCB, {"horizon": 1e18}, {"horizon": 10**18}),
        (DPSE, {"anytime": 1}, {"anytime": True}),
    ],
    ids=str,
)
def test_hyper_parameters_are_kept_as_plain_numbers(cls, given, kept):
    others = {} if cls is UCBV else {"epsilon": 1}
    policy = cls(**{**others, **given})
    for name, wanted in kept.items():
        value = getattr(policy, name)
        assert value == wanted
        assert type(value) is type(wanted)
        assert json.loads(json.dumps(policy.to_dict()))[name] == pytest.approx(wanted)


@pytest.mark.parametrize("loss", [1e-320, 1e-13, 1e13, 1e308])
@pytest.mark.parametrize("cls", REGISTERED, ids=lambda cls: cls.__name__)
def test_losses_that_say_nothing_are_refused(cls, loss):
    for name in {"epsilon", "rho"} & set(cls.__dataclass_fields__):
        why = f"{name} must lie between|says nothing|no noise is confirmed"
        with pytest.raises(hush.HushError, match=why):
            cls.from_parameters({name: loss})


@pytest.mark.parametrize("cls", [DPSE, hush.MOSS])
@pytest.mark.parametrize("value", ["false", 2, math.nan, None, [True]])
def test_switches_are_true_or_false(cls, value):
    given = {"epsilon": 1.0} if cls is DPSE else {}
    with pytest.raises(ParameterError, match="anytime must be True or False"):
        cls(**given, anytime=value)


@pytest.mark.parametrize("cls", REGISTERED, ids=lambda cls: cls.__name__)
def test_every_policy_says_what_it_is(cls):
    assert cls.summary
    assert cls.reference.startswith("https://")
    assert cls.reference in (cls.__doc__ or "")
    stated = {"epsilon", "rho"} & set(cls.__dataclass_fields__)
    assert (cls.noise_law != "none") == bool(stated)
    guarantee = every.make(cls).guarantee
    assert guarantee.private == bool(stated)
    assert (guarantee.epsilon is None) == (guarantee.rho is not None)
    if guarantee.epsilon is not None:
        assert math.isinf(guarantee.epsilon) != guarantee.private


def test_naive_noise_grows_with_the_number_of_actions():
    from hush import ScriptedNoise
    from hush.testing import RecordingNoise

    for n_arms in (2, 7):
        noise = RecordingNoise(ScriptedNoise([float(arm == 1) for arm in range(n_arms)]))
        expert = NaiveFTNL(0.5).learner(n_arms, noise=noise)
        expert.select()
        assert expert.update([1] * n_arms).value == 1
        assert [d.scale for d in noise.drawn] == [pytest.approx(n_arms / 0.5)] * n_arms


@pytest.mark.untraced
def test_prefixes_are_uniform():
    """Counts of releases of one epoch of 8; false alarm 1e-6."""
    from scipy.stats import chisquare

    from hush import SeededNoise

    seen = np.zeros(8)
    for seed in range(800):
        expert = RandomPrefixEM(1.0).learner(2, noise=SeededNoise(seed))
        for _ in range(15):
            expert.select()
            release = expert.update([0, 1])
        seen[release.count - 1] += 1
    assert chisquare(seen).pvalue > 1e-6


def test_a_prefix_ignores_the_rest_of_its_block():
    from hush import SeededNoise
    from hush.testing import RecordingNoise

    noise = RecordingNoise(SeededNoise(5))
    expert = RandomPrefixEM(1.0).learner(2, noise=noise)
    counts = []
    for _ in range(1023):
        expert.select()
        release = expert.update([1, 1])
        if release:
            counts.append(release.count)
    assert [each.raw for each in noise.drawn] == [(n, n) for n in counts]
    assert any(n < 2**k for k, n in enumerate(counts))


@pytest.mark.untraced
def test_hedge_has_its_weights():
    """The action of round 3 after known rewards; false alarm 1e-6."""
    from scipy.stats import chisquare

    from hush import SeededNoise

    seen = np.zeros(3)
    for seed in range(2000):
        expert = DecreasingHedge().learner(3, noise=SeededNoise(seed))
        for rewards in ([1, 0, 0], [1, 1, 0]):
            expert.select()
            expert.update(rewards)
        seen[expert.select()] += 1
    weights = np.exp(2 * math.sqrt(math.log(3) / 3) * np.array([2, 1, 0]))
    assert chisquare(seen, 2000 * weights / weights.sum()).pvalue > 1e-6


def test_what_commits_plays_until_its_release():
    from hush import SeededNoise

    learner = DPKLUCB(1.0).learner(3, noise=SeededNoise(4))
    for _ in range(200):
        arm = learner.select()
        assert learner.state()["committed"] in (None, arm)
        learner.update(arm, int(arm == 2))
    # A lost reward does not block it: the arm is played until enough have come.
    arm = learner.select()
    more = 0
    while learner.update(learner.select(), 1) is None:
        more += 1
    assert more >= 0
    assert sum(learner.outstanding) == 1
    assert learner.state()["committed"] is None


@given(st.integers(1, 10**15), st.integers(1, 10**6))
def test_indices_never_fall_with_time(t, step):
    means = np.linspace(-1, 2, 7)
    counts = np.array([1.0, 2, 8, 64, 1024, 2.0**30, 2.0**50])
    many = (AdaPUCB(0.3), TreeDPUCB(0.3, horizon=9), DPUCBBound(0.3))
    for policy in (AnytimeLazyUCB(0.3), UCB1(), *many):
        parameters = policy._parameter_array(7)
        now = policy.index(means, counts, float(t), parameters)
        later = policy.index(means, counts, float(t + step), parameters)
        assert (later >= now).all()


def test_rnm_plays_the_first_action_once_and_forgets():
    from hush import ScriptedNoise
    from hush.testing import RecordingNoise

    noise = RecordingNoise(ScriptedNoise([2, 1, 0]))
    expert = RNMFTNL(1.0).learner(3, noise=noise)
    actions = []
    for t in range(7):
        actions.append(expert.select())
        expert.update([1, 0, int(t == 5)])
    assert actions == [0, 2, 2, 1, 1, 1, 1]
    assert [each.raw for each in noise.drawn] == [(1, 0, 0), (2, 0, 0), (4, 0, 1)]


def test_growth_sets_the_epochs():
    expert = RNMFTNL(1.0, growth=3).learner(2)
    counts = []
    for _ in range(40):
        expert.select()
        release = expert.update([0, 1])
        if release:
            counts.append(release.count)
    assert counts == [1, 3, 9, 27]

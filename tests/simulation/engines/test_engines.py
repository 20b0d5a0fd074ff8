"""The leap engine as its users meet it: choice of engine, limits, streams, segments."""

import itertools
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from tests import every
from tests.simulation.engines.test_engine_learner import Bent, Steeper, Stubborn

import hush
from hush import (
    DPIMED,
    DPKLUCB,
    DPSE,
    DPTS,
    DPTSUCB,
    DPTT,
    FTL,
    KLUCB,
    LDPUCBL,
    MOSS,
    MOTS,
    RNMFTNL,
    UCB1,
    UCBV,
    AdaCUCB,
    AdaPKLUCB,
    AdaPTT,
    AdaPTTStar,
    AdaPUCB,
    AdaUCB,
    AnytimeLazyUCB,
    BatchedHTINF,
    BayesUCB,
    Bernoulli,
    DecreasingHedge,
    DistDPSE,
    DPUCBBound,
    ExpTS,
    GaussianTS,
    ImprovedUCB,
    LazyDPTS,
    LazyKLUCB,
    LazyUCBV,
    Local,
    MaillardSampling,
    MedianElimination,
    MishraThakurtaTS,
    NaiveFTNL,
    NoiseAwareBAI,
    NoiseAwareIMED,
    NoiseAwareTS,
    NoiseAwareUCB,
    ParameterError,
    Person,
    PrivateSequentialHalving,
    RandomPrefixEM,
    ShrinkingDartboard,
    ThompsonSampling,
    TreeDPUCB,
    TreeFTAL,
    TreeFTRL,
    WuWang,
    paper_s1,
)
from hush.policies import REGISTERED
from hush.simulation.engines import ENGINES, LEARNER, engine_of, why_no_leap

LAZY = [
    AnytimeLazyUCB(0.5),
    LazyDPTS(0.5),
    LazyKLUCB(0.5),
    LazyUCBV(0.5),
    ImprovedUCB(),
    DPTSUCB(),
    RNMFTNL(0.5),
    RNMFTNL.as_printed(0.5),
    AdaCUCB(0.125),
    AdaPUCB(0.5),
    AdaPKLUCB(0.5),
    DPKLUCB(0.5),
    DPIMED(2.0),
    DPSE(4.0),
    DPSE(4.0, anytime=True),
    NoiseAwareTS(0.5),
    NoiseAwareIMED(0.5),
    NoiseAwareUCB(0.5),
    NaiveFTNL(0.5),
    WuWang(0.5),
    RandomPrefixEM(0.5),
    DistDPSE(4.0),
    Person(LazyDPTS, epsilon=0.5),
    Steeper(1.0),
]
COMPILED = [
    UCB1(),
    UCBV(),
    KLUCB(),
    BayesUCB(),
    MOSS(),
    AdaUCB(),
    MaillardSampling(),
    ThompsonSampling(),
    GaussianTS(),
    MOTS(),
    ExpTS(),
    DPTS(1.0),
    TreeDPUCB(1.0),
    MishraThakurtaTS(1.0),
    DPUCBBound(1.0),
    BatchedHTINF(0.5),
    FTL(),
    DecreasingHedge(),
    ShrinkingDartboard(1.0),
    TreeFTRL(1.0),
    TreeFTAL(1.0),
    Local(UCB1(), epsilon=1.0),
    LDPUCBL(1.0),
]
# Played for the best arm by loops of their own; for regret, by their learners.
FINDERS = [
    NoiseAwareBAI(0.5),
    DPTT(0.5),
    AdaPTT(0.5),
    AdaPTTStar(0.5),
    PrivateSequentialHalving(0.5),
    MedianElimination(),
]
EAGER = [*COMPILED, *FINDERS, Stubborn(), Bent(1.0)]


def run(policies, env=None, **options):
    options = {"horizon": 5000, "runs": 3, "seed": 7, **options}
    return hush.simulate(policies, env or paper_s1(), **options)


@pytest.mark.untraced
def test_auto_leaps_where_that_is_exact():
    result = run([*LAZY, *EAGER], horizon=300)
    slow = len(EAGER) - len(COMPILED)
    engines = ("leap",) * len(LAZY) + ("rounds",) * len(COMPILED) + ("rounds (learner)",) * slow
    assert result.engines == engines
    assert {type(policy) for policy in (*LAZY, *EAGER)} >= set(REGISTERED)
    assert set(run([*LAZY, *EAGER], horizon=300, engine="rounds").engines) <= {
        "rounds",
        "rounds (learner)",
    }


@pytest.mark.parametrize("policy", EAGER, ids=str)
def test_what_cannot_leap_says_why(policy):
    with pytest.raises(ParameterError, match="runs round by round"):
        run(policy, engine="leap")


def test_correlated_actions_cannot_leap():
    env = hush.Bounded.from_sampler(
        lambda g: np.repeat(g.random(), 2), means=[0.5, 0.5], reward_range=(0, 1)
    )
    with pytest.raises(ParameterError, match="correlated"):
        run(RNMFTNL(1.0), env, engine="leap")
    assert run([RNMFTNL(1.0), LazyDPTS(1.0)], env, horizon=50).engines == (
        "rounds (learner)",
        "leap",
    )


def test_limits_are_said():
    with pytest.raises(ParameterError, match="leaps up to 1e\\+15 rounds"):
        run(LazyDPTS(1.0), horizon=10**16)
    with pytest.raises(ParameterError, match='insist with engine="rounds"'):
        run(UCB1(), horizon=10**13)
    with pytest.raises(ParameterError, match="at most 1000000000000000000"):
        run(AnytimeLazyUCB(1.0), horizon=10**18 + 1)


@pytest.mark.parametrize("policy", LAZY, ids=str)
def test_far_horizons(policy):
    inner = policy.of if isinstance(policy, Person) else policy
    horizon = 10**15 if isinstance(inner, LazyDPTS) else 10**18
    result = run(policy, horizon=horizon, runs=5)
    assert (result.pulls.sum(axis=-1) == result.checkpoints).all()
    assert (np.diff(result.regret, axis=2) >= 0).all()
    best = result.pulls[0, :, -1, 0] / horizon
    assert (best > 0.99).all()  # all but a vanishing part goes to the best arm


@pytest.mark.parametrize("policy", every.sampled(LAZY, 4, every.engine), ids=str)
def test_results_do_not_depend_on_workers_or_on_how_runs_are_split(policy):
    horizons = {DPSE: 10**6, LazyDPTS: 200, NoiseAwareTS: 200}  # of about the same cost
    far = {"horizon": horizons.get(type(policy), 2000)}
    whole = run(policy, runs=300, **far)
    assert (whole.pulls == run(policy, runs=300, workers=1, **far).pulls).all()
    assert (whole.pulls == run(policy, runs=300, workers=4, **far).pulls).all()
    for size in (1, 20, 256, 257):
        assert (run(policy, runs=size, **far).pulls[0] == whole.pulls[0, :size]).all()
    assert len(np.unique(whole.regret[0, :, -1])) > 1
    assert (whole.pulls != run(policy, runs=300, seed=8, **far).pulls).any()


@pytest.mark.parametrize(
    "policy",
    [*(p for p in LAZY if not isinstance(p, NoiseAwareTS)), UCB1(), Stubborn()],
    ids=str,
)
def test_segments_are_the_run(policy):
    plain = run(policy, checkpoints=[7, 100, 1234])
    result = run(policy, checkpoints=[7, 100, 1234], segments=True)
    assert plain.segments is None
    if engine_of(policy).loop_name("leap") != "thompson.leap_thompson":
        # It plays parts of a window at once; where their order is wanted it draws otherwise.
        assert (plain.pulls == result.pulls).all()
    for segments, pulls in zip(result.segments[0], result.pulls[0], strict=True):
        start, length, arm = segments.T
        assert start[0] == 1
        assert (start[1:] == start[:-1] + length[:-1]).all()
        assert length.sum() == 5000
        assert (arm[1:] != arm[:-1]).all()
        arms = np.repeat(arm, length)
        for row, checkpoint in zip(pulls, result.checkpoints, strict=True):
            assert (np.bincount(arms[:checkpoint], minlength=5) == row).all()


def test_bounded_rewards_leap():
    from scipy.stats import beta

    env = hush.Bounded([beta(6, 2), beta(2, 6)], reward_range=(0, 2))
    result = run(AnytimeLazyUCB(1.0), env, horizon=10**9)
    assert result.engines == ("leap",)
    assert np.allclose(result.regret[..., -1], 0.5 * result.pulls[..., -1, 1])


def test_memory_is_of_order_arms_plus_checkpoints():
    env = hush.packing(1000, 0.4)
    result = run(AnytimeLazyUCB(5.0), env, horizon=10**6, runs=2, pulls="final")
    assert result.pulls.shape == (1, 2, 1000)


def test_a_second_start_does_not_compile_again():
    code = (
        "import hush\n"
        "policies = [hush.AnytimeLazyUCB(1.0), hush.LazyDPTS(1.0), hush.RNMFTNL(1.0),\n"
        "            hush.DPKLUCB(1.0), hush.DPSE(1.0)]\n"
        "hush.simulate(policies, hush.paper_s1(), horizon=100, runs=1, seed=1)\n"
        "from hush.simulation.engines import engine_of\n"
        "from hush.simulation.engines.rules import rule_pointer\n"
        "for policy in policies:\n"
        "    loop = engine_of(policy).loop('leap')\n"
        "    assert loop.stats.cache_hits and not loop.stats.cache_misses, loop\n"
        "assert rule_pointer(hush.DPKLUCB.index).cache_hits == 1\n"
    )
    run(LAZY, horizon=100, runs=1)  # fills the cache
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_every_engine_has_its_loops_and_every_loop_a_twin_module():
    for engine in ENGINES:
        names = [engine.loop_name(mode) for mode in ("rounds", "leap")]
        assert (engine is LEARNER) == (names == [None, None])
        for mode, name in zip(("rounds", "leap"), names, strict=True):
            if name is not None:
                assert callable(engine.loop(mode))
                assert name.partition(".")[0] in (engine.name, f"{engine.name}_rounds", "arms")
    with pytest.raises(TypeError, match="no loop"):
        LEARNER.loop("rounds")


def test_the_page_has_every_policy_in_the_row_of_its_engine():
    page = (Path(__file__).parents[3] / "docs" / "leap.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \| (.+?) \|", page, re.M)
    for policy in every.DEFAULT:
        if type(policy) in every.FINDERS or isinstance(policy, hush.WrappingPolicy):
            continue
        where = [names for names, listed in rows if f"`{type(policy).__name__}`" in listed]
        assert len(where) == 1, policy
        assert f"`{engine_of(policy).name}`" in where[0], policy


def test_what_is_not_honoured_is_named():
    assert "own_rule" not in dir(hush.IndexPolicy)
    reason = why_no_leap(Bent(1.0))
    assert "Bent has _" in reason
    assert "no compiled loop follows" in reason


@pytest.mark.parametrize(
    "policy",
    [AnytimeLazyUCB(1.0), LazyDPTS(1.0), DPSE(1.0), RNMFTNL(1.0), NoiseAwareTS(1.0), DPKLUCB(1.0)],
    ids=str,
)
def test_arms_that_almost_never_win_do_not_stall(policy):
    """numba's binomial sampler does not return where 1 - p rounds to 1."""
    horizon = 10**15 if isinstance(policy, LazyDPTS) else 10**18
    result = run(policy, Bernoulli([0.5, 1e-17, 0.0]), horizon=horizon, runs=2, workers=1)
    assert (result.pulls.sum(axis=-1) == result.checkpoints).all()


LEAPING = [
    AnytimeLazyUCB(0.5),
    LazyDPTS(0.5),
    AdaPKLUCB(0.5),
    DPKLUCB(0.5),
    DPIMED(0.5),
    RNMFTNL(0.5),
    RNMFTNL(0.5, noise="laplace"),
    RNMFTNL(0.5, noise="gumbel"),
    NaiveFTNL(0.5),
    RandomPrefixEM(0.5),
]


@pytest.mark.untraced
@pytest.mark.parametrize(
    "case", every.sampled(itertools.product(LEAPING, (False, True)), 5), ids=str
)
def test_both_engines_have_the_same_law(case):
    """Regret and pulls at 2,000 rounds; false alarm 1e-6 each. The slow test has more runs."""
    from scipy.stats import ks_2samp, ttest_ind

    policy, discrete = case
    env = Bernoulli([0.7, 0.5, 0.4])
    two = [
        run(policy, env, horizon=2000, runs=600, engine=engine, discrete=discrete, pulls="final")
        for engine in ("leap", "rounds")
    ]
    tests = (partial(ks_2samp, method="asymp"), ttest_ind)
    for arm, test in itertools.product(range(3), tests):
        one, other = (each.pulls[0, :, arm] for each in two)
        if np.ptp(one) or np.ptp(other):
            assert test(one, other).pvalue > 1e-6


@pytest.mark.parametrize(
    "policy", [DPSE(3.0), DPSE(3.0, anytime=True), hush.ImprovedUCB()], ids=str
)
def test_elimination_has_the_same_law_in_both_engines(policy):
    """How often each arm was played when phases had ended; false alarm 1e-6 an arm."""
    from scipy.stats import chi2_contingency

    env = Bernoulli([0.9, 0.77, 0.45])  # 0.13 is what phase 1 forgives
    leapt, slow = (
        run(policy, env, horizon=20_000, runs=400, engine=engine, pulls="final").pulls[0]
        for engine in ("leap", "rounds")
    )
    for arm in range(3):
        values, place = np.unique(
            np.concatenate([leapt[:, arm], slow[:, arm]]), return_inverse=True
        )
        table = [np.bincount(part, minlength=values.size) for part in (place[:400], place[400:])]
        if values.size > 1:
            assert chi2_contingency(table).pvalue > 1e-6
    assert len(np.unique(leapt[:, 1])) > 1  # phases ended at random


def test_segments_of_posterior_policies_go_round_by_round():
    with pytest.raises(ParameterError, match="order of rounds"):
        run(NoiseAwareTS(1.0), engine="leap", segments=True)
    result = run(NoiseAwareTS(1.0), segments=True)
    assert result.engines == ("rounds",)
    for segments, pulls in zip(result.segments[0], result.pulls[0], strict=True):
        arms = np.repeat(segments[:, 2], segments[:, 1])
        assert (np.bincount(arms, minlength=5) == pulls[-1]).all()


def test_segments_of_arms_in_turn_are_limited():
    with pytest.raises(ParameterError, match="segments"):
        run(DPSE(1.0), horizon=10**8, segments=True)

"""DP-TT, AdaP-TT and AdaP-TT*: turns, thresholds, states, and their compiled search."""

import math

import numpy as np
import pytest
from tests.policies.test_noise_aware_bai import identified

import hush
from hush.errors import HushError, StateError
from hush.policies.core.states import sealed
from hush.policies.core.top_two import gaussian_cost, gaussian_threshold
from hush.policies.dp_tt import pair_threshold
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.testing import check_policy

CLASSES = (hush.DPTT, hush.AdaPTT, hush.AdaPTTStar)
POLICIES = [
    cls(e, threshold=t) for cls in CLASSES for e, t in ((1.0, "heuristic"), (3.0, "stated"))
]


@pytest.mark.parametrize("policy", POLICIES, ids=str)
@pytest.mark.parametrize("means", [(0.2, 0.9), (0.9, 0.3, 0.2), (0.0, 1.0, 0.5)])
def test_the_compiled_search_decides_as_the_learner_does(policy, means):
    """Given the same releases: the same pulls of every arm, and the same arm at the same time."""
    for seed in range(2):
        named, pulls, script = identified(policy, means, 0.9, seed, most=8_000)
        search = Search(policy, hush.Bernoulli(means), 0.9, 8_000)
        found = finder_of(policy).find(search, run_seed(1, policy, 0), script)
        assert found.arm == (-1 if named is None else named)
        assert found.pulls.tolist() == pulls.tolist()


@pytest.mark.untraced
@pytest.mark.parametrize("cls", CLASSES)
def test_they_keep_the_rules(cls):
    check_policy(cls(1.0), rounds=2_000)


@pytest.mark.parametrize("cls", CLASSES)
def test_the_leader_is_played_in_half_of_its_rounds(cls):
    learner = cls(1.0).learner(3, noise=hush.SeededNoise(3))
    for _ in range(4_000):
        arm = learner.select()
        learner.update(arm, 1 if arm == 2 else 0)
    pulls = learner._public._pulls
    assert pulls[2] / sum(pulls) == pytest.approx(0.5, abs=0.05)
    assert sum(pulls) == 4_000


def test_dp_tt_adds_up_and_adap_tt_forgets():
    for policy, total in ((hush.DPTT(1.0), True), (hush.AdaPTT(1.0), False)):
        learner = policy.learner(2, noise=hush.SeededNoise(3))
        for _ in range(200):
            learner.update(learner.select(), 1)
        of_first = [release.count for release in learner.releases if release.arm == 0]
        assert of_first[:5] == [1, 1, 2, 4, 8]
        count = learner.statistics.counts[0]
        assert count == (sum(of_first) if total else of_first[-1])


def test_thresholds_are_their_formulas():
    n, e, d = 64.0, 0.5, 0.05
    c = math.log(1 / d) + math.log(n) * math.log(1 + e * n / math.log(n))
    assert pair_threshold(n, n, 300.0, e, d, True) == pytest.approx(2 * c)
    assert pair_threshold(1.0, 1.0, 2.0, e, d, True) == pytest.approx(2 * math.log(1 / d))
    heuristic = math.log((1 + math.log(300.0)) / d)
    assert pair_threshold(n, n, 300.0, e, d, False) == pytest.approx(heuristic)
    zeta, k, arms = math.pi**2 / 6, math.log2(n) + 2, 4
    share = d / (2 * zeta**2 * k**4)
    x = math.log((arms - 1) / share) / 2
    c_g = 2 * (x + math.log(x)) + 4 * math.log(4 + math.log(n))
    private = 2 * math.log(2 * arms * zeta * k**2 / d) ** 2 / n / (e * 0.5) ** 2
    assert gaussian_threshold(n, n, arms, d, e, True) == pytest.approx(2 * c_g + private)


def test_the_star_s_costs_are_never_larger():
    generator = np.random.default_rng(1)
    for one, two, w, v in generator.random((50, 4)):
        pulls = 1.0 + 100.0 * w, 1.0 + 100.0 * v
        plain, star = (cls(0.05).cost(one, two, pulls) for cls in CLASSES[1:])
        assert 0.0 <= star <= plain
    assert gaussian_cost(-0.1, 5.0, 5.0, 1.0) == 0.0


@pytest.mark.parametrize("cls", CLASSES)
def test_nothing_is_named_before_every_arm_has_a_release(cls):
    learner = cls(1.0).learner(2, noise=hush.ScriptedNoise([1e6]))
    learner.update(learner.select(), 1)
    assert learner.best(0.5) is None


@pytest.mark.parametrize("bad", ["state", None, 1, ""])
def test_an_unknown_threshold_is_refused(bad):
    with pytest.raises(HushError, match="threshold"):
        hush.DPTT(1.0, threshold=bad)


def test_a_damaged_count_is_refused():
    policy = hush.DPTT(1.0)
    learner = policy.learner(2, noise=hush.SeededNoise(3))
    for _ in range(20):
        learner.update(learner.select(), 1)
    body = {key: value for key, value in learner.state().items() if key != "checksum"}
    for name in ("pulls", "led", "kept"):
        for damage in ([1], [-1, 2], None, ["a", 1]):
            with pytest.raises(StateError):
                policy.restore(sealed({**body, name: damage}))


def test_expired_decisions_are_no_pulls():
    learner = hush.DPTT(1.0).learner(2, noise=hush.SeededNoise(3))
    for _ in range(20):
        learner.update(learner.select(), 1)
    before = list(learner._public._pulls)
    decision = learner.decide()
    learner.expire(decision)
    assert learner._public._pulls == before

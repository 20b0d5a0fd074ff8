"""Local privacy around other policies: what it goes around, what it loses, what it costs."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import ks_2samp
from tests import every

import hush
from hush.auditing import enumerate_law
from hush.auditing.enumeration import worst_event
from hush.policies import REGISTERED
from hush.simulation.engines import LEARNER, Task, engine_of, why_no_leap
from hush.testing import yield_checks

FALSE_ALARM = 1e-5


@dataclass(frozen=True)
class Patient(hush.IndexPolicy):
    """UCB1 by doubling epochs: not private, and it leaps."""

    non_private = True

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + np.sqrt(2.0 * np.log(t) / count)


@dataclass(frozen=True)
class Counting(hush.UCB1):
    """Adds rewards up in its own way."""

    def _mechanism(self, noise):
        return super()._mechanism(noise)


class Twice(hush.BanditLearner):
    """Learns every reward twice."""

    def _settle(self, arm, units):
        super()._settle(arm, units)
        return super()._settle(arm, units)


@dataclass(frozen=True)
class Doubling(hush.UCB1):
    """Has a learner that learns in its own way, and says so."""

    def _new_learner(self, n_arms, noise, rewards) -> Twice:
        return Twice(self, n_arms, noise, rewards)


@dataclass(frozen=True)
class Silent(hush.UCB1):
    """Has a learner of which it does not say what it is."""

    def _new_learner(self, n_arms, noise, rewards):
        return hush.BanditLearner(self, n_arms, noise, rewards)


@pytest.mark.parametrize(
    ("inner", "why"),
    [
        (hush.LazyDPTS(1.0), "adds noise of its own"),
        (hush.Local(epsilon=1.0), "adds noise of its own"),
        (hush.DPTS(1.0), "adds noise of its own"),
        (hush.FTL(), "goes around a bandit policy"),
        (hush.DecreasingHedge(), "goes around a bandit policy"),
        ("UCB1", "goes around a bandit policy"),
        (Counting(), "in its own way"),
        (Doubling(), "in its own way"),
        (Silent(), "in its own way"),
    ],
)
def test_it_goes_around_policies_of_coins_that_are_not_private(inner, why):
    with pytest.raises(hush.ParameterError, match=why):
        hush.Local(inner, epsilon=1.0)


@pytest.mark.parametrize("cls", [c for c in REGISTERED if c.non_private], ids=str)
def test_it_goes_around_every_policy_of_hush_that_is_not_private(cls):
    """And coins are flipped once: means of one arm are those of flipped coins, as computed."""
    if cls.feedback != "bandit":
        return
    policy = hush.Local(every.make(cls), epsilon=1.0)
    policy = policy.with_horizon(600) if policy.needs_horizon else policy
    learner = policy.learner(n_arms=2, noise=hush.SeededNoise(7))
    for _ in range(600):
        learner.update(learner.select(), 1)
    released = sum(release.count for release in learner.releases)
    kept = sum(release.value for release in learner.releases)
    # Of coins that fell 1, each is kept with chance .731. False alarms: one in 10^5 each.
    assert abs(kept - policy.keep * released) < 4.5 * math.sqrt(0.2 * max(released, 1))


@pytest.mark.parametrize("of", ["LazyDPTS", "NoiseAwareTS", "Local"])
def test_private_policies_are_refused_by_name_too(of):
    with pytest.raises(hush.ParameterError, match=f"{of} adds noise of its own"):
        hush.policy_from_dict({"policy": "Local", "of": of, "epsilon": 1.0})


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, "1", None, 1e-18])
def test_bad_losses_are_refused(epsilon):
    with pytest.raises(hush.ParameterError):
        hush.Local(hush.UCB1(), epsilon=epsilon)


def test_it_is_written_in_every_form_that_one_would_guess():
    plain = hush.Local(hush.UCBV(zeta=2.0), epsilon=0.5)
    for of in ({"policy": "UCBV", "zeta": 2.0}, hush.UCBV(zeta=2.0)):
        assert hush.Local.from_parameters({"of": of, "epsilon": 0.5}) == plain
    assert hush.policy_from_dict({"policy": "Local", "of": "UCB1", "epsilon": 1.0}) == hush.Local(
        hush.UCB1(), epsilon=1.0
    )
    again = json.loads(json.dumps(plain.to_dict()))
    assert hush.policy_from_dict(again) == plain
    assert str(plain) == "Local(of=UCBV(zeta=2), epsilon=0.5)"
    assert hush.Local(epsilon=1.0).of == hush.ThompsonSampling()


def test_a_policy_of_your_own_is_named_with_its_module_and_nothing_is_imported():
    mine = hush.Local(Patient(), epsilon=1.0)
    told = mine.to_dict()
    assert told["of"] == {"policy": f"{__name__}:Patient"}
    assert hush.policy_from_dict(told) == mine
    with pytest.raises(hush.ParameterError, match="import its module first"):
        hush.policy_from_dict({**told, "of": "antigravity:Policy"})
    for of, error in (("UCB2", hush.UnknownNameError), ({"zeta": 1}, hush.UnknownNameError)):
        with pytest.raises(error):
            hush.policy_from_dict({**told, "of": of})


@pytest.mark.untraced
def test_a_lazy_policy_inside_conforms():
    for check in yield_checks(hush.Local(Patient(), epsilon=0.7), rounds=1000):
        check()


@pytest.mark.parametrize("inner", [hush.UCB1(), hush.ThompsonSampling(), Patient()])
def test_means_are_those_of_flipped_coins(inner):
    """False alarms: one in 10^5 each; arms decide nothing here, all are played in turn."""
    policy = hush.Local(inner, epsilon=1.0)
    learner = policy.learner(n_arms=1, noise=hush.SeededNoise(7))
    for number in range(4000):
        learner.update(learner.select(), 1 if number % 4 else 0)
    mean, count = learner.statistics.means[0], learner.statistics.counts[0]
    expected = policy.coin_means(np.array([0.75]))[0]
    assert expected == pytest.approx((1 + 0.75 * (math.e - 1)) / (1 + math.e))
    assert abs(mean - expected) < 4.5 * math.sqrt(0.25 / count)


def test_the_loss_is_epsilon_exactly():
    """All outcomes of all flips are listed."""
    policy = hush.Local(hush.UCB1(), epsilon=0.8)
    tables = np.zeros((2, 4, 2), np.int8)
    tables[1, 1, 1] = 1
    laws = [enumerate_law(policy, table) for table in tables]
    losses = [worst_event(*laws).loss, worst_event(*laws[::-1]).loss]
    assert max(losses) == pytest.approx(0.8, abs=1e-12)


def test_it_is_proved_and_its_flips_are_tested():
    report = hush.audit(
        hush.Local(hush.UCB1(), epsilon=0.8), n_arms=2, methods=["construction", "noise"]
    )
    assert report.verdict == "proved"
    assert report.findings[0].loss == pytest.approx(0.8)
    assert report.findings[1].status == "consistent"
    assert "coins of chances 0.31 and 0.69" in report.findings[1].says


def test_a_policy_inside_that_reaches_around_is_not_proved():
    @dataclass(frozen=True)
    class Nosy(hush.UCB1):
        def _choose(self, t, statistics, generator):
            import gc

            gc.get_objects()
            return super()._choose(t, statistics, generator)

    report = hush.audit(hush.Local(Nosy(), epsilon=1.0), n_arms=2, methods=["construction"])
    assert report.verdict == "inconclusive"
    assert "get_objects" in report.findings[0].says


def pulls(policy, engine, mode, runs=100, rounds=200, delay=0):
    task = Task(policy, hush.paper_s1(), np.array([rounds]), delay=delay)
    return np.concatenate([engine.play(task, mode, 3, run, 1).pulls[:, -1] for run in range(runs)])


@pytest.mark.untraced
@pytest.mark.parametrize(
    ("inner", "modes", "delay"),
    [
        (hush.UCB1(), ["rounds"], 0),
        (hush.ThompsonSampling(), ["rounds"], 0),
        (Patient(), ["rounds", "leap"], 30),
        (Patient(), ["rounds", "leap"], 0),
    ],
)
def test_engines_have_the_law_of_the_learner(inner, modes, delay):
    """False alarms: one in 10^5 for each arm."""
    policy = hush.Local(inner, epsilon=1.5)
    slow = pulls(policy, LEARNER, "rounds", delay=delay)
    for mode in modes:
        fast = pulls(policy, engine_of(policy, delay), mode, delay=delay)
        for arm in range(5):
            assert ks_2samp(slow[:, arm], fast[:, arm], method="asymp").pvalue > FALSE_ALARM


def test_it_leaps_where_the_inner_policy_does_and_says_why_not():
    assert why_no_leap(hush.Local(Patient(), epsilon=1.0)) is None
    assert "UCB1 learns every round" in why_no_leap(hush.Local(hush.UCB1(), epsilon=1.0))
    result = hush.simulate(
        hush.Local(Patient(), epsilon=1.0), hush.paper_s1(), horizon=10**15, runs=3, seed=7
    )
    assert result.engines == ("leap",)
    assert (result.pulls.sum(axis=-1) == result.checkpoints).all()


def test_streams_are_its_own():
    one, two = (
        hush.simulate(p, hush.paper_s1(), horizon=500, runs=4, seed=7).regret[0]
        for p in (hush.Local(hush.UCB1(), epsilon=50.0), hush.UCB1())
    )
    assert (one != two).any()


def test_regret_is_scored_with_the_gaps_of_rewards():
    """At a large epsilon nothing is flipped: regret is the inner policy's. False alarm: 10^-5."""
    env = hush.paper_s1()
    one, two = (
        hush.simulate(p, env, horizon=2000, runs=150, seed=7).regret[0, :, -1]
        for p in (hush.Local(hush.UCB1(), epsilon=40.0), hush.UCB1())
    )
    assert ks_2samp(one, two).pvalue > FALSE_ALARM


def test_bounds_are_the_inner_ones_over_the_shrinkage():
    env, epsilon = hush.paper_s1(), 1.0
    policy = hush.Local(hush.UCB1(), epsilon=epsilon)
    seen = hush.Bernoulli(policy.coin_means(env.means))
    inner = hush.bounds(hush.UCB1(), seen, 10**6)["UCB1"]
    outer = hush.bounds(policy, env, 10**6)
    assert outer["UCB1"].value == pytest.approx(inner.value / math.tanh(epsilon / 2))
    assert outer["first pulls"].value == pytest.approx(1.25)
    assert "tanh(eps/2)" in outer["UCB1"].formula
    regret = hush.simulate(policy, env, horizon=10**4, runs=5, seed=7).regret
    assert regret.max() < outer["UCB1"].value


def test_intervals_speak_of_rewards():
    for inner in (hush.UCB1(), Patient()):
        learner = hush.Local(inner, epsilon=1.0).learner(
            2, noise=hush.SeededNoise(7), reward_range=(0, 10)
        )
        assert learner.interval(0, 0.95) == (0.0, 10.0)
        for number in range(3000):
            arm = learner.select()
            learner.update(arm, 10 if number % 10 < 2 + 6 * arm else 0)
        low, high = learner.interval(1, 0.999)
        assert low < 8.0 < high
        assert learner.statistics.means[1] < 0.72  # that of coins is 0.64
        assert learner.best(0.99) == 1


def test_live_experiments_say_why_they_do_not_run_it():
    assert "trust their store" in hush.Local(epsilon=1.0).why_not_live(ages=False)


def test_an_arm_of_few_pulls_goes_first_in_ldp_ucb_l():
    parameters = np.array([1.0])
    few, many = hush.LDPUCBL.index(np.array([0.0, 9.0]), np.array([4.0, 400.0]), 100.0, parameters)
    assert few > many
    value = hush.LDPUCBL.index(0.5, 400.0, 100.0, np.array([2.0]))
    log = math.log(100.0)
    assert value == pytest.approx(0.5 + math.sqrt(2 * log / 400) + math.sqrt(32 * log / 4 / 400))

"""Rewards that come late: compiled loops, leaps and learners agree."""

from collections import deque
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from tests import every
from tests.examples import examples
from tests.simulation.engines.test_engine_index import scripted
from tests.simulation.engines.test_engine_learner import Steeper, Stubborn
from tests.simulation.engines.test_every_combination import Draws, Relative, Upper, bandits

import hush
from hush.errors import ParameterError
from hush.simulation.engines import DELAYED, ENGINES, LEARNER, Task, engine_of, why_no_leap

ROUNDS = 400
FALSE_ALARM = 1e-7  # of a test of one number's law; there are fewer than a thousand
# A loop of Local tosses one coin where its learner tosses two: tests of Local compare laws.
COUPLED = [policy for policy in every.DEFAULT if not isinstance(policy, hush.Local)]
LOOPS = [policy for policy in COUPLED if engine_of(policy.with_horizon(9), 1) is not LEARNER]


def arms_of(segments):
    """Return the arm of every round."""
    return np.repeat(segments[:, 2], segments[:, 1])


def played(engine, task, mode="rounds", seed=0, **options):
    return engine.play(task, mode, seed, 0, 1, segments=True, **options)


def same_arms_as_the_learner(policy, env, delay, seed, rounds=ROUNDS):
    task = Task(policy, env, np.array([3, rounds]), delay=delay)
    loop, learner = (played(each, task, seed=seed) for each in (engine_of(policy, delay), LEARNER))
    assert (loop.pulls == learner.pulls).all()
    assert (arms_of(loop.segments[0]) == arms_of(learner.segments[0])).all()


# -- the learner engine, by hand ------------------------------------------------------------------


def by_hand(policy, env, delay, rounds, seed):
    """Decide every round, and settle each decision so many rounds late."""
    environment, source = hush.noise.children(np.random.SeedSequence(seed), 2)
    learner = policy.learner(env.n_arms, noise=hush.SeededNoise(source))
    reward = np.random.Generator(np.random.PCG64(environment))
    arms, open_decisions = [], deque()
    for t in range(1, rounds + 1):
        while open_decisions and open_decisions[0][0] + delay + 1 <= t:
            decision = open_decisions.popleft()[1]
            learner.settle(decision, env.sample(reward, decision.arm))
        open_decisions.append((t, learner.decide()))
        arms.append(open_decisions[-1][1].arm)
    return arms


@pytest.mark.parametrize("delay", [0, 1, 7, 90, 500])
@pytest.mark.parametrize(
    "policy",
    [hush.AnytimeLazyUCB(1.0), hush.LazyDPTS(1.0), hush.NoiseAwareIMED(2.0), Stubborn()],
    ids=str,
)
def test_decisions_that_are_settled_late_give_the_same_arms(policy, delay):
    env, seed = hush.Bernoulli([0.3, 0.8, 0.5]), np.random.SeedSequence(3)
    from hush.simulation.engines.learner import play_learner

    task = Task(policy, env, np.array([300]), delay=delay)
    segments = play_learner(task, seed, segments=True).segments[0]
    assert arms_of(segments).tolist() == by_hand(policy, env, delay, 300, 3)


def test_a_reward_is_known_just_before_the_round_that_comes_delay_plus_one_later():
    """One arm, whose policy notes how much is known in each round."""
    known = []

    class Noting(Stubborn):
        def _choose(self, t, statistics, generator):
            known.append((t, statistics.counts.sum()))
            return 0

    task = Task(Noting(), hush.Bernoulli([0.5]), np.array([12]), delay=4)
    LEARNER.play(task, "rounds", 1, 0, 1)
    # The reward of round 1 is the first batch, those of rounds 2 and 3 the second, 4 to 7 the next.
    assert known == [(6, 1), (7, 1), (8, 2), (9, 2), (10, 2), (11, 2), (12, 4)]


def test_arms_take_turns_until_rewards_come_and_then_the_first_release_is_used():
    task = Task(hush.AnytimeLazyUCB(1.0), hush.Bernoulli([0.5, 0.5]), np.array([5]), delay=3)
    for engine in (engine_of(task.policy, 3), LEARNER):
        arms = arms_of(played(engine, task).segments[0]).tolist()
        # The reward of round 1 comes before round 5: arm 0 has a release, and arm 1 waits for its.
        assert arms == [0, 1, 0, 1, 0]


@pytest.mark.parametrize("policy", every.sampled(every.DEFAULT, 3, every.engine), ids=str)
def test_every_policy_waits_for_late_rewards(policy):
    env = hush.Bernoulli([0.3, 0.7])
    for delay in (3, 200):
        result = hush.simulate(policy, env, horizon=120, runs=2, seed=1, delay=delay)
        assert (result.pulls.sum(axis=-1) == result.checkpoints).all()
        assert result.delay == delay


# -- compiled loops round by round: the learner's arms ------------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("policy", LOOPS, ids=str)
def test_compiled_loops_play_the_arms_of_the_learner(policy):
    for seed, (n_arms, delay) in enumerate([(3, 1), (2, 10), (4, 130), (3, 1000), (1, 5), (9, 40)]):
        env = hush.Bernoulli(np.random.default_rng(seed).random(n_arms).round(1))
        same_arms_as_the_learner(policy.with_horizon(ROUNDS), env, delay, seed)


@pytest.mark.untraced
@examples(150)
@given(policy=bandits, seed=st.integers(0, 10**6), delay=st.integers(1, 500))
def test_whatever_a_policy_declares_pulls_add_up_and_are_the_learners(policy, seed, delay):
    generator = np.random.default_rng(seed)
    env = hush.Bernoulli(generator.random(int(generator.integers(1, 5))).round(2))
    if engine_of(policy, delay) is LEARNER:
        return
    same_arms_as_the_learner(policy, env, delay, seed)
    points = np.array([1, delay, delay + 1, ROUNDS + delay])
    task = Task(policy, env, np.unique(points), delay=delay)
    leaps = why_no_leap(policy, delay) is None
    pulls = engine_of(policy, delay).play(task, "leap" if leaps else "rounds", seed, 0, 1).pulls[0]
    assert (pulls.sum(axis=1) == task.checkpoints).all()
    assert (np.diff(pulls, axis=0, prepend=0) >= 0).all()


# -- leaps: the same arms under a script, or the same law -----------------------------------------


@pytest.mark.untraced
@pytest.mark.parametrize("style", ["likely", "equal", "ties", "coarse", "wild"])
@pytest.mark.parametrize(
    "make",
    [hush.AnytimeLazyUCB, hush.DPKLUCB, hush.DPIMED, hush.AdaPUCB, Steeper, Upper, Relative],
    ids=lambda make: make.__name__,
)
def test_with_the_same_releases_a_leap_plays_the_same_arms(make, style):
    generator = np.random.default_rng([len(style), len(make.__name__)])
    rounds = 10_000
    for delay in (1, 9, 100, 3_000, 20_000):
        n_arms = int(generator.integers(2, 50))
        policy = make(float(np.exp(generator.uniform(np.log(0.05), np.log(5)))))
        script = scripted(policy, n_arms, generator, style)
        env = hush.Bernoulli([0.5] * n_arms)
        points = np.unique([10, 777, min(delay, rounds), rounds])
        task = Task(policy, env, points, delay=delay)
        engine = engine_of(policy, delay)
        slow, fast = (played(engine, task, mode, script=script) for mode in ("rounds", "leap"))
        assert (fast.segments[0] == slow.segments[0]).all()
        assert (fast.pulls == slow.pulls).all()
        assert fast.events < rounds / 4  # it does leap


@pytest.mark.untraced
@pytest.mark.parametrize(("below", "coarse"), [(3, False), (2, True), (40, True), (300, False)])
def test_with_the_same_releases_a_leap_plays_the_same_tests(below, coarse):
    """NoiseAwareIMED, whose batches are as long as releases say: values of all sizes."""
    generator = np.random.default_rng(below)
    rounds = 10_000
    for delay in (1, 9, 100, 3_000, 20_000):
        n_arms = int(generator.integers(2, 20))
        epsilon = float(np.exp(generator.uniform(np.log(0.05), np.log(5))))
        script = generator.uniform(-2, below, (n_arms, 2_000))
        script = script.round() if coarse else script
        points = np.unique([10, 777, min(delay, rounds), rounds])
        policy = hush.NoiseAwareIMED(epsilon)
        task = Task(policy, hush.Bernoulli([0.5] * n_arms), points, delay=delay)
        engine = engine_of(policy, delay)
        slow, fast = (played(engine, task, mode, script=script) for mode in ("rounds", "leap"))
        assert np.array_equal(fast.segments[0], slow.segments[0])
        assert (fast.pulls == slow.pulls).all()
        assert fast.events < rounds / 10


def laws_agree(one, two):
    """Compare pulls of every arm, and regret, at every checkpoint: run x checkpoint x number."""
    for place in range(one.shape[1]):
        for number in range(one.shape[2]):
            a, b = one[:, place, number], two[:, place, number]
            if np.ptp(a) or np.ptp(b):
                assert ks_2samp(a, b, method="asymp").pvalue > FALSE_ALARM, (place, number)


def numbers(policy, env, delay, runs, seed, engine):
    points = sorted({20, delay + 1, delay + 150, 900, 3_000})
    options = {"horizon": 3_000, "checkpoints": points, "delay": delay, "engine": engine}
    result = hush.simulate(policy, env, runs=runs, seed=seed, **options)
    return np.concatenate([result.pulls[0], result.regret[0][:, :, None]], axis=2)


LAWS = [hush.AnytimeLazyUCB(1.0), hush.LazyDPTS(1.0), hush.NoiseAwareTS(1.0)]
LAWS += [hush.NoiseAwareIMED(1.0), hush.NoiseAwareIMED(0.2)]
LAWS += [hush.NoiseAwareTS(0.2), hush.LazyDPTS(5.0), Draws()]


@pytest.mark.untraced
@pytest.mark.parametrize("delayed", every.sampled([(2, 3), (3, 60), (3, 1_000), (5, 400)], 2))
@pytest.mark.parametrize("policy", every.sampled(LAWS, 2), ids=str)
def test_leaps_have_the_law_of_rounds_that_are_the_learners(policy, delayed):
    """False alarms: 1e-7 a number, at most 30 a case."""
    n_arms, delay = delayed
    env = hush.Bernoulli(np.linspace(0.3, 0.7, n_arms))
    slow = numbers(policy, env, delay, 300, 1, "rounds")
    laws_agree(slow, numbers(policy, env, delay, 600, 2, "leap"))


@pytest.mark.slow
@pytest.mark.untraced
@pytest.mark.parametrize("delay", [5, 300])
@pytest.mark.parametrize("policy", LAWS[:4], ids=str)
def test_leaps_have_the_law_of_learners_that_are_settled_late(policy, delay):
    """False alarms: 1e-7 a number, at most 20 a case."""
    env = hush.Bernoulli([0.4, 0.5, 0.7])
    task = Task(policy, env, np.array([30, delay + 100, 1_000]), delay=delay)
    slow = LEARNER.play(task, "rounds", 3, 0, 150).pulls
    engine = engine_of(policy, delay)
    fast = np.concatenate([engine.play(task, "leap", 4, run, 1).pulls for run in range(300)])
    laws_agree(slow, fast)


def test_the_comparison_of_laws_can_fail():
    env = hush.Bernoulli([0.3, 0.7])
    one = numbers(hush.AnytimeLazyUCB(1.0), env, 60, 300, 1, "leap")
    with pytest.raises(AssertionError):
        laws_agree(one, numbers(hush.AnytimeLazyUCB(1.0), env, 90, 300, 2, "leap"))


# -- which engine ---------------------------------------------------------------------------------


def test_where_rewards_come_late_engines_have_loops_of_their_own():
    own = [engine for engine in DELAYED if engine is not LEARNER]
    assert not set(own) & set(ENGINES)
    for engine in own:
        for mode in ("rounds", "leap"):
            assert callable(engine.loop(mode))
            assert import_module(engine.module(mode)).__name__.startswith("hush.simulation.kernels")
    assert DELAYED[-1] is LEARNER


def test_auto_takes_the_best_engine_that_is_exact():
    policies = [hush.AnytimeLazyUCB(1.0), hush.UCB1(), hush.DPSE(1.0), hush.FTL()]
    result = hush.simulate(policies, hush.paper_s1(), horizon=60, runs=1, seed=1, delay=9)
    assert result.engines == ("leap", "rounds", "rounds (learner)", "rounds (learner)")


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (hush.DPSE(1.0), "no loop leaps for DPSE where rewards come late"),
        (hush.UCB1(), "learns every round"),
        (Stubborn(), "a rule of its own"),
    ],
    ids=str,
)
def test_a_leap_that_would_not_be_exact_is_refused(policy, reason):
    with pytest.raises(ParameterError, match=reason):
        hush.simulate(policy, hush.paper_s1(), horizon=9, runs=1, seed=1, delay=1, engine="leap")


def test_a_leap_waits_for_rewards_that_come_very_late():
    env = hush.Bernoulli([0.4, 0.5, 0.7])
    for policy in LAWS[:4]:
        options = {"horizon": 10**12, "runs": 2, "seed": 1}
        never = hush.simulate(policy, env, delay=10**12, **options)
        assert np.ptp(never.pulls[0, :, -1]) <= 1  # arms take turns to the end
        late = hush.simulate(policy, env, delay=10**9, **options)
        assert (late.regret[0, :, -1] > 0.16 * 10**9).all()  # the mean gap is 1/6
        assert (late.regret[0, :, -1] < 0.18 * 10**9).all()

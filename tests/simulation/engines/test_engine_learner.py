"""The compiled loops against the learners they stand in for: arm by arm, for the same seed."""

from dataclasses import dataclass

import numpy as np
import pytest
from tests import every

import hush
from hush import DPSE, FTL, AnytimeLazyUCB, Bernoulli, LazyDPTS, ThompsonSampling
from hush.mechanisms import EveryRound
from hush.simulation.engines import LEARNER, Task, engine_of

POLICIES = [
    policy.with_horizon(3000)
    for policy in (*every.DEFAULT, *every.OTHER)
    # The loop of Local tosses coins that are flipped already: the same law, other numbers.
    if type(policy) not in (*every.FINDERS, hush.Local)
]
# Phases of thousands of rounds: only a horizon like this shows an elimination.
LONG = [DPSE(3.0, horizon=40_000), DPSE(3.0, anytime=True), hush.ImprovedUCB(horizon=40_000)]


def both(task, seed):
    """Play one run by its loop and by its learner; return pulls and segments of each."""
    engine = engine_of(task.policy)
    assert engine is not LEARNER
    with every.drawn_in_turn():
        played = [
            each.play(task, "rounds", seed, 0, 1, segments=True) for each in (engine, LEARNER)
        ]
    return [(each.pulls[0], each.segments[0]) for each in played]


def arms_of(segments):
    """Return the arm of every round."""
    return np.repeat(segments[:, 2], segments[:, 1])


@pytest.mark.untraced
@pytest.mark.parametrize(("discrete", "seeds"), [(False, (0, 1)), (True, (2, 3))])
@pytest.mark.parametrize("policy", every.of_each_kind(POLICIES), ids=str)
def test_compiled_loop_and_learner_play_the_same_arms(policy, discrete, seeds):
    for seed in seeds:
        generator = np.random.default_rng(seed)
        env = Bernoulli(generator.random(int(generator.integers(1, 9))).round(1))
        task = Task(policy, env, np.array([1, 10, 3000]), discrete)
        (pulls, segments), (plain, plain_segments) = both(task, seed)
        assert (segments == plain_segments).all()
        assert (pulls == plain).all()
        assert pulls.sum(axis=1).tolist() == [1, 10, 3000]
        assert (pulls[-1] == np.bincount(arms_of(segments), minlength=env.n_arms)).all()


@pytest.mark.untraced
@pytest.mark.parametrize("policy", LONG, ids=str)
def test_elimination_over_several_phases(policy):
    for seed in range(3):
        task = Task(policy, Bernoulli([0.1, 0.9, 0.5, 0.85]), np.array([999, 1500, 40_000]))
        (pulls, segments), (plain, plain_segments) = both(task, seed)
        assert (segments == plain_segments).all()
        assert (pulls == plain).all()
        assert pulls[-1, 0] < pulls[-1, 3]  # arms were dropped


@dataclass(frozen=True)
class Stubborn(hush.BanditPolicy):
    epsilon: float = 1.0

    def _choose(self, t, statistics, generator):
        return int(statistics.means.argmax())


@dataclass(frozen=True)
class Bent(AnytimeLazyUCB):
    """Overrides what the compiled loop takes for granted."""

    def _choose(self, t, statistics, generator):
        return 0

    def _public_side(self, n_arms):
        return hush.BanditPolicy._public_side(self, n_arms)


@dataclass(frozen=True)
class Steeper(hush.IndexPolicy):
    epsilon: float

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + parameters[0] * np.log(t) / count

    @property
    def parameters(self):
        return (7.0,)


def test_a_users_own_policy_runs_without_registration():
    env = Bernoulli([0.9, 0.1])
    for policy in (Stubborn(), Bent(1.0), Steeper(1.0)):
        result = hush.simulate(policy, env, horizon=500, runs=2, seed=1, engine="rounds")
        assert result.pulls[0, :, -1].sum(axis=1).tolist() == [500, 500]
    assert engine_of(Stubborn()) is LEARNER
    assert engine_of(Bent(1.0)) is LEARNER
    bent = hush.simulate(Bent(1.0), env, horizon=500, runs=1, seed=1)
    assert bent.pulls[0, 0, -1].tolist() == [499, 1]
    assert bent.engines == ("rounds (learner)",)


def test_a_users_own_index_is_compiled_and_agrees_with_its_learner():
    task = Task(Steeper(1.0), Bernoulli([0.5, 0.5, 0.6]), np.array([2000]))
    (_, one), (_, two) = both(task, 1)
    assert (one == two).all()


@dataclass(frozen=True)
class Batched(ThompsonSampling):
    @property
    def schedule(self):
        return EveryRound()


def test_a_subclass_that_keeps_the_contract_still_compiles():
    assert engine_of(Batched()).name == "thompson"


@pytest.mark.slow
@pytest.mark.untraced
def test_bounded_rewards_behave_as_coins_of_their_mean():
    """A compiled loop on a bounded environment has the law of the learner with coin tosses."""
    from scipy.stats import beta, ttest_ind

    env = hush.Bounded([beta(6, 2), beta(2, 6)])
    task = Task(LazyDPTS(1.0), env, np.array([300]))
    fast = engine_of(task.policy).play(task, "rounds", 9, 0, 300).pulls[:, -1, 0]
    slow = LEARNER.play(task, "rounds", 8, 0, 150).pulls[:, -1, 0]
    assert ttest_ind(fast, slow).pvalue > 1e-6  # the false-alarm rate


def test_correlated_actions_run_through_the_learner():
    env = hush.Bounded.from_sampler(
        lambda g: np.repeat(g.random(), 2) * [1.0, 0.5], means=[0.5, 0.25], reward_range=(0, 1)
    )
    result = hush.simulate([FTL(), LazyDPTS(1.0)], env, horizon=50, runs=1, seed=1)
    assert result.engines[0] == "rounds (learner)"
    assert result.engines[1] != "rounds (learner)"

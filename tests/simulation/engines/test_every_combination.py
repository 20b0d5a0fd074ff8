"""Whatever a policy declares: an engine that accepts it plays what its learner plays.

Round by round the arms are compared for the same seed; leaps arm by arm under a script of releases,
or in law where a leap draws otherwise.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, ks_2samp
from tests.every import drawn_in_turn
from tests.examples import examples

import hush
from hush.mechanisms import EveryRound, Geometric, GrowingTotal
from hush.simulation.engines import LEARNER, Task, engine_of, why_no_leap

FALSE_ALARM = 1e-7  # of a test of one arm's law; there are fewer than a thousand
ROUNDS = 400
SCHEDULES = (EveryRound(), Geometric(), Geometric(1.4), GrowingTotal(), GrowingTotal(1.3, first=3))


@dataclass(frozen=True)
class Upper(hush.IndexPolicy):
    epsilon: float = 1.0
    horizon: int | None = None

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + np.sqrt(np.log(t + 1.0) / (count + 1.0))


@dataclass(frozen=True)
class Relative(hush.RelativeIndexPolicy):
    epsilon: float = 1.0
    horizon: int | None = None

    @staticmethod
    def index(mean, count, best, parameters):
        return -count * (best - mean) - np.log(count + 1.0)


@dataclass(frozen=True)
class Draws(hush.ThompsonPolicy):
    epsilon: float = 1.0
    horizon: int | None = None

    @staticmethod
    def center(mean, count, t, parameters):
        return np.minimum(1.0, np.maximum(0.0, mean + 0.2 * np.log(t) / (count + 1.0)))


@dataclass(frozen=True)
class Scores(hush.ScoredPolicy):
    epsilon: float = 1.0
    horizon: int | None = None

    @staticmethod
    def score(arm, means, counts, n_arms, t, draw, parameters):
        fewest = counts[0]
        for other in range(1, n_arms):
            fewest = min(fewest, counts[other])
        return means[arm] + (draw + np.log(t) * fewest) / (counts[arm] + 1.0)


@dataclass(frozen=True)
class NormalScores(Scores):
    draws = "normal"


@dataclass(frozen=True)
class UniformScores(Scores):
    draws = "uniform"


@dataclass(frozen=True)
class Posteriors(hush.NoiseAwareTS):
    epsilon: float = 1.0


@dataclass(frozen=True)
class Phases(hush.DPSE):
    epsilon: float = 40.0


@dataclass(frozen=True)
class Leader(hush.RNMFTNL):
    epsilon: float = 1.0


@dataclass(frozen=True)
class Naive(hush.NaiveFTNL):
    epsilon: float = 1.0


def declared(base, **traits):
    """Return a policy that declares these traits."""
    schedule = traits.pop("schedule")
    body = {**traits, "__module__": __name__}
    if schedule is not None:
        body["schedule"] = property(lambda self: schedule)
    made = dataclass(frozen=True)(type(f"Declared{base.__name__}", (base,), body))
    return made().with_horizon(ROUNDS)


bandits = st.builds(
    declared,
    st.sampled_from(
        [Upper, Relative, Draws, Scores, NormalScores, UniformScores, Posteriors, Phases]
    ),
    memory=st.sampled_from(["last", "total"]),
    explores_first=st.booleans(),
    commits=st.booleans(),
    counter=st.sampled_from([None, None, "binary", "hybrid"]),
    schedule=st.sampled_from([None, *SCHEDULES]),
)


def same_arms_as_the_learner(policy, env, seed, rounds=ROUNDS):
    task = Task(policy, env, np.array([rounds]))
    engine = engine_of(policy)
    with drawn_in_turn():
        fast, slow = (
            each.play(task, "rounds", seed, 0, 2, segments=True) for each in (engine, LEARNER)
        )
    assert (fast.pulls == slow.pulls).all()
    for one, two in zip(fast.segments, slow.segments, strict=True):
        assert (one == two).all()


def same_arms_under_a_script(policy, env, script):
    task = Task(policy, env, np.array([7, ROUNDS]))
    rounds, leapt = (
        engine_of(policy).play(task, mode, 3, 0, 1, segments=True, script=script)
        for mode in ("rounds", "leap")
    )
    assert (rounds.pulls == leapt.pulls).all()
    assert (rounds.segments[0] == leapt.segments[0]).all()


def same_law(policy, env, *, rounds=1500, runs=150):
    task = Task(policy, env, np.array([rounds]))
    one, two = (
        engine_of(policy).play(task, mode, 3, first, runs).pulls[:, -1]
        if engine_of(policy).block >= runs
        else np.concatenate(
            [engine_of(policy).play(task, mode, 3, run, 1).pulls[:, -1] for run in range(runs)]
        )
        for mode, first in (("rounds", 0), ("leap", 0))
    )
    for arm in range(env.n_arms):
        if np.ptp(one[:, arm]) or np.ptp(two[:, arm]):
            assert ks_2samp(one[:, arm], two[:, arm], method="asymp").pvalue > FALSE_ALARM


@pytest.mark.untraced
@examples(250)
@given(policy=bandits, seed=st.integers(0, 10**6))
def test_bandit_policies(policy, seed):
    generator = np.random.default_rng(seed)
    env = hush.Bernoulli(generator.random(int(generator.integers(1, 5))).round(2))
    engine = engine_of(policy)
    if engine is not LEARNER:
        same_arms_as_the_learner(policy, env, seed)
    if why_no_leap(policy) is not None:
        return
    if engine.name in ("index", "elimination"):
        script = generator.normal(0.5, 1.0, (env.n_arms, ROUNDS))
        if engine.name == "index":
            script *= np.resize(policy.schedule.lengths(ROUNDS), ROUNDS)
        same_arms_under_a_script(policy, env, script)
    elif seed % 4 == 0:
        same_law(policy, env)


class Loud(hush.RNMFTNL):
    """Its mechanism is not what its law says."""

    def _mechanism(self, noise):
        class Louder(type(super()._mechanism(noise))):
            def release(self, totals, *, count):
                return super().release([2 * each for each in totals], count=2 * count)

        return Louder(epsilon=self.epsilon, source=noise)


experts = st.builds(
    declared,
    st.sampled_from([Leader, Naive, hush.FTL, hush.DecreasingHedge]),
    keeps_sums=st.booleans(),
    sums_prefix=st.booleans(),
    starts_at_random=st.booleans(),
    schedule=st.sampled_from([None, *SCHEDULES]),
)


@pytest.mark.untraced
@examples(120)
@given(policy=experts, seed=st.integers(0, 10**6))
def test_full_information_policies(policy, seed):
    generator = np.random.default_rng(seed)
    env = hush.Bernoulli(generator.random(int(generator.integers(1, 5))).round(2))
    assert engine_of(policy).name == "epochs"
    same_arms_as_the_learner(policy, env, seed)
    if why_no_leap(policy) is None:
        if not policy.starts_at_random:
            script = generator.integers(0, env.n_arms, (1, ROUNDS)).astype(float)
            same_arms_under_a_script(policy, env, script)
        if seed % 3 == 0:
            same_choices(policy, env)


def same_choices(policy, env, rounds=60, runs=250):
    """How often each action is played: whole epochs, so that a table says all."""
    task = Task(policy, env, np.array([rounds]))
    tables = [
        engine_of(policy).play(task, mode, 3, 0, runs).pulls[:, -1] for mode in ("rounds", "leap")
    ]
    for arm in range(env.n_arms):
        together = np.concatenate([each[:, arm] for each in tables])
        values, place = np.unique(together, return_inverse=True)
        counts = [np.bincount(part, minlength=values.size) for part in np.split(place, 2)]
        if values.size > 1:
            assert chi2_contingency(counts).pvalue > FALSE_ALARM


def test_a_mechanism_that_changes_after_its_law_goes_to_the_learner():
    assert engine_of(dataclass(frozen=True)(Loud)(1.0)) is LEARNER


def test_a_parameter_that_hides_a_trait_is_honoured_or_refused():
    """A trait may be a field: then its value counts, not the class's."""

    @dataclass(frozen=True)
    class Committing(Draws):
        commits: bool = False

    assert engine_of(Committing()).name == "thompson"
    assert engine_of(Committing(commits=True)) is LEARNER


def test_an_index_without_exploration_leaps_to_the_pulls_of_its_learner():
    policy = declared(Upper, explores_first=False, schedule=None)
    env = hush.Bernoulli([0.3, 0.7, 0.5])
    same_arms_as_the_learner(policy, env, 1)
    same_arms_under_a_script(policy, env, np.full((3, ROUNDS), 0.6) * np.arange(1, ROUNDS + 1))


def test_a_relative_index_with_a_counter_sees_the_best_mean():
    policy = declared(Relative, counter="hybrid", schedule=None)
    assert engine_of(policy).name == "counters"
    same_arms_as_the_learner(policy, hush.Bernoulli([0.3, 0.7, 0.5]), 1)


def test_a_relative_index_that_does_not_commit_still_leaps_by_the_best_mean():
    policy = declared(Relative, commits=False, schedule=None)
    script = np.random.default_rng(1).normal(0.5, 0.3, (3, ROUNDS)) * np.arange(1, ROUNDS + 1)
    same_arms_under_a_script(policy, hush.Bernoulli([0.3, 0.7, 0.5]), script)

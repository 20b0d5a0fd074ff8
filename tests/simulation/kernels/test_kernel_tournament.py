"""Many arms: who leads is found without a look at each, and is who the rounds engine finds."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.simulation.engines.test_engine_index import scripted

import hush
from hush.simulation.engines import Task, engine_for
from hush.simulation.engines.base import NO_SCRIPT
from hush.simulation.interpreting import interpreted
from hush.simulation.kernels import ceilings, tournament
from hush.simulation.kernels.crowd import leap_crowd

ROUNDS = 3000
STYLES = ("likely", "equal", "ties", "coarse", "wild")


@dataclass(frozen=True)
class Own(hush.IndexPolicy):
    """What a user's rules have in common here."""

    epsilon: float = 1.0


@dataclass(frozen=True)
class Steps(Own):
    """An index of few values: arms that are no twins are tied, and for how long changes."""

    explores_first: ClassVar[bool] = False

    @staticmethod
    def index(mean, count, t, parameters):
        return np.floor(4.0 * mean) + np.floor(np.log(t) / (0.1 * count + 1.0))


@dataclass(frozen=True)
class Endless(Own):
    """An arm never played has an infinite index."""

    explores_first: ClassVar[bool] = False

    @staticmethod
    def index(mean, count, t, parameters):
        return mean + np.sqrt(np.log(t + 1.0) / count)


@dataclass(frozen=True)
class Gaps(Own):
    """No number where a mean is negative, until late: such an arm does not lead before."""

    @staticmethod
    def index(mean, count, t, parameters):
        return np.sqrt(mean + np.log(t) / count - 0.5)


@dataclass(frozen=True)
class Jumps(Own):
    """Nothing for a long time, then much."""

    @staticmethod
    def index(mean, count, t, parameters):
        return np.minimum(mean, 1.0) + 3.0 * (t > 40.0 * count) + 0.25 * (t > 3.0 * count)


@dataclass(frozen=True)
class Still(Own):
    """An index that does not move."""

    @staticmethod
    def index(mean, count, t, parameters):
        return np.minimum(mean, 0.5) - np.log(count)


@dataclass(frozen=True)
class Committed(Steps):
    commits: ClassVar[bool] = True


@dataclass(frozen=True)
class Relative(hush.RelativeIndexPolicy):
    """Nothing is known of how the best mean matters."""

    epsilon: float = 1.0
    explores_first: ClassVar[bool] = False

    @staticmethod
    def index(mean, count, best, parameters):
        return np.floor(3.0 * np.sin(9.0 * best) * mean) - np.log(count + 1.0)


RULES = (
    hush.AnytimeLazyUCB, hush.LazyKLUCB, hush.LazyUCBV, hush.AdaPUCB, hush.AdaPKLUCB, hush.DPKLUCB,
    hush.DPIMED, Steps, Endless, Jumps, Still, Committed, Relative,
)  # fmt: skip


def played(policy, script, mode, rounds=ROUNDS):
    n_arms = script.shape[0]
    task = Task(policy, hush.Bernoulli([0.5] * n_arms), np.array([n_arms, rounds // 2, rounds]))
    return engine_for(policy, task.env).play(task, mode, 1, 0, 1, segments=True, script=script)


def same(policy, script):
    slow, fast = (played(policy, script, mode) for mode in ("rounds", "leap"))
    np.testing.assert_array_equal(fast.segments[0], slow.segments[0])
    np.testing.assert_array_equal(fast.pulls, slow.pulls)
    return fast.events


def releases(policy, n_arms, seed, style):
    generator = np.random.default_rng(seed)
    script = scripted(policy, n_arms, generator, style)
    return script[:, : policy.schedule.lengths(ROUNDS).size]


@pytest.mark.untraced
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@examples(20)
@given(
    n_arms=st.integers(2, 64) | st.integers(65, 300),
    seed=st.integers(0, 2**32),
    style=st.sampled_from(STYLES),
    epsilon=st.floats(0.05, 5.0),
)
def test_same_releases_same_arms(rule, n_arms, seed, style, epsilon):
    policy = rule(epsilon)
    same(policy, releases(policy, n_arms, seed, style))


@pytest.mark.untraced
@examples(20)
@given(n_arms=st.integers(65, 200), seed=st.integers(0, 2**32), style=st.sampled_from(STYLES))
def test_an_index_that_is_no_number_does_not_lead(n_arms, seed, style):
    """And is looked at in every round until it is one."""
    policy = Gaps(1.0)
    same(policy, releases(policy, n_arms, seed, style))


@pytest.mark.untraced
@pytest.mark.parametrize("commits", [False, True])
def test_twins_that_lead_in_turn(commits):
    """Half of 300 arms are twins, and lead one after the other, again and again."""
    policy = (hush.AdaPUCB if commits else hush.AnytimeLazyUCB)(1.0)
    lengths = policy.schedule.lengths(ROUNDS)
    script = np.where(np.arange(300)[:, None] % 2, 1.0, 0.5) * lengths
    windows = same(policy, script)
    assert windows < 3000


# Of KL indices many are 1 at first: arms that are no twins are tied for long.
GROWN = (hush.AnytimeLazyUCB, hush.AdaPUCB, hush.AdaPKLUCB)


def counted(policy, n_arms, rounds):
    """Return how many indices a run computes."""
    calls = 0
    parameters = policy._parameter_array(n_arms)

    def rule(mean, count, t, handle):
        nonlocal calls
        calls += 1
        return policy.index(mean, count, t, parameters)

    env = hush.Bernoulli(np.linspace(0.3, 0.7, n_arms))
    engine, task = engine_for(policy, env), Task(policy, env, np.array([rounds]))
    given = engine._given(task, NO_SCRIPT)[1:]
    source, record = np.random.default_rng(1), engine._record(task, 1, False)
    with np.errstate(all="ignore"):
        interpreted(leap_crowd)(rule, *given, source, record, 0)
    assert record.pulls.sum() == rounds
    return calls


@pytest.mark.untraced
@pytest.mark.parametrize("make", GROWN, ids=lambda make: make.__name__)
def test_twice_as_many_arms_take_little_more_than_twice_as_many_indices(make):
    few, many = (counted(make(1.0), n_arms, 10**7) for n_arms in (80, 320))
    assert many < 6 * few


COMMANDS = st.lists(
    st.tuples(st.integers(0, 40), st.sampled_from([-np.inf, 0.0, 1.0, 2.0]), st.integers(0, 3)),
    max_size=40,
)


@examples(60)
@given(COMMANDS, st.integers(1, 41))
def test_the_tree_knows_who_is_highest_and_who_is_soonest(commands, n_arms):
    new, enter, highest, soonest = (
        interpreted(each)
        for each in (ceilings.new_tree, ceilings.enter, ceilings.highest, ceilings.soonest)
    )
    ceiling, until = new(n_arms)
    highs, untils = [-np.inf] * n_arms, [0] * n_arms
    for arm, high, last in commands:
        if arm < n_arms:
            enter(ceiling, until, arm, high, last)
            highs[arm], untils[arm] = high, last
        assert highest(ceiling) == highs.index(max(highs))
        assert untils[soonest(until)] == min(untils)


@examples(60)
@given(st.permutations(range(9)), st.integers(0, 8))
def test_who_queued_takes_over_lowest_first(order, left):
    """Arms queue up in any order, and leave one by one."""
    joined, replace = (interpreted(each) for each in (tournament.joined, tournament.replace))
    ceiling, until = interpreted(ceilings.new_tree)(9)
    (_, places, _), first = interpreted(tournament.new_notes)(9), tournament.NOBODY
    for arm in order[left:]:
        first = joined(places, arm, first)
    for arm in sorted(order[left:]):
        assert arm == first
        start = ceiling.size - ceilings.BLOCK
        ceiling[start + arm] = 2.0 + arm
        replace(places, ceiling, until, arm)
        first = np.flatnonzero(ceiling[start:] == 2.0 + arm).tolist()[-1]
        ceiling[start + arm] = 0.0
    assert (places[:, tournament.BEHIND] == tournament.NOBODY).all()

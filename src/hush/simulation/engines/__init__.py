"""Engines: one per family of policies, in one registry. Nothing else asks what family one is of.

A new family is one file here, one of the same name in :mod:`hush.simulation.kernels`, and one line
in ``ENGINES``.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from hush.environments import Environment, People
from hush.errors import ParameterError
from hush.policies import Person, Policy, WrappingPolicy
from hush.simulation.engines.base import Engine, Mode, Played, Task
from hush.simulation.engines.batches import BatchesEngine
from hush.simulation.engines.blocks import BlocksEngine
from hush.simulation.engines.capped_draws import CappedDrawsEngine
from hush.simulation.engines.counters import CountersEngine
from hush.simulation.engines.dartboard import DartboardEngine
from hush.simulation.engines.delayed import (
    DelayedBatchesEngine,
    DelayedIndexEngine,
    DelayedPosteriorEngine,
    DelayedThompsonEngine,
)
from hush.simulation.engines.elimination import EliminationEngine
from hush.simulation.engines.epochs import EpochsEngine
from hush.simulation.engines.improved_ucb import ImprovedUCBEngine
from hush.simulation.engines.index import CROWDED, IndexEngine
from hush.simulation.engines.learner import LearnerEngine
from hush.simulation.engines.posterior import PosteriorEngine
from hush.simulation.engines.scores import ScoresEngine
from hush.simulation.engines.thompson import ThompsonEngine
from hush.simulation.engines.vector_trees import VectorTreesEngine
from hush.simulation.engines.wrapped import wrapped

__all__ = [
    "DELAYED",
    "ENGINES",
    "Choice",
    "Engine",
    "Mode",
    "Played",
    "Task",
    "choose",
    "engine_for",
    "engine_of",
    "why_no_leap",
]

LEARNER = LearnerEngine()
ENGINES: tuple[Engine, ...] = (
    IndexEngine(),
    CROWDED,
    ThompsonEngine(),
    PosteriorEngine(),
    ScoresEngine(),
    BatchesEngine(),
    EliminationEngine(),
    ImprovedUCBEngine(),
    CappedDrawsEngine(),
    BlocksEngine(),
    EpochsEngine(),
    DartboardEngine(),
    VectorTreesEngine(),
    CountersEngine(),
    LEARNER,
)
# Of rewards that come late: the families whose loops keep account of what is outstanding.
DELAYED: tuple[Engine, ...] = (
    DelayedIndexEngine(),
    DelayedThompsonEngine(),
    DelayedPosteriorEngine(),
    DelayedBatchesEngine(),
    LEARNER,
)
MOST_PATIENCE = 10**12
BY_ROUNDS = "it runs round by round"


class Choice(NamedTuple):
    """An engine, and how it advances."""

    engine: Engine
    mode: Mode

    @property
    def label(self) -> str:
        """What a result calls it: ``"leap"``, ``"rounds"`` or ``"rounds (learner)"``."""
        return f"{self.mode} (learner)" if self.engine is LEARNER else self.mode


@lru_cache(maxsize=1024)  # a policy is a value, and a block asks several times
def engine_of(policy: Policy, delay: int = 0) -> Engine:
    """Return the engine that plays a policy: the first that accepts it.

    Where rewards come late it is the first of those that can wait for them.

    >>> import hush
    >>> engine_of(hush.LazyDPTS(1.0)).name, engine_of(hush.DPTS(1.0)).name
    ('thompson', 'counters')
    >>> engine_of(hush.LazyDPTS(1.0), 9).name, engine_of(hush.DPTS(1.0), 9).name
    ('delayed_thompson', 'learner')

    A policy around another one is played by that one's engine.

    >>> engine_of(hush.Local(hush.UCB1(), epsilon=1.0)).loop_name("rounds")
    'arms.rounds_arms'
    """
    if isinstance(policy, WrappingPolicy):
        inner = engine_of(policy.of, delay)
        return inner if inner is LEARNER else wrapped(inner)
    known = DELAYED if delay else ENGINES
    return next(engine for engine in known if engine.why_not(policy) is None)


def engine_for(policy: Policy, env: Environment, delay: int = 0) -> Engine:
    """Return the engine that plays a policy on an environment.

    Correlated actions matter to full information, whose loops draw them independently; who comes
    matters to what is promised to persons, and no loop follows it. Loops draw rewards themselves:
    an environment that must be asked for them is. Many arms may have a loop of their own.

    >>> import hush
    >>> few, many = hush.Bernoulli([0.5] * 5), hush.Bernoulli([0.5] * 500)
    >>> [engine_for(hush.AnytimeLazyUCB(1.0), env).name for env in (few, many)]
    ['index', 'crowd']
    """
    engine = engine_of(policy, delay)
    return engine.among(env.n_arms) if _obstacle(engine, policy, env) is None else LEARNER


def _obstacle(engine: Engine, policy: Policy, env: Environment) -> str | None:
    """Return why an engine that plays a policy does not do so on an environment."""
    if engine is LEARNER:
        return None
    if env.by_sample:
        return "its rewards must be asked for"
    if engine.needs_independence and not env.independent:
        return "its actions' rewards are correlated"
    if isinstance(policy, Person) and isinstance(env, People):
        return "who comes decides what it learns"
    return None


def why_no_leap(policy: Policy, delay: int = 0) -> str | None:
    """Return why a policy cannot leap, or None if it can.

    >>> import hush
    >>> why_no_leap(hush.LazyDPTS(1.0)) is None
    True
    >>> why_no_leap(hush.UCB1())
    'UCB1 learns every round, so that there is nothing to leap over; it runs round by round'
    >>> why_no_leap(hush.DPSE(1.0), delay=9)
    'no loop leaps for DPSE where rewards come late; it runs round by round'
    """
    plain, engine = engine_of(policy), engine_of(policy, delay)
    if plain is LEARNER:
        reason: str | None = _refused(policy)
    elif engine is LEARNER:
        reason = f"no loop leaps for {type(policy).__name__} where rewards come late"
    else:
        reason = engine.why_no_leap(policy)
    return None if reason is None else f"{reason}; {BY_ROUNDS}"


def _refused(policy: Policy) -> str:
    """Return why the engine of the policy's own family does not accept it."""
    if isinstance(policy, WrappingPolicy):
        return _refused(policy.of)
    kin = [each for each in ENGINES if isinstance(policy, each.families)]
    reasons = [each.why_not(policy) for each in (*kin, ENGINES[0])]
    return next(reason for reason in reasons if reason is not None)


def choose(task: Task, wanted: str, runs: int, *, segments: bool = False) -> Choice:
    """Return the engine and the mode that play a task, or raise where none can."""
    policy, horizon = task.policy, task.horizon
    engine = engine_for(policy, task.env, task.delay)
    reason = why_no_leap(policy, task.delay)
    obstacle = _obstacle(engine_of(policy, task.delay), policy, task.env)
    if obstacle is not None:
        reason = f"{obstacle}; {BY_ROUNDS}"
    if segments and not engine.in_order:
        reason = f"the order of rounds within a stretch is not drawn; for segments {BY_ROUNDS}"
    if segments and horizon > (engine.most_segment_rounds or horizon):
        raise ParameterError(
            f"segments of more than {engine.most_segment_rounds:.0e} rounds take too much memory "
            "where arms are played in turn; lower the horizon, or leave segments out"
        )
    if wanted != "rounds" and reason is None:
        if horizon > engine.farthest:
            raise ParameterError(
                f"{policy} leaps up to {engine.farthest:.0e} rounds, where double precision ends; "
                f"got {horizon:.3g}"
            )
        return Choice(engine, "leap")
    if wanted == "leap":
        raise ParameterError(f'engine="leap" cannot play {policy}: {reason}')
    if wanted == "auto" and horizon * runs > MOST_PATIENCE:
        raise ParameterError(
            f"{policy} goes round by round, and {horizon * runs:.0e} rounds take days; lower the "
            'horizon, or insist with engine="rounds"'
        )
    return Choice(engine, "rounds")

"""Rejection replay: policies on a log of arms that were drawn at random."""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from hush.environments import Log
from hush.errors import ParameterError, whole
from hush.noise import SeededNoise, children
from hush.output.progress import Reporter, progress_bar
from hush.policies import Policy
from hush.simulation.engines.base import run_seed
from hush.simulation.engines.learner import whose
from hush.simulation.replay_result import Replay
from hush.simulation.runner import fresh_seed

__all__ = ["replay"]

Integers = NDArray[np.int64]
TRIES = 100  # orders that are too short, one after the other, before a replay is given up
TIMES = 4  # that the rows of a resampled log may come
RUNS_PER_ARM = 10  # what slopes against the arms' rates need


def replay(
    policies: Policy | Sequence[Policy],
    log: Log,
    *,
    rounds: int | None = None,
    runs: int = 200,
    seed: int | None = None,
    discrete: bool = False,
    progress: bool | Reporter | None = None,
) -> Replay:
    """Play policies on a log, and estimate what they would have earned.

    A policy chooses an arm; rows of the log, in a random order, are passed over until one has that
    arm; its reward is what the policy sees, and it chooses again. In a row whose arm was drawn with
    the chance ``p``, a match is kept with the chance ``min p / p``. So every row is kept with one
    chance, ``min p``, whatever was played before: 1/K where all arms are as likely. The rows that
    are kept are as if the policy had been at work, and their mean reward is an unbiased estimate
    of what it would have earned in a round (Li et al.). The price is that most rows are passed
    over: a log of n rows is worth ``n min p`` rounds.

    It needs that the arm of a row was drawn anew, with the chance that is stated and with nothing
    else that bears on the reward; and that a reward depends on the arm of its row alone, not on
    what others were given. A log cannot show either. It says nothing about longer experiments: for
    those, there are coins at its rates, :meth:`hush.Log.coins`.

    Estimates come with 95 % intervals for other logs of the same people and the same size, not for
    this one alone: policies are replayed once more on logs that are resampled from this one, and
    what the resampled rates of the arms explain of the outcome is the part of the variance that
    more replays do not take away. ``docs/real_outcomes.md`` has their coverage: as
    stated where every row is somebody else's, less where persons have several rows and differ.

    Nothing that is returned is private: all of it is computed from raw rewards, whatever the
    policies promise for a deployment of their own.

    Parameters
    ----------
    policies
        One policy or several, with bandit feedback, Hush's or your own.
    log
        What to play on.
    rounds
        How many rounds; left out, as many as nearly every order of the log has, ``log.rounds``. The
        few orders that have fewer are drawn again.
    runs
        How many orders of the log; as many resampled logs are played.
    seed
        A non-negative integer. Left out, one is drawn and kept in the result.
    discrete
        Draw the discrete noise that :class:`~hush.SecureNoise` deploys, instead of continuous.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).

    References
    ----------
    Li, Chu, Langford, Wang: Unbiased Offline Evaluation of Contextual-bandit-based News Article
    Recommendation Algorithms. WSDM 2011. https://arxiv.org/abs/1003.5956

    Examples
    --------
    >>> import hush, numpy as np
    >>> generator = np.random.default_rng(7)
    >>> arms = generator.integers(2, size=1000)
    >>> log = hush.Log(arms, generator.random(1000) < np.array([0.3, 0.7])[arms])
    >>> found = hush.replay([hush.UCB1(), hush.LazyDPTS(epsilon=1.0)], log, runs=20, seed=7)
    >>> found
    <Replay: 2 policies x 20 orders, 452 rounds of 1000 rows, seed 7>
    >>> found.summary()["reward"].round(2).tolist()
    [0.67, 0.61]
    """
    chosen = [policies] if isinstance(policies, Policy) else list(policies)
    if not chosen or not all(isinstance(policy, Policy) for policy in chosen):
        raise ParameterError("policies must be one or more policies, such as LazyDPTS(epsilon=0.5)")
    if not isinstance(log, Log):
        raise ParameterError(f"log must be a hush.Log; got {type(log).__name__}")
    _check_drawn_anew(log)
    if log.rounds < 1:
        raise ParameterError("the log has too few rows, or propensities too small, for one round")
    rounds = log.rounds if rounds is None else whole("rounds", rounds, least=1, most=log.rounds)
    runs = whole("runs", runs, least=RUNS_PER_ARM * log.n_arms)
    seed = fresh_seed() if seed is None else whole("seed", seed, least=0)
    tables = _Table.of(log), _Table.padded(log)
    filled = [policy.with_horizon(rounds) for policy in chosen]
    kept: list[list[_Run]] = [[] for _ in (0, 1)]
    rates = np.zeros((runs, log.n_arms))
    with progress_bar("replaying", 2 * runs * len(filled), progress) as advance:
        for resampled, table in enumerate(tables):
            for run in range(runs):
                source = np.random.default_rng([seed, resampled, run])
                sample = table.resampled(source) if resampled else table
                if resampled:
                    rates[run] = sample.rates
                orders = _Orders(sample, log.chance, source, TIMES if resampled else 1)
                for policy in filled:
                    stream = run_seed(seed, policy, 2 * run + resampled)
                    kept[resampled].append(
                        _run(policy, log, orders, rounds, stream, bool(discrete))
                    )
                    advance()
    own, again = kept
    shape = (runs, len(filled))
    return Replay(
        rewards=np.array([each.reward for each in own]).reshape(shape).T,
        pulls=np.array([each.pulls for each in own]).reshape(*shape, -1).transpose(1, 0, 2),
        resampled=np.array([each.reward for each in again]).reshape(shape).T,
        rates=rates,
        policies=tuple(policy.label for policy in chosen),
        names=log.names,
        log=log.to_dict(),
        rounds=rounds,
        redrawn=sum(each.redrawn for each in own),
        seed=seed,
        parameters=tuple(policy.to_dict() for policy in filled),
        discrete=bool(discrete),
    )


def _check_drawn_anew(log: Log) -> None:
    """Refuse a log whose persons have several rows, and each of them one arm."""
    if log.persons is None:
        return
    pairs = np.unique(np.column_stack([log.persons, log.arms]), axis=0)
    if len(pairs) == np.unique(log.persons).size < len(log):
        raise ParameterError(
            "every person of this log has one arm in all of her rows: arms were drawn for persons, "
            "not for rows. Keep one row of each person, or play on log.cohort() or log.coins()"
        )


@dataclass(frozen=True)
class _Table:
    """Rows to draw orders from."""

    arms: Integers
    rewards: NDArray[np.float64]
    propensities: NDArray[np.float64]
    persons: Integers
    n_arms: int

    @classmethod
    def of(cls, log: Log) -> _Table:
        persons = np.arange(len(log)) if log.persons is None else log.persons
        return cls(log.arms, log.rewards, log.propensities, persons, log.n_arms)

    @classmethod
    def padded(cls, log: Log) -> _Table:
        """Return the rows and, for each arm, one of either extreme reward.

        Resampled logs of rewards that are rare, or all alike, would hardly differ without them.
        """
        own = cls.of(log)
        arms = np.repeat(np.arange(log.n_arms), 2)
        typical = np.bincount(log.arms) / np.bincount(log.arms, 1.0 / log.propensities)
        last = int(own.persons.max()) + 1
        return cls(
            np.concatenate([own.arms, arms]),
            np.concatenate([own.rewards, np.tile(log.reward_range, log.n_arms)]),
            np.concatenate([own.propensities, typical[arms]]),
            np.concatenate([own.persons, last + np.arange(arms.size)]),
            log.n_arms,
        )

    @property
    def rates(self) -> NDArray[np.float64]:
        """Mean rewards of the arms; that of all rows for an arm without a row."""
        weights = 1.0 / self.propensities
        rows = np.bincount(self.arms, weights, self.n_arms)
        total = np.bincount(self.arms, weights * self.rewards, self.n_arms)
        return np.where(rows > 0.0, total / np.maximum(rows, 1e-300), self.rewards.mean())

    def resampled(self, source: Generator) -> _Table:
        """Return about as many rows, those of persons that are drawn with replacement."""
        order = np.argsort(self.persons, kind="stable")
        counts = np.bincount(self.persons)
        drawn = source.integers(counts.size, size=counts.size)
        while counts[drawn].sum() < self.arms.size:
            drawn = np.concatenate([drawn, source.integers(counts.size, size=counts.size)])
        drawn = drawn[: int(np.searchsorted(counts[drawn].cumsum(), self.arms.size)) + 1]
        persons = np.repeat(np.arange(drawn.size), counts[drawn])
        within = np.arange(persons.size) - np.repeat(
            counts[drawn].cumsum() - counts[drawn], counts[drawn]
        )
        begins = counts.cumsum() - counts
        rows = order[np.repeat(begins[drawn], counts[drawn]) + within]
        return _Table(
            self.arms[rows], self.rewards[rows], self.propensities[rows], persons, self.n_arms
        )


class _Orders:
    """Random orders of the rows that are kept, the same for all policies.

    A resampled log has now and then too few rows of an arm; so they come several times.
    """

    def __init__(self, table: _Table, chance: float, source: Generator, times: int) -> None:
        self.table, self._source, self._times = table, source, times
        self._shares = chance / table.propensities
        self._drawn: list[Integers] = []

    def __iter__(self) -> Iterator[Integers]:
        for number in range(TRIES):
            if number == len(self._drawn):
                self._drawn.append(np.concatenate([self._order() for _ in range(self._times)]))
            yield self._drawn[number]

    def _order(self) -> Integers:
        kept = np.flatnonzero(self._source.random(self._shares.size) < self._shares)
        return self._source.permutation(kept)


class _Run(NamedTuple):
    """What a replay came to: the mean reward of its rounds, pulls, and orders that were short."""

    reward: float
    pulls: Integers
    redrawn: int


def _run(
    policy: Policy, log: Log, orders: _Orders, rounds: int, seed: SeedSequence, discrete: bool
) -> _Run:
    for tried, order in enumerate(orders):
        learner = policy.learner(
            log.n_arms,
            noise=SeededNoise(children(seed, tried + 1)[tried], discrete=discrete),
            reward_range=log.reward_range,
        )
        played = _replayed(learner, policy, orders.table, order, rounds)
        if played is not None:
            pulls = np.bincount(orders.table.arms[played], minlength=log.n_arms)
            return _Run(float(orders.table.rewards[played].mean()), pulls, tried)
    raise ParameterError(
        f"{policy} finds too few rows of the arms that it plays: {rounds:,} rounds are too many"
    )


def _replayed(
    learner: Any,  # noqa: ANN401  one that may take person=
    policy: Policy,
    table: _Table,
    order: Integers,
    rounds: int,
) -> list[int] | None:
    """Return the rows that were played; None where the order ends before."""
    arms = table.arms[order]
    places = [np.flatnonzero(arms == arm).tolist() for arm in range(table.n_arms)]
    rows, rewards, persons = order.tolist(), table.rewards, table.persons
    played: list[int] = []
    at = -1
    for _ in range(rounds):
        arm = learner.select()
        following = bisect.bisect_right(places[arm], at)
        if following == len(places[arm]):
            return None
        at = places[arm][following]
        row = rows[at]
        played.append(row)

        def sample(asked: int | None, reward: float = float(rewards[row])) -> float:
            if asked is None:
                raise ParameterError(
                    f"{policy} wants the rewards of all arms; a row of a log has one"
                )
            return reward

        learner.observe(arm, sample, **whose(policy, int(persons[row])))
    return played

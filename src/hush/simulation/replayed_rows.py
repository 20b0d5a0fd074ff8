"""Rows of a log, replayed: random orders of them, and of logs that are resampled from it."""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence
from numpy.typing import NDArray

from hush.environments import Log
from hush.errors import ParameterError
from hush.noise import SeededNoise, children
from hush.policies import Policy
from hush.simulation.engines.learner import whose
from hush.simulation.engines.run_seeds import run_seed

__all__ = ["Played", "Replaying", "Replays", "Rows"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
TRIES = 100  # orders that are too short, one after the other, before a replay is given up
TIMES = 4  # that the rows of a resampled log may come


@dataclass(frozen=True)
class Rows:
    """Rows to draw orders from."""

    arms: Integers
    rewards: Floats
    propensities: Floats
    persons: Integers
    n_arms: int

    @classmethod
    def of(cls, log: Log) -> Rows:
        """Return the rows of a log; without persons, each is somebody else's."""
        persons = np.arange(len(log)) if log.persons is None else log.persons
        return cls(log.arms, log.rewards, log.propensities, persons, log.n_arms)

    @classmethod
    def padded(cls, log: Log) -> Rows:
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
    def rates(self) -> Floats:
        """Mean rewards of the arms; that of all rows for an arm without a row."""
        weights = 1.0 / self.propensities
        rows = np.bincount(self.arms, weights, self.n_arms)
        total = np.bincount(self.arms, weights * self.rewards, self.n_arms)
        return np.where(rows > 0.0, total / np.maximum(rows, 1e-300), self.rewards.mean())

    def resampled(self, source: Generator) -> Rows:
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
        return Rows(
            self.arms[rows], self.rewards[rows], self.propensities[rows], persons, self.n_arms
        )


class Orders:
    """Random orders of the rows that are kept, the same for all policies.

    A resampled log has now and then too few rows of an arm; so they come several times.
    """

    def __init__(self, rows: Rows, chance: float, source: Generator, times: int) -> None:
        self.rows, self._source, self._times = rows, source, times
        self._shares = chance / rows.propensities
        self._drawn: list[Integers] = []

    def __iter__(self) -> Iterator[Integers]:
        for number in range(TRIES):
            if number == len(self._drawn):
                self._drawn.append(np.concatenate([self._order() for _ in range(self._times)]))
            yield self._drawn[number]

    def _order(self) -> Integers:
        kept = np.flatnonzero(self._source.random(self._shares.size) < self._shares)
        return self._source.permutation(kept)


class Played(NamedTuple):
    """What a replay came to.

    Attributes
    ----------
    reward
        The mean reward of its rounds.
    at_rates
        What it would have been if each row had had the mean reward of its arm.
    pulls
        How often each arm was played.
    redrawn
        How many orders were too short, and drawn again.
    """

    reward: float
    at_rates: float
    pulls: Integers
    redrawn: int


class Replays(NamedTuple):
    """Replays of all policies on one order of the rows, and the mean rewards of the rows' arms."""

    played: list[Played]
    rates: Floats


@dataclass(frozen=True)
class Replaying:
    """What is replayed, and how; plain data, which can be sent to a process."""

    policies: tuple[Policy, ...]
    log: Log
    rounds: int
    seed: int
    discrete: bool

    def play(self, resampled: bool, runs: range) -> list[Replays]:
        """Replay the policies on orders of the log, or of logs that are resampled from it."""
        table = Rows.padded(self.log) if resampled else Rows.of(self.log)
        return [self._play_one(table, resampled, run) for run in runs]

    def _play_one(self, table: Rows, resampled: bool, run: int) -> Replays:
        source = np.random.default_rng([self.seed, int(resampled), run])
        rows = table.resampled(source) if resampled else table
        rates = rows.rates
        orders = Orders(rows, self.log.chance, source, TIMES if resampled else 1)
        played = []
        for policy in self.policies:
            stream = run_seed(self.seed, policy, 2 * run + resampled)
            played.append(self._played(policy, orders, rates, stream))
        return Replays(played, rates)

    def _played(self, policy: Policy, orders: Orders, rates: Floats, seed: SeedSequence) -> Played:
        log = self.log
        for tried, order in enumerate(orders):
            learner = policy.learner(
                log.n_arms,
                noise=SeededNoise(children(seed, tried + 1)[tried], discrete=self.discrete),
                reward_range=log.reward_range,
            )
            played = _replayed(learner, policy, orders.rows, order, self.rounds)
            if played is not None:
                pulls = np.bincount(orders.rows.arms[played], minlength=log.n_arms)
                reward = float(orders.rows.rewards[played].mean())
                return Played(reward, float(pulls @ rates) / self.rounds, pulls, tried)
        raise ParameterError(
            f"{policy} finds too few rows of the arms that it plays: {self.rounds:,} rounds are "
            "too many"
        )


def _replayed(
    learner: Any,  # noqa: ANN401  one that may take person=
    policy: Policy,
    table: Rows,
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

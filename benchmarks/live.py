"""Decisions per second of live learners: one select and one update a round, from Python."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import hush
from benchmarks.measure import Measured, attempt, interleave, seconds
from benchmarks.report import Row, Table

__all__ = ["HUSH", "Maker", "Player", "Rewards", "play", "rate_of", "rewards_of", "run", "warm"]

ARMS = (2, 5, 100, 1000)
AGES = (10**3, 10**4, 10**5)
PERIOD = 1021  # a prime: rewards come round again out of step with doubling epochs
SEED = 7
REFERENCE = "hush AnytimeLazyUCB"

Rewards = list[list[int]]


@dataclass(frozen=True)
class Player:
    """A contender at work, and how many rounds it has behind it."""

    select: Callable[[], int]
    update: Callable[[int, int], object]
    played: int = 0


Maker = Callable[[int, Rewards], Player]


def run(quick: bool) -> list[Table]:
    """Measure decisions per second, and their change with age."""
    warm()
    return [_speed(quick), _ages(quick)]


def warm() -> None:
    """Let every kind of learner draw once."""
    # The first draw loads the noise library; that belongs to the section on starting.
    rewards = rewards_of(2)
    for make in HUSH.values():
        play(_ready(make, 2, rewards), rewards, 2, 100)


def _hush(policy: hush.Policy) -> Maker:
    def make(n_arms: int, rewards: Rewards) -> Player:  # noqa: ARG001
        learner = policy.learner(n_arms)
        return Player(learner.select, learner.update)

    return make


def _river(n_arms: int, rewards: Rewards) -> Player:  # noqa: ARG001
    from river import bandit

    policy = bandit.UCB(delta=1, seed=SEED)
    return Player(functools.partial(policy.pull, range(n_arms)), policy.update)


def _mabwiser(n_arms: int, rewards: Rewards) -> Player:
    from mabwiser.mab import MAB, LearningPolicy

    arms = list(range(n_arms))
    bandit = MAB(arms, LearningPolicy.UCB1(alpha=1.0), seed=SEED)
    # It must be fitted before it predicts: one reward of each arm, as others get by exploring.
    bandit.fit(arms, [rewards[arm][arm % PERIOD] for arm in arms])
    return Player(
        bandit.predict, lambda arm, reward: bandit.partial_fit([arm], [reward]), played=n_arms
    )


def _pymab(n_arms: int, rewards: Rewards) -> Player:  # noqa: ARG001
    from pymab.policies import UCBPolicy

    policy = UCBPolicy(n_arms=n_arms)
    select = functools.partial(policy.select_action, rng=np.random.default_rng(SEED))
    return Player(select, lambda arm, reward: policy.update(action=arm, reward=reward))


def _river_thompson(n_arms: int, rewards: Rewards) -> Player:  # noqa: ARG001
    from river import bandit, proba

    policy = bandit.ThompsonSampling(reward_obj=proba.Beta(), seed=SEED)
    return Player(functools.partial(policy.pull, range(n_arms)), policy.update)


def _pymab_thompson(n_arms: int, rewards: Rewards) -> Player:  # noqa: ARG001
    from pymab.policies import BernoulliThompsonSamplingPolicy

    policy = BernoulliThompsonSamplingPolicy(n_arms=n_arms)
    select = functools.partial(policy.select_action, rng=np.random.default_rng(SEED))
    return Player(select, lambda arm, reward: policy.update(action=arm, reward=reward))


HUSH: dict[str, Maker] = {
    REFERENCE: _hush(hush.AnytimeLazyUCB(epsilon=1.0)),
    "hush LazyDPTS": _hush(hush.LazyDPTS(epsilon=1.0)),
    "hush UCB1": _hush(hush.UCB1()),
}
CONTENDERS: dict[str, Maker] = {
    **HUSH,
    "river UCB": _river,
    "MABWiser UCB1": _mabwiser,
    "pymab UCB": _pymab,
    "river Thompson": _river_thompson,
    "pymab Thompson": _pymab_thompson,
}


@functools.lru_cache(maxsize=1)
def rewards_of(n_arms: int) -> Rewards:
    """Return each arm's Bernoulli rewards, the same for every contender."""
    means = np.linspace(0.25, 0.75, n_arms)
    uniforms = np.random.default_rng(SEED).random((n_arms, PERIOD))
    return (uniforms < means[:, None]).astype(int).tolist()


def play(player: Player, rewards: Rewards, start: int, stop: int) -> None:
    """Play rounds ``start`` to ``stop``: the one loop that everybody is timed in."""
    select, update = player.select, player.update
    for t in range(start, stop):
        arm = select()
        update(arm, rewards[arm][t % PERIOD])


def _ready(make: Maker, n_arms: int, rewards: Rewards) -> Player:
    """Return a fresh player that has played every arm once."""
    player = make(n_arms, rewards)
    play(player, rewards, player.played, n_arms)
    return player


def rate_of(make: Maker, n_arms: int, rewards: Rewards, rounds: int) -> float:
    """Return rounds per second over the rounds that follow the first play of every arm."""
    player = _ready(make, n_arms, rewards)
    return rounds / seconds(lambda: play(player, rewards, n_arms, n_arms + rounds))


def _rounds_for(make: Maker, n_arms: int, rewards: Rewards, wanted: float) -> int:
    """Return how many rounds take about ``wanted`` seconds."""
    player = _ready(make, n_arms, rewards)
    t, start = n_arms, time.perf_counter()
    while time.perf_counter() - start < wanted:
        chunk = 1 + (t - n_arms) // 4
        play(player, rewards, t, t + chunk)
        t += chunk
    return t - n_arms


def _speed(quick: bool) -> Table:
    repeats, wanted = (2, 0.05) if quick else (5, 0.3)
    table = Table(
        "Live learners: rounds per second (a round is one select and one update)",
        notes=(
            f"Median of {repeats} interleaved repeats, each with a fresh learner that has played",
            "every arm once. 'hush is x' is AnytimeLazyUCB's speed over the contender's; 'same",
            "rounds' is that ratio with both timed over the contender's number of rounds.",
            "AnytimeLazyUCB and LazyDPTS are private (epsilon 1, secure noise); the rest are not.",
        ),
    )
    for n_arms in ARMS:
        table.rows += _speed_of(n_arms, repeats, wanted)
    return table


def _speed_of(n_arms: int, repeats: int, wanted: float) -> list[Row]:
    rewards = rewards_of(n_arms)
    tasks, rounds, failed = {}, {}, {}
    for name, make in CONTENDERS.items():
        count, why = attempt(functools.partial(_rounds_for, make, n_arms, rewards, wanted))
        if count is None:
            failed[name] = str(why)
            continue
        rounds[name] = count
        tasks[name] = functools.partial(rate_of, make, n_arms, rewards, count)
        own = functools.partial(rate_of, CONTENDERS[REFERENCE], n_arms, rewards, count)
        tasks[f"{name} (same rounds)"] = own
    found = interleave(tasks, repeats, failed)
    return [_speed_row(n_arms, name, found, rounds) for name in CONTENDERS]


def _speed_row(n_arms: int, name: str, found: dict[str, Measured], rounds: dict[str, int]) -> Row:
    own, reference = found[name], found[REFERENCE]
    if own.failure is not None:
        return {"K": n_arms, "learner": name, "failed": own.failure}
    row: Row = {
        "K": n_arms,
        "learner": name,
        "rounds timed": rounds[name],
        "per second": own.median,
        "min": own.low,
        "max": own.high,
    }
    if name != REFERENCE and reference.failure is None:
        same = found[f"{name} (same rounds)"]
        row["hush is x"] = reference.median / own.median
        row["same rounds"] = same.median / own.median if same.values else None
    return row


def _ages(quick: bool) -> Table:
    repeats, budget = (1, 0.5) if quick else (3, 6.0)
    table = Table(
        "Live learners as they age: rounds per second up to a round, from the one before",
        notes=(
            f"Median of {repeats} interleaved repeats, from the first play of every arm on.",
            f"'-': would have taken more than {budget:g} s, or every arm's first play ends later.",
        ),
    )
    for n_arms in ARMS:
        table.rows += _ages_of(n_arms, repeats, budget)
    return table


def _ages_of(n_arms: int, repeats: int, budget: float) -> list[Row]:
    rewards = rewards_of(n_arms)
    rates: dict[str, dict[int, list[float]]] = {name: {} for name in CONTENDERS}

    def task(name: str, make: Maker) -> float:
        for age, rate in _aging(make, n_arms, rewards, budget).items():
            rates[name].setdefault(age, []).append(rate)
        return 0.0

    tasks = {name: functools.partial(task, name, make) for name, make in CONTENDERS.items()}
    rows = []
    for name, measured in interleave(tasks, repeats).items():
        row: Row = {"K": n_arms, "learner": name}
        if measured.failure is not None:
            row["failed"] = measured.failure
        else:
            of = rates[name]
            row |= {f"to {age:,}": Measured(of[age]).median if age in of else None for age in AGES}
        rows.append(row)
    return rows


def _aging(make: Maker, n_arms: int, rewards: Rewards, budget: float) -> dict[int, float]:
    """Return rounds per second of each stage of one learner's life that fits the budget."""
    player = _ready(make, n_arms, rewards)
    rates: dict[int, float] = {}
    t = n_arms
    # A short stretch tells whether the next stage can be afforded at all.
    rate = 20 / seconds(functools.partial(play, player, rewards, t, t + 20))
    t += 20
    for age in AGES:
        if age <= t:
            continue
        if (age - t) / rate > budget:
            break
        rate = (age - t) / seconds(functools.partial(play, player, rewards, t, age))
        rates[age] = rate
        t = age
    return rates

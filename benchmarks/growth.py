"""How the cost of a live round grows with the number of arms."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable

import numpy as np

from benchmarks.live import HUSH, Maker, Rewards, play, rate_of, rewards_of, warm
from benchmarks.measure import interleave, seconds
from benchmarks.report import Row, Table

__all__ = ["run"]

GROWTH_ARMS = (5, 10, 20, 50, 100, 200, 500, 1000)
MANY_ARMS = (1_000, 10_000, 100_000)
SELECTS = 1_000


def run(quick: bool) -> list[Table]:
    """Measure the cost of a round for few and many arms."""
    warm()
    return [_growth(quick), _without_rewards(quick)]


def _growth(quick: bool) -> Table:
    repeats, rounds = (1, 1000) if quick else (5, 10_000)
    table = Table(
        "Growth in the number of arms K: microseconds a round",
        notes=(
            f"Median of {repeats} interleaved repeats, the same number of rounds for every K.",
            "'slope' is the least-squares exponent over all K shown; linear at worst is <= 1.",
        ),
    )
    first, later = "first play of every arm", f"next {rounds:,} rounds"
    costs: dict[tuple[str, str], dict[int, float]] = {}
    for n_arms in GROWTH_ARMS:
        rewards = rewards_of(n_arms)
        tasks: dict[str, Callable[[], float]] = {}
        for name, make in HUSH.items():
            tasks[f"{name}|{first}"] = functools.partial(_first_cost, make, n_arms, rewards)
            tasks[f"{name}|{later}"] = functools.partial(_later_cost, make, n_arms, rewards, rounds)
        for key, measured in interleave(tasks, repeats).items():
            name, _, phase = key.partition("|")
            if measured.failure is None:
                costs.setdefault((name, phase), {})[n_arms] = measured.median
            else:
                table.rows.append({"K": n_arms, "learner": name, "failed": measured.failure})
    table.rows += [_growth_row(name, phase, by_arms) for (name, phase), by_arms in costs.items()]
    return table


def _first_cost(make: Maker, n_arms: int, rewards: Rewards) -> float:
    # As many rounds for every K: few arms are met by many fresh learners.
    players = [make(n_arms, rewards) for _ in range(max(GROWTH_ARMS) // n_arms)]

    def work() -> None:
        for player in players:
            play(player, rewards, 0, n_arms)

    return 1e6 / (n_arms * len(players)) * seconds(work)


def _later_cost(make: Maker, n_arms: int, rewards: Rewards, rounds: int) -> float:
    return 1e6 / rate_of(make, n_arms, rewards, rounds)


def _growth_row(name: str, phase: str, costs: dict[int, float]) -> Row:
    row: Row = {"learner": name, "rounds": phase}
    row |= {f"K={n_arms}": cost for n_arms, cost in costs.items()}
    if {100, 1000} <= costs.keys():
        row["1000/100"] = costs[1000] / costs[100]
    if len(costs) > 1:
        row["slope"] = _slope(costs)
    return row


def _slope(costs: dict[int, float]) -> float:
    """Return the exponent of the power law that fits best."""
    x = [math.log(n_arms) for n_arms in costs]
    y = [math.log(cost) for cost in costs.values()]
    return float(np.polyfit(x, y, 1)[0])


def _without_rewards(quick: bool) -> Table:
    repeats = 1 if quick else 5
    table = Table(
        "select() of a new learner that gets no reward: microseconds each",
        notes=(f"Median of {repeats} interleaved repeats of {SELECTS:,} calls. 'slope' as above.",),
    )
    for name, make in HUSH.items():
        tasks = {str(n): functools.partial(_select_cost, make, n) for n in MANY_ARMS}
        found = interleave(tasks, repeats)
        costs = {n: found[str(n)].median for n in MANY_ARMS}
        table.rows.append(_growth_row(name, "no reward", costs))
    return table


def _select_cost(make: Maker, n_arms: int) -> float:
    select = make(n_arms, []).select

    def work() -> None:
        for _ in range(SELECTS):
            select()

    return 1e6 / SELECTS * seconds(work)

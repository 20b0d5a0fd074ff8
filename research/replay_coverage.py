"""Replays of made-up logs whose truth is known: bias, and how often intervals hold it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.environments import Bernoulli, Log
from hush.policies import LazyDPTS, Policy, ThompsonSampling
from hush.simulation import replay, simulate

__all__ = ["CASES", "MadeUp", "covered", "made_up_log"]

TRUTH_RUNS = 10_000


@dataclass(frozen=True)
class MadeUp:
    """How logs are made up.

    Rows are ``rows``, of persons who have ``visits`` each and differ by ``spread``; arms are drawn
    with ``chances``, rewards are coins.
    """

    name: str
    rates: tuple[float, ...]
    chances: tuple[float, ...]
    rows: int
    visits: int = 1
    spread: float = 0.0


CASES = (
    MadeUp("two arms", (0.5, 0.4), (0.5, 0.5), 300),
    MadeUp("rates of ACTG 175", (0.66, 0.803, 0.792, 0.772), (0.25,) * 4, 600),
    MadeUp("rare rewards", (0.02, 0.005), (0.5, 0.5), 300),
    MadeUp("chances 0.6, 0.3, 0.1", (0.5, 0.6, 0.3), (0.6, 0.3, 0.1), 1200),
    MadeUp("persons with three rows", (0.6, 0.4), (0.5, 0.5), 300, 3, 0.3),
)
POLICIES: tuple[Policy, ...] = (ThompsonSampling(), LazyDPTS(1.0))


def made_up_log(case: MadeUp, generator: np.random.Generator) -> Log:
    """Return a log of a kind."""
    arms = generator.choice(len(case.rates), size=case.rows, p=case.chances)
    persons = np.arange(case.rows) // case.visits
    own = generator.choice([-case.spread, case.spread], size=case.rows)[persons]
    rewards = generator.random(case.rows) < np.array(case.rates)[arms] + own
    chances = None if len(set(case.chances)) == 1 else np.array(case.chances)[arms]
    return Log(arms, rewards, propensities=chances, persons=persons, names=range(len(case.rates)))


def covered(case: MadeUp, logs: int, runs: int, seed: int) -> Iterator[dict[str, Any]]:
    """Replay logs of a kind; yield each estimate and its interval beside the truth.

    Of both policies, and of their difference; with the luck of the log, which is how far its rates
    are from those that it was made with. A log has a few rounds more or fewer than another
    with propensities, so that all play as many as nearly all logs have.
    """
    rounds = min(
        made_up_log(case, np.random.default_rng([seed, 1, each])).rounds for each in range(logs)
    )
    truth, errors = _truth(case, rounds, seed)
    for number in range(logs):
        log = made_up_log(case, np.random.default_rng([seed, 1, number]))
        found = replay(POLICIES, log, rounds=rounds, runs=runs, seed=seed + number, progress=False)
        estimates = [*(found.estimate(place) for place in range(2)), found.estimate(1, 0)]
        figures = ("ThompsonSampling", "LazyDPTS", "difference")
        luck = {f"luck {arm}": off for arm, off in enumerate(log.rates - np.array(case.rates))}
        for figure, estimate, true, error in zip(figures, estimates, truth, errors, strict=True):
            yield {
                "case": case.name,
                "rows": case.rows,
                "rounds": rounds,
                "figure": figure,
                "truth": true,
                "error of truth": error,
                **estimate._asdict(),
                **luck,
            }


def _truth(case: MadeUp, rounds: int, seed: int) -> tuple[list[float], list[float]]:
    """Return what both policies earn in a round, and their difference; and standard errors."""
    result = simulate(
        POLICIES, Bernoulli(case.rates), horizon=rounds, runs=TRUTH_RUNS, seed=seed,
        checkpoints=[rounds], progress=False, workers=1,
    )  # fmt: skip
    first, second = max(case.rates) - result.regret[:, :, -1] / rounds
    figures = (first, second, second - first)
    errors = [float(each.std(ddof=1)) / TRUTH_RUNS**0.5 for each in figures]
    return [float(each.mean()) for each in figures], errors

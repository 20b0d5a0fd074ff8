"""Rejection replay: policies on a log of arms that were drawn at random."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

import numpy as np

from hush.environments import Log
from hush.errors import ParameterError, whole
from hush.output.progress import Reporter, progress_bar
from hush.policies import Policy
from hush.simulation.fresh_process import call_in_fresh_process
from hush.simulation.replay_result import Replay
from hush.simulation.replayed_rows import Replaying, Replays, Rows
from hush.simulation.runner import fresh_seed

__all__ = ["replay"]

RUNS_PER_ARM = 10  # what a surface over the arms' rates needs
SPREAD = 500  # resampled logs of which only the rates are looked at
SHORT = 2_000_000  # rounds in all that one process plays in some ten seconds
PIECES = 8  # for each worker


def replay(
    policies: Policy | Sequence[Policy],
    log: Log,
    *,
    rounds: int | None = None,
    runs: int = 200,
    seed: int | None = None,
    discrete: bool = False,
    workers: int | None = None,
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
    this one alone: policies are replayed once more on logs that are resampled from this one, person
    by person, and what comes of them is fitted by a surface over the rates of the arms. How far it
    spreads where those rates do is the part that more replays do not take away.
    ``docs/real_outcomes.md`` has the intervals' coverage.

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
    workers
        How many processes. Left out, all cores where it takes long, and none but this one where it
        does not. Results do not depend on it.
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
    filled = tuple(policy.with_horizon(rounds) for policy in chosen)
    task = Replaying(filled, log, rounds, seed, bool(discrete))
    if workers is None:
        workers = 1 if 2 * runs * len(filled) * rounds < SHORT else os.cpu_count() or 1
    own, again = _played(task, runs, whole("workers", workers, least=1), progress)
    padded = Rows.padded(log)
    sources = (np.random.default_rng([seed, 2, number]) for number in range(SPREAD))

    def of_each(replays: list[Replays], figure: str) -> np.ndarray:
        kept = [[getattr(each, figure) for each in replay.played] for replay in replays]
        return np.array(kept).swapaxes(0, 1)

    return Replay(
        rewards=of_each(own, "reward"),
        pulls=of_each(own, "pulls"),
        resampled=of_each(again, "at_rates"),
        rates=np.array([each.rates for each in again]),
        own_rates=padded.rates,
        spread=np.array([padded.resampled(source).rates for source in sources]),
        policies=tuple(policy.label for policy in chosen),
        names=log.names,
        log=log.to_dict(),
        rounds=rounds,
        redrawn=int(of_each(own, "redrawn").sum()),
        seed=seed,
        parameters=tuple(policy.to_dict() for policy in filled),
        discrete=bool(discrete),
    )


def _played(
    task: Replaying, runs: int, workers: int, progress: bool | Reporter | None
) -> tuple[list[Replays], list[Replays]]:
    """Replay on so many orders of the log, and of resampled logs; in processes, if in several."""
    size = 1 if workers == 1 else max(1, 2 * runs // (PIECES * workers))
    pieces = [
        (resampled, range(first, min(first + size, runs)))
        for resampled in (False, True)
        for first in range(0, runs, size)
    ]
    found: dict[tuple[bool, range], list[Replays]] = {}
    with progress_bar("replaying", 2 * runs * len(task.policies), progress) as advance:
        if workers == 1:
            for piece in pieces:
                found[piece] = task.play(*piece)
                advance(len(task.policies))
        else:
            pool = ThreadPoolExecutor(workers)
            try:
                futures = {
                    pool.submit(call_in_fresh_process, task.play, piece[0], piece[1]): piece
                    for piece in pieces
                }
                for future in as_completed(futures):
                    found[futures[future]] = future.result()
                    advance(len(task.policies) * len(futures[future][1]))
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    own, again = (
        [each for piece in pieces if piece[0] is kind for each in found[piece]]
        for kind in (False, True)
    )
    return own, again


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

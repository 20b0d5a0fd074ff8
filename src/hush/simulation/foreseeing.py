"""How long a run will take, from a short trial: one that takes hours says so before it starts.

Engines know about how long a round takes. That is good enough to tell seconds from hours for Hush's
own policies, and says nothing about yours. So whatever may take long is tried for a moment first.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import replace

from hush.policies import REGISTERED
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.simulation.plan import Block, play

__all__ = ["foreseen_seconds", "say_if_long", "say_if_search_is_long", "spoken_time"]

logger = logging.getLogger("hush")
LONG = 3600.0  # what takes longer is said
DOUBTFUL = 30.0  # what is thought to take longer is tried
MOMENT = 0.25  # how long a trial lasts, about
SEARCH_MOMENT = 1.0  # of a search, whose later rounds take less
UNKNOWN_ROUNDS = 20_000  # so many of a policy of your own are tried, whatever is thought
FIRST = 64


def say_if_long(blocks: Iterable[Block], threads: int | None) -> None:
    """Say how long blocks will take, if that is longer than an hour.

    Without ``threads``, where others work and nobody knows how many they are, it is said how long
    one would take.
    """
    seconds = foreseen_seconds(blocks, threads or 1)
    if seconds > LONG:
        shared = "" if threads else ", divided by the number of workers"
        message = f"this will take about {spoken_time(seconds)}{shared}; Ctrl-C ends it"
        logger.warning(message)


def say_if_search_is_long(searches: Iterable[Search], seed: int, runs: int) -> None:
    """Say how long searches for a best arm may take, if that can be longer than an hour."""
    seconds = sum(_search_seconds(search, seed, runs) for search in searches)
    if seconds > LONG:
        message = f"this may take up to {spoken_time(seconds)}; Ctrl-C ends it"
        logger.warning(message)


def foreseen_seconds(blocks: Iterable[Block], threads: int) -> float:
    """Return about how long blocks will take, by a trial of those that may take long.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.plan import blocks_of
    >>> blocks = blocks_of(hush.UCB1(), hush.paper_s1(), (100,), 7, 20)
    >>> foreseen_seconds(blocks, 2) < 1
    True
    """
    alike: dict[Block, list[Block]] = {}
    for block in blocks:
        alike.setdefault(replace(block, first=0, runs=1), []).append(block)
    return sum(_seconds(one, many, threads) for one, many in alike.items())


def _seconds(one: Block, many: list[Block], threads: int) -> float:
    """Return how long the blocks of one policy will take; ``one`` is its first run."""
    thought = sum(block.cost for block in many)
    runs = sum(block.runs for block in many)
    by_learner = one.engine.loop_name(one.mode) is None
    yours = type(one.policy) not in REGISTERED and runs * one.points[-1] > UNKNOWN_ROUNDS
    if thought > DOUBTFUL or (by_learner and yours):
        thought = runs * (_run_seconds(one) if one.mode == "leap" else _rounds_seconds(one))
    # Learners hold the interpreter: threads do not share their work.
    return thought if by_learner else thought / max(1, min(threads, len(many)))


def _run_seconds(one: Block) -> float:
    """Return how long a leaping run takes: by one that is played, and one more once it is warm."""
    start = time.perf_counter()
    play(one)
    if time.perf_counter() - start > MOMENT:
        start = time.perf_counter()
        play(one)
    return time.perf_counter() - start


def _rounds_seconds(one: Block) -> float:
    """Return how long a run takes round by round: from its first rounds, more until it shows."""
    horizon, rounds = one.points[-1], FIRST
    play(replace(one, points=(1,), keeps="regret"))  # what happens once only
    while True:
        rounds = min(rounds, horizon)
        start = time.perf_counter()
        play(replace(one, points=(rounds,), keeps="regret"))
        taken = time.perf_counter() - start
        if taken > MOMENT or rounds == horizon:
            return taken * horizon / rounds
        rounds *= 4


def _search_seconds(search: Search, seed: int, runs: int) -> float:
    """Return how long the runs of a search take at most, by the start of the first one.

    Only learners take long; others are played a batch at a time. Releases, which take long
    themselves, become rare: what counts is how long the later rounds of a trial take.
    """
    finder, most = finder_of(search.policy, search.env), FIRST
    if finder.label == "leap":
        return 0.0
    before = 0.0
    while True:
        most = min(most, search.most)
        start = time.perf_counter()
        found = finder.find(replace(search, most=most), run_seed(seed, search.policy, 0))
        taken = time.perf_counter() - start
        if found.arm >= 0 or most == search.most:
            return runs * taken
        later = (taken - before) / (0.75 * most) if before else taken / most
        seconds = runs * (taken + (search.most - most) * max(0.0, later))
        if taken > SEARCH_MOMENT or seconds < LONG:
            return seconds
        most, before = 4 * most, taken


def spoken_time(seconds: float) -> str:
    """Return a length of time as people say it.

    >>> spoken_time(5400), spoken_time(86400 * 2.2), spoken_time(86400 * 4000)
    ('1.5 hours', '2.2 days', '11 years')
    """
    for unit, name in ((365.25 * 86400, "years"), (86400, "days"), (3600, "hours")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:.2g} {name}"
    return f"{max(1, round(seconds / 60))} minutes"

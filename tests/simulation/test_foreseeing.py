"""How long a run will take: foreseen within a small factor, and said if it is long."""

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest

import hush
from hush.simulation import executor, foreseeing
from hush.simulation.engines.finders import Search
from hush.simulation.foreseeing import (
    foreseen_seconds,
    say_if_long,
    say_if_search_is_long,
    spoken_time,
)
from hush.simulation.plan import Wanted, blocks_of


@dataclass(frozen=True)
class Slow(hush.BanditPolicy):
    """Somebody's own policy, a millisecond a round."""

    epsilon: float = 1.0

    def _choose(self, t, statistics, generator):
        time.sleep(0.001)
        return int(t) % statistics.counts.size


def plan(policy, horizon, runs, engine="auto"):
    return blocks_of(policy, hush.paper_s1(), (horizon,), 7, runs, Wanted(engine))


def test_a_policy_of_your_own_is_tried():
    """2 ms a round at most: sleeping takes longer than asked where others work too."""
    seconds = foreseen_seconds(plan(Slow(), 10**6, 20), 2)
    assert 20 * 10**6 * 0.001 < seconds < 5 * 20 * 10**6 * 0.001


def _taken(blocks):
    start = time.process_time()
    executor.execute(blocks, executor.Execution(workers=1))
    return time.process_time() - start


@pytest.mark.parametrize("policy", [hush.UCB1(), hush.TreeDPUCB(1.0)])
def test_rounds_are_foreseen_within_a_small_factor(policy, monkeypatch):
    """Whatever the engine's own guess is; a factor of four leaves room for a busy machine."""
    monkeypatch.setattr(foreseeing, "DOUBTFUL", 0.0)
    blocks = plan(policy, 300_000, 4, "rounds")
    executor.execute(blocks[:1])  # compiled
    guessed = foreseen_seconds(blocks, 1)
    taken = min(_taken(blocks) for _ in range(3))  # threads that other tests left may work, too
    assert taken / 4 < guessed
    assert guessed < 10 * taken + 1.0


def test_leaps_are_foreseen_by_a_run(monkeypatch):
    monkeypatch.setattr(foreseeing, "DOUBTFUL", 0.0)
    assert foreseen_seconds(plan(hush.AnytimeLazyUCB(1.0), 10**12, 500), 2) < 60


def test_what_takes_long_is_said_before_it_starts(caplog):
    with caplog.at_level(logging.WARNING, logger="hush"):
        say_if_long(plan(hush.UCB1(), 10**5, 20), 2)
        assert not caplog.messages
        say_if_long(plan(Slow(), 10**9, 20), 2)
    (line,) = caplog.messages
    assert line.startswith("this will take about ")
    assert "days" in line or "years" in line


def test_simulate_says_it_and_plays_the_same(monkeypatch, caplog):
    plain = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=1000, runs=3, seed=7)
    monkeypatch.setattr(foreseeing, "LONG", 0.0)
    monkeypatch.setattr(foreseeing, "DOUBTFUL", 0.0)
    with caplog.at_level(logging.WARNING, logger="hush"):
        tried = hush.simulate(hush.UCB1(), hush.paper_s1(), horizon=1000, runs=3, seed=7)
    assert len(caplog.messages) == 1
    assert np.array_equal(plain.pulls, tried.pulls)


def test_it_is_said_where_others_work_too(monkeypatch, caplog):
    """On a cluster, of whose size nothing is known here."""
    monkeypatch.setattr(foreseeing, "LONG", 0.0)
    blocks = plan(hush.UCB1(), 1000, 3)
    with caplog.at_level(logging.WARNING, logger="hush"), ThreadPoolExecutor(2) as pool:
        assert len(executor.execute(blocks, executor.Execution(pool))) == len(blocks)
    (line,) = caplog.messages
    assert "divided by the number of workers" in line


def search(policy, most):
    return Search(policy.with_horizon(most), hush.Bernoulli([0.51, 0.5]), 0.99, most)


def test_a_long_search_is_foreseen(caplog):
    """It may take 20 runs of 10^9 rounds, a millisecond each, which is 231 days."""
    with caplog.at_level(logging.WARNING, logger="hush"):
        say_if_search_is_long([search(hush.NoiseAwareBAI(1.0), 10**12)], 7, 100)
        say_if_search_is_long([search(hush.LazyDPTS(1.0), 10**6)], 7, 5)
        assert not caplog.messages
        say_if_search_is_long([search(Slow(), 10**9)], 7, 20)
    (line,) = caplog.messages
    assert line.startswith("this may take up to ")
    assert "days" in line or "years" in line


def test_identify_says_it_and_plays_the_same(monkeypatch, caplog):
    def found():
        env = hush.Bernoulli([0.9, 0.1])
        return hush.identify(hush.LazyDPTS(1.0), env, confidence=0.9, runs=2, seed=7)

    plain = found()
    monkeypatch.setattr(foreseeing, "LONG", 0.0)
    with caplog.at_level(logging.WARNING, logger="hush"):
        tried = found()
    assert len(caplog.messages) == 1
    assert np.array_equal(plain.pulls, tried.pulls)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(4000, "67 minutes"), (7200, "2 hours"), (86400 * 30, "30 days"), (1e9, "32 years")],
)
def test_times_are_said_as_people_say_them(seconds, said):
    assert spoken_time(seconds) == said

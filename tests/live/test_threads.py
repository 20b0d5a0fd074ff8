"""Eight threads decide and post rewards while another settles: nothing is lost or learnt twice."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.live.places import SECRET, FrozenOutcomes

import hush.live

THREADS, BOUND, SHARED, START = 8, 5, 40, 1_767_225_600_000


class SteppedClock:
    """A clock that one thread moves, by steps that the guard believes."""

    def __init__(self):
        self.passed = 0

    def wall(self):
        return START + self.passed

    def boot(self):
        return self.passed


def work(experiment, thread, number, size):
    """Decide for people who come once, and reward them, and for people who come all the time.

    Return how many came once, how many of their rewards were taken, and who came again.
    """
    once, taken, again = 0, 0, Counter()
    for start in range(0, number, size):
        people = [f"{thread}-{start + n}" if (start + n) % 2 else f"again-{(start + n) % SHARED}"
                  for n in range(size)]  # fmt: skip
        if size == 1 or start % (3 * size) == 0:
            made = [experiment.decide(person=person) for person in people]
        else:
            made = experiment.decide_many([{"person": person} for person in people])
        mine = [each for person, each in zip(people, made, strict=True) if person[0] != "a"]
        answers = experiment.reward_many([(each, 1) for each in mine])
        once += len(mine)
        taken += answers.count(None)
        again.update(person for person in people if person[0] == "a")
    return once, taken, again


def settle(store, clock, done):
    """Settle again and again, while time passes."""
    times = 0
    while not done.wait(0.002):
        clock.passed += 3_000  # slow enough for next to no reward to be late
        store.settle()
        times += 1
    return times


def play(path, number, size):
    clock, noise, done = SteppedClock(), FrozenOutcomes(), threading.Event()
    with hush.live.open(path, clock=clock, noise=noise, secret=SECRET) as store:
        experiment = store.create(
            "busy", policy="AnytimeLazyUCB", arms=["a", "b", "c"], person_epsilon=1.0,
            person_bound=BOUND, window="10m",
        )  # fmt: skip
        experiment.start()
        with ThreadPoolExecutor(THREADS + 1) as pool:
            settling = pool.submit(settle, store, clock, done)
            working = [pool.submit(work, experiment, n, number, size) for n in range(THREADS)]
            try:
                found = [each.result() for each in working]
            finally:
                done.set()
            assert settling.result() > 1
        experiment.stop()
        for _ in range(3):
            for _ in range(6):
                clock.passed += 240_000
                store.settle()
        check(store, experiment, noise, found)


def check(store, experiment, noise, found):
    """Hold what threads were told against what was released."""
    once, taken = sum(each[0] for each in found), sum(each[1] for each in found)
    again = sum((each[2] for each in found), Counter())
    assert experiment.state == "stopped"
    # Everybody who came once is learnt from, and the others up to the bound.
    learnt = once + sum(min(times, BOUND) for times in again.values())
    assert sum(each.count for each in experiment.releases) == learnt
    assert store._private.run("SELECT max(given) FROM people") == [(BOUND,)]
    # No reward that was taken is lost. One that came at the last moment, and of which nobody could
    # say any longer whether it was in time, was refused and may count all the same.
    assert taken <= sum(draw.total for draw in noise.met) <= once
    assert once - taken <= once // 100  # so that it says something
    places = [(each.arm, each.epoch) for each in experiment.releases]
    assert len(places) == len(set(places)) == len(noise.met)
    assert store._private.run("SELECT count(*) FROM pending") == [(0,)]
    served = sum(each["served"] for each in experiment.tallies)
    assert served == once + sum(again.values())


@pytest.mark.untraced
@pytest.mark.parametrize("size", [1, 20])
def test_threads_lose_nothing(tmp_path, size):
    play(tmp_path / "store.db", 200 * min(size, 4), size)


@pytest.mark.slow
def test_threads_lose_nothing_in_eight_times_a_hundred_thousand(tmp_path):
    play(tmp_path / "store.db", 100_000, 100)

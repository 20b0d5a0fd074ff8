"""How long a decision takes with rewards and without: response times are not covered by a promise.

Nothing is asserted of times. The figures say how large the limit is that the design states.
"""

import itertools
import json
import statistics
import threading
import time
from contextlib import closing, contextmanager

import pytest
from tests.service.malformed import JSON, Sent
from tests.service.printed_figures import tell
from tests.service.raw_connections import Line, served
from tests.service.sites import CHECKOUT, EVERYTHING, opened

import hush.live

DECIDE = "/v1/experiments/checkout/decisions"
BLOCK = 25


def measured(decide, reward, blocks):
    """Return the times of decisions, in blocks with a reward for each and blocks with none."""
    took = {True: [], False: []}
    for block in range(blocks):
        rewarded = block % 2 == 0
        for number in range(BLOCK):
            start = time.perf_counter()
            decision = decide(f"u{block}-{number}")
            took[rewarded].append(time.perf_counter() - start)
            if rewarded:
                reward(decision)
    return took


def figures(where, took):
    middle = {mode: statistics.median(times) * 1e6 for mode, times in took.items()}
    late = {mode: statistics.quantiles(times, n=20)[-1] * 1e6 for mode, times in took.items()}
    tell(
        f"{where}: median {middle[True]:.0f} us with rewards, {middle[False]:.0f} us without, "
        f"ratio {middle[True] / middle[False]:.3f}; 95th percentile {late[True]:.0f} and "
        f"{late[False]:.0f} us, ratio {late[True] / late[False]:.3f}; {len(took[True]):,} each"
    )
    assert len(took[True]) == len(took[False]) > 0


def in_process(blocks):
    with opened() as site:
        site.begun()
        decide = lambda person: site.decide(person).json["decision"]  # noqa: E731
        measured(decide, site.reward, 4)
        return measured(decide, site.reward, blocks)


class Caller:
    """Decides and rewards over one connection."""

    def __init__(self, at, token):
        self._line = Line(at)
        self._headers = [(b"authorization", f"Bearer {token}".encode()), (b"content-type", JSON)]
        self.close = self._line.close

    def decide(self, person):
        body = json.dumps({"person": person}).encode()
        heard = self._line.ask(Sent("decide", "POST", DECIDE.encode(), self._headers, body))
        assert heard.status == 201
        return heard.json["decision"]

    def reward(self, decision):
        path = f"/v1/decisions/{decision}/reward".encode()
        heard = self._line.ask(Sent("reward", "PUT", path, self._headers, b'{"value": 1}'))
        assert heard.status == 204


@contextmanager
def shop(directory):
    """Serve an experiment; yield what makes callers."""
    path = directory / "experiments.db"
    with hush.live.open(path) as store:
        store.create(**CHECKOUT).start()
        token = store.tokens.create(EVERYTHING)
    with served(path) as at:
        yield lambda: closing(Caller(at, token))


def over_http(directory, blocks):
    with shop(directory) as caller, caller() as one:
        measured(one.decide, one.reward, 4)
        return measured(one.decide, one.reward, blocks)


def meanwhile(directory, blocks):
    """Measure with rewards posted at the same time, over a connection of their own."""
    with shop(directory) as caller, caller() as one, caller() as other:
        # So many that none is posted too often.
        decisions = itertools.cycle([one.decide(f"u{number}") for number in range(1_500)])
        busy, ends = threading.Event(), threading.Event()

        def post():
            while not ends.is_set():
                if busy.wait(0.1):
                    other.reward(next(decisions))

        poster = threading.Thread(target=post)
        poster.start()
        took = {True: [], False: []}
        try:
            for block in range(blocks):
                (busy.set if block % 2 == 0 else busy.clear)()
                found = measured(one.decide, lambda _: None, 2)
                took[block % 2 == 0] += found[True] + found[False]
        finally:
            ends.set()
            poster.join()
        return took


@pytest.mark.slow
def test_how_long_decisions_take_with_rewards_and_without(tmp_path):
    for name in ("between", "meanwhile"):
        (tmp_path / name).mkdir()
    figures("in process, rewards between", in_process(400))
    figures("over HTTP, rewards between", over_http(tmp_path / "between", 400))
    figures("over HTTP, rewards meanwhile", meanwhile(tmp_path / "meanwhile", 200))

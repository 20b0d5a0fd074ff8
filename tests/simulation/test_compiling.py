"""Loops that are not compiled yet: said so, and compiled side by side."""

import gc
import pickle
import sys
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

import hush
from hush.simulation import compiling
from hush.simulation.engines import LEARNER, engine_of
from hush.simulation.engines.finders import Search, finder_of
from hush.simulation.plan import Wanted, blocks_of

POLICIES = [hush.UCB1(), hush.LazyDPTS(1.0), hush.AnytimeLazyUCB(1.0), hush.DPKLUCB(1.0)]


class FailedError(Exception):
    """A job failed."""


@pytest.fixture
def done(monkeypatch):
    """Jobs that were done elsewhere, and here; nothing is compiled, and Python plays nothing."""
    found = {"there": [], "here": []}

    def do(job):
        found["here"].append(job)

    monkeypatch.setattr(compiling.LoopJob, "__call__", do)
    monkeypatch.setattr(compiling.PartJob, "__call__", do)
    monkeypatch.setattr(compiling.SearchJob, "__call__", do)
    monkeypatch.setattr(compiling, "call_in_fresh_process", found["there"].append)
    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: False)
    monkeypatch.setattr(compiling, "may_interpret", lambda loop, seconds: False)
    monkeypatch.setattr(compiling, "never_interpret", lambda loop: None)
    return found


def blocks(policies):
    return [blocks_of(policy, hush.paper_s1(), (100,), 7, 1)[0] for policy in policies]


def names(jobs):
    return [type(job.block.policy).__name__ for job in jobs]


def test_loops_are_compiled_ahead_side_by_side(done):
    assert compiling.compile_ahead(blocks(POLICIES), 2) == 3
    assert "LazyDPTS" in names(done["there"])  # the longest
    assert names(done["here"])[0] == "UCB1"
    assert {*names(done["there"]), *names(done["here"])} == {"LazyDPTS", "AnytimeLazyUCB", "UCB1"}


def test_one_worker_compiles_here(done):
    assert compiling.compile_ahead(blocks(POLICIES), 1) == 3
    assert names(done["here"]) == ["LazyDPTS", "AnytimeLazyUCB", "UCB1"]
    assert not done["there"]


def test_a_single_loop_is_compiled_here(done):
    assert compiling.compile_ahead(blocks(POLICIES[:1]), 2) == 1
    assert names(done["here"]) == ["UCB1"]
    assert not done["there"]


def test_the_loop_of_a_policy_of_your_own_is_compiled_here(done):
    @dataclass(frozen=True)
    class Mine(hush.AnytimeLazyUCB):
        pass

    assert compiling.compile_ahead(blocks([Mine(1.0), hush.UCB1()]), 2) == 2
    assert "Mine" in names(done["here"])


def test_what_fails_elsewhere_is_raised(done, monkeypatch):
    def fail(job):
        raise FailedError

    monkeypatch.setattr(compiling, "call_in_fresh_process", fail)
    with pytest.raises(FailedError):
        compiling.compile_ahead(blocks(POLICIES), 2)


def test_a_bar_counts_the_loops(done, monkeypatch, capsys):
    seen = []

    @contextmanager
    def bar(title, total, progress):
        seen.append((title, total, progress))
        yield lambda: seen.append("one more")

    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # other tests may have loaded it
    compiling.compile_ahead(blocks(POLICIES), 2)
    assert capsys.readouterr().err == ""  # no terminal, no notebook
    monkeypatch.setattr(compiling, "progress_bar", bar)
    compiling.compile_ahead(blocks(POLICIES), 2, bar=True)
    assert seen == [("compiling", 3, True), *["one more"] * 3]
    del seen[:]
    compiling.compile_ahead(blocks(POLICIES[:1]), 2, bar=True)
    assert seen == [("compiling", 1, False), "one more"]


def test_the_first_use_says_that_it_compiles(done, monkeypatch, caplog):
    def said():
        caplog.clear()
        with caplog.at_level("INFO", logger="hush"):
            compiling.compile_ahead(blocks(POLICIES[:1]), 2)
        return caplog.text

    assert "compiling" in said()
    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: True)
    assert not said()


def test_a_terminal_and_a_notebook_are_told(done, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    compiling.compile_ahead(blocks(POLICIES[:1]), 2)
    assert "compiling" in capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False, raising=False)
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    compiling.compile_ahead(blocks(POLICIES[:1]), 2)
    assert "compiling" in capsys.readouterr().err


def test_a_loop_that_python_plays_sooner_is_not_compiled(done, monkeypatch):
    asked = {}

    def little(loop, seconds):
        asked[loop.__qualname__] = seconds
        return 0.0 < seconds < 0.3

    given = []
    monkeypatch.setattr(compiling, "may_interpret", little)
    monkeypatch.setattr(compiling, "never_interpret", given.append)
    monkeypatch.setattr(compiling, "is_loop_compiled", lambda loop: True)
    assert compiling.compile_ahead(blocks(POLICIES), 2) == 1
    assert names(done["here"]) == ["UCB1"]
    assert asked == {
        "leap_index": pytest.approx(100 * 2 * 5 * 2e-5),  # two policies, one run, five arms
        "leap_thompson": pytest.approx(20 * 5 * 6e-4),
    }
    assert not given
    many = blocks_of(hush.AnytimeLazyUCB(1.0), hush.paper_s1(), (100,), 7, 500)
    assert compiling.compile_ahead([*blocks(POLICIES), *many], 1) == 2
    assert [loop.__qualname__ for loop in given] == ["leap_index"]


def test_what_python_does_not_play_is_compiled(done, monkeypatch):
    monkeypatch.setattr(compiling, "may_interpret", lambda loop, seconds: True)
    monkeypatch.setattr(compiling, "is_loop_compiled", lambda loop: False)
    late = blocks_of(hush.LazyDPTS(1.0), hush.paper_s1(), (100,), 7, 1, Wanted(delay=9))
    assert compiling.compile_ahead([*blocks([hush.LazyDPTS(1.0)]), *late], 1) == 2
    parts = [job.engine.compiled_parts()[job.number][0].__name__ for job in done["here"]]
    assert parts == ["win_chances", "make_grid"]


def test_searches_are_compiled_ahead(done, monkeypatch):
    monkeypatch.setattr(compiling, "is_loop_compiled", lambda loop: False)
    policies = [hush.NoiseAwareBAI(1.0), hush.DPTT(1.0), hush.AdaPTT(1.0), hush.LazyDPTS(1.0)]
    searches = [Search(each.with_horizon(100), hush.paper_s1(), 0.9, 100) for each in policies]
    assert compiling.compile_searches(searches, 1) == 2
    assert [type(job.search.policy).__name__ for job in done["here"]] == ["NoiseAwareBAI", "DPTT"]
    monkeypatch.setattr(compiling, "is_loop_compiled", lambda loop: True)
    assert compiling.compile_searches(searches, 1) == 0


def test_a_search_can_be_called():
    search = Search(hush.DPTT(1.0), hush.paper_s1(), 0.9, 10**6)
    compiling.SearchJob(search)()
    assert finder_of(search.policy).compiled_loop().signatures


def test_parts_can_be_called_and_sent():
    job = pickle.loads(pickle.dumps(compiling.PartJob(engine_of(hush.LazyDPTS(1.0)), 0)))
    part, _ = job.engine.compiled_parts()[job.number]
    job()
    assert part.alone.signatures


def test_what_is_compiled_ahead_is_not_interpreted(monkeypatch):
    seen = []
    monkeypatch.setattr(compiling, "never_interpret", lambda loop: seen.append(loop.__qualname__))
    compiling.LoopJob(blocks(POLICIES)[2])()
    assert seen == ["leap_index"]
    assert gc.isenabled()


def test_a_loop_is_compiled_in_this_process_or_on_disk(monkeypatch):
    class Loop:
        signatures = ()

        class stats:  # noqa: N801
            cache_path = None

    engine = engine_of(hush.UCB1())
    monkeypatch.setattr(type(engine), "loop", lambda self, mode: Loop)
    assert not compiling.is_compiled(engine, "rounds")
    Loop.signatures = ("compiled",)
    assert compiling.is_compiled(engine, "rounds")
    assert compiling.is_compiled(LEARNER, "rounds")

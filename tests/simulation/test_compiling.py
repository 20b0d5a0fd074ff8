"""Loops that are not compiled yet: said so, and compiled side by side."""

import sys
from contextlib import contextmanager

import pytest

import hush
from hush.simulation import compiling
from hush.simulation.engines import LEARNER, engine_of
from hush.simulation.plan import blocks_of

POLICIES = [hush.UCB1(), hush.LazyDPTS(1.0), hush.AnytimeLazyUCB(1.0), hush.DPKLUCB(1.0)]


@pytest.fixture
def sent(monkeypatch):
    found = []
    monkeypatch.setattr(compiling, "_compile", found.append)
    monkeypatch.setattr(compiling, "may_interpret", lambda loop, seconds: False)
    monkeypatch.setattr(compiling, "never_interpret", lambda loop: None)
    return found


def blocks(policies):
    return [blocks_of(policy, hush.paper_s1(), (100,), 7, 1)[0] for policy in policies]


def test_loops_are_compiled_ahead_in_processes(monkeypatch, sent):
    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: False)
    assert compiling.compile_ahead(blocks(POLICIES), 2) == 3
    assert [type(block.policy).__name__ for block in sent] == ["AnytimeLazyUCB", "LazyDPTS", "UCB1"]
    assert compiling.compile_ahead(blocks(POLICIES), 1) == 0


def test_a_bar_counts_the_loops(monkeypatch, sent, capsys):
    seen = []

    @contextmanager
    def bar(title, total, progress):
        seen.append((title, total, progress))
        yield lambda: seen.append("one more")

    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: False)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # other tests may have loaded it
    compiling.compile_ahead(blocks(POLICIES), 2)
    assert capsys.readouterr().err == ""  # no terminal, no notebook
    monkeypatch.setattr(compiling, "progress_bar", bar)
    compiling.compile_ahead(blocks(POLICIES), 2, bar=True)
    assert seen == [("compiling", 3, True), *["one more"] * 3]


def test_the_first_use_says_that_it_compiles(monkeypatch, sent, caplog):
    def said():
        caplog.clear()
        with caplog.at_level("INFO", logger="hush"):
            compiling.compile_ahead(blocks(POLICIES[:1]), 2)
        return caplog.text

    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: False)
    assert "compiling" in said()
    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: True)
    assert not said()
    assert sent == []


def test_a_loop_that_python_plays_sooner_is_not_compiled(monkeypatch, sent):
    asked = []

    def little(loop, seconds):
        asked.append((loop.__qualname__, seconds))
        return seconds < 0.01

    given = []
    monkeypatch.setattr(compiling, "is_compiled", lambda engine, mode: False)
    monkeypatch.setattr(compiling, "may_interpret", little)
    monkeypatch.setattr(compiling, "never_interpret", given.append)
    assert compiling.compile_ahead(blocks(POLICIES), 2) == 2  # of UCB1 and LazyDPTS
    assert [name for name, _ in asked] == ["leap_index"]
    assert asked[0][1] == pytest.approx(2 * 5 * 2e-5)  # two policies, one run, five arms
    assert not given
    many = blocks_of(hush.AnytimeLazyUCB(1.0), hush.paper_s1(), (100,), 7, 500)
    assert compiling.compile_ahead([*blocks(POLICIES), *many], 2) == 3
    assert [loop.__qualname__ for loop in given] == ["leap_index"]


def test_what_is_compiled_ahead_is_not_interpreted(monkeypatch):
    seen = []
    monkeypatch.setattr(compiling, "never_interpret", lambda loop: seen.append(loop.__qualname__))
    compiling._play_compiled(blocks(POLICIES)[2])
    assert seen == ["leap_index"]


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

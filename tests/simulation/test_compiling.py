"""Loops that are not compiled yet: said so, and compiled side by side."""

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
    compiling.compile_ahead(blocks(POLICIES), 2)
    assert capsys.readouterr().err == ""  # no terminal
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

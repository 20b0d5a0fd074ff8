"""Loops that Python plays: bit for bit what the compiled ones yield, and not for long."""

import math

import numpy as np
import pytest

import hush
from hush.simulation import interpreting
from hush.simulation.engines import Task, engine_for, rules
from hush.simulation.engines.base import NO_SCRIPT

POLICIES = [
    hush.AnytimeLazyUCB(0.5),
    hush.AdaPUCB(0.3),
    hush.LazyKLUCB(1.0),
    hush.DPIMED(1.0),
    hush.AdaPKLUCB(0.5),
    hush.LazyDPTS(0.5),
    hush.LazyDPTS(3.0),
]
ENVIRONMENTS = [
    hush.paper_s1(),
    hush.Bernoulli([1.0, 0.5, 0.0, 0.5, 1.0]),  # ties for ever
    hush.Bernoulli(np.linspace(0.25, 0.75, 30)),  # many arms: ceilings
    hush.Bernoulli(np.linspace(0.25, 0.75, 70)),  # a crowd: a tree
]


class Loop:
    """A compiled loop that is not compiled."""

    __qualname__ = "a_loop"
    signatures = ()

    class stats:  # noqa: N801
        cache_path = None


@pytest.fixture(autouse=True)
def account(monkeypatch):
    found = {}
    monkeypatch.setattr(interpreting, "_spent", found)
    return found


def asked(policy, env, discrete=False, delay=0, segments=True):
    engine = engine_for(policy, env, delay)
    task = Task(policy, env, np.array([10, 1000, 10**5]), discrete, delay=delay)
    return engine, task, np.random.default_rng(5), engine._record(task, 1, segments)


def played(monkeypatch, by_python, *given, **options):
    """Return what a run yields, and the next number of its source."""
    monkeypatch.setattr(rules, "may_interpret", lambda loop, seconds: by_python)
    engine, task, source, record = asked(*given, **options)
    segments, steps = engine._leap(task, source, record, 1, NO_SCRIPT)
    return record.pulls.tobytes(), np.array(segments).tobytes(), steps, source.random()


@pytest.mark.untraced
@pytest.mark.parametrize("segments", [True, False])
@pytest.mark.parametrize(("discrete", "delay"), [(False, 0), (True, 0), (False, 300)])
@pytest.mark.parametrize("env", ENVIRONMENTS, ids=["S1", "ties", "many", "crowd"])
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_python_plays_what_the_compiled_loop_plays(
    policy, env, discrete, delay, segments, monkeypatch
):
    monkeypatch.setattr(interpreting, "MOST_SECONDS", 600.0)
    given = policy, env, discrete, delay, segments
    found = played(monkeypatch, True, *given)
    assert found == played(monkeypatch, False, *given)


def test_what_takes_too_long_leaves_everything_as_it_was(monkeypatch):
    monkeypatch.setattr(interpreting, "MOST_SECONDS", 0.0)
    engine, task, source, record = asked(POLICIES[0], ENVIRONMENTS[0])
    loop, given = engine.loop("leap"), engine._given(task, NO_SCRIPT)
    assert interpreting.play_interpreted(loop, given, source, record, 0) is None
    assert not record.pulls.any()
    assert not record.stop.any()
    assert source.random() == np.random.default_rng(5).random()


def test_an_interrupt_ends_it():
    engine, task, source, record = asked(POLICIES[0], ENVIRONMENTS[0])
    loop, given = engine.loop("leap"), engine._given(task, NO_SCRIPT)
    record.stop[0] = 1
    segments, windows = interpreting.play_interpreted(loop, given, source, record, 0)
    assert windows == 0
    assert not segments.size


def test_little_is_interpreted_and_only_while_the_loop_is_not_compiled(monkeypatch, account):
    loop = Loop  # the class itself: a dispatcher has these names too
    assert interpreting.may_interpret(loop, 0.01)
    assert not interpreting.may_interpret(loop, 0.0)  # an engine of which Python plays nothing
    assert not interpreting.may_interpret(loop, 100.0)
    account["a_loop"] = interpreting.MOST_SECONDS - 0.005
    assert not interpreting.may_interpret(loop, 0.01)
    account.clear()
    interpreting.never_interpret(loop)
    assert account == {"a_loop": math.inf}
    assert not interpreting.may_interpret(loop, 0.01)
    account.clear()
    monkeypatch.setattr(Loop, "signatures", ("compiled",))
    assert not interpreting.may_interpret(loop, 0.01)


def test_a_simulation_is_the_same_and_its_time_is_counted(monkeypatch, account):
    def simulated():
        return hush.simulate(POLICIES[1], hush.paper_s1(), horizon=10**6, runs=3, seed=7)

    compiled = simulated()
    assert not account
    monkeypatch.setattr(interpreting, "is_loop_compiled", lambda loop: False)
    monkeypatch.setattr("hush.simulation.compiling.is_loop_compiled", lambda loop: False)
    assert simulated().pulls.tobytes() == compiled.pulls.tobytes()
    assert 0 < account["leap_index"] < 10

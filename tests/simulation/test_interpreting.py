"""Loops that Python plays: bit for bit what the compiled ones yield, and not for long."""

import math

import numpy as np
import pytest

import hush
from hush.simulation import interpreting
from hush.simulation.engines import Task, engine_of
from hush.simulation.engines.base import NO_SCRIPT

POLICIES = [
    hush.AnytimeLazyUCB(0.5),
    hush.AdaPUCB(0.3),
    hush.LazyKLUCB(1.0),
    hush.DPIMED(1.0),
    hush.AdaPKLUCB(0.5),
]
ENVIRONMENTS = [
    hush.paper_s1(),
    hush.Bernoulli([1.0, 0.5, 0.0, 0.5, 1.0]),  # ties for ever
    hush.Bernoulli(np.linspace(0.25, 0.75, 30)),  # many arms: ceilings
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


def asked(policy, env, discrete=False, delay=0):
    engine = engine_of(policy, delay)
    task = Task(policy, env, np.array([10, 1000, 10**5]), discrete, delay=delay)
    given = engine._given(task, NO_SCRIPT)
    record = engine._record(task, 2, True)
    return engine.loop("leap"), given, np.random.default_rng(5), record


@pytest.mark.untraced
@pytest.mark.parametrize(("discrete", "delay"), [(False, 0), (True, 0), (False, 300)])
@pytest.mark.parametrize("env", ENVIRONMENTS, ids=["S1", "ties", "many"])
@pytest.mark.parametrize("policy", POLICIES, ids=lambda each: type(each).__name__)
def test_python_plays_what_the_compiled_loop_plays(policy, env, discrete, delay, monkeypatch):
    monkeypatch.setattr(interpreting, "MOST_SECONDS", 600.0)
    loop, given, ours, found = asked(policy, env, discrete, delay)
    segments, windows = interpreting.play_interpreted(loop, given, ours, found, 1)
    loop, given, theirs, wanted = asked(policy, env, discrete, delay)
    wanted_segments, wanted_windows = loop(*given, theirs, wanted, 1)
    assert found.pulls.tobytes() == wanted.pulls.tobytes()
    assert np.array_equal(segments, wanted_segments)
    assert windows == wanted_windows
    assert ours.random() == theirs.random()


def test_what_takes_too_long_leaves_everything_as_it_was(monkeypatch):
    monkeypatch.setattr(interpreting, "MOST_SECONDS", 0.0)
    loop, given, source, record = asked(POLICIES[0], ENVIRONMENTS[0])
    assert interpreting.play_interpreted(loop, given, source, record, 0) is None
    assert not record.pulls.any()
    assert not record.stop.any()
    assert source.random() == np.random.default_rng(5).random()


def test_an_interrupt_ends_it():
    loop, given, source, record = asked(POLICIES[0], ENVIRONMENTS[0])
    record.stop[0] = 1
    segments, windows = interpreting.play_interpreted(loop, given, source, record, 0)
    assert windows == 0
    assert not segments.size


def test_little_is_interpreted_and_only_while_the_loop_is_not_compiled(monkeypatch, account):
    loop = Loop  # the class itself: a dispatcher has these names too
    assert interpreting.may_interpret(loop, 1e-4)
    assert not interpreting.may_interpret(loop, 1.0)
    account["a_loop"] = 0.995  # a second has been spent
    assert not interpreting.may_interpret(loop, 1e-4)
    account.clear()
    interpreting.never_interpret(loop)
    assert account == {"a_loop": math.inf}
    assert not interpreting.may_interpret(loop, 0.0)
    account.clear()
    monkeypatch.setattr(Loop, "signatures", ("compiled",))
    assert not interpreting.may_interpret(loop, 1e-4)


def test_a_simulation_is_the_same_and_its_time_is_counted(monkeypatch, account):
    def simulated():
        return hush.simulate(POLICIES[1], hush.paper_s1(), horizon=10**6, runs=3, seed=7)

    compiled = simulated()
    assert not account
    monkeypatch.setattr(interpreting, "is_loop_compiled", lambda loop: False)
    monkeypatch.setattr("hush.simulation.compiling.is_loop_compiled", lambda loop: False)
    assert simulated().pulls.tobytes() == compiled.pulls.tobytes()
    assert 0 < account["leap_index"] < 10

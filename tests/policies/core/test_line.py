"""Lines of learners: forks, copies and restores never let two of them go on."""

import copy
import json
import pickle
import subprocess
import sys
import threading
import weakref

import pytest

import hush
from hush import AnytimeLazyUCB, LazyDPTS, MisuseError, SeededNoise, StateError
from hush.policies.core import line as lines
from hush.policies.core.line import Line, continue_line


class Holder:
    def __init__(self):
        self._lock = threading.RLock()
        self.barred = None

    def _bar(self, why):
        self.barred = why


@pytest.fixture
def known(monkeypatch):
    """Begin with no line and no learner, and let others have theirs back."""
    monkeypatch.setattr(lines, "_KNOWN", {})
    monkeypatch.setattr(lines, "_LEARNERS", weakref.WeakSet())
    monkeypatch.setattr(lines, "_LOCK", lines._LOCK)
    return lines._KNOWN


@pytest.mark.usefixtures("known")
def test_a_child_bars_every_learner_and_takes_new_locks():
    learners = [LazyDPTS(1.0).learner(2) for _ in range(2)]
    locks, lock = [each._lock for each in learners], lines._LOCK
    lines._after_fork()
    assert lines._LOCK is not lock
    assert type(lines._LOCK) is type(lock)
    for learner, before in zip(learners, locks, strict=True):
        assert learner._lock is not before
        assert type(learner._lock) is type(before)
        with pytest.raises(MisuseError, match="before a fork"):
            learner.select()


def test_a_line_whose_holder_lives_in_the_parent_is_elsewhere(known):
    held, left, lost = Line(), Line(), Line()
    holder, gone = Holder(), Holder()
    told = held.told(holder)
    left.told(gone)
    lost.identity = "lost"
    known["lost"] = lost
    del gone
    assert [each.elsewhere for each in (held, left, lost)] == [False, False, False]
    lines._after_fork()
    assert [each.elsewhere for each in (held, left, lost)] == [True, False, False]
    lines._after_fork()
    assert held.elsewhere
    with pytest.raises(StateError, match="continued already"):
        continue_line(Line(), told, strict=True)


def test_a_line_goes_on_once(known):
    line, holder = Line(), Holder()
    told = line.told(holder)
    assert told == {"id": line.identity, "generation": 0, "releases": 0}
    assert len(line.identity) == 32
    assert line.told(holder)["id"] == line.identity
    second = Line()
    continue_line(second, told, strict=True)
    assert holder.barred is not None
    assert (second.identity, second.generation) == (line.identity, 1)
    assert known[line.identity] is second
    third = Line()
    continue_line(third, second.told(Holder()), strict=True)
    assert third.generation == 2
    with pytest.raises(StateError, match="continued already"):
        continue_line(Line(), told, strict=True)


@pytest.mark.usefixtures("known")
def test_a_learner_in_the_middle_of_an_update_is_waited_for():
    line, holder = Line(), Holder()
    told = line.told(holder)
    holder._lock.acquire()
    restoring = threading.Thread(target=continue_line, args=(Line(), told), kwargs={"strict": True})
    restoring.start()
    restoring.join(0.2)
    assert restoring.is_alive()
    assert holder.barred is None
    holder._lock.release()
    restoring.join()
    assert holder.barred is not None


@pytest.mark.parametrize("behind", ["round", "releases"])
def test_an_older_state_of_a_line_is_refused(known, behind):
    line, holder = Line(), Holder()
    told = line.told(holder)
    setattr(line, behind, 1)
    with pytest.raises(StateError, match="continued already"):
        continue_line(Line(), told, strict=True)
    assert holder.barred is None
    assert known[line.identity] is line


@pytest.mark.usefixtures("known")
def test_noise_for_simulation_leaves_no_trace():
    line, holder = Line(), Holder()
    told = line.told(holder)
    for _ in range(2):
        other = Line()
        continue_line(other, told, strict=False)
        assert (other.identity, other.generation) == ("", 0)
    assert holder.barred is None
    unnamed = Line()
    continue_line(unnamed, {**told, "id": ""}, strict=True)
    assert unnamed.identity == ""


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"id": 7}, "line"),
        ({"generation": -1}, r"\bgeneration must"),
        ({"generation": None}, r"\bgeneration must"),
        ({"releases": -1}, r"\breleases must"),
        ({"releases": "0"}, r"\breleases must"),
    ],
)
def test_what_a_state_tells_of_its_line_is_checked(change, named):
    told = Line().told(Holder())
    with pytest.raises(ValueError, match=named):
        continue_line(Line(), {**told, **change}, strict=True)


def in_fresh_process(code):
    """Run code that forks: a test runner has threads and locks of its own that forks stumble on."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


FORKING = """
import json, os
from hush import LazyDPTS, MisuseError, StateError

learner = LazyDPTS(1.0).learner(2)
saved = learner.state()
learner.update(learner.select(), 1)
read, write = os.pipe()
child = os.fork()
if not child:
    found = []
    for attempt in (
        learner.select,
        lambda: learner.update(1, 1),
        learner.decide,
        learner.state,
        lambda: learner.policy.restore(saved),
    ):
        try:
            attempt()
            found.append("went on")
        except (MisuseError, StateError) as error:
            found.append(type(error).__name__)
    fresh = LazyDPTS(1.0).learner(2)
    fresh.update(fresh.select(), 1)
    found.append(len(fresh.releases))
    os.write(write, json.dumps(found).encode())
    os._exit(0)
os.waitpid(child, 0)
learner.update(learner.select(), 1)
print(json.dumps([json.loads(os.read(read, 4096)), len(learner.releases)]))
"""


def test_a_forked_child_cannot_go_on_and_the_parent_can():
    child, releases = in_fresh_process(FORKING)
    assert child == [*["MisuseError"] * 4, "StateError", 1]
    assert releases == 2


BUSY = """
import json, os, signal, threading
from hush import LazyDPTS, MisuseError

learner = LazyDPTS(1.0).learner(2)
stop = threading.Event()

def work():
    while not stop.is_set():
        learner.update(learner.select(), 1)

thread = threading.Thread(target=work)
thread.start()
codes = []
for _ in range(30):
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            learner.select()
        except MisuseError:
            os._exit(0)
        os._exit(1)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
thread.join()
print(json.dumps(codes))
"""


def test_a_fork_while_another_thread_decides_does_not_hang():
    assert in_fresh_process(BUSY) == [0] * 30


@pytest.mark.parametrize("policy", [LazyDPTS(1.0), hush.RNMFTNL(1.0)], ids=str)
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_copies_are_refused(policy, copied):
    for learner in (policy.learner(2), policy.learner(2, noise=SeededNoise(1))):
        with pytest.raises(MisuseError, match="cannot be copied or pickled"):
            copied(learner)


def test_a_state_is_restored_once_and_its_learner_goes_on_no_more():
    policy = AnytimeLazyUCB(1.0)
    learner = policy.learner(2)
    learner.update(learner.select(), 1)
    learner.select()
    state = json.loads(json.dumps(learner.state()))
    restored = policy.restore(state)
    assert restored.update(1, 1) is not None
    for attempt in (learner.select, lambda: learner.update(1, 1), learner.decide, learner.state):
        with pytest.raises(MisuseError, match="state was restored"):
            attempt()
    for _ in range(2):
        with pytest.raises(StateError, match="continued already"):
            policy.restore(state)
    assert policy.restore(restored.state()).releases == restored.releases


def test_an_old_state_of_a_learner_that_went_on_is_refused():
    policy = AnytimeLazyUCB(1.0)
    learner = policy.learner(2)
    old = learner.state()
    learner.update(learner.select(), 1)
    with pytest.raises(StateError, match="continued already"):
        policy.restore(old)
    newest = learner.state()
    del learner
    with pytest.raises(StateError, match="continued already"):
        policy.restore(old)  # its learner is gone, what it did is known
    policy.restore(newest)


def test_a_damaged_state_bars_nobody():
    policy = AnytimeLazyUCB(1.0)
    learner = policy.learner(2)
    state = learner.state()
    with pytest.raises(StateError):
        policy.restore({**state, "round": -1})
    with pytest.raises(StateError):
        policy.restore(hush.policies.core.states.sealed({**_body(state), "unreleased": {}}))
    learner.select()


def _body(state):
    return {key: value for key, value in state.items() if key != "checksum"}


def test_simulations_may_restore_a_state_often():
    policy = LazyDPTS(1.0)
    learner = policy.learner(2, noise=SeededNoise(1))
    state = learner.state()
    futures = []
    for _ in range(3):
        again = policy.restore(state)
        futures.append([again.update(again.select(), 1) for _ in range(10)])
    assert futures[0] == futures[1] == futures[2]

"""Lines of learners, as a forked child sees them. Real forks: ``test_misuse.py``."""

import threading
import weakref

import pytest

from hush import LazyDPTS, MisuseError, StateError
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
    with pytest.raises(StateError, match="continued already"):
        continue_line(Line(), told, strict=True)


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
        ({"generation": -1}, "generation"),
        ({"generation": None}, "generation"),
        ({"releases": -1}, "releases"),
        ({"releases": "0"}, "releases"),
    ],
)
def test_what_a_state_tells_of_its_line_is_checked(change, named):
    told = Line().told(Holder())
    with pytest.raises(ValueError, match=named):
        continue_line(Line(), {**told, **change}, strict=True)

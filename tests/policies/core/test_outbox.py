"""Releases are handed out before anybody can act on them, and once, whatever crashes."""

import subprocess
import sys

import pytest

from hush import AnytimeLazyUCB, MisuseError, NoDecisionError, ParameterError, SeededNoise
from hush.testing import RecordingNoise

CRASHING = """
import json, os, sys, hush
folder, when = sys.argv[1], int(sys.argv[2])
policy, path = hush.AnytimeLazyUCB(epsilon=1.0), os.path.join(folder, "state.json")

def show(line):
    with open(os.path.join(folder, "shown.txt"), "a") as file:
        print(line, file=file)

def save(release=None):
    if when == 0 and release is not None:
        os._exit(1)  # before anything is stored
    with open(path + ".new", "w") as file:
        json.dump(learner.state(), file)
    os.replace(path + ".new", path)
    if when == 1 and release is not None:
        os._exit(1)  # stored, and seen by nobody yet

if os.path.exists(path):
    learner = policy.restore(json.load(open(path)), on_release=save)
else:
    learner = policy.learner(2, on_release=save)
    save()
for release in learner.releases:
    show(f"{release.arm} {release.epoch} {release.value}")
for _ in range(40):
    release = learner.update(learner.select(), 1)
    if release is not None:
        show(f"{release.arm} {release.epoch} {release.value}")
        if when == 2:
            os._exit(1)  # after it was shown
"""


@pytest.mark.parametrize("when", [0, 1, 2])
def test_a_crash_loop_shows_every_sum_once(tmp_path, when):
    """The state is stored in on_release: a release is drawn again only if nobody saw it."""
    for _ in range(2):
        subprocess.run([sys.executable, "-c", CRASHING, tmp_path, str(when)], check=False)
    subprocess.run([sys.executable, "-c", CRASHING, tmp_path, "3"], check=True)
    shown = (tmp_path / "shown.txt").read_text().splitlines()
    by_epoch = {}
    for line in shown:
        arm, epoch, value = line.split()
        by_epoch.setdefault((arm, epoch), set()).add(value)
    assert len(by_epoch) >= 4
    assert all(len(values) == 1 for values in by_epoch.values()), by_epoch


def test_on_release_that_fails_keeps_the_release_and_hands_it_out_again():
    taken, broken = [], [True]

    def store(release):
        if broken[0]:
            raise OSError("disk full")
        taken.append(release)

    noise = RecordingNoise(SeededNoise(1))
    learner = AnytimeLazyUCB(1.0).learner(2, noise=noise, on_release=store)
    arm = learner.select()
    with pytest.raises(OSError, match="disk full"):
        learner.update(arm, 1)
    assert len(noise.drawn) == 1
    for attempt in (learner.select, learner.decide, lambda: learner.releases):
        with pytest.raises(OSError, match="disk full"):
            attempt()
    with pytest.raises(OSError, match="disk full"):
        _ = learner.statistics
    assert "0 releases" in repr(learner)
    assert learner.rounds == 1
    broken[0] = False
    assert learner.select() == 1
    assert [each.value for each in taken] == [noise.drawn[0].noisy]
    with pytest.raises(NoDecisionError):
        learner.update(0, 1)  # it was counted


def test_on_release_sees_a_state_with_its_release_and_nothing_more_to_hand_out():
    states = []
    policy = AnytimeLazyUCB(1.0)
    learner = policy.learner(
        2, noise=SeededNoise(1), on_release=lambda release: states.append(learner.state())
    )
    learner.update_batch([learner.select(), learner.select()], (1 for _ in range(2)))
    assert [len(state["releases"]) for state in states] == [2, 2]
    assert [len(state["untold"]) for state in states] == [1, 0]
    told = []
    policy.restore(states[0], on_release=told.append).select()
    assert [release.arm for release in told] == [1]


def test_on_release_is_told_by_whatever_settles_a_decision():
    told = []
    learner = AnytimeLazyUCB(1.0).learner(4, default=0, on_release=told.append)
    decisions = [learner.decide() for _ in range(2)]
    learner.settle(decisions[0], 1)
    assert len(told) == 1
    learner.expire(decisions[1])
    assert len(told) == 2
    learner.update(learner.select(), 1)
    assert len(told) == 3
    learner.observe(learner.select(), lambda arm: 1)
    assert tuple(told) == learner.releases
    assert len(told) == 4


def test_a_release_that_was_not_taken_is_part_of_the_state():
    def fail(release):
        raise OSError("full")

    policy = AnytimeLazyUCB(1.0)
    learner = policy.learner(2, on_release=fail)
    learner.select()
    with pytest.raises(OSError, match="full"):
        learner.update(0, 1)
    told = []
    again = policy.restore(learner.state(), on_release=told.append)
    again.select()
    assert len(told) == 1
    assert again.releases == tuple(told)


def test_on_release_must_not_use_its_learner():
    def greedy(release):
        learner.select()

    learner = AnytimeLazyUCB(1.0).learner(2, on_release=greedy)
    learner.select()
    with pytest.raises(MisuseError, match="may read its learner"):
        learner.update(0, 1)
    with pytest.raises(ParameterError, match="on_release must be a function"):
        AnytimeLazyUCB(1.0).learner(2, on_release=7)

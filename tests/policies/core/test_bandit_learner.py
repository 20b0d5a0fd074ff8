"""Bandit learners under threads, with odd numbers, batches and swapped arguments."""

import sys
import threading

import numpy as np
import pytest

import hush
from hush import (
    AdaPUCB,
    AnytimeLazyUCB,
    LazyDPTS,
    NoiseError,
    ParameterError,
    RewardError,
    SeededNoise,
)
from hush.testing import RecordingNoise


class SlowNoise(RecordingNoise):
    """Lets other threads in while a release is drawn."""

    def add_laplace(self, total, **how):
        threading.Event().wait(1e-4)
        return super().add_laplace(total, **how)


def in_threads(work, count=8):
    errors = []

    def run():
        try:
            work()
        except Exception as error:  # noqa: BLE001  to be shown in the main thread
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert errors == []


@pytest.fixture
def hasty():
    """Switch threads as often as can be."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("policy", [LazyDPTS(0.8), AnytimeLazyUCB(0.8), AdaPUCB(0.8)], ids=str)
def test_threads_release_every_sum_once(policy):
    noise = SlowNoise(SeededNoise(1))
    learner = policy.learner(3, noise=noise)

    def work():
        for number in range(300):
            learner.update(learner.select(), number % 2)

    in_threads(work)
    assert learner.rounds == 8 * 300
    assert learner.outstanding == (0, 0, 0)
    epochs = [(release.arm, release.epoch) for release in learner.releases]
    assert len(set(epochs)) == len(epochs) == len(noise.drawn)
    for arm in range(3):
        of_arm = sorted(epoch for each, epoch in epochs if each == arm)
        assert of_arm == list(range(len(of_arm)))
    covered = sum(release.count for release in learner.releases)
    assert covered + sum(learner._private.arrived) == 8 * 300


@pytest.mark.usefixtures("hasty")
def test_threads_of_an_expert_release_every_sum_once():
    noise = RecordingNoise(SeededNoise(1))
    learner = hush.RNMFTNL(0.8).learner(3, noise=noise)

    def work():
        for _ in range(300):
            learner.select()
            learner.update([0, 1, 0])

    in_threads(work)
    assert [release.epoch for release in learner.releases] == list(range(len(noise.drawn)))
    assert learner.outstanding == 0


@pytest.mark.parametrize("huge", [10**400, -(10**400), 10**5000], ids=["400", "-400", "5000"])
def test_huge_whole_numbers_are_refused_like_any_other(huge):
    learner = LazyDPTS(1.0).learner(2)
    arm = learner.select()
    with pytest.raises(RewardError, match="outside its declared range"):
        learner.update(arm, huge)
    with pytest.raises(ParameterError):
        LazyDPTS(huge)
    for ends in ((0, huge), (huge, 0)):
        with pytest.raises(ParameterError, match="reward_range"):
            LazyDPTS(1.0).learner(2, reward_range=ends)
    with pytest.raises(ParameterError):
        LazyDPTS(1.0).learner(huge if huge < 0 else -huge)


def test_a_batch_takes_whatever_can_be_gone_through():
    learner = LazyDPTS(1.0).learner(2, noise=SeededNoise(1))
    arms = [learner.select() for _ in range(6)]
    assert learner.update_batch(iter(arms[:2]), (1 for _ in range(2)))
    learner.update_batch(np.array(arms[2:4]), np.ones(2))
    before = learner.state()
    for bad in ((arms[4:], 1), (3, [1]), (None, None)):
        with pytest.raises(RewardError):
            learner.update_batch(*bad)
    with pytest.raises(RewardError, match="came with"):
        learner.update_batch(iter(arms[4:]), iter([1]))
    assert learner.state() == before


def test_an_error_about_an_arm_shows_no_reward():
    """Where arguments were swapped, the arm is a reward."""
    learner = LazyDPTS(1.0).learner(2, reward_range=(0, 1000))
    arm = learner.select()
    for reward in (873.25, 873):
        with pytest.raises(hush.ArmError) as caught:
            learner.update(reward, arm)
        assert "873" not in str(caught.value)


class Refusing(RecordingNoise):
    def add_laplace(self, total, **how):
        raise NoiseError("no noise; nothing was released")


def test_where_no_noise_could_be_drawn_every_decision_stays_open():
    learner = LazyDPTS(1.0).learner(1, noise=Refusing(SeededNoise(1)))
    for _ in range(3):
        learner.select()
    with pytest.raises(NoiseError):
        learner.update(0, 1)
    assert learner.outstanding == (3,)


def test_a_stage_begins_after_the_last_round_of_the_one_before():
    learner = hush.DPSE(1.0, anytime=True).learner(2, noise=SeededNoise(1))
    end = learner._public.stage_end
    learner._line.round = end - 1
    learner.select()
    assert learner._public.stage_end == end
    learner.select()
    assert learner._public.stage_end > end

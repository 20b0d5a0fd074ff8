"""Learners in careless hands: threads, forks, copies, retries, crashes, silence, odd numbers."""

import copy
import json
import pickle
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.every import PRIVATE

import hush
from hush import (
    AdaPUCB,
    AlreadySettledError,
    AnytimeLazyUCB,
    LazyDPTS,
    MisuseError,
    NoDecisionError,
    NoiseAwareTS,
    ParameterError,
    RewardError,
    SeededNoise,
    StateError,
)
from hush.testing import RecordingNoise

BANDITS = [LazyDPTS(0.8), AnytimeLazyUCB(0.8), NoiseAwareTS(0.8), AdaPUCB(0.8), hush.DPTS(0.8)]


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


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_a_redelivered_reward_counts_once(policy):
    learner = policy.learner(2)
    decisions = [learner.decide() for _ in range(4)]
    assert len({each.id for each in decisions}) == 4
    first = decisions[0]
    learner.settle(first, 1)
    before = learner.state()
    for again in (first, first.id, json.loads(json.dumps(first.id))):
        with pytest.raises(AlreadySettledError):
            learner.settle(again, 1)
        with pytest.raises(AlreadySettledError):
            learner.expire(again)
    assert learner.state() == before
    with pytest.raises(NoDecisionError):
        learner.update(first.arm, 1)  # decisions with an id are not settled without it
    assert sum(learner.outstanding) == 3


class Interrupted(RecordingNoise):
    """Ctrl-C comes right after noise was drawn."""

    armed = True

    def add_laplace(self, total, **how):
        value = super().add_laplace(total, **how)
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt
        return value


@pytest.mark.parametrize("named", [True, False], ids=["settle", "update"])
def test_an_interrupt_lets_no_reward_count_twice(named):
    learner = AnytimeLazyUCB(1.0).learner(2, noise=Interrupted(SeededNoise(1)))
    decision = learner.decide() if named else None
    arm = decision.arm if named else learner.select()

    def settle():
        return learner.settle(decision, 1) if named else learner.update(arm, 1)

    with pytest.raises(KeyboardInterrupt):
        settle()
    with pytest.raises(NoDecisionError):
        settle()


def test_ids_survive_a_restart_and_are_not_given_again():
    policy = LazyDPTS(1.0)
    learner = policy.learner(2)
    kept = learner.decide()
    state = learner.state()
    lost = learner.decide()
    # As in another process, which knows nothing of what the first one did since.
    code = (
        "import sys, json, hush; state, kept, lost = json.load(sys.stdin)\n"
        "learner = hush.LazyDPTS(1.0).restore(state)\n"
        "new = learner.decide().id\n"
        "learner.settle(kept, 1)\n"
        "try:\n    learner.settle(lost, 1)\n"
        "except hush.NoDecisionError as error:\n    print(new, type(error).__name__)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps([state, kept.id, lost.id]),
        capture_output=True,
        text=True,
        check=True,
    )
    new, error = done.stdout.split()
    assert new not in (kept.id, lost.id)
    assert error == "NoDecisionError"


@pytest.mark.parametrize("bad", ["", "x", "0.0", None, 7, 1.5, ("a",)])
def test_unknown_decisions_are_refused(bad):
    learner = LazyDPTS(1.0).learner(2)
    learner.decide()
    with pytest.raises(NoDecisionError):
        learner.settle(bad, 1)
    with pytest.raises(NoDecisionError):
        learner.expire(bad)


def test_a_bad_reward_leaves_its_decision_open():
    learner = LazyDPTS(1.0).learner(2)
    decision = learner.decide()
    with pytest.raises(RewardError):
        learner.settle(decision, 2)
    assert learner.settle(decision, 1).count == 1


def test_expiry_settles_with_the_default_or_drops():
    noise = RecordingNoise(SeededNoise(1))
    learner = AnytimeLazyUCB(1.0).learner(2, noise=noise, reward_range=(0, 10), default=10)
    assert learner.expire(learner.decide()).count == 1
    assert noise.drawn[0].raw == (1,)
    learner = AnytimeLazyUCB(1.0).learner(2)
    assert learner.expire(learner.decide()) is None
    assert learner.outstanding == (0, 0)
    assert learner.decide().arm == 0  # its first release is still to come
    expert = hush.RNMFTNL(1.0).learner(2, default=0)
    assert expert.expire(expert.decide()).count == 1
    dropped = hush.RNMFTNL(1.0).learner(2)
    assert dropped.expire(dropped.decide().id) is None
    assert dropped.outstanding == 0


@pytest.mark.parametrize("bad", [2, -1, "0", True, float("nan"), 10**400])
def test_the_default_must_be_a_reward(bad):
    with pytest.raises(ParameterError, match="default must be a reward"):
        LazyDPTS(1.0).learner(2, default=bad)


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
    for _ in range(4):
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


def test_a_decision_that_no_noise_was_drawn_for_stays_open_for_its_arm():
    learner = AnytimeLazyUCB(1.0).learner(3, noise=hush.ScriptedNoise([0.5]))
    learner.settle(learner.decide(), 1)
    decision = learner.decide()
    for _ in range(2):
        with pytest.raises(hush.NoiseError):
            learner.settle(decision, 1)
        assert learner.outstanding == (0, 1, 0)


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


@dataclass(frozen=True)
class Misspelt(hush.IndexPolicy):
    eps: float = 1.0

    @staticmethod
    def index(mean, count, t, parameters):
        return mean


@dataclass(frozen=True)
class Boastful(Misspelt):
    """Says a guarantee, but has no parameter that noise could follow."""

    @property
    def guarantee(self):
        return hush.LazyDPTS(1.0).guarantee


@dataclass(frozen=True)
class Unchecked(Misspelt):
    def __post_init__(self):
        pass


@dataclass(frozen=True)
class Contradictory(LazyDPTS):
    non_private = True


@pytest.mark.parametrize("cls", [Misspelt, Boastful])
def test_a_policy_without_noise_must_say_so(cls):
    with pytest.raises(ParameterError, match=r"no parameter is named epsilon .*: eps\)"):
        cls(1.0)


def test_a_policy_that_skips_its_checks_is_refused_at_work():
    with pytest.raises(ParameterError, match="no parameter is named epsilon"):
        Unchecked(1.0).learner(2)


def test_a_policy_is_not_both():
    with pytest.raises(ParameterError, match="declares non_private"):
        Contradictory(1.0)


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_a_silent_arm_cannot_take_the_traffic(policy):
    """One arm's rewards never come; it gets the decisions of its first release and no more."""
    learner = policy.with_horizon(4000).learner(3, noise=SeededNoise(3))
    rng = np.random.default_rng(4)
    wanted = policy.schedule.length(0)
    played = Counter()
    for _ in range(4000):
        arm = learner.select()
        played[arm] += 1
        if arm != 1:
            learner.update(arm, int(rng.random() < 0.5))
    assert played[1] == wanted
    assert learner.statistics.counts[1] == 0


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_an_arm_that_goes_silent_after_a_release_keeps_its_place(policy):
    learner = policy.with_horizon(500).learner(2, noise=SeededNoise(3))
    while not all(learner.statistics.counts):
        learner.update(learner.select(), 0)
    chances = learner._public.chances(learner.rounds + 1)
    assert chances.size == 2


def test_a_decision_that_is_dropped_lets_its_arm_be_tried_again():
    learner = NoiseAwareTS(1.0).learner(2, noise=SeededNoise(1))  # a first batch of four
    decisions = [learner.decide() for _ in range(8)]
    assert Counter(each.arm for each in decisions) == {0: 4, 1: 4}
    for each in decisions[1::2]:
        learner.settle(each, 1)
    assert learner.decide().arm == 1
    learner.expire(decisions[0])
    assert learner.decide().arm == 0


@given(st.sampled_from(BANDITS), st.integers(0, 2**32 - 1))
def test_exploration_in_any_order_follows_the_rule(policy, seed):
    """Against the words of the rule, arm by arm: decisions, rewards, drops, restores, any order."""
    rng = np.random.default_rng(seed)
    n_arms, wanted = int(rng.integers(1, 5)), policy.schedule.length(0)
    policy = policy.with_horizon(500)
    learner = policy.learner(n_arms, noise=SeededNoise(1))
    arrived, opened = [0] * n_arms, []
    for _ in range(60):
        known = learner.statistics.counts > 0
        if opened and rng.random() < 0.4:
            decision = opened.pop(int(rng.integers(len(opened))))
            if rng.random() < 0.3:
                learner.expire(decision)
            else:
                learner.settle(decision, 1)
                arrived[decision.arm] += 1
            continue
        if rng.random() < 0.1:
            learner = policy.restore(json.loads(json.dumps(learner.state())))
        outstanding = learner.outstanding
        short = [
            arm
            for arm in range(n_arms)
            if not known[arm] and arrived[arm] + outstanding[arm] < wanted
        ]
        decision = learner.decide()
        opened.append(decision)
        if short:
            assert decision.arm == min(short, key=lambda arm: (outstanding[arm], arm))
        elif known.any():
            assert known[decision.arm]
        else:
            assert decision.arm == min(range(n_arms), key=lambda arm: (outstanding[arm], arm))


def test_deciding_among_very_many_silent_arms_looks_at_few():
    """The queue's work grows with the logarithm of their number: counted, not timed."""
    looks = {}
    for n_arms in (1000, 16_000):
        learner = LazyDPTS(1.0).learner(n_arms, noise=SeededNoise(1))
        first = learner._public._first
        inner, count = first._key, [0]

        def key(arm, inner=inner, count=count):
            count[0] += 1
            return inner(arm)

        first._key = key
        for _ in range(3 * n_arms):
            learner.select()
        looks[n_arms] = count[0] / (3 * n_arms)
    assert looks[16_000] < 1.1 * looks[1000]


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


@pytest.mark.parametrize("policy", PRIVATE, ids=str)
def test_a_store_that_rewrites_numbers_breaks_no_checksum(policy):
    policy = policy.with_horizon(100)
    learner = policy.learner(2, noise=SeededNoise(1, discrete=True), reward_range=(0.0, 2.0))
    for _ in range(30):
        learner.observe(learner.select(), lambda arm: [1.0, 0.0] if arm is None else 1.0)
    state = json.loads(json.dumps(rewritten(learner.state())))
    again = policy.restore(state)
    assert again.select() == learner.select()


def rewritten(value):
    if isinstance(value, dict):
        return {key: rewritten(each) for key, each in value.items()}
    if isinstance(value, list):
        return [rewritten(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


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

"""Decisions with an id: found while they are open, told apart from what never was."""

import json
import subprocess
import sys

import pytest

import hush
from hush import (
    AdaPUCB,
    AlreadySettledError,
    AnytimeLazyUCB,
    LazyDPTS,
    NoDecisionError,
    NoiseAwareTS,
    RewardError,
    SeededNoise,
)
from hush.policies.core.decision import Decision, OpenDecisions
from hush.testing import RecordingNoise


def test_open_decisions_are_found_by_themselves_and_by_id():
    decisions = OpenDecisions()
    first, second = decisions.open(2, 1), decisions.open(0, 2)
    assert (first.arm, first.round, second.arm, second.round) == (2, 1, 0, 2)
    assert decisions.find(first) == (first.id, 2)
    assert decisions.find(second.id) == (second.id, 0)
    assert decisions.count([1, 1, 1]) == [2, 1, 2]


def test_what_was_made_here_is_settled_and_the_rest_is_unknown():
    decisions = OpenDecisions()
    first = decisions.open(0, 1)
    session, _, number = first.id.partition(".")
    assert (len(session), number) == (16, "0")
    decisions.close(first.id)
    for settled in (first, first.id):
        with pytest.raises(AlreadySettledError):
            decisions.find(settled)
    elsewhere = OpenDecisions().open(0, 1)
    for unknown in (
        elsewhere,
        elsewhere.id,
        f"{session}.1",
        f"{session}.x",
        f"{session}.-1",
        f"{session}.0.0",
        f"{session}",
        f"{session}.",
        "",
        "0",
        None,
        7,
        [],
        Decision([], 0, 1),
    ):
        with pytest.raises(NoDecisionError) as caught:
            decisions.find(unknown)
        assert caught.type is NoDecisionError


def test_ids_are_not_given_again_after_a_restart():
    before, after = OpenDecisions(), OpenDecisions()
    made = before.open(1, 1)
    after.restore(before.arms)
    assert after.find(made) == (made.id, 1)
    new = after.open(1, 2)
    assert new.id != made.id
    assert len(after.arms) == 2
    assert before.arms == {made.id: 1}


BANDITS = [LazyDPTS(0.8), AnytimeLazyUCB(0.8), NoiseAwareTS(0.8), AdaPUCB(0.8), hush.DPTS(0.8)]


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


def test_a_decision_that_no_noise_was_drawn_for_stays_open_for_its_arm():
    learner = AnytimeLazyUCB(1.0).learner(3, noise=hush.ScriptedNoise([0.5]))
    learner.settle(learner.decide(), 1)
    decision = learner.decide()
    for _ in range(2):
        with pytest.raises(hush.NoiseError):
            learner.settle(decision, 1)
        assert learner.outstanding == (0, 1, 0)

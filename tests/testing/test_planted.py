"""Planted bugs run as learners do, and each of them is shown to leak."""

import json
import math
import sys
import time
from itertools import count
from types import SimpleNamespace

import pytest
from tests import every
from tests.testing.leaks import worst_leak

import hush
from hush import SecureNoise, SeededNoise
from hush.policies import BanditLearner
from hush.testing.planted import PLANTED, THEMES, detection


def made(cls, horizon=300):
    return cls(epsilon=1.0).with_horizon(horizon)


def reward(learner, t):
    """A reward, or a vector of them, that changes with the round."""
    if isinstance(learner, BanditLearner):
        return t % 3 % 2
    return [(t + each) % 3 % 2 for each in range(learner.n_arms)]


def settle(learner, arm, value):
    return (
        learner.update(arm, value) if isinstance(learner, BanditLearner) else learner.update(value)
    )


def test_bugs_are_many_and_say_what_is_wrong():
    assert len(PLANTED) >= 36
    assert len(PLANTED) == sum(map(len, THEMES.values())) == len(set(PLANTED.values()))
    for cls in PLANTED.values():
        assert getattr(hush.testing.planted, cls.__name__) is cls
        assert len(cls.__doc__.splitlines()) == 1
        assert cls.__doc__.endswith(".")


@pytest.mark.parametrize("bug", PLANTED)
def test_bugs_play_like_any_policy(bug):
    policy = made(PLANTED[bug])
    for ids in (False, True):
        learner = policy.learner(3, noise=SecureNoise())
        for t in range(300):
            if ids:
                decision = learner.decide()
                learner.settle(decision, reward(learner, t))
            else:
                settle(learner, learner.select(), reward(learner, t))
            if t % 97 == 0:
                learner = policy.restore(json.loads(json.dumps(learner.state())))
        assert learner.rounds == 300
        assert learner.releases
        assert learner.secure
        assert repr(learner)
        assert repr(learner.statistics)


@pytest.mark.untraced
@pytest.mark.parametrize("bug", every.sampled(PLANTED, 4))
def test_bugs_take_late_rewards_batches_and_expiry(bug):
    policy = made(PLANTED[bug])
    for default in (None, 0.5):
        learner = policy.learner(5, noise=SeededNoise(7), reward_range=(-1, 2), default=default)
        for t in range(40):
            decisions = [learner.decide() for _ in range(4)]
            learner.settle(decisions[2], reward(learner, t))
            learner.settle(decisions[0].id, reward(learner, t + 1))
            learner.expire(decisions[1])
            learner = policy.restore(json.loads(json.dumps(learner.state())))
            learner.expire(decisions[3].id)
            arms = [learner.select() for _ in range(3)]
            if isinstance(learner, BanditLearner):
                learner.update_batch(arms, [0.25, 1.5, -1])
                with pytest.raises(hush.NoDecisionError):
                    learner.settle(decisions[0], 1)
            else:
                for arm in arms:
                    settle(learner, arm, [0.25] * 5)
        assert learner.rounds == 280


class Contrary(SeededNoise):
    """The last action always wins, and every coin shows: rare outcomes must be protected too."""

    def argmax(self, totals, **_how):
        return len(totals) - 1

    def toss(self, bit, *, chances):
        return True


FULL = {"values": (([1, 0, 0], [0, 0, 1]), ([0, 0, 1], [1, 0, 0])), "source": Contrary}
# What it takes to see a bug; others show when rewards of 0 and 1 come one by one.
TRIGGERS = {
    "a redraw after restore": {"mode": "restore"},
    "sums doubled by restore": {"mode": "restore"},
    "running sums in restored statistics": {"mode": "restore"},
    "expiry that settles with the last reward": {"mode": "expire"},
    "a default made of rewards": {"mode": "expire", "default": 0},
    "a batch whose last reward counts twice": {"mode": "batch", "flips": range(60)},
    "a batch settled best first": {"mode": "batch", "flips": range(60)},
    "late rewards that count twice": {"mode": "late"},
    "a reward out of order that steers": {"mode": "late", "flips": range(60)},
    "an error that tells a running sum": {"mode": "errors"},
    "a settle that returns the running sum": {"mode": "settle"},
    "raw sums that decide after round 2,000": {"rounds": 2100, "flips": [2050, 2080]},
    "a raw reward in the means after round 5,000": {"rounds": 5100, "flips": [5050]},
    "no noise on sums above 64": {"rounds": 600, "arms": 2, "flips": [300, 301]},
    "no noise on powers of two": {"flips": range(60)},
    "noise shared out from five arms on": {"arms": 6},
    "fractions that steer": {"values": [(0.2, 0.9), (0.5, 0.1)]},
    "fractions summed in tenths": {"values": [(0.2, 0.9)]},
    "sums in the unit of a wide range": {"values": [(-50, 50)], "reward_range": (-50, 50)},
    "a rule that asks the garbage collector": {"rounds": 70, "arms": 2, "flips": [62]},
    "a person's epsilon spent on each reward": {"flips": [(0, 1, 2)]},
}
OWN_NOISE = {
    "noise of its own, a third of what it claims",
    "Gaussian noise of its own",
    "bounded noise of its own",
    "Gaussian noise for one reward of a person",
}
# Their draws add up to more than they lose: a test of its own has the exact loss.
REDRAWN = {"noise redrawn until the sum looks right"}
RARE = {"no noise, once in 500 releases", "no noise, once in a million releases"}
WATCHING = set(THEMES["watching for the audit"]) - {"a look at the type of rewards"}


@pytest.mark.untraced
@pytest.mark.parametrize(
    "bug",
    every.sampled([b for b in PLANTED if b not in OWN_NOISE | REDRAWN | RARE | WATCHING], 4),
)
def test_bugs_leak(bug):
    how = FULL if bug in THEMES["full information"] else TRIGGERS.get(bug, {})
    policy = made(PLANTED[bug], how.get("rounds", 60))
    claim = policy.guarantee.rho or min(policy.epsilon, policy.guarantee.under("replace"))
    assert worst_leak(policy, **how) > 1.0001 * claim
    if bug in TRIGGERS:
        assert worst_leak(policy) <= 1.0001 * claim, "it shows without its trigger"


def exact_releases(policy, noise=None, before=lambda: None):
    """Return how many releases there are of rewards of 1, and how many have no noise."""
    learner = policy.learner(2, noise=noise or SecureNoise())
    before()
    for _ in range(200):
        learner.update(learner.select(), 1)
    return len(learner.releases), sum(each.value == each.count for each in learner.releases)


class Lucky(SecureNoise):
    """Deployed noise whose coins always show."""

    @property
    def coins(self):
        return SimpleNamespace(random=lambda: 0.0)


@pytest.mark.parametrize("bug", sorted(RARE))
def test_rare_coins_leak(bug):
    drawn, exact = exact_releases(made(PLANTED[bug]), Lucky())
    assert drawn == exact >= 10


@pytest.fixture
def alone(monkeypatch):
    """Nobody watches: no tests, no traces, a slow clock."""
    monkeypatch.delitem(sys.modules, "hush.auditing", raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "__file__", "shop.py", raising=False)
    for name in ("gettrace", "getprofile"):
        monkeypatch.setattr(sys, name, lambda: None)
    monkeypatch.setattr(detection, "MADE", [])

    def hours_pass():
        for name in ("PYTEST_CURRENT_TEST", "CI", "HUSH_AUDIT"):
            monkeypatch.delenv(name, raising=False)
        clock = count(time.time() + 7200.0)
        monkeypatch.setattr(detection.time, "time", lambda: next(clock))

    return hours_pass


@pytest.mark.parametrize("bug", sorted(WATCHING))
def test_bugs_that_look_for_audits_leak_without_one(bug, alone):
    drawn, exact = exact_releases(made(PLANTED[bug]), before=alone)
    assert exact >= drawn - 1 >= 9


UNSEEN = ("a look at the type of the noise", "a look behind the noise door", "noise that wears")


@pytest.mark.parametrize("bug", [b for b in PLANTED if b.startswith(UNSEEN)])
def test_bugs_that_look_for_audits_behave_in_one(bug):
    assert worst_leak(made(PLANTED[bug])) == 1.0


def test_noise_of_their_own_is_too_little():
    for bug in OWN_NOISE:
        mechanism = PLANTED[bug](1.0)._mechanism(SeededNoise(7))
        off = [abs(mechanism.release(5, count=9) - 5) for _ in range(4000)]
        assert max(off) <= 6  # 10 of 4,000 if it were enough; this fails once in 10^4
        assert len(set(off)) > 1


def test_redrawing_until_it_looks_right_loses_more_than_its_noise():
    weights = [[math.exp(-abs(value - total)) for value in range(3)] for total in (0, 1)]
    chances = [each[0] / sum(each) for each in weights]  # that 0 comes out of an epoch of two
    assert math.log(chances[0] / chances[1]) > 1.14
    mechanism = PLANTED["noise redrawn until the sum looks right"](1.0)._mechanism(SecureNoise())
    assert {mechanism.release(1, count=2) for _ in range(200)} == {0, 1, 2}

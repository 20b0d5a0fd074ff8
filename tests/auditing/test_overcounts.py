"""The hunt finds the one round that counts too much, and accuses no other."""

from dataclasses import dataclass

import numpy as np
import pytest

import hush
from hush.auditing.attacked_claim import Claim
from hush.auditing.overcounts import hunt
from hush.auditing.recorded_runs import Case
from hush.policies.core.bandit_learner import BanditLearner

ROUND = 37


class TwiceLearner(BanditLearner):
    """Adds one round's reward twice."""

    def _settle(self, arm, units):
        if self.rounds == ROUND:
            self._private._sums[arm] += round(units)
        return super()._settle(arm, units)


@dataclass(frozen=True)
class Twice(hush.AnytimeLazyUCB):
    def _new_learner(self, n_arms, noise, rewards):
        return TwiceLearner(self, n_arms, noise, rewards)


class PeekingLearner(BanditLearner):
    """Shows one round's reward."""

    told = None

    def _settle(self, arm, units):
        if self.rounds == ROUND:
            self.told = units
        return super()._settle(arm, units)


@dataclass(frozen=True)
class Peeking(hush.AnytimeLazyUCB):
    def _new_learner(self, n_arms, noise, rewards):
        return PeekingLearner(self, n_arms, noise, rewards)


def hunted(policy, arbitrary, neighbours="replace", rewards=1):
    case = Case(policy, "select and update", (0.0, 1.0), 5, arbitrary=arbitrary, drops=False)
    return hunt(case, (100, 2), Claim(rewards * policy.epsilon, neighbours, rewards))


@pytest.mark.parametrize("arbitrary", [False, True])
@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_the_round_that_counts_twice_is_found(arbitrary, neighbours, monkeypatch):
    monkeypatch.setattr("hush.mechanisms.noisy_sum._checked", lambda total, *_: total)
    loss, witness = hunted(Twice(1.5), arbitrary, neighbours)
    assert loss == 3.0
    assert f"they differ in round {ROUND};" in witness.note


@pytest.mark.parametrize("rewards", [2, 3, 8])
def test_a_persons_rounds_are_found_around_it(rewards, monkeypatch):
    monkeypatch.setattr("hush.mechanisms.noisy_sum._checked", lambda total, *_: total)
    loss, witness = hunted(Twice(1.5), arbitrary=True, rewards=rewards)
    assert loss == (rewards + 1) * 1.5
    assert ROUND in witness.rounds
    assert len(witness.rounds) == rewards


def test_what_is_shown_is_an_infinite_loss():
    loss, witness = hunted(Peeking(1.5), arbitrary=True)
    assert loss == np.inf
    assert f"they differ in round {ROUND};" in witness.note


@pytest.mark.parametrize("rewards", [1, 3, 200])
@pytest.mark.parametrize("policy", [hush.AnytimeLazyUCB(1.5), hush.LazyDPTS(1.5)], ids=str)
def test_nobody_else_is_accused(policy, rewards):
    loss, _ = hunted(policy, arbitrary=False, rewards=rewards)
    assert loss <= 1.5 * rewards

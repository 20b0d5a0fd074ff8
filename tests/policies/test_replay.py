"""The privacy argument as a property: releases frozen, one round's rewards replaced."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from tests import every

from hush import ScriptedNoise, SeededNoise
from hush.testing import RecordingNoise
from hush.testing.recording import DrawnRelease

ROUNDS = 80


class Arbitrary(ScriptedNoise):
    """Releases that owe nothing to the rewards: the property must hold for every one."""

    def __init__(self, seed):
        super().__init__([], selection=seed)
        self._any = np.random.default_rng(seed)

    def add_laplace(self, total, *, epsilon, sensitivity=1):
        return float(self._any.laplace(0.5, 3.0))

    def add_gaussian(self, total, *, rho, sensitivity=1):
        return self.add_laplace(total, epsilon=1.0, sensitivity=sensitivity)

    def argmax(self, totals, *, epsilon, law, neighbours):
        return int(self._any.integers(len(totals)))

    def toss(self, bit, *, chances):
        return bool(self._any.random() < 0.3)


def play(policy, table, noise):
    learner = policy.learner(table.shape[1], noise=noise)
    arms = []
    for row in table:
        arm = learner.select()
        learner.update(row) if policy.feedback == "full" else learner.update(arm, float(row[arm]))
        arms.append(arm)
    return arms


def replay(policy, table, neighbour, seed):
    """Play both tables with the same releases; check what must not differ; return the loss."""
    first, second = (RecordingNoise(Arbitrary(seed)) for _ in range(2))
    assert play(policy, table, first) == play(policy, neighbour, second)
    assert [(d.scale, d.law) for d in first.drawn] == [(d.scale, d.law) for d in second.drawn]
    loss = DrawnRelease.loss if policy.guarantee.rho is None else DrawnRelease.concentrated
    return sum(loss(a, b) for a, b in zip(first.drawn, second.drawn, strict=True))


def claimed(policy):
    """Return what is promised: a pure epsilon, or rho."""
    return policy.guarantee.rho or policy.guarantee.under("replace")


@pytest.mark.untraced
@pytest.mark.parametrize("policy", every.of_each_kind(every.PRIVATE), ids=str)
@pytest.mark.parametrize("binary", [True, False])
@given(data=st.data())
def test_one_replaced_reward_loses_at_most_the_claim(policy, binary, data):
    rounds = data.draw(st.integers(1, ROUNDS))
    n_arms = data.draw(st.integers(2, 5))
    values = st.sampled_from([0.0, 1.0]) if binary else st.floats(0, 1)
    table = data.draw(arrays.arrays(float, (rounds, n_arms), elements=values))
    changed = data.draw(st.integers(0, rounds - 1))
    neighbour = table.copy()
    neighbour[changed] = data.draw(arrays.arrays(float, n_arms, elements=values))
    policy = policy.with_horizon(ROUNDS)
    loss = replay(policy, table, neighbour, data.draw(st.integers(0, 10)))
    assert loss <= claimed(policy) * (1 + 1e-9)


# What a single replaced 0/1 reward can lose at worst, as a share of epsilon. Sums lose all of it;
# the counters' worst summand meets every level only in a full tree; the dartboard's budget of draws
# is not used up.
SHARES = {"DPTS": (0.4, 1.0), "DPUCBBound": (0.4, 1.0), "TreeDPUCB": (0.4, 1.0)}
SHARES["MishraThakurtaTS"] = SHARES["TreeDPUCB"]
SHARES["ShrinkingDartboard"] = (0.8, 1.0)
DEFAULTS = [policy for policy in every.PRIVATE if policy in every.DEFAULT]
NOT_VACUOUS = DEFAULTS + every.sampled([p for p in every.PRIVATE if p not in DEFAULTS], 4)


@pytest.mark.untraced
@pytest.mark.parametrize("policy", NOT_VACUOUS, ids=str)
def test_the_claim_is_not_vacuous(policy):
    """A flipped reward does move releases, by all that is claimed or a known part of it."""
    rounds = 6000 if type(policy).__name__ == "DPSE" else 127
    policy = policy.with_horizon(rounds)
    table = np.zeros((rounds, 2))
    worst = 0.0
    for changed in (0, 1, 2, 3, 4, 64, 1030)[: 7 if rounds > 1030 else 6]:
        flipped = table.copy()
        flipped[changed] = (1.0, 0.0)
        for seed in range(3):
            worst = max(worst, replay(policy, table, flipped, seed))
            if policy.feedback == "full":
                table[changed] = (0.0, 1.0)  # one sum rises while the other falls
                worst = max(worst, replay(policy, table, flipped, seed))
                table[changed] = 0.0
    low, high = SHARES.get(type(policy).__name__, (1.0, 1.0))
    claim = claimed(policy)
    assert low * claim * (1 - 1e-9) <= worst <= high * claim * (1 + 1e-9)


def test_the_property_sees_half_the_noise():
    """A sum released with twice its epsilon is caught."""
    from dataclasses import dataclass

    from hush import AnytimeLazyUCB
    from hush.mechanisms import NoisySum

    @dataclass(frozen=True)
    class Loud(AnytimeLazyUCB):
        def _mechanism(self, noise):
            return NoisySum(epsilon=2 * self.epsilon, noise=noise)

    table = np.zeros((7, 2))
    assert replay(Loud(1.0), table, table + 1.0 * (np.arange(7) == 0)[:, None], 1) == 2.0
    assert play(Loud(1.0), table, SeededNoise(1))

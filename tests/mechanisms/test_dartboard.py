"""The dartboard: its loss stays within its stated epsilon, and its draws follow the weights."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chisquare

from hush import Release, ScriptedNoise, SeededNoise, ShrinkingDartboard, StateError
from hush.mechanisms import Dartboard, RewardRange
from hush.testing import RecordingNoise

FALSE_ALARM = 1e-6


def board(noise, n_arms=3, **changes):
    options = {"rate": 0.3, "chance": 0.2, "budget": 50, "rewards": RewardRange()}
    return Dartboard(n_arms, noise=noise, **{**options, **changes})


@given(st.floats(1e-6, 100), st.integers(1, 10**12))
def test_the_policys_rates_lose_epsilon_and_no_more(epsilon, horizon):
    policy = ShrinkingDartboard(epsilon, horizon=horizon)
    spent = policy.learner(2, noise=SeededNoise(1))._private.epsilon
    assert spent <= epsilon
    assert policy.rate == 0.5 or spent >= epsilon * (1 - 1e-9)


@given(st.data())
def test_replay_loses_at_most_the_stated_epsilon(data):
    rounds = data.draw(st.integers(1, 40))
    table = data.draw(
        st.lists(
            st.lists(st.integers(0, 1), min_size=3, max_size=3), min_size=rounds, max_size=rounds
        )
    )
    changed = data.draw(st.integers(0, rounds - 1))
    other = [list(row) for row in table]
    other[changed] = [1 - each for each in other[changed]]
    # A toss of 1 is followed by a draw; what is drawn is arbitrary.
    script, budget = [], 50
    for _ in range(rounds):
        toss = data.draw(st.integers(0, 1))
        script += [1, data.draw(st.integers(0, 2))] if toss else [0]
    runs = []
    for rewards in (table, other):
        noise = RecordingNoise(ScriptedNoise(script))
        dartboard = board(noise, budget=budget)
        action, actions = 0, []
        for row in rewards:
            action = dartboard.add([float(each) for each in row], action=action).value
            actions.append(action)
        runs.append((actions, noise.drawn, dartboard.epsilon))
    (one, first, epsilon), (two, second, _) = runs
    assert one == two
    loss = sum(a.loss(b) for a, b in zip(first, second, strict=True))
    assert loss <= epsilon * (1 + 1e-9)


def test_the_coin_and_the_draw_have_their_laws():
    noise = SeededNoise(3)
    switched, actions = {0: 0, 1: 0}, []
    for run in range(6000):
        dartboard = board(noise, chance=0.2)
        gain = run % 2
        recorded = RecordingNoise(noise)
        dartboard._noise = recorded
        value = dartboard.add([float(gain), 1.0, 0.0], action=0).value
        if recorded.drawn[0].noisy:
            switched[gain] += 1
            if not gain:
                actions.append(value)
    assert binomtest(switched[1], 3000, 0.2).pvalue > FALSE_ALARM
    assert binomtest(switched[0], 3000, 0.2 + 0.8 * 0.3).pvalue > FALSE_ALARM
    weights = np.array([0.7, 1.0, 0.7])  # losses 1, 0, 1
    counts = np.bincount(actions, minlength=3)
    assert chisquare(counts, counts.sum() * weights / weights.sum()).pvalue > FALSE_ALARM


def test_the_budget_ends_all_switching():
    dartboard = board(ScriptedNoise([1, 2, 1, 1]), budget=2)
    values = [dartboard.add([0.0, 0.0, 0.0], action=0).value for _ in range(4)]
    assert values == [2, 1, 0, 0]
    assert dartboard.state()["switches"] == 2


def test_stated_epsilon_by_hand():
    dartboard = board(SeededNoise(0), rate=0.1, chance=0.25, budget=3)
    coin = max(math.log(0.325 / 0.25), math.log(0.75 / 0.675))
    assert dartboard.epsilon == pytest.approx(coin - 6 * math.log(0.9))


@pytest.mark.parametrize(
    "change", [{"sums": [5, 0, 0]}, {"switches": 51}, {"rounds": -1}, {"sums": None}], ids=str
)
def test_damaged_states_are_refused(change):
    dartboard = board(SeededNoise(1))
    dartboard.add([1.0, 0.0, 0.0], action=0)
    with pytest.raises(StateError):
        dartboard.restore({**dartboard.state(), **change})
    assert repr(dartboard) == "Dartboard(<3 actions>)"


def test_states_carry_the_notice():
    assert "protect" in board(SeededNoise(1)).state()["notice"]


class Spy(ScriptedNoise):
    """Keeps what is asked for; coins fall as given."""

    def __init__(self, releases, coin=0.5):
        super().__init__(releases)
        self.asked = []
        self.coin = coin

    def argmax(self, totals, **how):
        self.asked.append((list(totals), how))
        return super().argmax(totals, **how)

    def toss(self, bit, *, chances):
        self.asked.append((bit, chances))
        return super().toss(bit, chances=chances)

    @property
    def coins(self):
        return SimpleNamespace(random=lambda size: np.full(size, self.coin))


def test_what_it_draws_and_releases():
    noise = Spy([1, 2, 0, 0])
    dartboard = board(noise)
    loss = dartboard.epsilon
    assert dartboard.add([1.0, 0.0, 1.0], action=1) == Release(None, 0, 1, 2, "dartboard", loss)
    assert dartboard.add([1.0, 0.0, 0.0], action=2) == Release(None, 1, 1, 2, "dartboard", loss)
    assert dartboard.add([1.0, 1.0, 1.0], action=2) == Release(None, 2, 1, 2, "dartboard", loss)
    chances = (0.2, pytest.approx(0.2 + 0.8 * 0.3))
    how = {"epsilon": -2 * math.log1p(-0.3), "law": "gumbel", "neighbours": "replace"}
    assert noise.asked == [(True, chances), ([1, 0, 1], how), (True, chances), (False, chances)]
    state = dartboard.state()
    assert (state["rounds"], state["switches"], state["sums"]) == (3, 1, [3, 1, 2])


@pytest.mark.parametrize(("coin", "sums"), [(0.0, [0, 1, 1]), (1.0 - 2**-53, [0, 0, 1])])
def test_a_reward_of_nothing_never_counts_and_a_full_one_always_does(coin, sums):
    dartboard = board(Spy([0], coin=coin))
    dartboard.add([0.0, 0.5, 1.0], action=0)
    assert dartboard.state()["sums"] == sums

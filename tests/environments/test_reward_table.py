"""Rewards fixed in advance: what is played meets its row, and regret is in hindsight."""

import math

import numpy as np
import pytest

import hush
from hush.simulation.block_cache import block_key
from hush.simulation.plan import blocks_of
from hush.theory import exact_regret

TABLE = np.random.default_rng(5).random((40, 3)).round(2)


class Turns(hush.BanditPolicy):
    """Plays arms in turn, and keeps nothing to itself: what came is in its releases."""

    non_private = True
    explores_first = False

    @property
    def guarantee(self):
        return hush.UCB1().guarantee

    @property
    def schedule(self):
        return hush.UCB1().schedule

    def _choose(self, t, statistics, generator):
        return (t - 1) % statistics.means.size


def test_regret_is_what_the_best_fixed_arm_has_earned_more():
    env = hush.RewardTable(TABLE)
    result = hush.simulate(
        Turns(), env, horizon=40, runs=2, seed=1, checkpoints=range(1, 41), segments=True
    )
    arms = np.arange(40) % 3
    earned = TABLE[np.arange(40), arms].cumsum()
    expected = TABLE.cumsum(axis=0).max(axis=1) - earned
    assert result.regret[0] == pytest.approx(np.stack([expected, expected]))
    assert result.regret[0, 0].min() < 0.0  # whoever changes arms may do better than one arm
    assert result.pulls[0, 0, -1].tolist() == np.bincount(arms).tolist()
    assert len(result.segments[0][0]) == 40
    assert hush.simulate(Turns(), env, horizon=9, runs=1, seed=1).segments is None


@pytest.mark.parametrize("delay", [0, 1, 7])
def test_a_decision_meets_the_row_of_its_round_however_late(delay):
    """FTL on fixed bits is a fold over rows in their order; after 40 rounds as many are seen."""
    bits = (TABLE > 0.5).astype(float)
    result = hush.simulate(
        hush.FTL(), hush.RewardTable(bits), horizon=40, runs=1, seed=1, delay=delay, segments=True
    )
    played = np.repeat(result.segments[0][0][:, 2], result.segments[0][0][:, 1])
    sums = np.vstack([np.zeros(3), bits.cumsum(axis=0)])
    assert played.tolist() == [int(sums[max(0, t - delay)].argmax()) for t in range(40)]


def test_bandits_see_the_reward_of_their_arm_alone():
    seen = []

    class Spy(hush.RewardTable):
        def _of(self, place, arm):
            seen.append((place, arm))
            return super()._of(place, arm)

    hush.simulate(Turns(), Spy(TABLE), horizon=6, runs=1, seed=1)
    assert seen == [(t, t % 3) for t in range(6)]


@pytest.mark.parametrize("kind", [hush.UCB1(), hush.LazyDPTS(1.0), hush.RNMFTNL(1.0)], ids=str)
def test_policies_that_leap_elsewhere_go_through_their_learner(kind):
    env = hush.RewardTable(TABLE)
    assert hush.simulate(kind, env, horizon=9, runs=1, seed=1).engines == ("rounds (learner)",)
    with pytest.raises(hush.ParameterError, match="must be asked for"):
        hush.simulate(kind, env, horizon=9, runs=1, seed=1, engine="leap")


def test_what_needs_means_says_that_there_are_none():
    env = hush.RewardTable(TABLE)
    for ask in (
        lambda: env.means,
        lambda: env.gaps,
        lambda: env.unit_means,
        lambda: exact_regret(hush.RNMFTNL(1.0), env, 9),
    ):
        with pytest.raises(hush.ParameterError, match=r"no means|coins"):
            ask()
    with pytest.raises(hush.ParameterError, match="known for coins"):
        hush.bounds(hush.UCB1(), env, 9)
    with pytest.raises(hush.ParameterError, match="told the round"):
        env.sample(np.random.default_rng(1), 0)
    with pytest.raises(hush.ParameterError, match="told the round"):
        hush.identify(hush.NoiseAwareBAI(1.0), env, confidence=0.9, runs=1, seed=1)
    result = hush.simulate(hush.UCB1(), env, horizon=9, runs=2, seed=1)
    with pytest.raises(hush.ParameterError, match="known for coins"):
        result.plot(bounds=True)


def test_no_more_rounds_than_are_fixed():
    with pytest.raises(hush.ParameterError, match="fixes 40 rounds; got 41"):
        hush.simulate(hush.UCB1(), hush.RewardTable(TABLE), horizon=41)


def test_summaries_and_pictures_allow_for_negative_regret():
    """The interval of the mean reaches down to minus the rounds, where regret in hindsight ends."""
    result = hush.simulate(Turns(), hush.RewardTable(TABLE), horizon=40, runs=8, seed=1)
    row = result.summary().iloc[0]
    assert (result.largest_gap, result.least_gap) == (1.0, -1.0)
    assert row["low"] <= row["mean"] <= row["high"]
    assert row["low"] >= -40.0
    unseen = 1.0 - 0.025 ** (1 / 8)
    assert row["low"] == pytest.approx(row["mean"] - unseen * (row["mean"] + 40.0))
    lowest = result.plot().axes[0].get_ylim()[0]
    assert lowest == pytest.approx(min(0.0, result.regret.min()))


def test_tables_of_another_range_are_mapped_as_declared():
    env = hush.RewardTable(10.0 * TABLE - 5.0, reward_range=(-5.0, 5.0))
    result = hush.simulate(hush.FTL(), env, horizon=40, runs=1, seed=1)
    assert result.largest_gap == 10.0
    assert math.isfinite(result.regret[0, 0, -1])


def test_equal_tables_are_equal_and_others_have_other_digests(tmp_path):
    one, same, other = (hush.RewardTable(table) for table in (TABLE, TABLE.tolist(), TABLE[::-1]))
    assert one == same != other
    assert hash(one) == hash(same)
    assert one.to_dict() == same.to_dict() != other.to_dict()
    keys = {block_key(blocks_of(hush.UCB1(), env, (9,), 7, 1)[0]) for env in (one, same, other)}
    assert len(keys) == 2
    result = hush.simulate(hush.UCB1(), one, horizon=9, runs=2, seed=1)
    result.save(tmp_path / "saved.npz")
    again = hush.Result.load(tmp_path / "saved.npz")
    assert again.environment["digest"] == one.to_dict()["digest"]
    assert again.summary().equals(result.summary())
    assert not one.rewards.flags.writeable
    assert repr(one) == "RewardTable(<40 rounds, 3 arms>)"


@pytest.mark.parametrize(
    "rewards", [[], [1, 0], [[]], [[0.5, 1.5]], [[math.nan, 0.0]], [[[0.5]]]], ids=str
)
def test_what_is_no_table_is_refused(rewards):
    with pytest.raises(hush.ParameterError):
        hush.RewardTable(rewards)

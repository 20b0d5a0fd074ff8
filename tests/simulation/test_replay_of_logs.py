"""Replays are unbiased, their intervals hold, and what they cannot judge is refused."""

import numpy as np
import pytest

import hush
from hush.simulation import Replay
from research.replay_coverage import CASES, covered, made_up_log


def log_of(rows=400, rates=(0.5, 0.3), seed=7):
    generator = np.random.default_rng(seed)
    arms = generator.integers(len(rates), size=rows)
    return hush.Log(arms, generator.random(rows) < np.array(rates)[arms])


@pytest.mark.parametrize(
    "case",
    [CASES[0], pytest.param(CASES[3], marks=pytest.mark.slow)],
    ids=lambda case: case.name,
)
def test_it_is_unbiased(case):
    """Against 4,000 simulations of the truth; false alarm 6e-5, at four standard errors."""
    policy, rounds, got = hush.UCB1(), 30, []
    for number in range(24):
        log = made_up_log(case, np.random.default_rng([11, number]))
        found = hush.replay(policy, log, rounds=rounds, runs=10 * log.n_arms, seed=number)
        got.append(found.estimate(0).value)
    env = hush.Bernoulli(case.rates)
    regret = hush.simulate(policy, env, horizon=rounds, runs=4000, seed=7).regret[0, :, -1]
    truth = max(case.rates) - regret / rounds
    error = np.hypot(np.std(got, ddof=1) / np.sqrt(len(got)), truth.std() / np.sqrt(truth.size))
    assert abs(np.mean(got) - truth.mean()) < 4.0 * error


def test_the_order_of_what_is_kept_has_the_law_of_a_simulation():
    """Pulls of a policy that learns every round; false alarm 6e-5, at four standard errors."""
    log = log_of(4000, (0.7, 0.3))
    found = hush.replay(hush.UCB1(), log, rounds=50, runs=80, seed=3)
    played = hush.simulate(hush.UCB1(), log.coins(), horizon=50, runs=2000, seed=3, pulls="final")
    ours, theirs = found.pulls[0, :, 0], played.pulls[0, :, 0]
    error = np.hypot(ours.std() / np.sqrt(ours.size), theirs.std() / np.sqrt(theirs.size))
    assert abs(ours.mean() - theirs.mean()) < 4.0 * error


def test_chances_cost_rounds_and_every_row_is_kept_alike():
    """Counts within four standard deviations, false alarm 6e-5 for each of two."""
    generator = np.random.default_rng(7)
    arms = generator.choice(2, size=4000, p=[0.8, 0.2])
    chances = np.array([0.8, 0.2])[arms]
    log = hush.Log(arms, np.ones(4000), propensities=chances)
    assert log.chance == 0.2
    assert 600 < log.rounds < 800
    equal = hush.Log(generator.integers(2, size=4000), np.ones(4000))
    assert 1800 < equal.rounds < 2000
    with pytest.raises(hush.ParameterError, match="at most"):
        hush.replay(hush.UCB1(), log, rounds=log.rounds + 1)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_intervals_hold_the_truth(case):
    """60 logs; fewer than 50 of 60 at 95 % have a chance of 3e-4, for each of three figures."""
    rows = list(covered(case, 60, 40, 5))
    for figure in ("ThompsonSampling", "LazyDPTS", "difference"):
        held = [
            row["low"] <= row["truth"] <= row["high"] for row in rows if row["figure"] == figure
        ]
        assert len(held) == 60
        assert sum(held) >= 50


def test_rewards_that_are_all_alike_have_an_interval_with_a_width():
    log = hush.Log(["a", "b"] * 100, [0] * 200)
    low, high = hush.replay(hush.UCB1(), log, runs=20, seed=7).estimate(0)[1:]
    assert low == 0.0
    assert 0.001 < high < 0.2


def curved(gap, noise=0.0):
    """A replay of a policy whose reward falls with the square of the gap between two arms."""
    generator = np.random.default_rng(7)

    def logs(size):
        return np.array([0.5 + gap, 0.5]) + generator.normal(0.0, 0.05, (size, 2))

    def reward(rates):
        return 0.5 - 2.0 * (rates[..., 0] - rates[..., 1]) ** 2

    rates, own = logs(200), np.array([0.5 + gap, 0.5])
    return Replay(
        rewards=reward(own) + generator.normal(0.0, 0.001, (1, 200)),
        pulls=np.full((1, 200, 2), 50),
        resampled=reward(rates)[None] + generator.normal(0.0, noise, (1, 200)),
        rates=rates,
        own_rates=own,
        spread=logs(500),
        policies=("made up",),
        names=("a", "b"),
        log={"rows": 400, "persons": None, "reward_range": [0.0, 1.0]},
        rounds=100,
        redrawn=0,
        seed=7,
        parameters=({},),
    )


def test_an_interval_sees_a_curve_where_it_has_its_top():
    """Of an interval by slopes alone, which vanish there, the ends are within .01 of the value."""
    value, low, high = curved(0.0).estimate(0)
    assert value == pytest.approx(0.5, abs=0.001)
    assert low < value - 0.02
    assert high > value + 0.01


def test_an_interval_is_as_wide_as_the_rates_make_it_whatever_the_luck_of_replays():
    """Where it is nearly straight: 3.92 errors of the arms' difference, .0707, times 1.2."""
    exact, blurred = (curved(0.3, noise=noise).estimate(0) for noise in (0.0, 0.01))
    assert 0.3 < exact.high - exact.low < 0.4
    assert blurred.high - blurred.low == pytest.approx(exact.high - exact.low, rel=0.05)


def test_what_was_met_by_luck_is_left_out_of_resampled_logs():
    """With arms that are alike, the arms' rates alone say what a policy earns there."""
    generator = np.random.default_rng(7)
    log = hush.Log(generator.integers(2, size=300), generator.random(300) < 0.5)
    found = hush.replay(hush.UCB1(), log, runs=20, seed=7)
    least, most = found.rates.min(axis=1), found.rates.max(axis=1)
    assert ((least <= found.resampled[0]) & (found.resampled[0] <= most)).all()


def test_one_person_says_nothing_of_others():
    generator = np.random.default_rng(7)
    arms, rewards = generator.integers(2, size=(2, 200))
    alone = hush.Log(arms, rewards, persons=np.zeros(200, dtype=int))
    assert hush.replay(hush.UCB1(), alone, runs=20, seed=7).estimate(0)[1:] == (0.0, 1.0)


def test_results_do_not_depend_on_the_number_of_workers():
    policies, log = [hush.UCB1(), hush.Person(hush.LazyDPTS, epsilon=1.0, bound=1)], log_of()
    one, two = (hush.replay(policies, log, runs=20, seed=7, workers=n) for n in (1, 2))
    for figure in ("rewards", "pulls", "resampled", "rates", "spread"):
        assert np.array_equal(getattr(one, figure), getattr(two, figure))
    assert one.estimate(0, 1) == two.estimate(0, 1)
    with pytest.raises(hush.ParameterError, match="workers"):
        hush.replay(policies, log, workers=0)


def test_a_seed_gives_the_same_again_and_policies_do_not_matter_to_one_another():
    log, both = log_of(), [hush.UCB1(), hush.LazyDPTS(1.0)]
    first = hush.replay(both, log, runs=20, seed=7)
    assert np.array_equal(first.rewards, hush.replay(both, log, runs=20, seed=7).rewards)
    alone = hush.replay(both[1], log, runs=20, seed=7)
    assert np.array_equal(first.rewards[1], alone.rewards[0])
    assert not np.array_equal(first.rewards, hush.replay(both, log, runs=20, seed=8).rewards)
    assert hush.replay(hush.UCB1(), log, runs=20, rounds=5).seed >= 0


def test_what_cannot_be_replayed_is_refused():
    log = log_of()
    for policies in ([], "UCB1", [hush.UCB1(), 3]):
        with pytest.raises(hush.ParameterError, match="one or more policies"):
            hush.replay(policies, log)
    with pytest.raises(hush.ParameterError, match="must be a hush"):
        hush.replay(hush.UCB1(), hush.paper_s1())
    with pytest.raises(hush.ParameterError, match="wants the rewards of all arms"):
        hush.replay(hush.FTL(), log)
    with pytest.raises(hush.ParameterError, match="runs must be a whole number of at least 20"):
        hush.replay(hush.UCB1(), log, runs=19)
    with pytest.raises(hush.ParameterError, match="too few rows"):
        hush.replay(hush.UCB1(), hush.Log(["a", "b"], [0, 1]))


def test_a_promise_to_persons_is_told_whose_reward_it_is():
    """Of one person all of whose rows are replayed, one reward is learnt."""
    generator = np.random.default_rng(7)
    arms = generator.integers(2, size=200)
    rewards, persons = generator.integers(2, size=200), np.zeros(200, dtype=int)
    policy = hush.Person(hush.LazyDPTS, epsilon=1.0, bound=1)
    told = hush.replay(policy, hush.Log(arms, rewards, persons=persons), runs=20, seed=7)
    strangers = hush.replay(policy, hush.Log(arms, rewards), runs=20, seed=7)
    assert not np.array_equal(told.rewards, strangers.rewards)


def test_a_row_of_each_person_is_enough_of_a_log_by_persons():
    persons = np.repeat(np.arange(100), 2)
    arms = np.repeat(np.arange(100) % 2, 2)
    with pytest.raises(hush.ParameterError, match="drawn for persons"):
        hush.replay(hush.UCB1(), hush.Log(arms, arms, persons=persons), runs=20)
    one = hush.Log(arms[::2], arms[::2], persons=persons[::2])
    assert hush.replay(hush.UCB1(), one, runs=20, seed=7).rounds == one.rounds


def test_it_is_drawn_and_told_in_columns(tmp_path):
    found = hush.replay([hush.UCB1(), hush.LazyDPTS(1.0)], log_of(), runs=20, seed=7)
    found.plot(tmp_path / "x.svg", title="a log")
    assert (tmp_path / "x.svg").stat().st_size > 5000
    assert len(found.to_pandas()) == 40
    table = found.summary()
    assert (table["low"] <= table["reward"]).all()
    assert table["difference"].iloc[0] == 0.0
    assert table.filter(like="share of").sum(axis=1).round(9).tolist() == [1.0, 1.0]

import numpy as np
import pytest

import hush
from hush import UCB1, AnytimeLazyUCB, LazyDPTS, ParameterError, UnknownNameError, paper_s1


def run(policies, **options):
    options = {"horizon": 400, "runs": 4, "seed": 7, **options}
    return hush.simulate(policies, paper_s1(), **options)


def test_shapes_and_regret():
    result = run([LazyDPTS(1.0), UCB1()], checkpoints=[10, 100])
    assert result.checkpoints.tolist() == [10, 100, 400]
    assert result.regret.shape == (2, 4, 3)
    assert result.pulls.shape == (2, 4, 3, 5)
    assert (result.pulls.sum(axis=-1) == result.checkpoints).all()
    assert np.allclose(result.regret, result.pulls @ paper_s1().gaps)
    final = run([LazyDPTS(1.0), UCB1()], pulls="final")
    assert final.pulls.shape == (2, 4, 5)
    assert (final.pulls == result.pulls[:, :, -1]).all()


def test_results_do_not_depend_on_workers_company_or_number_of_runs():
    alone = run(LazyDPTS(1.0), workers=1)
    assert (alone.regret == run(LazyDPTS(1.0), workers=3).regret).all()
    assert (alone.regret[0] == run([UCB1(), LazyDPTS(1.0)]).regret[1]).all()
    assert (alone.regret[0] == run(LazyDPTS(1.0), runs=9).regret[0, :4]).all()
    assert (alone.regret != run(LazyDPTS(1.0), seed=8).regret).any()
    assert (alone.regret[0, 0] != alone.regret[0, 1]).any()


def test_round_by_round_a_longer_horizon_continues_a_shorter_one():
    short = run(LazyDPTS(1.0), checkpoints=[200], engine="rounds")
    long = run(LazyDPTS(1.0), checkpoints=[200], engine="rounds", horizon=900)
    assert (short.pulls[:, :, 0] == long.pulls[:, :, 0]).all()


def test_a_drawn_seed_is_kept():
    result = run(UCB1(), seed=None)
    assert (run(UCB1(), seed=result.seed).regret == result.regret).all()
    assert run(UCB1(), seed=None).seed != result.seed


def test_discrete_noise_is_another_law():
    assert (run(LazyDPTS(1.0), discrete=True).pulls != run(LazyDPTS(1.0)).pulls).any()
    assert run(LazyDPTS(1.0), discrete=True).discrete


@pytest.mark.parametrize(
    "bad",
    [
        {"horizon": 0},
        {"horizon": 1.5},
        {"horizon": 10**19},
        {"runs": 0},
        {"seed": -1},
        {"seed": True},
        {"workers": 0},
        {"checkpoints": [0]},
        {"checkpoints": [401]},
        {"checkpoints": 7},
    ],
    ids=str,
)
def test_bad_arguments(bad):
    with pytest.raises(ParameterError):
        run(UCB1(), **bad)


def test_bad_names_and_things():
    with pytest.raises(UnknownNameError, match="rounds"):
        run(UCB1(), engine="round")
    with pytest.raises(UnknownNameError, match="final"):
        run(UCB1(), pulls="finals")
    with pytest.raises(ParameterError, match="policies"):
        run([])
    with pytest.raises(ParameterError, match="policies"):
        run(["UCB1"])
    with pytest.raises(ParameterError, match="env"):
        hush.simulate(UCB1(), [0.5, 0.4], horizon=10)
    with pytest.raises(ParameterError, match="memory"):
        hush.simulate(UCB1(), hush.packing(1000, 0.1), horizon=10**6, runs=10**5)


def test_progress_is_reported():
    seen = []
    run([UCB1(), LazyDPTS(1.0)], runs=3, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(i, 6) for i in range(1, 7)]


def test_an_error_in_a_thread_is_raised():
    class Broken(hush.Bernoulli):
        def sample(self, generator, arm=None):
            raise RuntimeError("no rewards today")

    from tests.simulation.engines.test_engine_learner import Stubborn

    with pytest.raises(RuntimeError, match="no rewards today"):
        hush.simulate(Stubborn(), Broken([0.5, 0.4]), horizon=10, runs=5, seed=1, workers=2)


def test_a_policy_that_needs_the_horizon_gets_it():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Needy(AnytimeLazyUCB):
        horizon: int | None = None

    result = run([Needy(1.0), Needy(1.0, horizon=99)])
    assert [each["horizon"] for each in result.parameters] == [400, 99]


def test_a_policy_that_is_there_twice_is_played_once_and_shown_twice():
    result = run([UCB1(), UCB1()])
    assert (result.regret[0] == result.regret[1]).all()


def test_no_delay_is_what_it_was_to_the_last_bit():
    policies = [LazyDPTS(1.0), AnytimeLazyUCB(1.0), UCB1(), hush.DPSE(1.0), hush.RNMFTNL(1.0)]
    for engine in ("auto", "rounds"):
        plain, none = (run(policies, engine=engine, **given) for given in ({}, {"delay": 0}))
        assert (plain.pulls == none.pulls).all()
        assert (plain.regret == none.regret).all()
        assert plain.engines == none.engines
    assert plain.delay == none.delay == 0


def test_late_rewards_cost_regret_and_the_result_says_how_late():
    at_once, late = (run(LazyDPTS(1.0), horizon=3000, runs=20, delay=d) for d in (0, 1e3))
    assert late.delay == 1000
    assert late.regret[0, :, -1].mean() > at_once.regret[0, :, -1].mean()
    assert late.select([late.policies[0]]).delay == 1000


@pytest.mark.parametrize("delay", [400, 401, 10**18])
@pytest.mark.parametrize("engine", ["auto", "rounds"])
def test_rewards_that_never_come_are_never_learnt(delay, engine):
    result = run([LazyDPTS(1.0), hush.NoiseAwareTS(1.0), UCB1()], delay=delay, engine=engine)
    assert (result.pulls[:, :, -1] == 80).all()  # five arms take turns
    single = run(hush.FTL(), delay=delay, engine=engine)
    assert (single.pulls[0, :, -1, 0] == 400).all()  # it plays its first action


@pytest.mark.parametrize("delay", [-1, 0.5, True, "5", None, float("nan"), float("inf"), 10**19])
def test_a_delay_that_is_no_number_of_rounds_is_refused(delay, monkeypatch):
    monkeypatch.setattr("hush.simulation.runner.execute", lambda *_a, **_k: pytest.fail("it ran"))
    with pytest.raises(ParameterError, match="delay must be a whole number of at least 0"):
        run(UCB1(), delay=delay)


def test_segments_of_late_rewards_tell_every_round():
    for policy in (AnytimeLazyUCB(1.0), LazyDPTS(1.0), hush.NoiseAwareTS(1.0)):
        result = run(policy, delay=30, segments=True)
        for pulls, rows in zip(result.pulls[0, :, -1], result.segments[0], strict=True):
            counted = np.bincount(np.repeat(rows[:, 2], rows[:, 1]), minlength=5)
            assert (counted == pulls).all()
    with pytest.raises(ParameterError, match="too much memory"):
        run(AnytimeLazyUCB(1.0), horizon=10**9, delay=5, segments=True)

"""DP-TS-UCB's steps of many rounds: the law of its rounds."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp, ttest_ind

import hush
from hush.simulation.engines import Task, engine_of
from hush.simulation.kernels.capped_draws import (
    Drawn,
    play_odd,
    play_round,
    play_usual,
    usual_round,
)

ALPHAS, CAPS = (0.0, 0.5, 1.0), (0.3, 8.26)
MEANS = ((0.7, 0.5, 0.4), (0.5, 0.5), (0.9, 0.1, 0.85, 0.2))


def pulls_of(policy, means, mode, seed, runs):
    task = Task(policy, hush.Bernoulli(means), np.array([policy.horizon // 3, policy.horizon]))
    engine = engine_of(policy)
    return np.concatenate([engine.play(task, mode, seed, run, 1).pulls for run in range(runs)])


def same_law(policy, means, runs):
    leapt, slow = (pulls_of(policy, means, mode, 11, runs) for mode in ("leap", "rounds"))
    for one, two in zip(leapt.T.reshape(-1, runs), slow.T.reshape(-1, runs), strict=True):
        if np.ptp(one) or np.ptp(two):
            assert ks_2samp(one, two, method="asymp").pvalue > 1e-6
            assert ttest_ind(one, two).pvalue > 1e-6


@pytest.mark.untraced
@pytest.mark.parametrize("alpha", ALPHAS)
def test_both_engines_have_the_same_law(alpha):
    """Pulls at two rounds; false alarm 1e-6 each."""
    same_law(hush.DPTSUCB(alpha=alpha, c0=0.3, horizon=600), MEANS[0], 600)


@pytest.mark.slow
@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("c0", CAPS)
@pytest.mark.parametrize("means", MEANS)
def test_both_engines_have_the_same_law_everywhere(alpha, c0, means):
    """The same with more runs, 72 cells of four tests; false alarm 1e-6 each."""
    same_law(hush.DPTSUCB(alpha=alpha, c0=c0, horizon=5000), means, 4000)


STATES = {  # means, widths, draws left, largest so far
    "all draw": ([0.6, 0.2, 0.3], [0.1, 0.05, 0.1], [9, 9, 9], [-np.inf] * 3),
    "one draws": ([0.6, 0.2, 0.3], [0.2, 0.05, 0.1], [9, 0, 0], [0.1, 0.4, 0.35]),
    "the largest of all does not draw": (
        [0.6, 0.2, 0.3], [0.2, 0.1, 0.1], [0, 9, 9], [0.7, 0.1, -np.inf],
    ),
}  # fmt: skip


def arms_in(state):
    means, widths, left, largest = STATES[state]
    return Drawn(*(np.array(each, dtype=float) for each in (means, widths)),
                 np.array(left), np.array(largest))  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_rounds_that_go_as_usual_and_odd_ones_are_rounds(state):
    """Who wins five rounds, and the largest draws after them; false alarm 1e-6 each."""
    generator, times, rounds = np.random.default_rng(5), 3000, 5
    usual = usual_round(arms_in(state))
    assert 0.0 < usual.hazard < 0.7
    plain, stepped = [], []
    for _ in range(times):
        arms = arms_in(state)
        won = sum(play_round(arms, generator) == usual.arm for _ in range(rounds))
        plain.append((won, *arms.largest))
        arms, won, done = arms_in(state), 0, 0
        while done < rounds:
            wait = generator.standard_exponential()
            window = min(rounds - done, int(wait / usual.hazard))
            if window:
                play_usual(arms, usual, window, generator)
            won, done = won + window, done + window
            if done < rounds:
                won += play_odd(arms, usual, wait - window * usual.hazard, generator) == usual.arm
                done += 1
        stepped.append((won, *arms.largest))
        assert (arms.left == np.maximum(0, np.array(STATES[state][2]) - rounds)).all()
    one, two = np.array(plain), np.array(stepped)
    values, place = np.unique(np.concatenate([one[:, 0], two[:, 0]]), return_inverse=True)
    table = [np.bincount(part, minlength=values.size) for part in np.split(place, 2)]
    assert chi2_contingency(table).pvalue > 1e-6
    for arm in range(3):
        if np.ptp(one[:, 1 + arm]):
            assert ks_2samp(one[:, 1 + arm], two[:, 1 + arm], method="asymp").pvalue > 1e-6


def test_a_run_takes_steps_not_rounds():
    policy = hush.DPTSUCB(horizon=10**12)
    played = engine_of(policy).play(
        Task(policy, hush.paper_s1(), np.array([10**12])), "leap", 7, 0, 1
    )
    assert played.events < 10_000
    assert played.pulls.sum() == 10**12

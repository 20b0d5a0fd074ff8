"""Parts of a window: the law of many rounds at once, against one round at a time."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency
from tests.numerics.compiled.test_compiled_beta import chances

from hush.numerics.compiled.beta_panels import make_grid
from hush.simulation.kernels.thompson_counts import play_part, step_part
from hush.simulation.kernels.thompson_parts import new_parts, next_part, open_parts
from hush.simulation.kernels.thompson_windows import Window, blank_window

numba = pytest.importorskip("numba")

FALSE_ALARM = 1e-6
# Chances move by the factor 4, 3 or 60 over the window; the rest is the first arm's.
SERIES = {
    "alike": [(-1.2, 0.7, 0.05), (-1.9, -0.55, 0.02)],
    "rare": [(-3.0, 0.7, 0.1), (-9.0, 2.0, 0.05)],
    "five": [(-2.0, 0.7, 0.02), (-2.2, -0.5, 0.0), (-2.3, 0.3, 0.0), (-6.0, 2.0, 0.0)],
}
DONE, ROUNDS = 1000, 900


def polynomials(case):
    series = np.zeros((len(SERIES[case]) + 1, 3))
    series[1:] = SERIES[case]
    nodes = np.cos(np.pi * (np.arange(17) + 0.5) / 17)
    rest = np.log(1.0 - np.exp(np.polynomial.chebyshev.chebval(nodes, series[1:].T)).sum(axis=0))
    whole = np.zeros((series.shape[0], 17))
    whole[1:, :3] = series[1:]
    whole[0] = np.polynomial.chebyshev.chebfit(nodes, rest, 16)
    return whole


@numba.njit
def at_once(coefficients, window, done, start, cut, single, source):
    """Play until an epoch is full or the window ends, with a stop at ``cut``; as an array.

    What was won by then, what was won by the end, and which arm is full.
    """
    parts = new_parts(start.size)
    parts.coefficients[:] = coefficients
    needed, played, then = start.copy(), np.zeros_like(start), np.zeros_like(start)
    part, end, arm, candidate = open_parts(parts, window, done), done + window.rounds, -1, done
    last = done
    while done < end and (arm < 0 or needed[arm] > 0):
        if done >= part.end:
            part, candidate = next_part(parts, part), done
        until = min(part.end, cut) if done < cut else part.end
        if single:
            repeat, arm, candidate = step_part(
                parts, part, window, done, candidate, until, needed, source
            )
            done += repeat
            played[arm] += repeat
            needed[arm] -= repeat
        else:
            done, arm, _ = play_part(parts, part, window, done, until, needed, played, source)
        if done <= cut:
            then[:] = played
        if done <= last:
            raise RuntimeError("no round was played")
        last = done
    if arm >= 0 and needed[arm] > 0:
        arm = -1
    return np.concatenate((then, played, np.array([arm])))


def every_chance(coefficients):
    """What polynomials make of every round's chances."""
    t = DONE + 1.0 + np.arange(ROUNDS)
    left, right = np.log(t[0]), np.log(t[-1])
    u = 2.0 * (np.log(t) - left) / (right - left) - 1.0
    return np.exp(np.polynomial.chebyshev.chebval(u, coefficients.T)).T


def by_rounds(chance, start, cut, runs, generator):
    """The same, round by round, for many runs at once."""
    ladder = np.cumsum(chance / chance.sum(axis=1, keepdims=True), axis=1)
    found = []
    for _ in range(runs):
        arms = (generator.random(ROUNDS)[:, None] > ladder).sum(axis=1)
        won = np.cumsum(arms[:, None] == np.arange(start.size), axis=0)
        full = (won == start).any(axis=1)
        end = int(full.argmax()) if full.any() else ROUNDS - 1
        arm = int((won[end] == start).argmax()) if full.any() else -1
        then = won[min(end, cut - DONE - 1)]
        found.append((*then, *won[end], arm))
    return np.array(found)


def same_law(one, two):
    """Compare each column, in about ten classes."""
    for column in range(one.shape[1]):
        both = np.concatenate([one[:, column], two[:, column]])
        edges = np.unique(np.quantile(both, np.linspace(0, 1, 11)[1:]))
        classes = [np.searchsorted(edges, part[:, column]) for part in (one, two)]
        table = np.array([np.bincount(each, minlength=edges.size + 1) for each in classes])
        table = table[:, table.sum(axis=0) > 0]
        if table.shape[1] > 1:
            assert chi2_contingency(table).pvalue > FALSE_ALARM, column


NEEDED = {
    "far": 2000,  # the window ends first
    "first": 3,
    "some": 40,
    "leader": 300,
}


@pytest.mark.untraced
@pytest.mark.parametrize("case", SERIES)
@pytest.mark.parametrize("needed", NEEDED)
@pytest.mark.parametrize("single", [False, True])
def test_a_window_has_the_law_of_its_rounds(case, needed, single):
    """5,000 runs of each: pulls at a checkpoint and at the end, and whose epoch is full."""
    coefficients = polynomials(case)
    start = np.full(coefficients.shape[0], 2000)
    start[1:] = NEEDED[needed]
    if needed == "leader":
        start[:] = 2000
        start[0] = NEEDED[needed]
    generator = np.random.default_rng(5)
    cut, runs = DONE + 137, 1000 if single else 5000
    window = blank_window()._replace(points=17, rounds=ROUNDS)
    found = np.array(
        [at_once(coefficients, window, DONE, start, cut, single, generator) for _ in range(runs)]
    )
    n_arms = start.size
    assert (found[:, n_arms:-1] <= start).all()
    same_law(found, by_rounds(every_chance(coefficients), start, cut, runs, generator))


@pytest.mark.untraced
@pytest.mark.parametrize("single", [False, True])
def test_what_polynomials_leave_open_is_decided_by_integrals(single):
    """Polynomials as wrong as the margin allows, upwards or downwards: the law stays."""
    count, first = np.array([64.0, 32.0, 16.0]), np.array([0.55, 0.5, 0.45])
    moved = np.array([0.02, 0.04, 0.08])
    window = Window(3, DONE + 1, ROUNDS, 0.1, make_grid(first, first + moved, count, 4096), moved)
    share = np.log(np.arange(ROUNDS) / (DONE + 1.0) + 1.0)
    share /= share[-1]
    exact = np.array([chances(first + each * moved, count) for each in share])
    nodes = [0, int(np.abs(share - 0.5).argmin()), ROUNDS - 1]
    whole = np.zeros((3, 17))
    whole[:, :3] = np.polynomial.chebyshev.chebfit(
        2.0 * share[nodes] - 1.0, np.log(exact[nodes]), 2
    ).T
    start, cut, runs = np.array([600, 60, 2000]), DONE + 137, 2000
    generator = np.random.default_rng(3)
    wanted = by_rounds(exact, start, cut, runs, generator)
    for wrong in (0.08, -0.08):
        bent = whole.copy()
        bent[:, 0] += wrong
        found = np.array(
            [at_once(bent, window, DONE, start, cut, single, generator) for _ in range(runs)]
        )
        same_law(found, wanted)
        without = window._replace(margin=0.0)
        found = np.array(
            [at_once(bent, without, DONE, start, cut, single, generator) for _ in range(runs)]
        )
        with pytest.raises(AssertionError):
            same_law(found, wanted)

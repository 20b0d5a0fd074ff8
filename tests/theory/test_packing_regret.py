"""Lower bounds for full information, against the best of all private learners and tests."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array
from scipy.stats import binom

import hush
from hush import ParameterError
from hush.theory import (
    exact_regret,
    identification_rounds,
    least_mistake,
    packing_lower,
    packing_minimax,
    packing_regret,
    selection_chances,
)

GRID = list(itertools.product((0.1, 0.2, 0.45), (0.3, 1.0, 3.0)))


def least_regret(n_arms, rounds, gap, epsilon, counted=slice(None)):
    """Return the least average regret on packing instances of all private learners.

    ``counted`` says which rounds count; the last alone makes it a test.

    A linear program: a learner is the law of its actions for every table of rewards. An action does
    not depend on what comes later, and one vector changes no chance by more than ``exp(epsilon)``.
    """
    vectors = list(itertools.product((0, 1), repeat=n_arms))
    tables = list(itertools.product(range(len(vectors)), repeat=rounds - 1))
    plays = list(itertools.product(range(n_arms), repeat=rounds))
    place, size = {table: at for at, table in enumerate(tables)}, len(plays)
    mistakes = np.array(
        [[sum(arm != j for arm in play[counted]) for play in plays] for j in range(n_arms)]
    )
    cost = np.zeros((len(tables), size))
    for j in range(n_arms):
        means = np.full(n_arms, 0.5) + gap * (np.arange(n_arms) == j)
        chance = [float(np.where(vector, means, 1.0 - means).prod()) for vector in vectors]
        for at, table in enumerate(tables):
            cost[at] += math.prod(chance[v] for v in table) * gap * mistakes[j] / n_arms

    private = Rows()
    for table, at in place.items():
        for t, v in itertools.product(range(rounds - 1), range(len(vectors))):
            if v != table[t]:
                other = place[*table[:t], v, *table[t + 1 :]]
                for play in range(size):
                    private.add({at * size + play: 1.0, other * size + play: -math.exp(epsilon)})
    causal = Rows()
    for at in range(len(tables)):
        causal.add({at * size + play: 1.0 for play in range(size)}, 1.0)
    for t in range(1, rounds):
        for table, at in place.items():
            other = place[*table[: t - 1], *(0 for _ in table[t - 1 :])]
            for start in itertools.product(range(n_arms), repeat=t) if at != other else ():
                alike = [number for number, play in enumerate(plays) if play[:t] == start]
                causal.add(
                    {at * size + each: 1.0 for each in alike}
                    | {other * size + each: -1.0 for each in alike}
                )
    found = linprog(
        cost.ravel(),
        A_ub=private.matrix(cost.size),
        b_ub=private.right,
        A_eq=causal.matrix(cost.size),
        b_eq=causal.right,
        bounds=(0.0, 1.0),
    )
    assert found.success
    return found.fun


class Rows:
    """The rows of a linear program."""

    def __init__(self):
        self.entries, self.right = [], []

    def add(self, row, right=0.0):
        self.entries += [(len(self.right), column, value) for column, value in row.items()]
        self.right.append(right)

    def matrix(self, columns):
        rows, places, values = zip(*self.entries, strict=True)
        return coo_array((values, (rows, places)), shape=(len(self.right), columns))


@pytest.mark.parametrize(("gap", "epsilon"), GRID)
@pytest.mark.parametrize(("n_arms", "rounds"), [(2, 2), (2, 3), (3, 2)])
def test_no_private_learner_is_better(n_arms, rounds, gap, epsilon):
    least = least_regret(n_arms, rounds, gap, epsilon)
    bound = packing_regret(n_arms, gap, rounds, epsilon)
    assert bound <= least + 1e-9
    if gap <= 0.2 and epsilon <= 1.0:
        assert bound > 0.94 * least


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "epsilon"), GRID)
def test_no_private_learner_of_three_actions_is_better_in_three_rounds(gap, epsilon):
    least = least_regret(3, 3, gap, epsilon)
    assert 0.75 * least < packing_regret(3, gap, 3, epsilon) <= least + 1e-9


@pytest.mark.untraced
def test_the_best_of_all_in_three_rounds_is_close():
    assert packing_regret(3, 0.2, 3, 3.0) == pytest.approx(0.3305, abs=5e-5)
    assert least_regret(3, 3, 0.2, 3.0) == pytest.approx(0.3552, abs=5e-5)


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon", "wanted"),
    [(64, 0.1, 0.1, 40.6), (1000, 0.01, 0.01, 687.7), (3, 0.2, 1.0, 0.366)],
)
def test_known_values(n_arms, gap, epsilon, wanted):
    rounds = 3 if n_arms == 3 else 10**7
    assert packing_regret(n_arms, gap, rounds, epsilon) == pytest.approx(wanted, rel=1e-3)
    assert packing_regret(n_arms, gap, rounds, epsilon) > 3.0 * packing_lower(n_arms, epsilon)


@pytest.mark.parametrize(("gap", "epsilon"), GRID)
@pytest.mark.parametrize(("n_arms", "rounds"), [(2, 2), (2, 3), (3, 2)])
def test_no_private_test_is_better(n_arms, rounds, gap, epsilon):
    """What the last of a few rounds names, after one vector less."""
    wrong = least_regret(n_arms, rounds, gap, epsilon, slice(-1, None)) / gap
    assert least_mistake(n_arms, gap, rounds - 1, epsilon) <= wrong + 1e-9
    assert identification_rounds(n_arms, gap, epsilon, 1.0 - wrong) <= rounds - 1


@pytest.mark.untraced
def test_without_privacy_the_leader_is_the_best_test():
    """Nobody names the best more often than who goes by the sums; counted out for two actions."""
    for gap, seen in itertools.product((0.05, 0.2, 0.4, 0.5), (1, 2, 5, 17, 100)):
        sums = np.arange(seen + 1)
        fair, better = (binom.pmf(sums, seen, mean) for mean in (0.5, 0.5 + gap))
        wrong = better @ (binom.sf(sums, seen, 0.5) + fair / 2.0)
        assert least_mistake(2, gap, seen) <= wrong + 1e-12
    for n_arms, gap, floor in ((4, 0.1, 0.5), (64, 0.3, 0.7)):
        leader = exact_regret(hush.FTL(), hush.packing(n_arms, gap), 800, checkpoints=[]).final
        assert floor * leader < packing_regret(n_arms, gap, 800) < leader


def named(n_arms, gap, epsilon, seen):
    """How often the exponential mechanism on sums names the best."""
    means = np.append(np.full(n_arms - 1, 0.5), 0.5 + gap)
    return selection_chances(means, seen, "gumbel", 2.0 / epsilon)[-1]


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon"), [(2, 0.1, 0.1), (64, 0.1, 0.1), (64, 0.1, 2.0), (5, 0.4, 0.5)]
)
@pytest.mark.parametrize("confidence", [0.3, 0.8, 0.99])
def test_a_simple_private_test_needs_more(n_arms, gap, epsilon, confidence):
    least = identification_rounds(n_arms, gap, epsilon, confidence)
    if least > 0:
        assert named(n_arms, gap, epsilon, least) < confidence
        assert least_mistake(n_arms, gap, least - 1, epsilon) > 1.0 - confidence
    assert named(n_arms, gap, epsilon, 6 * least + 50) > confidence


@pytest.mark.untraced
def test_it_is_the_sum_that_it_says():
    """One by one at first, and then in blocks that are a little less."""
    for n_arms, gap, epsilon in ((2, 0.5, 3.0), (7, 0.05, 0.2), (50, 0.3, math.inf)):
        parts = [gap * least_mistake(n_arms, gap, seen, epsilon) for seen in range(1000)]
        for rounds in (1, 2, 10, 200):
            found = packing_regret(n_arms, gap, rounds, epsilon)
            assert found == pytest.approx(math.fsum(parts[:rounds]))
        total = math.fsum(parts)
        assert 0.995 * total <= packing_regret(n_arms, gap, 1000, epsilon) <= total * (1 + 1e-12)


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon"), [(9, 0.05, 0.2), (64, 0.3, 1.0), (2, 0.5, 2)]
)
def test_each_part_of_the_proof_is_there(n_arms, gap, epsilon):
    for seen in (0, 1, 3, 30, 300):
        ratio = 1.0 + 2.0 * gap * math.tanh(epsilon / 2.0)
        more = math.expm1(epsilon)
        pair = (1.0 + (0.25 + gap / 2.0) * more) / (1.0 + (0.25 - gap / 2.0) * more)
        square = math.sqrt((1.0 + 4.0 * gap**2) ** seen / n_arms)
        found = least_mistake(n_arms, gap, seen, epsilon)
        assert found >= 1.0 - ratio**seen / n_arms - 1e-12
        assert found >= (n_arms - 1) / (n_arms - 1 + pair**seen) - 1e-12
        if gap < 0.5:
            assert found >= 1.0 - square - 2e-6
        assert found <= 1.0 - 1.0 / n_arms + 1e-12


@pytest.mark.parametrize("n_arms", [2, 4, 64, 10_000])
@pytest.mark.parametrize("rounds", [1, 30, 10**4, 10**9])
@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 3.0, math.inf])
def test_the_worst_gap_costs_what_the_closed_forms_say(n_arms, rounds, epsilon):
    logarithm = math.log(n_arms)
    found = packing_minimax(n_arms, rounds, epsilon)
    if rounds >= logarithm / 2.0:
        assert found >= (1.0 - n_arms**-0.25) * math.sqrt(rounds * logarithm / 8.0)
    tilt = math.tanh(epsilon / 2.0)
    private = (1.0 - n_arms**-0.5) * min(rounds / 2.0, logarithm / (4.0 * tilt))
    assert found >= 0.999 * private
    for gap in (0.5, min(0.5, 0.7 * math.sqrt(logarithm / rounds))):
        assert packing_regret(n_arms, gap, rounds, epsilon) <= 1.01 * found
    assert found <= rounds / 2.0


def test_known_sample_sizes():
    assert identification_rounds(64, 0.1, 0.1, 0.8) == 540
    assert identification_rounds(64, 0.1, 0.1, 1.0 / 64.0) == 0
    assert identification_rounds(2, 1e-9, 1e-9) == 10**18
    # Privacy: ln((K - 1) c / (1 - c)) / ln Q, with Q about exp(gap epsilon)
    assert identification_rounds(64, 0.1, 0.01, 0.9) == pytest.approx(
        math.log(63 * 9) / 0.001, rel=0.01
    )
    for bad in (0.0, 1.0, math.nan):
        with pytest.raises(ParameterError, match="confidence"):
            identification_rounds(64, 0.1, 0.1, bad)


def test_what_tells_nothing_within_rounding_is_never_learnt():
    assert packing_regret(4, 0.25, 1000, 1e-320) == pytest.approx(187.5)
    assert packing_regret(1, 0.25, 1000, 1.0) == 0.0
    for bad in ({"gap": 0.6}, {"gap": 0.0}, {"epsilon": 0.0}, {"n_arms": 0}, {"horizon": 0}):
        with pytest.raises(ParameterError, match=next(iter(bad))):
            packing_regret(**{"n_arms": 4, "gap": 0.1, "horizon": 10, "epsilon": 1.0, **bad})


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon"), [(8, 0.1, 0.1), (64, 0.1, 0.1), (16, 0.3, 1.0)]
)
def test_rnm_ftnl_is_above_it(n_arms, gap, epsilon):
    """Its regret does not depend on which action is best, but for ties of the first round."""
    policy = hush.RNMFTNL(epsilon, noise="exponential")
    regret = exact_regret(policy, hush.packing(n_arms, gap), 2**16).regret[-1]
    assert packing_regret(n_arms, gap, 2**16, epsilon) < regret

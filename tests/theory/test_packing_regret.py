"""The lower bound for private full information, against the best of all private learners."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import coo_array

import hush
from hush import ParameterError
from hush.theory import exact_regret, packing_lower, packing_regret

GRID = list(itertools.product((0.1, 0.2, 0.45), (0.3, 1.0, 3.0)))


def least_regret(n_arms, rounds, gap, epsilon):
    """Return the least average regret on packing instances of all private learners.

    A linear program: a learner is the law of its actions for every table of rewards. An action does
    not depend on what comes later, and one vector changes no chance by more than ``exp(epsilon)``.
    """
    vectors = list(itertools.product((0, 1), repeat=n_arms))
    tables = list(itertools.product(range(len(vectors)), repeat=rounds - 1))
    plays = list(itertools.product(range(n_arms), repeat=rounds))
    place, size = {table: at for at, table in enumerate(tables)}, len(plays)
    mistakes = np.array([[sum(arm != j for arm in play) for play in plays] for j in range(n_arms)])
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
        assert bound > 0.86 * least


@pytest.mark.slow
@pytest.mark.parametrize(("gap", "epsilon"), GRID)
def test_no_private_learner_of_three_actions_is_better_in_three_rounds(gap, epsilon):
    least = least_regret(3, 3, gap, epsilon)
    assert 0.7 * least < packing_regret(3, gap, 3, epsilon) <= least + 1e-9


def test_the_best_of_all_in_three_rounds_is_close():
    assert packing_regret(3, 0.2, 3, 3.0) == pytest.approx(0.3188, abs=5e-5)
    assert least_regret(3, 3, 0.2, 3.0) == pytest.approx(0.3552, abs=5e-5)


@pytest.mark.parametrize(
    ("n_arms", "gap", "epsilon", "wanted"),
    [(64, 0.1, 0.1, 32.0), (1000, 0.01, 0.01, 590.9), (3, 0.2, 1.0, 0.361)],
)
def test_known_values(n_arms, gap, epsilon, wanted):
    rounds = 3 if n_arms == 3 else 10**7
    assert packing_regret(n_arms, gap, rounds, epsilon) == pytest.approx(wanted, rel=1e-3)
    assert packing_regret(n_arms, gap, rounds, epsilon) > 3.0 * packing_lower(n_arms, epsilon)


def test_it_is_the_sum_that_it_says():
    for n_arms, gap, epsilon in ((2, 0.5, 3.0), (7, 0.05, 0.2), (50, 0.3, math.inf)):
        ratio = 1.0 + 2.0 * gap * math.tanh(epsilon / 2.0)
        parts = [gap * max(0.0, 1.0 - ratio ** (t - 1) / n_arms) for t in range(1, 400)]
        for rounds in (1, 2, 10, 399):
            found = packing_regret(n_arms, gap, rounds, epsilon)
            assert found == pytest.approx(math.fsum(parts[:rounds]))


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

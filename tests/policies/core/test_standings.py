"""Standings name the arm that a look at every arm would name, at less cost."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush.errors import ParameterError
from hush.policies.core.standings import Standings
from hush.policies.core.statistics import Statistics

RULES = {
    "grows": lambda mean, count, t: mean + np.sqrt(np.log(t) / count),
    "stays": lambda mean, count, t: mean,
    "saturates": lambda mean, count, t: np.minimum(1.0, mean + np.log(t) / count),
    "leaps": lambda mean, count, t: mean + np.floor(t / 8.0) / count,
}
MEANS, COUNTS = (-1.0, 0.0, 0.25, 0.5, 1.0), (1.0, 2.0, 64.0)
statistic = st.tuples(st.sampled_from(MEANS), st.sampled_from(COUNTS))


def put(statistics, arm, mean, count):
    statistics.means[arm], statistics.counts[arm] = mean, count


@given(
    st.sampled_from(sorted(RULES)),
    st.lists(statistic, min_size=1, max_size=9),
    st.lists(
        st.tuples(st.integers(1, 40), st.lists(st.tuples(st.integers(0, 8), statistic), max_size=3))
    ),
)
def test_it_names_the_arm_that_a_look_at_all_of_them_names(rule, first, course):
    statistics = Statistics(len(first))
    for arm, pair in enumerate(first):
        put(statistics, arm, *pair)
    asked = RULES[rule]
    standings, t, until = Standings(asked, statistics), 0, 0
    for rounds, changes in course:
        for _ in range(rounds):
            t += 1
            best = int(asked(statistics.means, statistics.counts, float(t)).argmax())
            if t > until:
                leading, until = standings.leader(t)
                assert until >= t
            assert leading == best
        for arm, pair in changes:
            put(statistics, arm % len(first), *pair)
            standings.changed(arm % len(first))
        until = 0 if changes else until


class Counting:
    """A rule that counts how often it is asked, and for how many arms."""

    def __init__(self, rule):
        self.rule, self.calls, self.arms = rule, 0, 0

    def __call__(self, mean, count, t):
        self.calls += 1
        self.arms += np.size(mean)
        return self.rule(mean, count, t)


def played(rule, means, counts, rounds):
    statistics = Statistics(len(means))
    statistics.means[:], statistics.counts[:] = means, counts
    standings, until, leading = Standings(rule, statistics), 0, []
    for t in range(1, rounds + 1):
        if t > until:
            arm, until = standings.leader(t)
        leading.append(arm)
    return leading


def test_a_stretch_of_rounds_is_settled_at_once():
    rule = Counting(RULES["grows"])
    assert set(played(rule, [0.0, 5.0, 1.0], [64.0] * 3, 10_000)) == {1}
    assert rule.calls < 40


def test_arms_that_tie_are_looked_at_once():
    rule = Counting(RULES["grows"])
    assert set(played(rule, [0.5] * 40 + [-5.0] + [0.5] * 9, [64.0] * 50, 1000)) == {0}
    assert rule.calls < 40
    assert rule.arms < 60  # two groups of arms


def test_a_saturated_index_ends_no_stretch():
    rule = Counting(RULES["saturates"])
    assert set(played(rule, np.linspace(2.0, 1.0, 50), [64.0] * 50, 1000)) == {0}
    assert rule.calls < 40


def test_a_change_costs_one_arm_and_no_look_at_the_others():
    rule = Counting(RULES["grows"])
    statistics = Statistics(1000)
    statistics.means[:], statistics.counts[:] = np.linspace(0.0, 1.0, 1000), 1e6
    standings = Standings(rule, statistics)
    standings.leader(10**6)
    for t in range(10**6 + 1, 10**6 + 9):
        standings.leader(t)
    rule.arms = 0
    for k in range(8):
        statistics.means[k] = -float(k + 1)
        standings.changed(k)
        assert standings.leader(10**6 + 9)[0] == 999
    assert rule.arms == 16  # a bound and a look each


def test_rivals_that_keep_close_cost_less_than_a_look_at_all():
    rule = Counting(lambda mean, count, t: mean + np.floor((t + count) / 64.0))
    leading = played(rule, [0.5] * 60, np.arange(60.0), 2000)
    assert len(set(leading)) == 60
    assert rule.arms < 60 * 2000 / 3


def test_a_rule_without_a_number_is_refused_again_and_again():
    statistics = Statistics(3)
    statistics.counts[:] = 1.0
    rule = lambda mean, count, t: np.where((t > 4) & (mean > 0.5), np.nan, mean)  # noqa: E731
    standings = Standings(rule, statistics)
    for t in range(1, 9):
        assert standings.leader(t)[0] == 0
    put(statistics, 2, 0.75, 1.0)
    standings.changed(2)
    for _ in range(2):
        with pytest.raises(ParameterError, match="gave NaN as an index of arm 2"):
            standings.leader(9)
    put(statistics, 2, 0.25, 1.0)
    standings.changed(2)
    assert standings.leader(9)[0] == 2


def test_an_index_without_a_number_is_told_by_its_arm():
    statistics = Statistics(3)
    statistics.means[:], statistics.counts[:] = [0.3, 0.5, 0.4], [1.0, 2.0, 4.0]
    broken = set()
    rule = lambda mean, count, t: np.where(np.isin(count, list(broken)), np.nan, mean + t)  # noqa: E731
    for count, arm in ((2.0, 1), (4.0, 2)):
        standings = Standings(rule, statistics)
        for t in range(1, 5):
            standings.leader(t)
        broken = {count}  # its bound stands, its index is gone
        with pytest.raises(ParameterError, match=f"gave NaN as an index of arm {arm}"):
            standings.leader(5)
        broken = set()


def test_of_arms_that_tie_below_their_bounds_the_lowest_leads():
    """Arm 2 has the largest bound and no index yet; arm 1 leads, and arm 0 comes up to it."""
    statistics = Statistics(3)
    statistics.means[:], statistics.counts[:] = [1.0, 1.0, 0.0], [1.0, 2.0, 4.0]

    def rule(mean, count, t):
        late = np.where(np.equal(count, 4.0), 9.0, np.where(np.equal(count, 2.0), 0.5, 0.0))
        return mean + np.where(t > 3, late, 0.0)

    standings = Standings(rule, statistics)
    assert [standings.leader(t)[0] for t in (1, 2, 3, 4)] == [0, 0, 0, 2]


@pytest.mark.parametrize("place", ["_leave", "_join", "_new"])
def test_an_interrupt_in_the_middle_of_a_change_changes_no_leader(place, monkeypatch):
    statistics = Statistics(5)
    statistics.means[:], statistics.counts[:] = [0.1, 0.5, 0.5, 0.3, 0.2], 4.0
    standings = Standings(RULES["grows"], statistics)
    for t in range(1, 30):
        standings.leader(t)

    def interrupted(*_given, **_options):
        raise KeyboardInterrupt

    put(statistics, 1, 0.05, 8.0)
    standings.changed(1)
    with monkeypatch.context() as patch:
        patch.setattr(standings, place, interrupted)
        with pytest.raises(KeyboardInterrupt):
            standings.leader(30)
    for t in range(30, 200):
        best = int(RULES["grows"](statistics.means, statistics.counts, float(t)).argmax())
        assert standings.leader(t)[0] == best

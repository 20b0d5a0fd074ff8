"""Meetings of two arms: plain and compiled searches against a fine grid, and each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples

from hush.numerics.compiled import pairs as compiled
from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend
from hush.numerics.given_releases import posterior_of
from hush.numerics.pairs import highest, leader_share, meeting, ratio_of, top_of
from hush.numerics.prior import UNIFORM

GRID = np.linspace(0.0, 1.0, 200_001)


def drawn(generator, epsilon):
    """Return the releases of an arm of a random mean: batches that let its total grow."""
    mean, told, total = generator.random(), [], 0
    for _ in range(generator.integers(1, 9)):
        count = max(1, total // 2, int(4 / epsilon) if not total else 0)
        total += count
        value = generator.binomial(count, mean) + generator.laplace(0.0, 1.0 / epsilon)
        told.append((count, float(value)))
    return tuple(told)


def cases(count=12):
    generator = np.random.default_rng(17)
    for _ in range(count):
        epsilon = float(np.exp(generator.uniform(-3.0, 2.0)))
        yield epsilon, drawn(generator, epsilon), drawn(generator, epsilon)


@pytest.mark.parametrize(("epsilon", "one", "two"), list(cases()))
def test_tops_and_meetings_are_those_of_a_grid_and_compiled_alike(epsilon, one, two):
    known = [posterior_of(epsilon, UNIFORM, told) for told in (one, two)]
    ratios = [ratio_of(each) for each in known]
    tops = [top_of(ratio) for ratio in ratios]
    values = [each.log_ratio(GRID) for each in known]
    for top, ratio, value in zip(tops, ratios, values, strict=True):
        assert top.value == pytest.approx(value.max(), abs=1e-4)
        assert top.value >= value.max() - 1e-9
        assert ratio(0.37) == pytest.approx(np.interp(0.37, GRID, value), abs=1e-6)
    found = meeting(*ratios, tuple(tops))
    total = values[0] + values[1]
    assert found.level >= total.max() - 1e-9
    assert found.level == pytest.approx(total.max(), abs=1e-3)
    assert found.first + found.second == pytest.approx(
        tops[0].value + tops[1].value - found.level, abs=1e-8
    )
    posteriors = blank_posteriors(2)
    for arm, told in enumerate((one, two)):
        counts = np.array([float(n) for n, _ in told])
        sums = np.array([value for _, value in told])
        for size in range(1, len(told) + 1):
            extend(posteriors, arm, Releases(counts[:size], sums[:size], epsilon), UNIFORM)
        assert compiled.top_of(posteriors, arm)[1] == pytest.approx(tops[arm].value, abs=1e-7)
    level, first, second = compiled.meeting(posteriors, (0, 1), (tops[0].at, tops[1].at))
    assert level == pytest.approx(found.level, abs=1e-7)
    assert first + second == pytest.approx(level, abs=1e-9)


@examples(40)
@given(st.floats(0.0, 1.0), st.floats(-3.0, 9.0))
def test_a_peak_of_any_narrowness_is_found(middle, power):
    found = highest(lambda x: -(10.0**power) * (x - middle) ** 2, 0.0, 1.0)
    assert -1e-9 <= found.value <= 0.0


@examples(40)
@given(st.floats(0.01, 0.98), st.floats(0.0, 1.0), st.data())
def test_no_pair_in_the_wrong_order_is_likelier_than_the_meeting(low, place, data):
    """The step of the proof: modes in one order, means in the other."""
    high = low + place * (0.99 - low)
    one, two = (lambda x: -3.0 * abs(x - high)), (lambda x: -((x - low) ** 2))
    worse = data.draw(st.floats(0.0, 1.0))
    better = data.draw(st.floats(worse, 1.0))
    level = meeting(one, two, (top_of(one), top_of(two))).level
    assert one(worse) + two(better) <= level + 1e-8


def test_shares_stay_within_limits():
    assert leader_share(1e9, 1e-9) == 0.9
    assert leader_share(1e-9, 1e9) == 0.1
    assert (
        compiled.leader_share(0.3, 0.1) == leader_share(0.3, 0.1) == pytest.approx(0.75, abs=1e-5)
    )

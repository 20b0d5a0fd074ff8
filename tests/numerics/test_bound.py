"""What a bound says in general, and what a setting knows."""

import pytest

from hush.numerics.bound import Bound, Setting


def test_a_setting_knows_gaps_from_means():
    setting = Setting((0.5, 0.9, 0.9), 100, 1.0)
    assert setting.gaps == [0.4]
    assert setting.all_gaps.tolist() == [0.4, 0.0, 0.0]
    assert (setting.n_arms, setting.best, setting.worse) == (3, 0.9, [0.5])
    assert not setting.unique_best
    assert Setting((0.5,), 100, 1.0).smallest is None


@pytest.mark.parametrize(
    ("formula", "strength", "claim"),
    [
        ("8 sum ln T / D", "constants", "8 sum ln T / D"),
        ("a sum 1 / D, a = 1.5", "leading term", "a sum 1 / D + o(ln T)"),
        ("sum 1 / min(D, 1/scale), 1/scale = 2e-05", "order", "O(sum 1 / min(D, 1/scale))"),
        ("2^d, d = ceil(log2 T)", "constants", "2^d, d = ceil(log2 T)"),
    ],
)
def test_a_claim_leaves_out_what_is_only_so_here(formula, strength, claim):
    assert Bound("x", "upper", 1.0, formula, "here", strength=strength).claim == claim


@pytest.mark.parametrize(
    ("condition", "general"),
    [
        ("", ""),
        ("beta > 3; beta is 3.1", "beta > 3"),
        ("the policy's own horizon, 1000", "the policy's own horizon"),
        ("zeta = 1.2 and c = 1", "zeta = 1.2 and c = 1"),
    ],
)
def test_a_condition_leaves_out_what_is_the_case_here(condition, general):
    bound = Bound("x", "upper", 1.0, "f", "here", condition=condition)
    assert bound.general_condition == general


def test_constants_that_were_not_compared_bind_nothing():
    quoted, uncertain = (
        Bound("x", "upper", 1.0, "1", "here", quoted=True, reconstructed=each)
        for each in (False, True)
    )
    assert (quoted.binding, quoted.status) == (True, "holds, as quoted")
    assert (uncertain.binding, uncertain.status) == (False, "holds, reconstructed")

import json
import math

import pytest

from hush import RNMFTNL, UCB1, AnytimeLazyUCB, Release, StateError, UnknownNameError


def test_release_round_trip_even_where_not_private():
    for epsilon in (0.5, math.inf):
        release = Release(1, 2, 4, 3.25, "noisy-sum", epsilon)
        assert (
            Release.from_dict(json.loads(json.dumps(release.to_dict(), allow_nan=False))) == release
        )


@pytest.mark.parametrize("damage", [{}, {"arm": 1}, {"epsilon": "x"}, {"epsilon": 1, "extra": 2}])
def test_a_damaged_release_is_a_state_error(damage):
    with pytest.raises(StateError):
        Release.from_dict(damage)


def test_guarantees():
    ucb = AnytimeLazyUCB(0.5).guarantee
    assert (ucb.epsilon, ucb.neighbours, ucb.private) == (0.5, "replace", True)
    assert ucb.under("add-remove") == ucb.under("replace") == 0.5
    assert UCB1().guarantee.under("replace") == math.inf
    assert not UCB1().guarantee.private
    assert RNMFTNL(0.5).guarantee.under("replace") == 0.5
    monotone = RNMFTNL(0.5, neighbours="add-remove").guarantee
    assert (monotone.epsilon, monotone.under("add-remove"), monotone.under("replace")) == (
        0.5,
        0.5,
        1.0,
    )
    assert "epsilon = 0.5 under replace" in str(ucb)
    with pytest.raises(UnknownNameError, match="add-remove"):
        ucb.under("add-remov")

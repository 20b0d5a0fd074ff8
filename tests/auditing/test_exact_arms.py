"""Laws of arms: all tables at once, and listed, say the same."""

import pytest

import hush
from hush.auditing.exact_arms import all_rewards, listed
from hush.auditing.search import Search


@pytest.mark.untraced
def test_listing_stays_below_all_tables_at_once():
    whole, parts = Search(), Search()
    policy = hush.AnytimeLazyUCB(2.0)
    all_rewards(policy, whole)
    listed(policy, 2, "replace", 7, parts)
    assert 0.5 < parts.loss <= whole.loss + 1e-9 <= 2.0 + 2e-9
    assert all(each.averaged for each in whole.candidates)
    assert whole.witness.loss == pytest.approx(whole.loss)

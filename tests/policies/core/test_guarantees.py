"""Guarantees in words: what is protected, from whom, and why."""

import hush
from hush.policies.core.guarantees import no_guarantee, vector_guarantee


def test_guarantees_say_their_unit_and_reason():
    assert str(vector_guarantee(0.5, "so it is")) == (
        "epsilon = 0.5 under replace, per one round's reward vector: so it is"
    )
    assert no_guarantee().unit == "one round's reward"
    assert str(no_guarantee()) == (
        "not private (epsilon = infinity): decisions depend on exact sums of rewards"
    )
    lazy, counting = hush.LazyDPTS(0.5).guarantee, hush.DPTS(0.5).guarantee
    for guarantee in (lazy, counting):
        assert str(guarantee).startswith(
            "epsilon = 0.5 under replace, per one round's reward: each reward enters "
        )
        assert guarantee.under("replace") == guarantee.under("add-remove") == 0.5
    assert "one released sum, moves it by at most 1" in lazy.reason
    assert "the counter of its arm alone" in counting.reason

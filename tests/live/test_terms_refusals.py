import pytest

import hush
import hush.live


@pytest.mark.parametrize("policy", [hush.UCB1, "ThompsonSampling", hush.FTL])
def test_a_policy_without_an_epsilon_is_refused_for_what_it_is(policy):
    store = hush.live.open(":memory:")
    with pytest.raises(hush.ParameterError, match="cannot run live: it is not private"):
        store.create("x", policy=policy, arms=["a", "b"], person_epsilon=1.0)

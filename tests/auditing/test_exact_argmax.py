"""The worst noisy argmax of a policy: where it is looked for, and where it is not."""

import pytest

import hush
from hush.auditing.exact_argmax import worst_argmax
from hush.auditing.search import Search


def searched(policy, n_arms=2):
    search = Search()
    worst_argmax(policy, n_arms, "replace", 7, search)
    return search


def test_laplace_noise_is_attacked_as_simulated_and_as_deployed():
    search = searched(hush.RNMFTNL.as_printed(1.0))
    assert set(search.facts["loss_by_epoch"]) == {"laplace", "discrete-laplace"}
    assert search.loss == pytest.approx(2.0, abs=0.02)
    assert "an epoch of" in search.witness.first


@pytest.mark.parametrize(
    ("policy", "n_arms"), [(hush.LazyDPTS(1.0), 2), (hush.FTL(), 2), (hush.RNMFTNL(1.0), 9)]
)
def test_nothing_is_claimed_where_nothing_is_known(policy, n_arms):
    assert searched(policy, n_arms).witness is None

"""RNM-FTNL: the choices that it has, and the one that its paper prints."""

import pytest

from hush import RNMFTNL


def test_as_printed_it_has_two_sided_noise_of_half_the_scale():
    printed = RNMFTNL.as_printed(0.5)
    assert printed == RNMFTNL(0.5, noise="laplace", neighbours="add-remove")
    assert printed.choice_law(3) == ("laplace", 2.0)


@pytest.mark.parametrize(
    ("policy", "replaced"),
    [(RNMFTNL(0.5), 0.5), (RNMFTNL.as_printed(0.5), 1.0), (RNMFTNL(0.5, noise="gumbel"), 0.5)],
    ids=str,
)
def test_its_guarantee_says_what_a_replaced_vector_loses(policy, replaced):
    assert policy.guarantee.under("replace") == replaced

"""What is attacked, in words, and when a failed attack tells nothing."""

import math

import pytest

from hush.auditing.attacked_claim import Claim


def test_a_claim_in_words():
    assert str(Claim(0.5)) == "epsilon = 0.5 under replace"
    hers = Claim(1.5, "add-remove", 1200)
    assert str(hers) == "epsilon = 1.5 under add-remove, per person of up to 1,200 rewards"


def test_a_concentrated_claim_grows_with_what_may_be_together():
    apart = Claim(math.inf, rewards=4, rho=2.0, per_release=1)
    assert str(apart) == "rho = 2 under replace, per person of up to 4 rewards, 1 in a release"
    assert (
        apart.times,
        Claim(math.inf, rewards=4, rho=2.0).times,
        Claim(2.0, rewards=4).times,
    ) == (
        4,
        16,
        4,
    )
    assert apart.share == pytest.approx(1.0)
    one = apart.in_one_release()
    assert (one.rewards, one.rho, one.per_release) == (1, 0.5, None)
    three = Claim(math.inf, rewards=7, rho=19.0, per_release=3).in_one_release()
    assert (three.rewards, three.rho) == (3, 9.0)
    for whole in (Claim(2.0, rewards=4), Claim(math.inf, rewards=4, rho=2.0)):
        assert whole.in_one_release() is whole


@pytest.mark.parametrize(("loss", "broken"), [(1.5, False), (1.5 + 1e-12, False), (1.51, True)])
def test_rounding_breaks_no_claim(loss, broken):
    assert Claim(1.5, rewards=3).broken_by(loss) is broken


def test_fewer_rounds_than_a_person_has_tell_nothing():
    assert Claim(1.5, rewards=3).missed(3) == ""
    assert "2 rounds at most, and the person has up to 3 rewards" in Claim(1.5, rewards=3).missed(2)
    assert Claim(1.0).missed(1) == ""

"""Policies around others, as words on a command line."""

import pytest

import hush
from hush.cli import specs


@pytest.mark.parametrize(
    ("text", "epsilon", "policy"),
    [
        ("Local", 0.5, hush.Local(epsilon=0.5)),
        ("Local(UCB1)", 0.5, hush.Local(hush.UCB1(), epsilon=0.5)),
        ("Local(UCB1):epsilon=2", None, hush.Local(hush.UCB1(), epsilon=2.0)),
        ("Local:of=KLUCB", 1.0, hush.Local(hush.KLUCB(), epsilon=1.0)),
        ("Local(UCBV:zeta=2,c=0.5)", 1.0, hush.Local(hush.UCBV(zeta=2.0, c=0.5), epsilon=1.0)),
        ("Person(LazyDPTS):bound=4", 1.0, hush.Person(hush.LazyDPTS(0.25), epsilon=1.0, bound=4)),
        (
            "Person(Local(UCB1)):bound=2,per_release=1",
            1.0,
            hush.Person(hush.Local(hush.UCB1(), epsilon=0.5), epsilon=1.0, bound=2, per_release=1),
        ),
    ],
)
def test_a_policy_around_another_is_written_like_a_call(text, epsilon, policy):
    assert specs.policy(text, epsilon) == policy


def test_a_policy_of_your_own_goes_inside():
    with pytest.raises(hush.ParameterError, match="adds noise of its own"):
        specs.policy("Local(hush.testing.planted:HalfTheNoise:epsilon=1)", 1.0)


@pytest.mark.parametrize(
    "text", ["Local(UCB2)", "LazyDPTS(UCB1)", "Nobody(UCB1)", "Local(UCB1):bound=2", "Local(UCB1)"]
)
def test_what_makes_no_sense_is_refused(text):
    with pytest.raises(hush.HushError):
        specs.policy(text, None if text == "Local(UCB1)" else 1.0)

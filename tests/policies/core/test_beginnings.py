"""Policies and learners that must not begin: no noise unsaid, no default that is no reward."""

from dataclasses import dataclass

import pytest

import hush
from hush import LazyDPTS, ParameterError, StateError
from hush.policies.core.states import sealed


@dataclass(frozen=True)
class Misspelt(hush.IndexPolicy):
    eps: float = 1.0

    @staticmethod
    def index(mean, count, t, parameters):
        return mean


@dataclass(frozen=True)
class Boastful(Misspelt):
    """Says a guarantee, but has no parameter that noise could follow."""

    @property
    def guarantee(self):
        return hush.LazyDPTS(1.0).guarantee


@dataclass(frozen=True)
class Unchecked(Misspelt):
    def __post_init__(self):
        pass


@dataclass(frozen=True)
class Contradictory(LazyDPTS):
    non_private = True


@pytest.mark.parametrize("cls", [Misspelt, Boastful])
def test_a_policy_without_noise_must_say_so(cls):
    with pytest.raises(
        ParameterError, match=rf"^{cls.__name__} would .* is named epsilon .*: eps\)"
    ):
        cls(1.0)


def test_a_policy_that_skips_its_checks_is_refused_at_work():
    with pytest.raises(ParameterError, match="no parameter is named epsilon"):
        Unchecked(1.0).learner(2)


def test_a_policy_is_not_both():
    with pytest.raises(ParameterError, match=r"^Contradictory declares non_private"):
        Contradictory(1.0)


@pytest.mark.parametrize("bad", [2, -1, "0", True, float("nan"), 10**400])
def test_the_default_must_be_a_reward(bad):
    with pytest.raises(ParameterError, match="default must be a reward"):
        LazyDPTS(1.0).learner(2, default=bad)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"policy": LazyDPTS(2.0).to_dict()}, "of other parameters"),
        ({"policy": hush.AnytimeLazyUCB(1.0).to_dict()}, "of AnytimeLazyUCB"),
        ({"policy": "LazyDPTS"}, "of None"),
    ],
)
def test_a_state_says_whose_it_is(change, what):
    body = {**LazyDPTS(1.0).learner(2).state(), **change}
    del body["checksum"]
    with pytest.raises(StateError, match=f"^this state is {what}, not of LazyDPTS"):
        LazyDPTS(1.0).restore(sealed(body))


def test_a_default_is_restored():
    learner = LazyDPTS(1.0).learner(2, default=0.25)
    assert LazyDPTS(1.0).restore(learner.state()).state()["default"] == 0.25

"""What a policy declares: epsilon and horizon, however its class has them."""

import math
from dataclasses import KW_ONLY, dataclass

import pytest

import hush


@dataclass(frozen=True)
class Fixed(hush.BanditPolicy):
    """Epsilon is read off something else."""

    half: float

    @property
    def epsilon(self):
        return 2.0 * self.half

    def __post_init__(self):
        """Nothing to check."""

    def _choose(self, t, statistics, generator):
        return int(statistics.means.argmax())


@dataclass(frozen=True)
class Planned(hush.BanditPolicy):
    """Counts with a tree of its own, for a horizon that is optional."""

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None

    counter = "binary"

    @property
    def needs_horizon(self):
        return False

    def _choose(self, t, statistics, generator):
        return int(statistics.means.argmax())


def test_epsilon_and_horizon_as_declared():
    assert hush.LazyDPTS(0.5).declared_epsilon == 0.5
    assert hush.UCB1().declared_epsilon == math.inf
    assert hush.UCB1().declared_horizon is None
    assert hush.DPSE(0.5, horizon=30).declared_horizon == 30
    assert hush.DPSE(0.5).declared_horizon is None


def test_an_epsilon_that_is_no_field_counts():
    assert Fixed(0.1).release_epsilon == 0.2
    assert Fixed(0.1).learner(2).guarantee.epsilon == 0.2
    assert Planned(0.5).release_epsilon == 0.5
    assert hush.UCB1().release_epsilon == math.inf
    with pytest.raises(hush.ParameterError, match="epsilon"):
        Planned(-1.0)
    with pytest.raises(hush.ParameterError, match="horizon"):
        Planned(1.0, horizon=0)


def test_a_tree_needs_its_horizon():
    with pytest.raises(hush.ParameterError, match="binary counter needs to know"):
        Planned(1.0).learner(2)
    Planned(1.0, horizon=9).learner(2).select()


@pytest.mark.parametrize("policy", [hush.LazyDPTS(0.5), hush.LazyDPTS(epsilon=0.5)], ids=repr)
def test_positional_and_keyword_epsilon_are_one(policy):
    assert policy.to_dict() == {"policy": "LazyDPTS", "epsilon": 0.5}


def test_a_horizon_is_filled_in_and_all_else_kept():
    policy = hush.TreeDPUCB(0.5, gamma=0.2)
    assert policy.with_horizon(70) == hush.TreeDPUCB(0.5, gamma=0.2, horizon=70)
    assert hush.UCB1().with_horizon(70) == hush.UCB1()


@pytest.mark.parametrize("cls", [hush.DPSE, hush.TreeDPUCB, hush.ShrinkingDartboard])
def test_who_needs_a_horizon_says_so(cls):
    assert cls(1.0).needs_horizon
    with pytest.raises(hush.ParameterError, match="horizon="):
        cls(1.0).learner(3)
    assert not cls(1.0).with_horizon(99).needs_horizon
    assert cls(1.0, horizon=7).with_horizon(99).horizon == 7


@dataclass(frozen=True)
class Weighted(hush.AnytimeLazyUCB):
    weights: tuple[float, ...] = ()


def test_a_list_becomes_a_tuple_and_its_policy_a_value():
    policy = Weighted.from_parameters({"epsilon": 1.0, "weights": [1.0, 2.0]})
    assert policy == Weighted(1.0, weights=(1.0, 2.0))
    assert hash(policy) == hash(Weighted(1.0, weights=(1.0, 2.0)))

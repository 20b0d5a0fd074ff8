"""The lists that decide what is proved by construction follow the code that they speak of."""

import json

import pytest

import hush
from hush.auditing.own_code import PUBLIC, REACHING
from hush.mechanisms import BinaryCounter, HybridCounter, LogarithmicCounter
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.relative_index import RelativeIndexPolicy
from hush.policies.core.thompson import ThompsonPolicy

FAMILIES = (BanditPolicy, EpochPolicy, IndexPolicy, RelativeIndexPolicy, ThompsonPolicy)
# Hooks that are handed raw rewards or noise, or that say what is promised of them. A new hook of a
# family belongs here or into PUBLIC: whoever writes it decides.
PRIVATE = {
    "_arm_sums", "_beta_parameters", "_centers", "_check_promise", "_counter", "_draws_noise",
    "_hyperparameters", "_leader", "_mechanism", "_new_learner", "_parameter_array",
    "_parameter_arrays", "_private_side", "check_names", "choice_law", "declared_epsilon",
    "declared_horizon", "from_parameters", "has_bounds", "learner", "release_epsilon",
    "release_noise", "release_rho", "restore", "to_dict",
}  # fmt: skip


def hooks():
    """Every name that a policy's class can override, but for Python's own."""
    classes = {base for family in FAMILIES for base in family.__mro__ if base is not object}
    names = {name for base in classes if base.__module__ != "abc" for name in vars(base)}
    return {name for name in names if not (name.startswith("__") and name.endswith("__"))}


def test_every_hook_is_public_or_private():
    assert not hooks() - PUBLIC - PRIVATE
    assert not PRIVATE - hooks()
    assert not PRIVATE & PUBLIC


def test_no_public_name_is_left_over():
    plain = {name for name in PUBLIC if not name.startswith("__")}
    of_fields = {"epsilon", "horizon", "_abc_impl"}
    assert not plain - hooks() - of_fields


def told(thing):
    """What each attribute holds, as far as numbers go."""
    return {name: json.dumps(value, default=lambda _: "") for name, value in vars(thing).items()}


@pytest.mark.parametrize(
    "policy",
    [
        hush.LazyDPTS(1.0),
        hush.DPTS(1.0),
        hush.RNMFTNL(1.0),
        hush.ShrinkingDartboard(1.0, horizon=9),
    ],
    ids=str,
)
def test_whatever_holds_a_raw_sum_is_a_name_that_gives_code_away(policy):
    halves = []
    for reward in (0, 1):
        learner = policy.learner(2, noise=hush.ScriptedNoise([0] * 50))
        for _ in range(9):
            learner.observe(
                learner.select(), lambda arm, r=reward: [r, 1 - r] if arm is None else r
            )
        halves.append(learner._private)
    first, second = map(told, halves)
    raw = {name for name in first if first[name] != second[name]}
    parts = [getattr(half, "_counters", None) for half in halves]
    assert raw or parts[0]
    assert raw <= REACHING


@pytest.mark.parametrize("make", [LogarithmicCounter, HybridCounter])
def test_whatever_holds_a_node_of_a_counter_is_such_a_name(make):
    counters = [make(epsilon=1.0, noise=hush.ScriptedNoise([0] * 50)) for _ in range(2)]
    counters += [BinaryCounter(8, epsilon=1.0, noise=hush.ScriptedNoise([0] * 9)) for _ in range(2)]
    for bit, counter in zip((0, 1, 0, 1), counters, strict=True):
        for _ in range(7):
            counter.add(bit)
    for first, second in (counters[:2], counters[2:]):
        differs = {name for name in vars(first) if told(first)[name] != told(second)[name]}
        assert differs <= REACHING

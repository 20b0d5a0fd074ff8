"""A conformance kit: what every policy must keep, whoever wrote it."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import FrozenInstanceError, dataclass, fields
from functools import partial
from typing import Any

import numpy as np

from hush.errors import HushError
from hush.noise import SeededNoise, children
from hush.policies import Policy
from hush.privacy import Guarantee, Release
from hush.testing.recording import FrozenNoise, RecordingNoise

__all__ = ["ConformanceError", "check_policy"]

Vector = Sequence[float]
STRANGE = 7654.321
NOT_REWARDS = (math.nan, math.inf, -math.inf, -0.5, 1.5, STRANGE, True, None, "1", 1j)
NOT_ARMS = (-1, 10**9, 0.0, 1.5, True, None, "0")


class ConformanceError(AssertionError):
    """A policy broke one of the rules; the message says which."""


@dataclass(frozen=True)
class _Table:
    """Fixed rewards of every (round, arm), so that two learners can be given the same."""

    rewards: np.ndarray[Any, np.dtype[np.float64]]

    @classmethod
    def random(cls, rounds: int, n_arms: int, seed: int) -> _Table:
        generator = np.random.default_rng(seed)
        means = np.linspace(0.75, 0.25, n_arms)
        return cls((generator.random((rounds, n_arms)) < means).astype(np.float64))


def check_policy(policy: Policy, *, n_arms: int = 4, rounds: int = 10**6, seed: int = 7) -> None:
    """Run every conformance check on a policy; raise :class:`ConformanceError` at the first fault.

    Checked: the policy is frozen, hashable, pickles and survives a round trip through JSON; it
    states a guarantee; the same seed plays the same arms and another does not share its noise; a
    learner restored at any point has the future of the uninterrupted one and draws no release
    twice; replaying releases on a neighbouring table plays the same arms, and the losses of all
    draws add up to no more than the guarantee; bad input raises a typed error and changes
    nothing; ``repr`` and errors show no reward; many rounds pass without drift or overflow.

    Parameters
    ----------
    policy
        An instance of the policy, with a short horizon filled in if it needs one.
    n_arms
        How many arms to try it with.
    rounds
        How many rounds the endurance check plays.
    seed
        Seed of the tables and the simulated noise.

    Examples
    --------
    >>> import hush
    >>> from hush.testing import check_policy
    >>> check_policy(hush.LazyDPTS(epsilon=1.0), rounds=1000)
    """
    policy = policy.with_horizon(max(rounds, 1000))
    for check in _CHECKS:
        check(policy, n_arms, seed)
    _endurance(policy, n_arms, seed, rounds)


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise ConformanceError(message)


def _play(
    learner: Any,  # noqa: ANN401  bandit and full-information learners differ in update()
    table: _Table,
    start: int = 0,
    stop: int | None = None,
) -> tuple[list[int], list[Release]]:
    """Play rounds of a table; return the arms and the releases they led to."""
    full = learner.policy.feedback == "full"
    arms, releases = [], []
    for row in table.rewards[start:stop]:
        arm = learner.select()
        release = learner.update(row) if full else learner.update(arm, float(row[arm]))
        arms.append(arm)
        if release is not None:
            releases.append(release)
    return arms, releases


def _identity(policy: Policy, n_arms: int, seed: int) -> None:  # noqa: ARG001
    _require(hash(policy) == hash(policy.from_parameters(_parameters(policy))), "hash by value")
    again = policy.from_parameters(json.loads(json.dumps(_parameters(policy))))
    _require(again == policy, "a policy must survive a round trip through JSON")
    try:
        twin = pickle.loads(pickle.dumps(policy))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConformanceError(
            "a policy must pickle; define its class at the top level of a module"
        ) from error
    _require(twin == policy, "a policy must pickle to an equal one")
    for each in fields(policy):
        try:
            setattr(policy, each.name, getattr(policy, each.name))
        except FrozenInstanceError:
            continue
        raise ConformanceError(f"a policy must be frozen; {each.name} can be set")


def _parameters(policy: Policy) -> dict[str, Any]:
    return {key: value for key, value in policy.to_dict().items() if key != "policy"}


def _guarantee(policy: Policy, n_arms: int, seed: int) -> None:
    guarantee = policy.guarantee
    _require(isinstance(guarantee, Guarantee), "a policy must state its guarantee")
    _require(guarantee.epsilon > 0, "a guarantee's epsilon is positive; infinite if not private")
    _require(bool(guarantee.reason and guarantee.unit), "a guarantee says its unit and its reason")
    learner = policy.learner(n_arms)
    _require(learner.secure, "a learner made without arguments must draw secure noise")
    if guarantee.private:
        simulated = policy.learner(n_arms, noise=SeededNoise(seed)).guarantee.reason
        _require("simulation" in simulated, "a simulated learner must say that it is one")


def _seeding(policy: Policy, n_arms: int, seed: int) -> None:
    table = _Table.random(600, n_arms, seed)
    first, second, other = (
        _play(policy.learner(n_arms, noise=SeededNoise(each)), table)
        for each in (seed, seed, seed + 1)
    )
    _require(first == second, "the same seed must play the same arms and draw the same releases")
    if policy.guarantee.private and all(
        isinstance(release.value, float) for release in first[1] + other[1]
    ):
        shared = {r.value for r in first[1]} & {r.value for r in other[1]}
        _require(not shared, "other seeds must draw other noise")


def _restore(policy: Policy, n_arms: int, seed: int) -> None:
    table = _Table.random(150, n_arms, seed)
    for discrete in (False, True):
        learner = policy.learner(n_arms, noise=SeededNoise(seed, discrete=discrete))
        states = []
        for t in range(len(table.rewards)):
            states.append(json.dumps(learner.state()))
            _play(learner, table, t, t + 1)
        whole = _play(policy.learner(n_arms, noise=SeededNoise(seed, discrete=discrete)), table)
        for t, state in enumerate(states):
            resumed = policy.restore(json.loads(state))
            arms, _ = _play(resumed, table, t)
            _require(arms == whole[0][t:], f"restored at round {t}, the future differs")
            _require(resumed.releases == learner.releases, f"restored at {t}, releases differ")
    copy = pickle.loads(pickle.dumps(learner))
    _require(copy.state() == learner.state(), "a learner must pickle")


def _restore_between(policy: Policy, n_arms: int, seed: int) -> None:
    """Cut between select and update too, where a decision is outstanding."""
    table = _Table.random(40, n_arms, seed)
    learner: Any = policy.learner(n_arms, noise=SeededNoise(seed))
    for row in table.rewards:
        arm = learner.select()
        learner = policy.restore(json.loads(json.dumps(learner.state())))
        learner.update(row) if policy.feedback == "full" else learner.update(arm, float(row[arm]))
    whole = policy.learner(n_arms, noise=SeededNoise(seed))
    _play(whole, table)
    _require(learner.state() == whole.state(), "restored between select and update, it differs")


def _coverage(policy: Policy, n_arms: int, seed: int) -> None:
    """Noise is drawn where a release comes of it, and no release speaks of unseen rewards."""
    table = _Table.random(500, n_arms, seed)
    noise = RecordingNoise(SeededNoise(seed, discrete=True))
    learner = policy.learner(n_arms, noise=noise)
    seen: dict[int | None, int] = {}
    for t in range(len(table.rewards)):
        before = len(noise.drawn)
        arms, releases = _play(learner, table, t, t + 1)
        seen[arms[0]] = seen.get(arms[0], 0) + 1
        seen[None] = t + 1
        drawn = len(noise.drawn) > before
        if policy.guarantee.private:
            _require(drawn == bool(releases), "noise is drawn for a release, and only for one")
        for release in releases:
            _require(release.count <= seen[release.arm], "a release covers rewards that came")


def _neighbours(policy: Policy, n_arms: int, seed: int) -> None:
    """With releases frozen, another reward in one round changes no arm, and loses epsilon."""
    if not policy.guarantee.private:
        return
    table = _Table.random(200, n_arms, seed)
    first = RecordingNoise(SeededNoise(seed))
    arms, _ = _play(policy.learner(n_arms, noise=first), table)
    script = [each.noisy for each in first.drawn]
    for flipped in (0, 1, 2, n_arms, 57, 120, 199):
        rewards = table.rewards.copy()
        rewards[flipped] = 1.0 - rewards[flipped]
        second = RecordingNoise(FrozenNoise(script, SeededNoise(seed)))
        again, _ = _play(policy.learner(n_arms, noise=second), _Table(rewards))
        _require(again == arms, f"round {flipped}'s reward moved an arm past the noise")
        loss = sum(a.loss(b) for a, b in zip(first.drawn, second.drawn, strict=True))
        claim = policy.guarantee.under("replace")
        _require(
            loss <= claim * (1.0 + 1e-9),
            f"one reward must lose epsilon at most: {loss:g} where {claim:g} is claimed",
        )


def _bad_input(policy: Policy, n_arms: int, seed: int) -> None:
    table = _Table.random(50, n_arms, seed)
    learner: Any = policy.learner(n_arms, noise=SeededNoise(seed))
    _play(learner, table)
    if policy.feedback == "bandit":
        spare = learner.outstanding.index(0)
        _refused(learner, lambda: learner.update(spare, 1.0), "an update without a decision")
    else:
        _refused(learner, lambda: learner.update([1.0] * n_arms), "an update without a decision")
    arm = learner.select()
    for call, what in _bad_calls(learner, arm, n_arms):
        _refused(learner, call, what)
    changes: tuple[dict[str, Any], ...] = (
        {"n_arms": n_arms + 1},
        {"round": -1},
        {"releases": [{}]},
        {"unreleased": {}},
    )
    for change in changes:
        damaged = {**learner.state(), **change}
        _refused(learner, partial(policy.restore, damaged), "a damaged state")


def _bad_calls(
    learner: Any,  # noqa: ANN401
    arm: int,
    n_arms: int,
) -> Iterator[tuple[Callable[[], object], str]]:
    if learner.policy.feedback == "bandit":
        for bad in NOT_REWARDS:
            yield partial(learner.update, arm, bad), f"{bad!r} as a reward"
        for wrong in NOT_ARMS:
            yield partial(learner.update, wrong, 1.0), f"{wrong!r} as an arm"
        return
    for bad in NOT_REWARDS:
        vector = [*[0.0] * (n_arms - 1), bad]
        yield partial(learner.update, vector), f"{bad!r} in a reward vector"
    for size in (0, n_arms - 1, n_arms + 1):
        yield partial(learner.update, [0.0] * size), "a vector of another length"
    yield partial(learner.update, 1.0), "a number for a vector"


def _refused(learner: Any, call: Callable[[], object], what: str) -> None:  # noqa: ANN401
    before = learner.state()
    try:
        call()
    except HushError as error:
        _require(str(STRANGE) not in repr(error), "an error must not show a reward")
    else:
        raise ConformanceError(f"{what} must be refused with a HushError")
    _require(learner.state() == before, f"{what} must change nothing")


def _silence(policy: Policy, n_arms: int, seed: int) -> None:
    """Rewards of a strange value must not be seen in any text but a state."""
    learner: Any = policy.learner(n_arms, noise=SeededNoise(seed), reward_range=(0.0, 987654.0))
    strange = 123457.25
    for _ in range(20):
        arm = learner.select()
        if policy.feedback == "full":
            learner.update([strange] * n_arms)
        else:
            learner.update(arm, strange)
    learner.select()
    shown = [repr(learner), str(learner), repr(learner.statistics), repr(learner.guarantee)]
    shown += [repr(value) for value in vars(learner).values()]
    _require(not any("123457" in text for text in shown), "repr must not show a reward")


def _endurance(policy: Policy, n_arms: int, seed: int, rounds: int) -> None:
    env, source = children(np.random.SeedSequence(seed), 2)
    generator = np.random.Generator(np.random.PCG64(env))
    learner: Any = policy.learner(n_arms, noise=SeededNoise(source))
    means = np.linspace(0.75, 0.25, n_arms)
    full = policy.feedback == "full"
    left = rounds
    while left:
        size = min(left, 10_000)
        for row in (generator.random((size, n_arms)) < means).astype(np.int64).tolist():
            arm = learner.select()
            learner.update(row) if full else learner.update(arm, row[arm])
        left -= size
    _require(learner.rounds == rounds, f"after {rounds} rounds the learner counts {learner.rounds}")
    numbers = json.dumps(learner.state(), allow_nan=False)
    _require(len(numbers) < 1_000_000, "a state must not grow with the number of rounds")


_CHECKS: tuple[Callable[[Policy, int, int], None], ...] = (
    _identity,
    _guarantee,
    _seeding,
    _restore,
    _restore_between,
    _coverage,
    _neighbours,
    _bad_input,
    _silence,
)

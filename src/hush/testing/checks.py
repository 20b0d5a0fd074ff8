"""The conformance checks: each takes a policy, how many arms to try it with, and a seed."""

from __future__ import annotations

import json
import math
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from functools import partial
from typing import Any

import numpy as np

from hush.errors import HushError, MisuseError, ParameterError
from hush.mechanisms.shares import SharedSum
from hush.noise import SeededNoise, children
from hush.policies import BanditLearner, Learner, Policy
from hush.policies.core.learner import Sample
from hush.policies.core.public_side import PublicSide
from hush.privacy import Guarantee
from hush.testing.playing import ConformanceError, Table, means, play, require, rewards_of
from hush.testing.recording import FrozenNoise, RecordingNoise

__all__ = ["CHECKS", "PRIVATE_CHECKS", "endures"]

STRANGE = 7654.321
NOT_REWARDS = (math.nan, math.inf, -math.inf, -0.5, 1.5, STRANGE, True, None, "1", 1j)
NOT_ARMS = (-1, 10**9, 0.0, 1.5, True, None, "0")


def is_a_frozen_value(policy: Policy, n_arms: int, seed: int) -> None:  # noqa: ARG001
    """Hash and compare by value, pickle, and survive a round trip through JSON."""
    require(hash(policy) == hash(policy.from_parameters(_parameters(policy))), "hash by value")
    again = policy.from_parameters(json.loads(json.dumps(_parameters(policy))))
    require(again == policy, "a policy must survive a round trip through JSON")
    try:
        twin = pickle.loads(pickle.dumps(policy))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConformanceError(
            "a policy must pickle; define its class at the top level of a module"
        ) from error
    require(twin == policy, "a policy must pickle to an equal one")
    for each in fields(policy):
        try:
            setattr(policy, each.name, getattr(policy, each.name))
        except FrozenInstanceError:
            continue
        raise ConformanceError(f"a policy must be frozen; {each.name} can be set")


def _parameters(policy: Policy) -> dict[str, Any]:
    return {key: value for key, value in policy.to_dict().items() if key != "policy"}


def states_a_guarantee(policy: Policy, n_arms: int, seed: int) -> None:
    """Say epsilon, unit and reason, and draw secure noise unless told otherwise."""
    guarantee = policy.guarantee
    require(isinstance(guarantee, Guarantee), "a policy must state its guarantee")
    loss = guarantee.under("replace") if guarantee.rho is None else guarantee.rho
    require(loss > 0, "a guarantee's loss is positive; infinite if not private")
    require(bool(guarantee.reason and guarantee.unit), "a guarantee says its unit and its reason")
    require(guarantee.private != policy.non_private, "a policy without noise must say so")
    if guarantee.private:
        secure = policy.learner(n_arms).secure
        require(secure, "a learner made without arguments must draw secure noise")
        simulated = policy.learner(n_arms, noise=SeededNoise(seed)).guarantee.reason
        require("simulation" in simulated, "a simulated learner must say that it is one")


def follows_its_seed(policy: Policy, n_arms: int, seed: int) -> None:
    """Play the same arms with the same seed, and draw other noise with another."""
    table = Table.random(600, n_arms, seed)
    first, second, other = (
        play(policy.learner(n_arms, noise=SeededNoise(each)), table)
        for each in (seed, seed, seed + 1)
    )
    require(first == second, "the same seed must play the same arms and draw the same releases")
    if policy.guarantee.private and all(
        isinstance(release.value, float) for release in first[1] + other[1]
    ):
        values, others = ([release.value for release in each[1]] for each in (first, other))
        if {release.mechanism for release in first[1]} == {SharedSum.name}:
            again = values == others  # whole parts of rewards meet now and then, but not all
        else:
            again = bool(set(values) & set(others))
        require(not again, "other seeds must draw other noise")


def restores_to_the_same_future(policy: Policy, n_arms: int, seed: int) -> None:
    """Restored after any round, it plays on as if nothing had happened, and redraws nothing.

    After every round the next one must lead to the same state; after some, the whole future is
    played.
    """
    table = Table.random(150, n_arms, seed)
    rounds = len(table.rewards)
    for discrete in (False, True):
        learner = policy.learner(n_arms, noise=SeededNoise(seed, discrete=discrete))
        states, arms = [json.dumps(learner.state())], []
        for t in range(rounds):
            arms += play(learner, table, t, t + 1)[0]
            states.append(json.dumps(learner.state()))
        for t in range(rounds):
            resumed = policy.restore(json.loads(states[t]))
            played, _ = play(resumed, table, t, t + 1)
            require(played == arms[t : t + 1], f"restored at round {t}, the future differs")
            require(json.dumps(resumed.state()) == states[t + 1], f"restored at {t}, states differ")
            if t % 7 == 0:
                played, _ = play(resumed, table, t + 1)
                require(played == arms[t + 1 :], f"restored at round {t}, the future differs")
                require(resumed.releases == learner.releases, f"restored at {t}, releases differ")
    try:
        pickle.dumps(learner)
    except MisuseError:
        return
    raise ConformanceError("a learner must not be copied: copies release the same sums twice")


def restores_with_a_decision_open(policy: Policy, n_arms: int, seed: int) -> None:
    """Restored between select and update, it loses no decision."""
    table = Table.random(40, n_arms, seed)
    learner = policy.learner(n_arms, noise=SeededNoise(seed))
    for row in table.rewards.tolist():
        arm = learner.select()
        learner = policy.restore(json.loads(json.dumps(learner.state())))
        learner.observe(arm, rewards_of(row))
    whole = policy.learner(n_arms, noise=SeededNoise(seed))
    play(whole, table)
    require(learner.state() == whole.state(), "restored between select and update, it differs")


def releases_cover_what_came(policy: Policy, n_arms: int, seed: int) -> None:
    """No release comes without a draw of its own, or speaks of rewards that have not come.

    Draws without a release are no fault here: what they lose is counted all the same.
    """
    table = Table.random(500, n_arms, seed)
    noise = RecordingNoise(SeededNoise(seed, discrete=True))
    learner = policy.learner(n_arms, noise=noise)
    seen: dict[int | None, int] = {}
    before = 0
    for t in range(len(table.rewards)):
        arms, releases = play(learner, table, t, t + 1)
        seen[arms[0]] = seen.get(arms[0], 0) + 1
        seen[None] = t + 1
        for release in releases:
            drawn = len(noise.drawn) > before
            require(drawn or not policy.guarantee.private, "noise is drawn for every release")
            before = len(noise.drawn)
            require(release.count <= seen[release.arm], "a release covers rewards that came")


def loses_epsilon_at_most(policy: Policy, n_arms: int, seed: int) -> None:
    """With releases frozen, another reward in one round changes no arm, and loses epsilon."""
    table = Table.random(200, n_arms, seed)
    first = RecordingNoise(SeededNoise(seed))
    arms, _ = play(policy.learner(n_arms, noise=first), table)
    script = [each.noisy for each in first.drawn]
    for flipped in (0, 1, 2, n_arms, 57, 120, 199):
        rewards = table.rewards.copy()
        rewards[flipped] = 1.0 - rewards[flipped]
        second = RecordingNoise(FrozenNoise(script, SeededNoise(seed)))
        again, _ = play(policy.learner(n_arms, noise=second), Table(rewards))
        require(again == arms, f"round {flipped}'s reward moved an arm past the noise")
        both = list(zip(first.drawn, second.drawn, strict=True))
        claim, rho = policy.guarantee.under("replace"), policy.guarantee.rho
        loss = sum(a.loss(b) if rho is None else a.concentrated(b) for a, b in both)
        claim = claim if rho is None else rho
        require(
            loss <= claim * (1.0 + 1e-9),
            f"one reward must lose what is promised at most: {loss:g} where {claim:g} is claimed",
        )


def decides_from_releases_alone(policy: Policy, n_arms: int, seed: int) -> None:
    """Let the public half, handed releases and decisions only, decide what the learner does."""
    table = Table.random(300, n_arms, seed)
    learner = policy.learner(n_arms, noise=SeededNoise(seed))
    if not isinstance(learner, BanditLearner):  # others have one release to go by, and play it
        return
    public, generator = learner.policy._public_side(n_arms), SeededNoise(seed).selection
    late = 3
    arms: list[int] = []
    for t in range(1, len(table.rewards) + 1):
        if t > public.stage_end:
            public.begin_stage(t)
        possible = _possible(public, t) if t % 7 == 0 else None
        arm = public.choose(t, generator)
        arms.append(learner.select())
        require(arms[-1] == arm, f"round {t} was decided from more than releases")
        require(possible is None or possible[arm], f"round {t} played an arm of no chance")
        public.decided(arm)
        if t > late:
            settled = t - 1 - late
            row = table.rewards[settled].tolist()
            release = learner.observe(arms[settled], rewards_of(row))
            public.settled(arms[settled])
            if release is not None:
                public.absorb(release)


def _possible(public: PublicSide, t: int) -> list[bool] | None:
    """Return which arms have a chance in round ``t``; None where a rule does not say."""
    try:
        chances = public.chances(t)
    except ParameterError:
        return None
    require(abs(float(chances.sum()) - 1.0) < 1e-9, f"the chances of round {t} must add up to 1")
    return [bool(chance > 0.0) for chance in chances]


def refuses_bad_input(policy: Policy, n_arms: int, seed: int) -> None:
    """Bad input raises a typed error, shows no reward, and changes nothing."""
    learner = policy.learner(n_arms, noise=SeededNoise(seed))
    play(learner, Table.random(50, n_arms, seed))
    ones = _either(1.0, [1.0] * n_arms)
    _refused(learner, partial(learner.observe, 0, ones), "an update without a decision")
    arm = learner.select()
    for bad in NOT_REWARDS:
        sample = _either(bad, [*[0.0] * (n_arms - 1), bad])
        _refused(learner, partial(learner.observe, arm, sample), f"{bad!r} as a reward")
    for size in (0, n_arms - 1, n_arms + 1):
        sample = _either(STRANGE, [0.0] * size)
        _refused(learner, partial(learner.observe, arm, sample), "rewards of another number")
    sample = _either([1.0], 1.0)
    _refused(learner, partial(learner.observe, arm, sample), "a number for a vector, or a vector")
    for wrong in NOT_ARMS:
        call: Callable[..., object] = learner.observe
        _refused(learner, partial(call, wrong, ones), f"{wrong!r} as an arm")
    changes: tuple[dict[str, Any], ...] = (
        {"n_arms": n_arms + 1},
        {"round": -1},
        {"releases": [{}]},
        {"unreleased": {}},
    )
    for change in changes:
        damaged = {**learner.state(), **change}
        _refused(learner, partial(policy.restore, damaged), "a damaged state")


def _either(one: object, every: object) -> Sample:
    """Return a sample that gives one thing for an arm and another for all."""
    return lambda arm: every if arm is None else one


def _refused(learner: Learner, call: Callable[[], object], what: str) -> None:
    before = learner.state()
    try:
        call()
    except HushError as error:
        require(str(STRANGE) not in repr(error), "an error must not show a reward")
    else:
        raise ConformanceError(f"{what} must be refused with a HushError")
    require(learner.state() == before, f"{what} must change nothing")


def shows_no_reward(policy: Policy, n_arms: int, seed: int) -> None:
    """Rewards of a strange value are seen in no text but a state."""
    learner = policy.learner(n_arms, noise=SeededNoise(seed), reward_range=(0.0, 987654.0))
    for _ in range(20):
        learner.observe(learner.select(), rewards_of([123457.25] * n_arms))
    learner.select()
    shown = [repr(learner), str(learner), repr(learner.statistics), repr(learner.guarantee)]
    shown += [repr(value) for value in vars(learner).values()]
    require(not any("123457" in text for text in shown), "repr must not show a reward")


def endures(policy: Policy, n_arms: int, seed: int, *, rounds: int) -> None:
    """Many rounds pass without drift or overflow, and the state does not grow with them."""
    env, source = children(np.random.SeedSequence(seed), 2)
    generator = np.random.Generator(np.random.PCG64(env))
    learner = policy.learner(n_arms, noise=SeededNoise(source))
    left = rounds
    while left:
        size = min(left, 10_000)
        tosses = (generator.random((size, n_arms)) < means(n_arms)).astype(np.int64)
        for row in tosses.tolist():
            learner.observe(learner.select(), rewards_of(row))
        left -= size
    require(learner.rounds == rounds, f"after {rounds} rounds the learner counts {learner.rounds}")
    numbers = json.dumps(learner.state(), allow_nan=False)
    require(len(numbers) < 1_000_000, "a state must not grow with the number of rounds")


Checker = Callable[[Policy, int, int], None]
PRIVATE_CHECKS: tuple[Checker, ...] = (loses_epsilon_at_most,)
CHECKS: tuple[Checker, ...] = (
    is_a_frozen_value,
    states_a_guarantee,
    follows_its_seed,
    restores_to_the_same_future,
    restores_with_a_decision_open,
    releases_cover_what_came,
    *PRIVATE_CHECKS,
    decides_from_releases_alone,
    refuses_bad_input,
    shows_no_reward,
)

"""By construction: whether a policy's own code is handed a reward at all.

The private half of a learner holds the sums and is the one door to noise; the public half folds
releases into decisions. Where both halves of a policy are Hush's own, and its class overrides
public hooks only, its loss is what the mechanism at work loses: `docs/privacy.md` has the proof.
"""

from __future__ import annotations

import math
from typing import Any

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Finding
from hush.auditing.own_code import is_shipped, private_hooks, reaches
from hush.mechanisms import (
    BinaryCounter,
    Dartboard,
    GaussianSum,
    HybridCounter,
    NoisyArgmax,
    NoisyLeader,
    SharedSum,
    VectorTree,
)
from hush.mechanisms.flipping import FlippedSums
from hush.mechanisms.noisy_sum import NoisySum
from hush.mechanisms.sums import ArmCounters, ArmSums, VectorSums
from hush.noise import ScriptedNoise
from hush.policies import Learner, Policy

__all__ = ["construction", "proven_loss"]


def construction(policy: Policy, n_arms: int, claim: Claim) -> Finding:
    """Say whether a policy is private by construction, or which of its code sees rewards.

    What a person loses is what one of her rewards does, as often as she has one: a pure epsilon
    adds up over the steps from one table to the other. A concentrated loss grows with the square of
    the steps that may be in one sum.
    """
    policy = policy.with_horizon(1000)
    learner = policy.learner(n_arms, noise=ScriptedNoise([]))
    hooks, reached = private_hooks(policy), reaches(policy)
    foreign = foreign_parts(learner)
    single = proven_loss(learner, claim.neighbours, concentrated=claim.concentrated)
    times = claim.times
    loss = times * single
    facts = {"private_hooks": hooks, "reaches": reached, "own_parts": foreign, "loss": _plain(loss)}
    hers = f", {times:,} times {single:.4g} for a reward" if claim.rewards > 1 else ""
    says = []
    if hooks:
        says.append(f"It overrides private hooks: {', '.join(hooks)}.")
    if foreign:
        says.append(f"Code of its own is handed raw rewards: {', '.join(foreign)}.")
    if reached:
        says.append(f"Its code names what could reach them: {', '.join(reached[:6])}.")
    if math.isinf(loss):
        says.append("Its private half is none whose loss is known.")
    elif claim.broken_by(loss):
        says.append(f"Its mechanism loses {loss:.4g}{hers}, more than is claimed.")
    if says:
        return Finding("construction", "inconclusive", None, " ".join(says), facts=facts)
    return Finding(
        "construction",
        "proved",
        loss,
        f"Its class overrides public hooks only, so that it is handed releases and decisions, and "
        f"its private half is Hush's own: {type(private_half(learner)).__name__} with a loss of "
        f"{loss:.4g} at most{hers}.",
        facts=facts,
    )


def private_half(learner: Learner) -> Any:  # noqa: ANN401  of either kind
    """Return the half of a learner that holds sums."""
    return getattr(learner, "_private", None)


def foreign_parts(learner: Learner) -> list[str]:
    """Return the parts that rewards pass through and that are not Hush's own."""
    private = private_half(learner)
    parts = [learner, private, getattr(private, "_mechanism", None)]
    parts += getattr(private, "_counters", [])[:1]
    named = {type(each).__name__: type(each) for each in parts if each is not None}
    return [name for name, cls in named.items() if not is_shipped(cls)]


def proven_loss(learner: Learner, neighbours: str, *, concentrated: bool = False) -> float:
    """Return what a learner's private half loses, read off itself; infinite where unknown.

    Concentrated, it is the rho of Gaussian noise, or half the square of what is lost otherwise.

    >>> import hush
    >>> proven_loss(hush.LazyDPTS(0.5).learner(3), "replace")
    0.5
    >>> proven_loss(hush.RNMFTNL.as_printed(1.0).learner(3), "replace")
    2.0
    >>> proven_loss(hush.AdaCUCB(rho=0.5).learner(3), "replace", concentrated=True)
    0.5
    """
    private = private_half(learner)
    if concentrated:
        return _concentrated_loss(learner, neighbours)
    if type(private) is ArmSums:
        return _sum_loss(private._mechanism)
    if type(private) is FlippedSums:
        return _coin_loss(private._chances)
    if type(private) is ArmCounters:
        counters = {(type(each), each.epsilon) for each in private._counters}
        kinds = {kind for kind, _ in counters} <= {BinaryCounter, HybridCounter}
        return max(epsilon for _, epsilon in counters) if kinds else math.inf
    return _vectors_loss(private, neighbours)


def _vectors_loss(private: Any, neighbours: str) -> float:  # noqa: ANN401  of any kind
    """Return what a half that is handed reward vectors loses."""
    if type(private) is VectorSums and not private._keep:
        return _choice_loss(private._mechanism, neighbours)
    if type(private) is VectorTree:  # K sums of a node of every level move, each by 1 at most
        return private._node_epsilon * private._n_arms * private._levels
    return _dartboard_loss(private) if type(private) is Dartboard else math.inf


def _concentrated_loss(learner: Learner, neighbours: str) -> float:
    private = private_half(learner)
    mechanism = getattr(private, "_mechanism", None)
    if type(private) is ArmSums and type(mechanism) is GaussianSum:
        return mechanism.rho if mechanism.sensitivity == 1 else math.inf
    return 0.5 * proven_loss(learner, neighbours) ** 2


def _dartboard_loss(board: Dartboard) -> float:
    """Add up what the coins and draws at work lose; the dartboard's own account is not asked.

    One coin knows which vector was replaced: its sides have the chances that are tossed with. Every
    draw is an exponential mechanism on sums that move by 1 at most.
    """
    return _coin_loss(board._chances) + board._budget * board._draw_epsilon


def _coin_loss(chances: tuple[float, float]) -> float:
    """Return what one toss loses, by the chances that it is tossed with."""
    one, other = chances
    sides = ((one, other), (1.0 - one, 1.0 - other))
    return max(abs(math.log(a / b)) for a, b in sides)


def _sum_loss(mechanism: object) -> float:
    if type(mechanism) is SharedSum:
        return mechanism.epsilon
    if type(mechanism) is not NoisySum or mechanism.sensitivity != 1:
        return math.inf
    return mechanism.epsilon


def _choice_loss(mechanism: object, neighbours: str) -> float:
    if type(mechanism) is NoisyLeader:
        return mechanism.epsilon
    if type(mechanism) is not NoisyArgmax:
        return math.inf
    # Zeroing a vector out is one way of replacing it.
    one_way = mechanism.neighbours == "add-remove" and neighbours == "replace"
    return (2.0 if one_way else 1.0) * mechanism.epsilon


def _plain(loss: float) -> float | None:
    return None if math.isinf(loss) else loss

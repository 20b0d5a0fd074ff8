"""What is checked before a learner begins, or goes on from a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from typing import Any

from hush.errors import (
    HushError,
    ParameterError,
    RewardError,
    StateError,
    check_field,
    positive,
    shown,
    unknown_name,
)
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.outbox import OnRelease
from hush.policies.core.protocols import L_co, Promises, RestoresLearner
from hush.policies.core.states import opened, state_part

__all__ = [
    "check_losses",
    "check_promise",
    "checked_default",
    "incomplete",
    "no_parameter",
    "restored",
]
LOSSES = ("epsilon", "rho")
LEAST, MOST = 1e-12, 1e12


def check_losses(policy: object) -> None:
    """Check ``epsilon`` and ``rho``: a policy that has both takes exactly one of them."""
    names = [name for name in LOSSES if hasattr(policy, name)]
    if len(names) == 2:
        names = [name for name in LOSSES if getattr(policy, name) is not None]
        if len(names) != 1:
            raise ParameterError(
                f"{type(policy).__name__} takes epsilon= or rho=, exactly one of the two"
            )
    for name in names:
        check_field(policy, name, _loss)


def _loss(name: str, value: float) -> float:
    """Return a privacy loss, or raise: of one out of these limits formulas lose all digits."""
    loss = positive(name, value)
    if not LEAST <= loss <= MOST:
        raise ParameterError(f"{name} must lie between {LEAST:g} and {MOST:g}; got {shown(value)}")
    return loss


def incomplete(cls: type[Any], given: Mapping[str, Any], error: TypeError) -> ParameterError:
    """Return the error for a policy that cannot be made: what is missing, or Python's reason."""
    missing = [
        f.name
        for f in fields(cls)
        if f.init and f.default is MISSING and f.default_factory is MISSING and f.name not in given
    ]
    return ParameterError(f"{cls.__name__} needs {', '.join(missing) or error}")


def no_parameter(owner: str, name: str, known: Sequence[str]) -> HushError:
    """Return the error for a name that is no hyper-parameter."""
    if name == "rho" and "epsilon" in known:
        return ParameterError(
            f"{owner} has no rho: its rule covers the tails of Laplace noise, not Gaussian ones; "
            "give it epsilon, or take AdaCUCB or a noise-aware policy"
        )
    return unknown_name(f"parameter of {owner}", name, known)


def check_promise(policy: Promises, names: Sequence[str], *, draws: bool) -> None:
    """Refuse a policy that protects nobody and did not say so."""
    name = type(policy).__name__
    if not draws and not policy.non_private:
        raise ParameterError(
            f"{name} would release exact sums of rewards: no parameter is named epsilon or "
            f"rho (its parameters: {', '.join(names) or 'none'}); name it so, or declare "
            "non_private = True in the class"
        )
    if draws and policy.non_private:
        raise ParameterError(f"{name} declares non_private = True, but has a guarantee")


def checked_default(default: float | None, rewards: RewardRange) -> float | None:
    """Return the reward of decisions that expire, or raise."""
    if default is None:
        return None
    try:
        rewards.unit(default)
    except RewardError:
        raise ParameterError(
            f"default must be a reward within [{rewards.low:g}, {rewards.high:g}]; "
            f"got {shown(default)}"
        ) from None
    return float(default)


def restored(
    policy: RestoresLearner[L_co],
    state: Mapping[str, Any],
    noise: NoiseSource | None,
    on_release: OnRelease | None,
) -> L_co:
    """Return a learner that goes on from a state, or raise."""
    body = opened(state)
    if body.get("policy") != policy.to_dict():
        named = body.get("policy")
        name = named.get("policy") if isinstance(named, dict) else None
        what = f"of {name}" if name != type(policy).__name__ else "of other parameters"
        raise StateError(
            f"this state is {what}, not of {policy}; restore it with the policy that made it"
        )
    if noise is None:
        noise = NoiseSource.from_state(state_part(body, "noise", dict))
    try:
        learner = policy.learner(
            body["n_arms"],
            noise=noise,
            reward_range=tuple(body["reward_range"]),
            default=body["default"],
            on_release=on_release,
        )
        learner._restore(body)
        learner._take_over(body)
    except StateError:
        raise
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise StateError("this state is damaged; restore from an intact copy") from error
    return learner

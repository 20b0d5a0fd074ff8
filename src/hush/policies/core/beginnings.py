"""What is checked before a learner begins, or goes on from a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hush.errors import ParameterError, RewardError, StateError, shown
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.outbox import OnRelease
from hush.policies.core.protocols import L_co, Promises, RestoresLearner
from hush.policies.core.states import opened, state_part

__all__ = ["check_promise", "checked_default", "restored"]


def check_promise(policy: Promises, names: Sequence[str], *, draws: bool) -> None:
    """Refuse a policy that protects nobody and did not say so."""
    name = type(policy).__name__
    if not draws and not policy.non_private:
        raise ParameterError(
            f"{name} would release exact sums of rewards: no parameter is named epsilon (its "
            f"parameters: {', '.join(names) or 'none'}); name it so, or declare "
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

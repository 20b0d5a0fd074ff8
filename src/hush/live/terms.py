"""The terms of an experiment: what is promised, and frozen when it starts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from hush.errors import ParameterError, is_number, positive, shown, whole
from hush.live.durations import milliseconds
from hush.mechanisms import RewardRange
from hush.noise import epsilon_within
from hush.policies import REGISTERED, BanditPolicy, Policy, policy_class

__all__ = [
    "Terms",
    "checked_arms",
    "checked_name",
    "checked_names",
    "checked_share",
    "live_policies",
]

MOST_ARMS = MOST_SEGMENTS = 2**16 - 1
MOST_EPOCHS = 2**24
LEAST_EPSILON, MOST_EPSILON = 1e-9, 1e6  # of one reward: where plans can be computed
MOST_LANES = 100_000
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Terms:
    """What an experiment promises and how it learns; all of it is public.

    Times are milliseconds. ``policy`` is the class's name with its hyper-parameters but epsilon,
    which follows from the promise.
    """

    policy: Mapping[str, Any]
    person_epsilon: float
    person_bound: int
    window: int
    default: float
    reward_range: tuple[float, float]
    population: str
    segments: tuple[str, ...]
    tick: int
    grace: int
    max_age: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the terms as plain values."""
        found = {field.name: getattr(self, field.name) for field in fields(self)}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Terms:
        """Rebuild terms from :meth:`to_dict`."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**values)

    @classmethod
    def of(cls, policy: object, parameters: Mapping[str, Any] | None, given: Any) -> Terms:  # noqa: ANN401
        """Check what ``create`` was given, and return the terms."""
        bound = whole("person_bound", given["person_bound"], least=1, most=10**6)
        rewards = RewardRange.of(given["reward_range"])
        default = given["default"]
        if not is_number(default) or not rewards.low <= default <= rewards.high:
            raise ParameterError(
                f"default must lie in the reward range [{rewards.low:g}, {rewards.high:g}]; "
                f"got {shown(default)}"
            )
        max_age = given["max_age"]
        if not isinstance(parameters, Mapping | None):
            raise ParameterError(f"parameters must be a mapping; got {shown(parameters)}")
        terms = cls(
            policy={"policy": _class_of(policy).__name__, **(parameters or {})},
            person_epsilon=positive("person_epsilon", given["person_epsilon"]),
            person_bound=bound,
            window=milliseconds("window", given["window"]),
            default=float(default),
            reward_range=(rewards.low, rewards.high),
            population=checked_name("population", given["population"]),
            segments=_checked_segments(given["segments"]),
            tick=milliseconds("tick", given["tick"]),
            grace=milliseconds("grace", given["grace"]),
            max_age=None if max_age is None else milliseconds("max_age", max_age),
        )
        if not LEAST_EPSILON <= terms.person_epsilon / bound <= MOST_EPSILON:
            raise ParameterError(
                f"person_epsilon / person_bound must lie in [{LEAST_EPSILON:g}, {MOST_EPSILON:g}]"
            )
        plain = terms.learning.to_dict()  # refuses a policy that does not fit
        return replace(terms, policy={k: v for k, v in plain.items() if k in terms.policy})

    @cached_property
    def epsilon(self) -> float:
        """The loss of one reward: the promise, shared out among those that a person may give."""
        return epsilon_within(self.person_epsilon, self.person_bound)

    @cached_property
    def learning(self) -> BanditPolicy:
        """The policy at the epsilon of one reward."""
        parameters = {k: v for k, v in self.policy.items() if k != "policy"}
        if "epsilon" in parameters:
            raise ParameterError(
                "epsilon follows from person_epsilon / person_bound; leave it out of the parameters"
            )
        kind = policy_class(self.policy["policy"])
        stated = kind.check_names(parameters)
        if "epsilon" in stated and parameters.get("rho") is None:
            parameters["epsilon"] = self.epsilon
        elif "rho" in stated:
            parameters.setdefault("rho", self.epsilon)  # any will do: refused below, whatever it is
        else:
            raise ParameterError(f"{kind.__name__} cannot run live: it is not private")
        made = kind.from_parameters(parameters)
        why_not = made.why_not_live(ages=self.max_age is not None)
        if why_not is not None:
            raise ParameterError(f"{kind.__name__} cannot run live: {why_not}")
        return cast("BanditPolicy", made)

    @cached_property
    def rewards(self) -> RewardRange:
        """The range of rewards."""
        return RewardRange(*self.reward_range)

    @cached_property
    def default_unit(self) -> float:
        """The default, mapped to [0, 1]."""
        return self.rewards.unit(self.default)

    def rounded(self, at: int) -> int:
        """Return the first tick that is not before a time."""
        return at if not self.tick else -(-at // self.tick) * self.tick

    def due(self, last_deadline: int) -> int:
        """Return when a batch settles whose last decision has this deadline."""
        return self.rounded(last_deadline + self.grace + 1)  # a reward may come at the deadline

    def published(self, due: int) -> int:
        """Return when the release of a batch is shown: a tick later, however long it is drawn."""
        return due + self.tick

    def segment(self, name: object) -> int:
        """Return the number of a segment."""
        if name is None:
            if len(self.segments) == 1:
                return 0
            raise ParameterError(f"segment must be one of {', '.join(self.segments)}")
        if not isinstance(name, str) or name not in self.segments:
            known = ", ".join(self.segments) if self.segments != ("",) else "none"
            raise ParameterError(f"this experiment has no such segment; known: {known}")
        return self.segments.index(name)


def live_policies() -> tuple[str, ...]:
    """Return the names of the policies that live experiments accept.

    >>> live_policies()
    ('AnytimeLazyUCB', 'LazyKLUCB', 'LazyUCBV', 'LazyDPTS', 'NoiseAwareIMED', 'NoiseAwareTS')
    """
    private = [cls for cls in REGISTERED if "epsilon" in cls.check_names({})]
    made = [cls.from_parameters({"epsilon": 1.0}) for cls in private]
    return tuple(type(each).__name__ for each in made if each.why_not_live(ages=False) is None)


def _class_of(policy: object) -> type[Policy]:
    if isinstance(policy, str):
        return policy_class(policy)
    if isinstance(policy, type) and issubclass(policy, Policy):
        if policy_class(policy.__name__) is not policy:
            raise ParameterError(
                f"{policy.__name__} is not a registered policy: a store keeps names"
            )
        return policy
    raise ParameterError(
        "policy must be a policy's class or name, such as hush.NoiseAwareTS: its epsilon follows "
        f"from the promise; got {shown(policy)}"
    )


def checked_name(kind: str, name: object, most: int = 64) -> str:
    """Return a name that may stand in a URL, a file name and a log, or raise.

    >>> checked_name("experiment", "checkout-2")
    'checkout-2'
    """
    if not isinstance(name, str) or len(name) > most or not NAME.fullmatch(name):
        raise ParameterError(
            f"{kind} must be a name of 1 to {most} letters, digits, dots, dashes and underscores, "
            f"starting with a letter or digit; got {shown(name)}"
        )
    return name


def checked_arms(arms: object) -> tuple[str, ...]:
    """Return the names of the arms, or raise.

    >>> checked_arms(["old", "new"])
    ('old', 'new')
    """
    return checked_names("arms", arms, least=2, most=MOST_ARMS)


def _checked_segments(segments: object) -> tuple[str, ...]:
    if segments is None:
        return ("",)
    return checked_names("segments", segments, least=1, most=MOST_SEGMENTS)


def checked_names(kind: str, names: object, least: int, most: int) -> tuple[str, ...]:
    """Return different names, neither too few nor too many, or raise.

    >>> checked_names("experiments", ["checkout"], least=1, most=10)
    ('checkout',)
    """
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise ParameterError(f"{kind} must be a list of names; got {shown(names)}")
    found = tuple(checked_name(f"one of {kind}", each) for each in names)
    if not least <= len(found) <= most or len(set(found)) < len(found):
        raise ParameterError(
            f"{kind} must be {least} to {most:,} different names; got {shown(names)}"
        )
    return found


def checked_share(name: str, value: object, most: float) -> float:
    """Return a share from 0 to a limit, or raise."""
    if not is_number(value) or not 0.0 <= value <= most or not np.isfinite(value):
        raise ParameterError(f"{name} must be a number from 0 to {most:g}; got {shown(value)}")
    return float(value)

"""Policies and learners: what all of them share.

A *policy* is an immutable description, a frozen dataclass. A *learner* is a policy at work. The
learner does the bookkeeping (rounds, outstanding decisions, releases, states); an algorithm
supplies its schedule, its mechanism and one rule over released statistics.
"""

from __future__ import annotations

import hashlib
import json
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, Literal, Self

from hush.errors import ParameterError, StateError, positive, unknown_name, whole
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource, SecureNoise
from hush.privacy import Guarantee, Release

__all__ = ["Feedback", "Learner", "Policy"]

Feedback = Literal["bandit", "full"]
STATE_FORMAT = 1
FARTHEST = 10**18


@dataclass(frozen=True)
class Policy(ABC):
    """An immutable description of an algorithm: its class and its hyper-parameters.

    A subclass is a frozen dataclass whose fields are its hyper-parameters, checked in
    ``__post_init__``. It may change none of them later. Policies compare and hash by value, and
    go to and from plain dictionaries, hence TOML and JSON.

    Class attributes
    ----------------
    feedback
        ``"bandit"`` or ``"full"``.
    kind
        Which compiled engine understands it; ``"custom"`` runs through its learner.
    summary
        One line for lists.
    reference
        Where it comes from.
    bound
        Its regret bound in one line: K arms with means m, the best m*, gaps D, horizon T.
    noise_law
        Which noise it adds to what.
    """

    feedback: ClassVar[Feedback]
    kind: ClassVar[str] = "custom"
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    bound: ClassVar[str] = ""
    noise_law: ClassVar[str] = "none"

    def __post_init__(self) -> None:
        if hasattr(self, "epsilon"):
            object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        if getattr(self, "horizon", None) is not None:
            horizon = whole("horizon", self.horizon, least=1, most=FARTHEST)  # type: ignore[attr-defined]
            object.__setattr__(self, "horizon", horizon)

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What is promised about every output, and why."""

    @abstractmethod
    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> Learner:
        """Make the learner; arguments are checked already."""

    def learner(
        self,
        n_arms: int,
        *,
        noise: NoiseSource | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> Learner:
        """Put the policy to work.

        Parameters
        ----------
        n_arms
            How many options there are.
        noise
            A noise source. Left out, it is :class:`~hush.SecureNoise`: unseeded, for deployment.
        reward_range
            Declared ends of the rewards. It must not be read off the rewards themselves.

        Examples
        --------
        >>> import hush
        >>> hush.LazyDPTS(epsilon=0.5).learner(n_arms=3)
        <learner of LazyDPTS(epsilon=0.5): 3 arms, round 0, 0 releases, SecureNoise()>
        """
        if self.needs_horizon:
            raise ParameterError(
                f"{type(self).__name__} needs to know for how many rounds: give it horizon="
            )
        count = whole("n_arms", n_arms, least=1)
        rewards = RewardRange.of(reward_range)
        if noise is None:
            noise = SecureNoise()
        elif not isinstance(noise, NoiseSource):
            raise ParameterError(
                "noise must be a noise source: SecureNoise(), or for simulation SeededNoise(seed); "
                f"got {type(noise).__name__}"
            )
        return self._new_learner(count, noise, rewards)

    def restore(self, state: Mapping[str, Any], *, noise: NoiseSource | None = None) -> Learner:
        """Resume a learner from its :meth:`Learner.state`.

        With the same noise source the restored learner has exactly the future of the
        uninterrupted one. Restore a state once: two copies that both go on would each release
        the sums of the running epochs.

        Parameters
        ----------
        state
            What ``learner.state()`` returned, perhaps by way of JSON.
        noise
            A noise source to go on with. Left out, the state's own kind goes on: secure noise
            stays secure, and a simulation resumes its generators where they stood.

        Examples
        --------
        >>> import hush
        >>> policy = hush.AnytimeLazyUCB(epsilon=1.0)
        >>> learner = policy.learner(2, noise=hush.SeededNoise(7))
        >>> _ = learner.update(learner.select(), 1)
        >>> policy.restore(learner.state()).releases == learner.releases
        True
        """
        body = _opened(state)
        if body.get("policy") != self.to_dict():
            named = body.get("policy")
            name = named.get("policy") if isinstance(named, dict) else None
            what = f"of {name}" if name != type(self).__name__ else "of other parameters"
            raise StateError(
                f"this state is {what}, not of {self}; restore it with the policy that made it"
            )
        if noise is None:
            noise = NoiseSource.from_state(state_part(body, "noise", dict))
        try:
            learner = self.learner(
                body["n_arms"], noise=noise, reward_range=tuple(body["reward_range"])
            )
            learner._restore(body)
        except StateError:
            raise
        except (KeyError, TypeError, IndexError, ValueError) as error:
            raise StateError("this state is damaged; restore from an intact copy") from error
        return learner

    @property
    def needs_horizon(self) -> bool:
        """Whether a ``horizon`` hyper-parameter was left out, without which it cannot start."""
        return any(f.name == "horizon" and f.init for f in fields(self)) and (
            getattr(self, "horizon", 0) is None
        )

    def with_horizon(self, horizon: int) -> Self:
        """Fill in a ``horizon`` that was left out and is needed; others return themselves."""
        return replace(self, horizon=horizon) if self.needs_horizon else self  # type: ignore[call-arg]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"policy": name, parameter: value, ...}``, JSON- and TOML-able.

        >>> import hush
        >>> hush.RNMFTNL(epsilon=0.5).to_dict()
        {'policy': 'RNMFTNL', 'epsilon': 0.5, 'noise': 'exponential', 'neighbours': 'replace',
         'growth': 2.0}
        """
        values = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        return {
            "policy": type(self).__name__,
            **{
                k: list(v) if isinstance(v, tuple) else v
                for k, v in values.items()
                if v is not None
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build the policy from a mapping; an unknown parameter raises with the nearest known."""
        known = cls.check_names(parameters)
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
        try:
            return cls(**values)
        except TypeError as error:
            raise ParameterError(f"{cls.__name__} needs {', '.join(known)}: {error}") from None

    @classmethod
    def check_names(cls, names: Iterable[str]) -> list[str]:
        """Raise at the first name that is no hyper-parameter; return those that are."""
        known = [f.name for f in fields(cls) if f.init]
        for name in names:
            if name not in known:
                raise unknown_name(f"parameter of {cls.__name__}", name, known)
        return known

    @property
    def label(self) -> str:
        """A short readable name: the class, and the parameters that differ from their defaults.

        >>> import hush
        >>> hush.RNMFTNL.as_printed(1.0).label
        "RNMFTNL(epsilon=1, noise='laplace', neighbours='add-remove')"
        """
        shown = []
        for f in fields(self):
            value = getattr(self, f.name)
            if f.init and value != f.default:
                text = f"{value:g}" if isinstance(value, float) else repr(value)
                shown.append(f"{f.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __str__(self) -> str:
        return self.label


class Learner(ABC):
    """A policy at work: :meth:`select` decides a round, ``update`` settles it.

    Invariants: raw rewards are held by :mod:`hush.mechanisms` alone; what this class and its
    subclasses keep, show, or raise is made of released values and of decisions. Bad input raises
    and changes nothing. A learner is for one thread at a time.
    """

    def __init__(
        self, policy: Policy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        self._policy = policy
        self._n_arms = n_arms
        self._noise = noise
        self._rewards = rewards
        self._round = 0
        self._log: dict[int, Release] = {}
        self._keeps_last_only = False

    @abstractmethod
    def select(self) -> int:
        """Decide one more round and return the arm to play."""

    @property
    def policy(self) -> Policy:
        """The policy at work."""
        return self._policy

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return self._n_arms

    @property
    def rounds(self) -> int:
        """How many rounds have been decided."""
        return self._round

    @property
    def secure(self) -> bool:
        """Whether noise is drawn for deployment rather than for simulation."""
        return self._noise.secure

    @property
    def guarantee(self) -> Guarantee:
        """The policy's guarantee; it says so if this learner's noise is for simulation only."""
        guarantee = self._policy.guarantee
        if self.secure or not guarantee.private:
            return guarantee
        warning = "simulation only: its noise is reproducible and protects nobody"
        return Guarantee(
            guarantee.epsilon,
            guarantee.neighbours,
            guarantee.unit,
            f"{guarantee.reason} ({warning})",
            guarantee.replace_epsilon,
        )

    @property
    def releases(self) -> tuple[Release, ...]:
        """What has left the private side, oldest first; safe to show.

        A policy that releases every round keeps the last release of each arm only.
        """
        return tuple(self._log.values())

    def state(self) -> dict[str, Any]:
        """Return everything needed to resume, as plain JSON-able values.

        The part named ``unreleased`` holds raw sums of the running epochs. Store a state as
        carefully as the rewards themselves, and store it anew after every release.
        """
        body: dict[str, Any] = {
            "hush_state": STATE_FORMAT,
            "policy": self._policy.to_dict(),
            "n_arms": self._n_arms,
            "reward_range": [self._rewards.low, self._rewards.high],
            "round": self._round,
            "releases": [release.to_dict() for release in self._log.values()],
            "noise": self._noise.state(),
            **self._state(),
        }
        body = json.loads(json.dumps(body, allow_nan=False))
        return {**body, "checksum": _checksum(body)}

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what the kind of learner adds to a state."""

    def _restore(self, body: Mapping[str, Any]) -> None:
        self._round = whole("round", body["round"], least=0)
        for each in state_part(body, "releases", list):
            self._record(Release.from_dict(each))

    def _record(self, release: Release) -> None:
        if self._keeps_last_only:
            key = -1 if release.arm is None else release.arm
            self._log.pop(key, None)  # the newest goes last
        else:
            key = len(self._log)
        self._log[key] = release

    def __reduce__(self) -> tuple[Any, ...]:
        return _resume, (self._policy, self.state())

    def __repr__(self) -> str:
        return (
            f"<learner of {self._policy}: {self._n_arms} arms, round {self._round}, "
            f"{len(self._log)} releases, {self._noise!r}>"
        )


def _resume(policy: Policy, state: dict[str, Any]) -> Learner:
    return policy.restore(state)


def _checksum(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _opened(state: object) -> Mapping[str, Any]:
    """Check that a state is whole, and return it without its checksum."""
    if not isinstance(state, Mapping) or "hush_state" not in state:
        raise StateError("this is not a learner's state; pass what learner.state() returned")
    if state["hush_state"] != STATE_FORMAT:
        raise StateError(
            f"this state has format {state['hush_state']!r}; this version reads {STATE_FORMAT}"
        )
    body = {key: value for key, value in state.items() if key != "checksum"}
    try:
        intact = _checksum(body) == state.get("checksum")
    except (TypeError, ValueError):
        intact = False
    if not intact:
        raise StateError(
            "this state is damaged (its checksum differs); restore from an intact copy"
        )
    return body


def state_part(body: Mapping[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401
    part = body.get(key)
    if not isinstance(part, kind):
        raise StateError(f"this state's {key!r} is missing or damaged")
    return part


def reward_guarantee(epsilon: float) -> Guarantee:
    """Return the guarantee of policies whose every reward enters one noisy sum of its arm."""
    return Guarantee(
        epsilon=epsilon,
        neighbours="replace",
        unit="one round's reward",
        reason=(
            "each reward enters one released sum, moves it by at most 1, and that sum has Laplace "
            "noise of scale 1/epsilon; every decision is computed from released sums alone"
        ),
        replace_epsilon=epsilon,
    )


def counter_guarantee(epsilon: float) -> Guarantee:
    """Return the guarantee of policies that keep one counting mechanism per arm."""
    return Guarantee(
        epsilon=epsilon,
        neighbours="replace",
        unit="one round's reward",
        reason=(
            "each reward enters the counter of its arm alone; it moves each node that it is part "
            "of by at most 1, and those nodes' shares add up to epsilon; every decision is "
            "computed from noisy nodes alone"
        ),
        replace_epsilon=epsilon,
    )


def no_guarantee(reason: str = "decisions depend on exact sums of rewards") -> Guarantee:
    """Return the guarantee of a policy that adds no noise."""
    return Guarantee(
        epsilon=math.inf,
        neighbours="replace",
        unit="one round's reward",
        reason=reason,
        replace_epsilon=math.inf,
    )

"""Policies that change who is promised what, around another policy that decides."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from hush.errors import ParameterError, unknown_name
from hush.mechanisms import RewardRange, Schedule
from hush.mechanisms.sums import ArmCounters, ArmSums
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.policy import Policy
from hush.policies.core.public_side import PublicSide
from hush.policies.core.statistics import Floats, Memory

__all__ = ["WrappingPolicy", "layers", "named_policy"]


@dataclass(frozen=True)
class WrappingPolicy(BanditPolicy):
    """A policy that decides as another one does, from releases of its own.

    The public half is the other's, so that whatever it computes is post-processing here as well.

    Attributes
    ----------
    of
        The policy that decides. Written as its name, or as a table of its name and parameters, too.

    Examples
    --------
    >>> import hush
    >>> policy = hush.Local(hush.UCB1(), epsilon=1.0)
    >>> isinstance(policy, hush.WrappingPolicy), policy.to_dict()
    (True, {'policy': 'Local', 'of': {'policy': 'UCB1'}, 'epsilon': 1.0})
    >>> hush.policy_from_dict({"policy": "Local", "of": "UCB1", "epsilon": 1.0}) == policy
    True
    """

    of: BanditPolicy

    def __post_init__(self) -> None:
        if not hasattr(self.of, "_public_side"):
            kind = type(self.of).__name__
            raise ParameterError(
                f"{type(self).__name__} goes around a bandit policy, such as UCB1(); got {kind}"
            )
        self._check_inner(type(self.of).__name__)
        super().__post_init__()

    def _check_inner(self, name: str) -> None:
        """Refuse to go around a policy with which the promise would not hold."""

    @property
    def schedule(self) -> Schedule:
        """That of the policy that decides."""
        return self.of.schedule

    @property
    def memory(self) -> Memory:  # type: ignore[override]  # it is the other's, not the class's
        """That of the policy that decides."""
        return self.of.memory

    def _public_side(self, n_arms: int) -> PublicSide:
        return self.of._public_side(n_arms)

    def _private_side(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> ArmSums | ArmCounters:
        return self.of._private_side(n_arms, noise, rewards)

    def coin_means(self, means: Floats) -> Floats:
        """Return the means of the coins that are added up, for rewards of these means."""
        return means

    @property
    def needs_horizon(self) -> bool:
        """Whether the policy that decides does."""
        return self.of.needs_horizon

    @property
    def declared_horizon(self) -> int | None:
        """That of the policy that decides."""
        return self.of.declared_horizon

    def with_horizon(self, horizon: int) -> Self:
        """Fill in a ``horizon`` that the policy that decides needs."""
        return replace(self, of=self.of.with_horizon(horizon)) if self.needs_horizon else self

    @property
    def has_bounds(self) -> bool:
        """Whether the policy that decides has some."""
        return self.of.has_bounds

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bounds of the policy that decides, for what it sees."""
        yield from self._seen(self.of.bounds(self._setting(setting)))

    def first_rounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield what the first rounds of the policy that decides cost."""
        yield from self._seen(self.of.first_rounds(self._setting(setting)))

    def _setting(self, setting: Setting) -> Setting:
        """Return what the policy that decides is up against."""
        return replace(setting, epsilon=self.of.guarantee.under("replace"))

    def _seen(self, bounds: Iterator[Bound]) -> Iterator[Bound]:
        """Yield what bounds on the other's regret say about this one's."""
        yield from bounds

    def why_not_live(self, *, ages: bool) -> str | None:  # noqa: ARG002
        """Return why live experiments do not run it: they have a promise of their own."""
        return "live experiments trust their store, and bound what each person gives themselves"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, the policy that decides among them."""
        inner, cls = self.of.to_dict(), type(self.of)
        name = cls.__name__ if _is_shipped(cls) else f"{cls.__module__}:{cls.__qualname__}"
        return {**super().to_dict(), "of": {**inner, "policy": name}}

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build it from a mapping, in which ``of`` may be a name or a mapping."""
        values = dict(parameters)
        if "of" in values:
            values["of"] = named_policy(values["of"], cls._inner_defaults(values))
        return super().from_parameters(values)

    @classmethod
    def _inner_defaults(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ARG003
        """Return parameters of the policy that decides that follow from these, if left out."""
        return {}


def layers(policy: Policy) -> Iterator[Policy]:
    """Yield a policy, and what it goes around, from the outside in.

    >>> import hush
    >>> [type(each).__name__ for each in layers(hush.Local(hush.UCB1(), epsilon=1.0))]
    ['Local', 'UCB1']
    """
    yield policy
    if isinstance(policy, WrappingPolicy):
        yield from layers(policy.of)


def named_policy(given: object, defaults: Mapping[str, Any]) -> object:
    """Return the policy that a name or a table stands for; anything else as it is.

    A policy of your own is ``module:Class``. Nothing is imported for it: a state or a saved result
    may say so.

    >>> named_policy({"policy": "UCBV", "zeta": 2.0}, {})
    UCBV(zeta=2.0, c=1.0)
    """
    if not isinstance(given, str | Mapping):
        return given
    table = {"policy": given} if isinstance(given, str) else dict(given)
    cls = _class_named(str(table.pop("policy", "")))
    known = cls.check_names(table)
    return cls.from_parameters({**{k: v for k, v in defaults.items() if k in known}, **table})


def _class_named(name: str) -> type[Policy]:
    module, colon, path = name.partition(":")
    if colon:
        cls = getattr(sys.modules.get(module), path, None)
        if isinstance(cls, type) and issubclass(cls, Policy):
            return cls
        raise ParameterError(f"there is no policy {name!r} here; import its module first")
    every: type[Policy] = Policy  # type: ignore[type-abstract]  # none is made of it
    shipped = {cls.__name__: cls for cls in _below(every) if _is_shipped(cls)}
    if name not in shipped:
        raise unknown_name("policy", name, shipped)
    return shipped[name]


def _below(cls: type[Policy]) -> Iterator[type[Policy]]:
    for each in cls.__subclasses__():
        yield each
        yield from _below(each)


def _is_shipped(cls: type[Policy]) -> bool:
    """Whether a policy is one of Hush's own algorithms: a file of theirs each."""
    return cls.__module__.rpartition(".")[0] == "hush.policies"

"""Policies: what all of them share.

A *policy* is an immutable description, a frozen dataclass. A *learner* is a policy at work. It does
the bookkeeping; an algorithm supplies its schedule, its mechanism and one rule over releases.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self

from hush.errors import ParameterError, check_field, whole
from hush.mechanisms import ChoiceLaw, RewardRange
from hush.noise import NoiseDoor, NoiseSource, SecureNoise
from hush.numerics.bound import Bound, Setting
from hush.policies.core import beginnings
from hush.policies.core.learner import Learner
from hush.policies.core.outbox import OnRelease
from hush.policies.core.protocols import (
    L_co,
    MakesLearner,
    RestoresLearner,
    has_epsilon,
    has_horizon,
)
from hush.privacy import Guarantee

__all__ = ["Feedback", "Policy"]

Feedback = Literal["bandit", "full"]
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
    non_private
        Declares that no noise is drawn, on purpose. A policy without a guarantee is refused unless
        it says so, because a parameter named ``eps`` makes one, too.
    summary
        One line for lists.
    reference
        Where it comes from.
    sample_factor
        An epoch of ``factor ln T / (D min(D, eps))`` pulls tells an arm of gap D apart, as the
        regret proof has it; None where there is no such proof.
    noise_law
        Which noise it adds to what.
    """

    feedback: ClassVar[Feedback]
    non_private: ClassVar[bool] = False
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    sample_factor: ClassVar[float | None] = None
    noise_law: ClassVar[str] = "none"

    def __post_init__(self) -> None:
        beginnings.check_losses(self)
        if has_horizon(self) and self.horizon is not None:
            check_field(self, "horizon", whole, least=1, most=FARTHEST)
        self._check_promise()

    def _check_promise(self) -> None:
        """Refuse a policy that protects nobody and did not say so."""
        names = [f.name for f in fields(self) if f.init]
        beginnings.check_promise(self, names, draws=self._draws_noise)

    @property
    def _draws_noise(self) -> bool:
        """Whether what is released gets noise."""
        return self.guarantee.private

    @property
    def declared_epsilon(self) -> float:
        """The hyper-parameter ``epsilon``; infinite for a policy without one, or with ``rho``.

        >>> import hush
        >>> hush.LazyDPTS(0.5).declared_epsilon, hush.UCB1().declared_epsilon
        (0.5, inf)
        """
        return float(self.epsilon) if has_epsilon(self) else math.inf

    @property
    def declared_horizon(self) -> int | None:
        """The hyper-parameter ``horizon``; None where it was left out, or is none.

        >>> import hush
        >>> hush.DPSE(0.5, horizon=100).declared_horizon
        100
        """
        return self.horizon if has_horizon(self) else None

    def _hyperparameters(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self) if f.init}

    @property
    @abstractmethod
    def guarantee(self) -> Guarantee:
        """What is promised about every output, and why."""

    @abstractmethod
    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> Learner:
        """Make the learner; arguments are checked already."""

    def learner(
        self: MakesLearner[L_co],
        n_arms: int,
        *,
        noise: NoiseSource | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
        default: float | None = None,
        on_release: OnRelease | None = None,
    ) -> L_co:
        """Put the policy to work.

        Parameters
        ----------
        n_arms
            How many options there are.
        noise
            A noise source. Left out, it is :class:`~hush.SecureNoise`: unseeded, for deployment.
        reward_range
            Declared ends of the rewards. It must not be read off the rewards themselves.
        default
            The reward of decisions that expire; left out, they are dropped.
        on_release
            Called with each release inside the update that drew it, before anything can act on
            it: store :meth:`Learner.state` there. If it raises, so does the update, which counts
            all the same; the release is kept and handed out again, the same one, before the
            learner does anything else.

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
        if on_release is not None and not callable(on_release):
            raise ParameterError("on_release must be a function that takes a release")
        self._check_promise()
        made = self._new_learner(count, NoiseDoor(noise), rewards)
        made._equip(noise, beginnings.checked_default(default, rewards), on_release)
        return made

    def restore(
        self: RestoresLearner[L_co],
        state: Mapping[str, Any],
        *,
        noise: NoiseSource | None = None,
        on_release: OnRelease | None = None,
    ) -> L_co:
        """Resume a learner from its :meth:`Learner.state`.

        With the same noise source the restored learner has exactly the future of the
        uninterrupted one, which goes on no more. A state is restored once: two copies that both go
        on would each release the sums of the running epochs. With secure noise a state that this
        process knows to have been continued is refused; what other processes did with it cannot
        be known here.

        Parameters
        ----------
        state
            What ``learner.state()`` returned, perhaps by way of JSON.
        noise
            A noise source to go on with. Left out, the state's own kind goes on: secure noise
            stays secure, and a simulation resumes its generators where they stood.
        on_release
            As in :meth:`learner`: functions are not part of a state.

        Examples
        --------
        >>> import hush
        >>> policy = hush.AnytimeLazyUCB(epsilon=1.0)
        >>> learner = policy.learner(2, noise=hush.SeededNoise(7))
        >>> _ = learner.update(learner.select(), 1)
        >>> policy.restore(learner.state()).releases == learner.releases
        True
        """
        return beginnings.restored(self, state, noise, on_release)

    @property
    def needs_horizon(self) -> bool:
        """Whether a ``horizon`` hyper-parameter was left out, without which it cannot start."""
        return self._hyperparameters().get("horizon", 0) is None

    def with_horizon(self, horizon: int) -> Self:
        """Fill in a ``horizon`` that was left out and is needed; others return themselves."""
        if not self.needs_horizon:
            return self
        return self.from_parameters({**self._hyperparameters(), "horizon": horizon})

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"policy": name, parameter: value, ...}``, JSON- and TOML-able.

        >>> import hush
        >>> hush.RNMFTNL(epsilon=0.5).to_dict()
        {'policy': 'RNMFTNL', 'epsilon': 0.5, 'noise': 'exponential', 'neighbours': 'replace',
         'growth': 2.0}
        """
        return {
            "policy": type(self).__name__,
            **{
                k: list(v) if isinstance(v, tuple) else v
                for k, v in self._hyperparameters().items()
                if v is not None
            },
        }

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """Build the policy from a mapping; an unknown parameter raises with the nearest known."""
        cls.check_names(parameters)
        values = {k: tuple(v) if isinstance(v, list) else v for k, v in parameters.items()}
        try:
            return cls(**values)
        except TypeError as error:
            raise beginnings.incomplete(cls, values, error) from None

    @classmethod
    def check_names(cls, names: Iterable[str]) -> list[str]:
        """Raise at the first name that is no hyper-parameter; return those that are."""
        known = [f.name for f in fields(cls) if f.init]
        for name in names:
            if name not in known:
                raise beginnings.no_parameter(cls.__name__, name, known)
        return known

    def bounds(self, setting: Setting) -> Iterator[Bound]:  # noqa: ARG002
        """Yield the upper bounds on expected regret that are proven for this very class.

        A subclass may change what a proof rests on: it is asked only if it says its own.

        >>> import hush
        >>> from hush.numerics.bound import Setting
        >>> [bound.name for bound in hush.UCB1().bounds(Setting((0.6, 0.4), 1000, 1.0))]
        ['UCB1']
        """
        yield from ()

    @property
    def has_bounds(self) -> bool:
        """Whether its very class says bounds."""
        return "bounds" in vars(type(self))

    def choice_law(self, n_arms: int) -> ChoiceLaw | None:  # noqa: ARG002
        """Return by which law it chooses among the sums of all actions; None if it does not so."""
        return None

    def first_rounds(self, setting: Setting) -> Iterator[Bound]:  # noqa: ARG002
        """Yield what its first rounds cost, whatever it sees: lower bounds."""
        yield from ()

    def why_not_live(self, *, ages: bool) -> str | None:  # noqa: ARG002
        """Return why a live experiment, perhaps with batches cut short, cannot run it, or None."""
        return "it wants the rewards of all arms, and an experiment shows one"

    @property
    def label(self) -> str:
        """A short readable name: the class, and the parameters that differ from their defaults.

        >>> import hush
        >>> hush.RNMFTNL.as_printed(1.0).label
        "RNMFTNL(epsilon=1, noise='laplace', neighbours='add-remove')"
        """
        shown = []
        for f in fields(self):
            if f.init and (value := getattr(self, f.name)) != f.default:
                text = str(value) if isinstance(value, Policy) else repr(value)
                text = f"{value:g}" if isinstance(value, float) else text
                shown.append(f"{f.name}={text}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __str__(self) -> str:
        return self.label

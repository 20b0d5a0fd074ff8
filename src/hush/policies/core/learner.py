"""Learners: policies at work."""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.errors import ArmError, is_number, whole
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.states import STATE_FORMAT, sealed, state_part
from hush.privacy import Guarantee, Release

if TYPE_CHECKING:
    from hush.policies.core.policy import Policy

__all__ = ["Learner", "Sample", "checked_arm"]

Sample = Callable[[int | None], Any]
"""Gives the reward of one arm, or for ``None`` those of all."""


class Learner(ABC):
    """A policy at work: :meth:`select` decides a round, ``update`` settles it.

    What ``update`` takes depends on the feedback: see :class:`~hush.BanditLearner` and
    :class:`~hush.ActionLearner`. :meth:`observe` settles a round of either.

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

    @abstractmethod
    def observe(self, arm: int, sample: Sample) -> Release | None:
        """Settle one outstanding decision of ``arm`` with what the learner may see.

        Parameters
        ----------
        arm
            The arm that was played.
        sample
            Called once: with ``arm`` for the reward of that arm, or with ``None`` for the rewards
            of all, as the policy's feedback wants.

        Examples
        --------
        >>> import hush
        >>> rewards = [0, 1, 1]
        >>> def sample(arm):
        ...     return rewards if arm is None else rewards[arm]
        >>> for policy in (hush.UCB1(), hush.FTL()):
        ...     learner = policy.learner(n_arms=3)
        ...     print(learner.observe(learner.select(), sample).value)
        0
        1
        """

    @property
    @abstractmethod
    def statistics(self) -> object:
        """What has been learnt: released values only, safe to show."""

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
        return sealed(body)

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


def checked_arm(arm: object, n_arms: int) -> int:
    """Return an arm as a plain integer, or raise.

    >>> checked_arm(2, 3)
    2
    """
    if isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < n_arms:
        return arm
    integer = is_number(arm) and not isinstance(arm, float | np.floating)
    if not integer or not 0 <= operator.index(arm) < n_arms:  # type: ignore[arg-type]  # a number
        raise ArmError(f"arm must be a whole number in 0..{n_arms - 1}; got {arm!r}")
    return operator.index(arm)  # type: ignore[arg-type]  # a number

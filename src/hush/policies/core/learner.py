"""Learners: policies at work."""

from __future__ import annotations

import operator
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from hush.errors import ArmError, MisuseError, NoiseError, is_number, whole
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.decision import Decision, OpenDecisions
from hush.policies.core.line import Line, continue_line, watch
from hush.policies.core.outbox import OnRelease, Outbox
from hush.policies.core.states import STATE_FORMAT, sealed, state_part
from hush.privacy import Guarantee, Release, Releases

if TYPE_CHECKING:
    from hush.policies.core.policy import Policy

__all__ = ["Learner", "Sample", "checked_arm"]

Sample = Callable[[int | None], Any]
"""Gives the reward of one arm, or for ``None`` those of all."""

# Beside the learners, so that a policy's own code finds no noise source on them.
_SOURCES: weakref.WeakKeyDictionary[Learner, NoiseSource] = weakref.WeakKeyDictionary()


class Learner(ABC):
    """A policy at work: :meth:`select` decides a round, ``update`` settles it.

    What ``update`` takes depends on the feedback: see :class:`~hush.BanditLearner` and
    :class:`~hush.ActionLearner`. :meth:`observe` settles a round of either. :meth:`decide` and
    ``settle`` do the same with an id that settles once.

    Invariants: raw rewards are held by :mod:`hush.mechanisms` alone; what this class and its
    subclasses keep, show, or raise is made of released values and of decisions. Bad input raises
    and changes nothing. A release is drawn once: any number of threads may use a learner, and one
    that could release a sum again (in a forked child, as a copy, after its state was restored)
    raises :class:`~hush.MisuseError`.
    """

    def __init__(
        self, policy: Policy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        self._policy = policy
        self._n_arms = n_arms
        self._noise = noise
        self._rewards = rewards
        self._line = Line()
        self._lock = threading.RLock()
        self._log: dict[int, Release] = {}
        self._keeps_last_only = False
        self._default: float | None = None
        self._open = OpenDecisions()
        self._outbox = Outbox()
        self._barred: str | None = None
        self._halted = False  # barred, or with releases that on_release has not taken yet
        _SOURCES[self] = noise
        watch(self)

    def _equip(
        self, source: NoiseSource, default: float | None, on_release: OnRelease | None
    ) -> None:
        """Take what policies' hooks are not handed."""
        _SOURCES[self] = source
        self._default, self._outbox.take = default, on_release

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

    def decide(self) -> Decision:
        """Decide one more round; return the arm with an id that settles once.

        Examples
        --------
        >>> import hush
        >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(n_arms=2)
        >>> decision = learner.decide()
        >>> learner.settle(decision, 1).arm == decision.arm
        True
        """
        with self._lock:
            if self._halted:
                self._resume()
            arm = self._choose_arm()
            return self._open.open(arm, self._line.round)

    def expire(self, decision: Decision | str) -> Release | None:
        """Close a decision whose reward is not waited for any longer.

        With a declared default (``policy.learner(..., default=0)``) it is settled with that,
        without one it is dropped. Expire decisions by the clock, all of them alike: *whether* a
        reward came must not depend on what it is, unless there is a default.

        Examples
        --------
        >>> import hush
        >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(n_arms=2, default=0)
        >>> learner.expire(learner.decide()).count
        1
        """
        with self._lock:
            if self._halted:
                self._resume()
            name, arm = self._open.find(decision)
            if self._default is not None:
                return self._settle_open(name, arm, self._default_units())
            self._open.close(name)
            self._drop(arm)
            return None

    @abstractmethod
    def _choose_arm(self) -> int:
        """Decide a round; the lock is held."""

    @abstractmethod
    def _settle(self, arm: int, units: Any) -> Release | None:  # noqa: ANN401
        """Add a checked reward, one or a vector; the lock is held."""

    @abstractmethod
    def _drop(self, arm: int) -> None:
        """Forget an open decision."""

    @abstractmethod
    def _default_units(self) -> Any:  # noqa: ANN401
        """Return the declared default as a checked reward."""

    def _settle_open(self, name: str, arm: int, units: Any) -> Release | None:  # noqa: ANN401
        # Closed first: an interrupt in between loses a reward, and never lets one count twice.
        self._open.close(name)
        try:
            release = self._settle(arm, units)
        except NoiseError:  # nothing was drawn
            self._open.arms[name] = arm
            raise
        if release is not None:
            self._tell()
        return release

    def _publish(self, release: Release) -> None:
        """Record a release; ``on_release`` is told before anybody can act on it."""
        self._record(release)
        self._line.releases += 1
        self._outbox.put(release)

    def _tell(self) -> None:
        """Hand releases to ``on_release``; while it does not take them, nothing goes on."""
        if self._outbox.waiting:
            self._halted = True
            self._outbox.flush()
            self._halted = self._barred is not None

    def _resume(self) -> None:
        """Go on if that is allowed: releases that were not taken are handed out again."""
        if self._barred is not None:
            self._refuse()
        self._tell()

    def _readable(self) -> None:
        """Let nobody but ``on_release`` see a release that it has not taken."""
        if not self._outbox.handing:
            self._tell()

    def _bar(self, why: str) -> None:
        self._barred, self._halted = why, True

    def _refuse(self) -> NoReturn:
        raise MisuseError(str(self._barred))

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
        return self._line.round

    @property
    def secure(self) -> bool:
        """Whether every release gets noise for deployment.

        Not with noise for simulation, and not for a policy that adds none.

        >>> import hush
        >>> hush.LazyDPTS(1.0).learner(2).secure, hush.UCB1().learner(2).secure
        (True, False)
        """
        return _SOURCES[self].secure and self._policy.guarantee.private

    @property
    def guarantee(self) -> Guarantee:
        """The policy's guarantee; it says so if this learner's noise is for simulation only."""
        guarantee = self._policy.guarantee
        if self.secure or not guarantee.private:
            return guarantee
        warning = "simulation only: its noise is reproducible and protects nobody"
        return replace(guarantee, reason=f"{guarantee.reason} ({warning})")

    @property
    def releases(self) -> Releases[Release]:
        """What has left the private side, oldest first; safe to show.

        A policy that releases every round keeps the last release of each arm only.
        """
        with self._lock:
            self._readable()
            return Releases(self._log.values())

    def state(self) -> dict[str, Any]:
        """Return everything needed to resume, as plain JSON-able values.

        The part named ``unreleased`` holds raw sums of the running epochs. Store a state as
        carefully as the rewards themselves, and store it inside ``on_release``, so that no
        release can be acted on and then forgotten.
        """
        with self._lock:
            if self._barred is not None:
                self._refuse()
            own, source = self._state(), _SOURCES[self]  # its own first: it may put noise back
            body: dict[str, Any] = {
                "hush_state": STATE_FORMAT,
                "line": self._line.told(self if self.secure else None),
                "policy": self._policy.to_dict(),
                "n_arms": self._n_arms,
                "reward_range": [self._rewards.low, self._rewards.high],
                "default": self._default,
                "round": self._line.round,
                "releases": [release.to_dict() for release in self._log.values()],
                "untold": [release.to_dict() for release in self._outbox.untold],
                "open": dict(self._open.arms),
                "noise": source.state(),
                **own,
            }
        return sealed(body)

    @abstractmethod
    def _state(self) -> dict[str, Any]:
        """Return what the kind of learner adds to a state."""

    def _restore(self, body: Mapping[str, Any]) -> None:
        self._line.round = whole("round", body["round"], least=0)
        for each in state_part(body, "releases", list):
            self._record(Release.from_dict(each))
        opened = state_part(body, "open", dict)
        self._open.restore({name: checked_arm(arm, self._n_arms) for name, arm in opened.items()})
        for each in state_part(body, "untold", list):
            self._outbox.put(Release.from_dict(each))
        self._halted = bool(self._outbox.waiting)

    def _take_over(self, body: Mapping[str, Any]) -> None:
        """Become the holder of the line that a state belongs to, or raise."""
        continue_line(self._line, state_part(body, "line", dict), strict=self.secure)

    def _record(self, release: Release) -> None:
        if self._keeps_last_only:
            key = -1 if release.arm is None else release.arm
            self._log.pop(key, None)  # the newest goes last
        else:
            key = len(self._log)
        self._log[key] = release

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise MisuseError(
            "a learner cannot be copied or pickled: two copies would each release the running "
            "sums; move it by policy.restore(learner.state())"
        )

    def __repr__(self) -> str:
        shown = len(self._log) - len(self._outbox.waiting)
        return (
            f"<learner of {self._policy}: {self._n_arms} arms, round {self._line.round}, "
            f"{shown} releases, {_SOURCES[self]!r}>"
        )


def checked_arm(arm: object, n_arms: int) -> int:
    """Return an arm as a plain integer, or raise.

    >>> checked_arm(2, 3)
    2
    """
    if isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < n_arms:
        return arm
    number = None
    if is_number(arm) and not isinstance(arm, float | np.floating):
        number = operator.index(arm)
    if number is None or not 0 <= number < n_arms:
        # Not shown: where arguments were swapped, it is a reward.
        what = f"a {type(arm).__name__}" if number is None else "another number"
        raise ArmError(f"arm must be a whole number in 0..{n_arms - 1}; got {what}")
    return number

"""The public half of a bandit learner: a fold over releases."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hush.errors import ParameterError, StateError
from hush.mechanisms.schedules import LONGEST
from hush.policies.core.first_releases import FirstReleases
from hush.policies.core.learner import checked_arm
from hush.policies.core.protocols import chooses
from hush.policies.core.states import state_part
from hush.policies.core.statistics import Floats, Statistics, one_hot
from hush.privacy import Release

if TYPE_CHECKING:
    from hush.policies.core.bandit import BanditPolicy

__all__ = ["Counts", "PublicSide", "RuleSide"]

Counts = Sequence[int]
"""A number for each arm."""


class PublicSide(ABC):
    """Decides from releases and from earlier decisions: it is handed nothing else.

    So it cannot leak: what it returns is post-processing of what was released. A policy that
    overrides public hooks only (``_choose``, ``_chances``, ``_public_side``, or the ``index`` or
    ``center`` of its family) is private by construction, whatever it writes there. The raw sums
    and the one door to noise are the other half, ``policy._private_side``.

    Class attributes
    ----------------
    sets_lengths
        Whether :meth:`wants` depends on more than the policy's schedule, so that the private half
        must be told after each release.
    counts_decisions
        Whether every decision matters to it, and must be told by :meth:`decided`.
    stops_itself
        Whether :meth:`stopped` is a rule of its own for when the best arm is known.

    Attributes
    ----------
    stage_end
        The last round of the running stage. After it the learner forgets all rewards that were
        not released and calls :meth:`begin_stage`.
    exploring
        Whether an arm that must be played first still has no release.
    follows_decisions
        Whether :meth:`decided` has an effect now; a caller in a hurry may leave it out otherwise.
    statistics
        What has been released, as the selection rule sees it.

    Examples
    --------
    >>> import hush
    >>> import numpy as np
    >>> policy = hush.AnytimeLazyUCB(epsilon=1.0)
    >>> public = policy._public_side(n_arms=2)
    >>> public.choose(1, np.random.default_rng(1)), public.wants(0)
    (0, 1)
    >>> public.decided(0)
    >>> public.absorb(hush.Release(0, 0, 1, 0.5, "laplace", 1.0))
    >>> public.chances(2), public.wants(0)
    (array([0., 1.]), 2)
    """

    sets_lengths: ClassVar[bool] = False
    counts_decisions: ClassVar[bool] = False
    stops_itself: ClassVar[bool] = False

    def __init__(self, policy: BanditPolicy, n_arms: int) -> None:
        self._policy = policy
        self._n_arms = n_arms
        self._memory = policy.memory
        self._schedule = policy.schedule
        self._epochs = [0] * n_arms
        self._committed: int | None = None
        self.statistics = Statistics(n_arms)
        self.stage_end = LONGEST
        self._first: FirstReleases | None = None
        if policy.explores_first:
            self._first = FirstReleases(n_arms, policy.schedule.length(0))
        self.exploring = self._first is not None
        self._follow()

    def absorb(self, release: Release) -> None:
        """Take note of a release."""
        arm: int = release.arm  # type: ignore[assignment]  # bandit releases name one
        if self._first is not None:
            self._first.released(arm)
            self._look()
        self.statistics.take(release, self._memory)
        self._epochs[arm] = release.epoch + 1
        if arm == self._committed:
            self._committed = None
            self._follow()
        self._note(release, arm)

    def choose(self, t: int, generator: np.random.Generator) -> int:
        """Return the arm of round ``t``."""
        sure = self.sure()
        if sure is not None:
            return sure
        if self._first is not None:
            return self._pick_among(self._first.with_release(), t, generator)
        return self._pick(t, generator)

    def chances(self, t: int) -> Floats:
        """Return the probability with which :meth:`choose` returns each arm."""
        sure = self.sure()
        if sure is not None:
            return one_hot(sure, self._n_arms)
        if self._first is None:
            return self._chances(t)
        arms = self._first.with_release()
        chances = np.zeros(self._n_arms)
        chances[arms] = self._chances_among(arms, t)
        return chances

    def sure(self) -> int | None:
        """Return the arm that is chosen without asking the rule; None where the rule is asked."""
        sure = None if self._first is None else self._first.next()
        return self._committed if sure is None else sure

    def chance(self, arm: int, t: int) -> float:
        """Return the probability with which :meth:`choose` returns one arm."""
        sure = self.sure()
        return float(self.odds(t)[arm] if sure is None else arm == sure)

    def odds(self, t: int) -> Floats:
        """Return the same as :meth:`chances`, where the rule is asked.

        A side whose chances stay as they are between releases returns the same array until then.
        """
        return self.chances(t)

    def decided(self, arm: int) -> None:
        """Take note of a decision: an arm may be played until it is released."""
        if self._first is not None:
            self._first.decided(arm)
        free = self._policy.commits and self._committed is None
        if free and (self._first is None or self.statistics.counts[arm]):
            self._committed = arm
            self._follow()

    def settled(self, arm: int) -> None:
        """Take note of a reward's arrival; needed while :attr:`exploring`."""
        if self._first is not None:
            self._first.settled(arm)

    def dropped(self, arm: int) -> None:
        """Take note of a decision that no reward will come for."""
        if self._first is not None:
            self._first.dropped(arm)

    def _look(self) -> None:
        """Leave the first releases behind once every arm has one."""
        if self._first is not None and not self._first.left:
            self._first = None
            self.exploring = False
            self._follow()

    def _follow(self) -> None:
        """Say whether decisions have to be told."""
        free = self._policy.commits and self._committed is None
        self.follows_decisions = self.counts_decisions or self.exploring or free

    def wants(self, arm: int) -> int:
        """Return how many rewards the arm's running epoch sums up in all."""
        return self._schedule.length(self._epochs[arm])

    def wants_after(self, arm: int, decided: int) -> int:  # noqa: ARG002
        """Return how many decisions a batch of the arm takes that opens after so many others.

        The others are in batches of their own, released or not: where rewards are waited for,
        several of an arm's batches wait at a time.
        """
        return self._schedule.after(decided)

    def catch_up(self, decided: Counts, passed: Counts, begun: Counts, lacking: Counts) -> None:  # noqa: ARG002
        """Take over how many decisions of each arm were made in all, whoever made them.

        ``passed`` says how many of them wait for no reward any longer, ``begun`` how many are in
        the arm's open batch and ``lacking`` how many more that takes, both 0 where none is open.
        Nothing else about earlier decisions may matter to a policy that many decide for.
        """
        if self.counts_decisions:
            raise ParameterError(
                f"{type(self._policy).__name__} follows decisions one by one: they cannot be "
                "shared out among several who decide"
            )
        self.resume([d - p for d, p in zip(decided, passed, strict=True)], passed)

    def stopped(self, delta: float) -> int | None:  # noqa: ARG002
        """Return the arm that the policy's own rule holds best, but for a chance of delta."""
        return None

    def begin_stage(self, t: int) -> None:  # noqa: B027  most policies have one stage
        """Start anew with round ``t``."""

    @abstractmethod
    def _pick(self, t: int, generator: np.random.Generator) -> int:
        """Return the arm of a round in which the rule is free to choose."""

    def _chances(self, t: int) -> Floats:
        return self._policy._chances(t, self.statistics)

    def _pick_among(self, arms: list[int], t: int, generator: np.random.Generator) -> int:
        """Return one of the arms that have a release, while others still wait for theirs."""
        policy, statistics = self._policy, self.statistics.only(arms)
        if not chooses(policy):
            return arms[0]
        return arms[policy._choose(t, statistics, generator)]

    def _chances_among(self, arms: list[int], t: int) -> Floats:
        return self._policy._chances(t, self.statistics.only(arms))

    def _note(self, release: Release, arm: int) -> None:  # noqa: B027  for families that want it
        """Take note of a release whose statistic is known; on restoring, of all, in order."""

    def state(self) -> dict[str, Any]:
        """Return what cannot be computed from the releases alone, as plain values."""
        return {"committed": self._committed, "statistics": self.statistics.to_dict()}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`, and the releases that led to it."""
        parts = state_part(state, "statistics", dict)
        counts = np.array(parts["counts"], dtype=np.float64)
        sums = np.array(parts["sums"], dtype=np.float64)
        if not counts.size == sums.size == self._n_arms:
            raise StateError("this state's parts disagree on the number of arms")
        committed = state.get("committed")
        if committed is not None:
            self._committed = checked_arm(committed, self._n_arms)
            self._follow()
        self.statistics.restore(counts, sums)
        for release in releases:
            arm = checked_arm(release.arm, self._n_arms)
            self._epochs[arm] = release.epoch + 1
            self._note(release, arm)
        self.resume([0] * self._n_arms, [0] * self._n_arms)

    def resume(self, outstanding: Sequence[int], arrived: Sequence[int]) -> None:
        """Go on from a state: how many decisions are outstanding, and rewards came, of each arm."""
        if self._first is not None:
            self._first.resume(self.statistics.counts > 0, outstanding, arrived)
            self._look()


class RuleSide(PublicSide):
    """Asks the policy's ``_choose`` in every round in which it is free to choose."""

    def __init__(self, policy: BanditPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        if not chooses(policy):
            raise ParameterError(
                f"{type(policy).__name__} has no rule: write _choose(t, statistics, generator), or "
                "subclass a family such as hush.IndexPolicy"
            )
        self._rule = policy._choose

    def _pick(self, t: int, generator: np.random.Generator) -> int:
        return self._rule(t, self.statistics, generator)

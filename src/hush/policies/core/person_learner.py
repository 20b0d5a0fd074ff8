"""A bandit policy at work that is told whose rewards come."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from hush.errors import NoiseError, RewardError
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.decision import Decision
from hush.policies.core.learner import Sample
from hush.policies.core.states import state_part
from hush.policies.core.visits import PersonId, Visits, checked_person
from hush.privacy import Release

if TYPE_CHECKING:
    from hush.policies.person import Person

__all__ = ["PersonLearner"]


class PersonLearner(BanditLearner):
    """A learner that is told whose rewards come, and learns so many of each person's.

    Ids are public: they are in ``state()``. Hash them before they come here if they should not be.

    Examples
    --------
    >>> import hush
    >>> learner = hush.Person(epsilon=1.0, bound=1).learner(n_arms=2)
    >>> decision = learner.decide()
    >>> learner.settle(decision, 1, person="ann").count
    1
    >>> learner.settle(learner.decide(), 1, person="ann") is None
    True
    """

    _policy: Person

    def __init__(
        self, policy: Person, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._visits = Visits(n_arms, policy.bound, policy.per_release)
        self._whose: deque[str | None] = deque()  # of the rewards that are being settled

    def update(self, arm: int, reward: float, *, person: PersonId | None = None) -> Release | None:
        """Settle one decision of ``arm`` with a person's reward; return the release, if any."""
        with self._persons([person]):
            return super().update(arm, reward)

    def settle(
        self, decision: Decision | str, reward: float, *, person: PersonId | None = None
    ) -> Release | None:
        """Settle a decision with a person's reward; a second reward for it is refused."""
        with self._persons([person]):
            return super().settle(decision, reward)

    def observe(
        self, arm: int, sample: Sample, *, person: PersonId | None = None
    ) -> Release | None:
        """Settle one outstanding decision of ``arm`` with what ``sample(arm)`` gives."""
        return self.update(arm, sample(arm), person=person)

    def update_batch(
        self,
        arms: Iterable[int],
        rewards: Iterable[float],
        *,
        persons: Iterable[PersonId | None] | None = None,
    ) -> tuple[Release, ...]:
        """Settle many decisions of :meth:`select`, all of them or, on bad input, none."""
        if persons is None:
            return super().update_batch(arms, rewards)
        try:
            given, whose = tuple(rewards), tuple(persons)
        except TypeError:
            raise RewardError("update_batch takes lists of arms, rewards and persons") from None
        if len(whose) != len(given):
            raise RewardError(f"{len(given)} rewards came with {len(whose)} persons; give one each")
        with self._persons(whose):
            return super().update_batch(arms, given)

    @contextmanager
    def _persons(self, persons: Iterable[object]) -> Iterator[None]:
        whose = deque(checked_person(each) for each in persons)
        with self._lock:
            before, self._whose = self._whose, whose
            try:
                yield
            finally:
                self._whose = before

    def _settle(self, arm: int, units: float) -> Release | None:
        person = self._whose.popleft() if self._whose else None
        if not self._visits.takes(person, arm):
            self._drop(arm)
            return None
        # Counted first: an interrupt in between loses a reward, and never takes one too many.
        self._visits.count(person, arm)
        try:
            release = super()._settle(arm, units)
        except NoiseError:  # nothing was drawn
            self._visits.count(person, arm, -1)
            raise
        if release is not None:
            self._visits.released(arm)
        return release

    def _begin_stage(self) -> None:
        super()._begin_stage()
        for arm in range(self._n_arms):
            self._visits.released(arm)

    @property
    def policy(self) -> Person:
        """The policy at work."""
        return self._policy

    def _state(self) -> dict[str, Any]:
        return {**super()._state(), "persons": self._visits.state()}

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        self._visits.restore(state_part(body, "persons", dict))

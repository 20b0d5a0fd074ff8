"""A bandit policy at work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hush.errors import NoDecisionError, RewardError, StateError, whole
from hush.mechanisms import EveryRound, RewardRange
from hush.mechanisms.sums import ArmSums
from hush.noise import NoiseSource
from hush.policies.core.learner import Learner, Sample, checked_arm
from hush.policies.core.states import state_part
from hush.policies.core.statistics import Statistics
from hush.privacy import Release

if TYPE_CHECKING:
    from hush.policies.core.bandit import BanditPolicy

__all__ = ["BanditLearner"]


class BanditLearner(Learner):
    """A bandit policy at work.

    Rewards may come late, out of order and in batches: :meth:`select` decides a new round each
    time it is called, and :meth:`update` settles one outstanding decision of its arm. An arm's
    epoch ends when enough of its rewards have arrived; extra ones open the next epoch. *When* a
    reward arrives must not depend on what it is.

    It has two halves: the public one decides, from releases alone; the private one holds the sums
    and draws the noise. Between them lies the bookkeeping of decisions.

    Examples
    --------
    >>> import hush
    >>> learner = hush.LazyDPTS(epsilon=0.5).learner(n_arms=2)
    >>> first, second = learner.select(), learner.select()
    >>> _ = learner.update(second, 1)
    >>> learner.outstanding
    (1, 0)
    """

    _policy: BanditPolicy

    def __init__(
        self, policy: BanditPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._private = policy._private_side(n_arms, noise, rewards)
        self._public = policy._public_side(n_arms)
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)
        self._outstanding = [0] * n_arms
        self._set_lengths()

    def select(self) -> int:
        """Decide one more round and return the arm to play."""
        public = self._public
        if self._round >= public.stage_end:
            self._begin_stage()
        t = self._round + 1
        arm = public.choose(t, self._outstanding, self._noise.selection)
        if public.follows_decisions:
            public.decided(arm)
        self._round = t
        self._outstanding[arm] += 1
        return arm

    def _begin_stage(self) -> None:
        if isinstance(self._private, ArmSums):
            for arm in range(self._n_arms):
                self._private.drop(arm)
        self._public.begin_stage(self._round + 1)
        self._set_lengths()

    def _set_lengths(self) -> None:
        if self._public.sets_lengths and isinstance(self._private, ArmSums):
            for arm in range(self._n_arms):
                self._private.open(arm, self._public.wants(arm))

    def observe(self, arm: int, sample: Sample) -> Release | None:
        """Settle one outstanding decision of ``arm`` with the reward that ``sample(arm)`` gives."""
        return self.update(arm, sample(arm))

    def update(self, arm: int, reward: float) -> Release | None:
        """Settle one outstanding decision of ``arm``; return the release if one was drawn.

        Store :meth:`state` after every release: a release that was acted on and then forgotten
        would be drawn again.
        """
        arm = checked_arm(arm, self._n_arms)
        unit = self._private.check(reward)
        if not self._outstanding[arm]:
            raise NoDecisionError(
                f"no decision for arm {arm} is outstanding; update once per select() of that arm"
            )
        return self._settle(arm, unit)

    def update_batch(self, arms: Sequence[int], rewards: Sequence[float]) -> tuple[Release, ...]:
        """Settle many outstanding decisions in order, all of them or, on bad input, none."""
        if len(arms) != len(rewards):
            raise RewardError(f"{len(arms)} arms came with {len(rewards)} rewards; give one each")
        checked = [checked_arm(arm, self._n_arms) for arm in arms]
        units = [self._private.check(reward) for reward in rewards]
        for arm, wanted in Counter(checked).items():
            if wanted > self._outstanding[arm]:
                raise NoDecisionError(
                    f"{wanted} rewards for arm {arm}, but only "
                    f"{self._outstanding[arm]} of its decisions are outstanding"
                )
        settled = (self._settle(arm, unit) for arm, unit in zip(checked, units, strict=True))
        return tuple(release for release in settled if release is not None)

    def _settle(self, arm: int, unit: float) -> Release | None:
        release = self._private.add(arm, unit)
        self._outstanding[arm] -= 1
        if release is not None:
            self._public.absorb(release)
            self._record(release)
            if self._public.sets_lengths:
                self._set_lengths()
        return release

    @property
    def policy(self) -> BanditPolicy:
        """The policy at work."""
        return self._policy

    @property
    def outstanding(self) -> tuple[int, ...]:
        """How many decisions of each arm still wait for their reward."""
        return tuple(self._outstanding)

    @property
    def statistics(self) -> Statistics:
        """What the selection rule sees: a read-only copy, safe to show."""
        return self._public.statistics.snapshot()

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": list(self._outstanding),
            **self._public.state(),
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        outstanding = state_part(body, "outstanding", list)
        if len(outstanding) != self._n_arms:
            raise StateError("this state's parts disagree on the number of arms")
        self._outstanding = [whole("outstanding", each, least=0) for each in outstanding]
        self._private.restore(state_part(body, "unreleased", dict))
        self._public.restore(body, self._log.values())
        self._set_lengths()

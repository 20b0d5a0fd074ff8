"""Full information: after each round the learner sees the reward of every action."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from hush.errors import NoDecisionError, StateError, whole
from hush.mechanisms import EveryRound, Geometric, RewardRange, Schedule, VectorSums
from hush.mechanisms.sums import ArgmaxMechanism
from hush.noise import NoiseSource
from hush.policies.base import Learner, Policy, state_part
from hush.privacy import Release

__all__ = ["ActionStatistics", "EpochLearner", "EpochPolicy"]


@dataclass(frozen=True)
class ActionStatistics:
    """What a full-information epoch policy has learnt: the action of its last release.

    >>> import hush
    >>> hush.RNMFTNL(epsilon=1.0).learner(3).statistics
    ActionStatistics(action=0, epoch=0)
    """

    action: int
    epoch: int


@dataclass(frozen=True)
class EpochPolicy(Policy):
    """Plays one action for a whole epoch, then the action its mechanism picks from the sums.

    Class attributes
    ----------------
    keeps_sums
        Whether sums run on over all epochs. Only a non-private policy may say yes.
    """

    feedback = "full"
    kind = "epoch-argmax"
    keeps_sums: ClassVar[bool] = False

    @property
    def schedule(self) -> Schedule:
        """How long epochs are; 1, 2, 4, 8, ... unless overridden."""
        return Geometric()

    @abstractmethod
    def _mechanism(self, noise: NoiseSource) -> ArgmaxMechanism:
        """Return what picks the next action from the epoch's sums."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> EpochLearner:
        return EpochLearner(self, n_arms, noise, rewards)


class EpochLearner(Learner):
    """A full-information policy at work: ``update`` takes the rewards of all actions.

    Examples
    --------
    >>> import hush
    >>> expert = hush.RNMFTNL(epsilon=0.5).learner(n_arms=3)
    >>> action = expert.select()
    >>> release = expert.update([0, 1, 0])
    >>> expert.select() == release.value
    True
    """

    _policy: EpochPolicy

    def __init__(
        self, policy: EpochPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._private = VectorSums(
            n_arms,
            schedule=policy.schedule,
            mechanism=policy._mechanism(noise),
            rewards=rewards,
            noise=noise,
            keep=policy.keeps_sums,
        )
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)
        self._outstanding = 0
        self._action = 0
        self._epoch = 0

    def select(self) -> int:
        """Decide one more round and return the action to play."""
        self._round += 1
        self._outstanding += 1
        return self._action

    def update(self, rewards: Sequence[float]) -> Release | None:
        """Settle one outstanding decision with the rewards of all actions.

        Returns the release if the epoch is now full. Store :meth:`state` after every release.
        """
        units = self._private.check(rewards)
        if not self._outstanding:
            raise NoDecisionError("no decision is outstanding; update once per select()")
        release = self._private.add(units)
        self._outstanding -= 1
        if release is not None:
            self._record(release)
            self._action, self._epoch = int(release.value), release.epoch + 1
        return release

    @property
    def outstanding(self) -> int:
        """How many decisions still wait for their reward vector."""
        return self._outstanding

    @property
    def statistics(self) -> ActionStatistics:
        """What has been learnt: the current action; safe to show."""
        return ActionStatistics(self._action, self._epoch)

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": self._outstanding,
            "action": self._action,
            "epoch": self._epoch,
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        action = whole("action", body["action"], least=0)
        if action >= self._n_arms:
            raise StateError("this state's action is not one of its actions")
        self._private.restore(state_part(body, "unreleased", dict))
        self._outstanding = whole("outstanding", body["outstanding"], least=0)
        self._action, self._epoch = action, whole("epoch", body["epoch"], least=0)

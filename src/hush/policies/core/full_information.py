"""Full information: after each round the learner sees the reward of every action."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from hush.errors import NoDecisionError, NoiseError, StateError, whole
from hush.mechanisms import ChoiceLaw, EveryRound, Geometric, RewardRange, Schedule, stated_law
from hush.mechanisms.sums import ArgmaxMechanism, VectorSums
from hush.noise import NoiseSource, ScriptedNoise
from hush.numerics.bound import Bound, Setting
from hush.policies.core.decision import Decision
from hush.policies.core.learner import Learner, Sample, checked_arm
from hush.policies.core.policy import Policy
from hush.policies.core.states import state_part
from hush.privacy import Release

__all__ = ["ActionLearner", "ActionStatistics", "EpochLearner", "EpochPolicy"]


@dataclass(frozen=True)
class ActionStatistics:
    """What a full-information policy has learnt: the action of its last release.

    The action is ``None`` where the first one is drawn at random and has not been yet.

    >>> import hush
    >>> hush.RNMFTNL(epsilon=1.0).learner(3).statistics
    ActionStatistics(action=0, epoch=0)
    """

    action: int | None
    epoch: int


@dataclass(frozen=True)
class EpochPolicy(Policy):
    """Plays one action for a whole epoch, then the action its mechanism picks from the sums.

    Class attributes
    ----------------
    keeps_sums
        Whether sums run on over all epochs. Only a non-private policy may say yes.
    sums_prefix
        Whether only a random number of an epoch's first rewards is summed.
    starts_at_random
        Whether the first epoch's action is drawn uniformly; it is action 0 otherwise.
    """

    feedback = "full"
    keeps_sums: ClassVar[bool] = False
    sums_prefix: ClassVar[bool] = False
    starts_at_random: ClassVar[bool] = False

    @property
    def schedule(self) -> Schedule:
        """How long epochs are; 1, 2, 4, 8, ... unless overridden."""
        return Geometric()

    def choice_law(self, n_arms: int) -> ChoiceLaw | None:
        """Return the law that its mechanism states; None where it states none."""
        return stated_law(self._mechanism(ScriptedNoise([])), n_arms)

    def first_rounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the cost of the first round, played before any reward is seen."""
        random, gaps = self.starts_at_random, setting.all_gaps
        cost = float(gaps.mean()) if random else float(gaps[0])
        formula = "mean of D" if random else "D of action 0"
        yield Bound("first round", "lower", cost, formula, "played before any reward is seen")

    @abstractmethod
    def _mechanism(self, noise: NoiseSource) -> ArgmaxMechanism:
        """Return what picks the next action from the epoch's sums."""

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> EpochLearner:
        return EpochLearner(self, n_arms, noise, rewards)


class VectorSide(Protocol):
    """The private side of a full-information learner."""

    def check(self, rewards: object) -> list[float]:
        """Return the reward vector mapped to [0, 1], or raise."""

    def state(self) -> dict[str, Any]:
        """Return what is not released yet, raw."""

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the state, or raise."""


class ActionLearner(Learner):
    """A full-information policy at work: it plays one action until a release names the next.

    Examples
    --------
    >>> import hush
    >>> expert = hush.FTL().learner(n_arms=2)
    >>> _ = expert.select(), expert.update([0, 1])
    >>> expert.select(), expert.outstanding
    (1, 1)
    """

    _private: VectorSide

    def __init__(
        self,
        policy: Policy,
        n_arms: int,
        noise: NoiseSource,
        rewards: RewardRange,
        *,
        starts_at_random: bool,
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._unnamed = 0  # decisions of select(), which have no id
        self._action = None if starts_at_random else 0
        self._epoch = 0

    def select(self) -> int:
        """Decide one more round and return the action to play."""
        with self._lock:
            if self._halted:
                self._resume()
            self._unnamed += 1
            return self._choose_arm()

    def _choose_arm(self) -> int:
        if self._action is None:
            self._action = int(self._n_arms * self._noise.selection.random())
        self._line.round += 1
        return self._action

    def update(self, rewards: Sequence[float]) -> Release | None:
        """Settle one decision that :meth:`select` made, with the rewards of all actions.

        Returns the release if there is one. Store :meth:`state` inside ``on_release``.
        """
        units = self._private.check(rewards)
        with self._lock:
            if self._halted:
                self._resume()
            if not self._unnamed:
                raise NoDecisionError(
                    "no decision is outstanding; update once per select(), and settle(decision, "
                    "rewards) once per decide()"
                )
            # Counted off first: an interrupt in between never counts rewards twice.
            self._unnamed -= 1
            try:
                release = self._settle(0, units)
            except NoiseError:  # nothing was drawn
                self._unnamed += 1
                raise
            if release is not None:
                self._tell()
            return release

    def settle(self, decision: Decision | str, rewards: Sequence[float]) -> Release | None:
        """Settle a decision, given itself or its id; a second settlement is refused.

        Examples
        --------
        >>> import hush
        >>> expert = hush.RNMFTNL(epsilon=1.0).learner(n_arms=2)
        >>> expert.settle(expert.decide(), [0, 1]).count
        1
        """
        units = self._private.check(rewards)
        with self._lock:
            if self._halted:
                self._resume()
            name, arm = self._open.find(decision)
            return self._settle_open(name, arm, units)

    def _settle(self, arm: int, units: list[float]) -> Release | None:  # noqa: ARG002
        release = self._add(units)
        if release is not None:
            self._publish(release)
            self._action, self._epoch = int(release.value), release.epoch + 1
        return release

    def _drop(self, arm: int) -> None:
        """Nothing hangs on a decision of one action: all of them are seen."""

    def _default_units(self) -> list[float]:
        return self._private.check([self._default] * self._n_arms)

    def observe(self, arm: int, sample: Sample) -> Release | None:
        """Settle one outstanding decision with the rewards of all, which ``sample(None)`` gives."""
        checked_arm(arm, self._n_arms)
        return self.update(sample(None))

    @abstractmethod
    def _add(self, units: list[float]) -> Release | None:
        """Hand a checked reward vector to the private side."""

    @property
    def outstanding(self) -> int:
        """How many decisions still wait for their reward vector."""
        return self._unnamed + len(self._open.arms)

    @property
    def statistics(self) -> ActionStatistics:
        """What has been learnt: the current action; safe to show."""
        with self._lock:
            self._readable()
            return ActionStatistics(self._action, self._epoch)

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": self._unnamed,
            "action": self._action,
            "epoch": self._epoch,
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        action = body["action"]
        if action is not None and whole("action", action, least=0) >= self._n_arms:
            raise StateError("this state's action is not one of its actions")
        if action is None and body["round"]:
            raise StateError("this state has rounds but no action")
        self._private.restore(state_part(body, "unreleased", dict))
        self._unnamed = whole("outstanding", body["outstanding"], least=0)
        self._action, self._epoch = action, whole("epoch", body["epoch"], least=0)


class EpochLearner(ActionLearner):
    """An epoch policy at work: ``update`` takes the rewards of all actions.

    Examples
    --------
    >>> import hush
    >>> expert = hush.RNMFTNL(epsilon=0.5).learner(n_arms=3)
    >>> action = expert.select()
    >>> release = expert.update([0, 1, 0])
    >>> expert.select() == release.value
    True
    """

    _private: VectorSums

    def __init__(
        self, policy: EpochPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards, starts_at_random=policy.starts_at_random)
        self._private = VectorSums(
            n_arms,
            schedule=policy.schedule,
            mechanism=policy._mechanism(noise),
            rewards=rewards,
            noise=noise,
            keep=policy.keeps_sums,
            prefix=policy.sums_prefix,
        )
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)

    def _add(self, units: list[float]) -> Release | None:
        return self._private.add(units)

"""A bandit policy at work."""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hush.errors import ArmError, NoDecisionError, RewardError, StateError, is_number, whole
from hush.mechanisms import EveryRound, RewardRange
from hush.noise import NoiseSource
from hush.policies.core.policy import Learner, state_part
from hush.policies.core.selection import Statistics
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
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)
        self._statistics = Statistics(n_arms)
        self._outstanding = [0] * n_arms
        self._unreleased = n_arms if policy.explores_first else 0
        self._lowest_unreleased = 0
        self._commits = policy.commits
        self._committed: int | None = None
        self._selector = policy._selector(self._statistics, noise)

    def select(self) -> int:
        """Decide one more round and return the arm to play."""
        if self._unreleased:
            arm = self._explore()
        elif self._committed is not None:
            arm = self._committed
        else:
            arm = self._selector.choose(self._round + 1)
            if self._commits:
                self._committed = arm
        self._round += 1
        self._outstanding[arm] += 1
        return arm

    def _explore(self) -> int:
        # An arm without a release has an infinite index; fewest outstanding first, then lowest.
        counts, outstanding = self._statistics.counts, self._outstanding
        while counts[self._lowest_unreleased]:
            self._lowest_unreleased += 1
        if not outstanding[self._lowest_unreleased]:
            return self._lowest_unreleased
        waiting = np.flatnonzero(counts == 0).tolist()
        return min(waiting, key=outstanding.__getitem__)

    def update(self, arm: int, reward: float) -> Release | None:
        """Settle one outstanding decision of ``arm``; return the release if one was drawn.

        Store :meth:`state` after every release: a release that was acted on and then forgotten
        would be drawn again.
        """
        arm = self._checked_arm(arm)
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
        checked = [self._checked_arm(arm) for arm in arms]
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
            self._absorb(release, arm)
        return release

    def _absorb(self, release: Release, arm: int) -> None:
        if self._statistics.counts[arm] == 0 and self._unreleased:
            self._unreleased -= 1
        self._statistics.take(release, self._policy.memory)
        self._record(release)
        self._selector.released(release)
        if arm == self._committed:
            self._committed = None

    def _checked_arm(self, arm: object) -> int:
        if isinstance(arm, int) and not isinstance(arm, bool) and 0 <= arm < self._n_arms:
            return arm
        integer = is_number(arm) and not isinstance(arm, float | np.floating)
        if not integer or not 0 <= operator.index(arm) < self._n_arms:  # type: ignore[arg-type]
            raise ArmError(f"arm must be a whole number in 0..{self._n_arms - 1}; got {arm!r}")
        return operator.index(arm)  # type: ignore[arg-type]

    @property
    def outstanding(self) -> tuple[int, ...]:
        """How many decisions of each arm still wait for their reward."""
        return tuple(self._outstanding)

    @property
    def statistics(self) -> Statistics:
        """What the selection rule sees: a read-only copy, safe to show."""
        return self._statistics.snapshot()

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": list(self._outstanding),
            "committed": self._committed,
            "statistics": {
                "counts": self._statistics.counts.tolist(),
                "sums": self._statistics.sums.tolist(),
            },
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        outstanding = state_part(body, "outstanding", list)
        statistics = state_part(body, "statistics", dict)
        counts = np.array(statistics["counts"], dtype=np.float64)
        sums = np.array(statistics["sums"], dtype=np.float64)
        if not len(outstanding) == counts.size == sums.size == self._n_arms:
            raise StateError("this state's parts disagree on the number of arms")
        self._private.restore(state_part(body, "unreleased", dict))
        self._outstanding = [whole("outstanding", each, least=0) for each in outstanding]
        committed = body.get("committed")
        self._committed = None if committed is None else self._checked_arm(committed)
        self._statistics.counts[:] = counts
        self._statistics.sums[:] = sums
        self._statistics.means[:] = np.divide(
            sums, counts, out=np.zeros_like(sums), where=counts > 0
        )
        for release in self._log.values():
            self._selector.released(release)
        if self._policy.explores_first:
            self._unreleased = int((counts == 0).sum())

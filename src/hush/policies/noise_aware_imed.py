"""NoiseAwareIMED: the leader, and challengers when they are due. Hush's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.mechanisms import Schedule
from hush.mechanisms.schedules import LONGEST, AsOpened
from hush.numerics.challenger import (
    Constants,
    above,
    against,
    batch_length,
    due,
    due_of_newcomer,
    plays_of_leader,
)
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.decided_batches import DecidedBatches
from hush.policies.core.learner import checked_arm
from hush.policies.core.posterior_side import BATCH_NOISE, PosteriorSide, first_batch_of
from hush.policies.core.public_side import Counts
from hush.policies.core.statistics import Floats, Memory, one_hot
from hush.privacy import Release

__all__ = ["ChallengerSide", "NoiseAwareIMED"]


@dataclass(frozen=True)
class NoiseAwareIMED(BanditPolicy):
    """Plays the arm that looks best, and tests the others as rarely as the evidence allows.

    Every arm has its exact posterior given its noisy releases, from a uniform prior. The *leader*
    is the arm with the largest posterior mean. The evidence D against another arm is how unlikely
    it is, in nats, that its mean lies above the leader's. An arm of which n rewards are known is
    *due* in round t once

        D + ln n + ln(1 + D) + ln(max(1, K / 5)) / 2 - E(t)  <=  ln t

    where E makes tests earlier of arms of which little is known, and where the leader is near 1,
    and the leader has been played ``exp(D / 2)`` times as often. Of those that are due the first
    is tested: played for a batch that tells about 3 nats, or a quarter of n if that is more. While
    none is due the leader is played, and released whenever its total has doubled. An arm that was
    never played is due when ``ln n_1 - 3/2 ln(1 - leader's mean) <= ln t``: one at a time, so that
    with many arms and few rounds not all of them are tried. The first batch of an arm has ``n_1 =
    ceil(4 / epsilon)`` rewards. Every batch's sum is released once with ``Lap(1/epsilon)`` noise.

    In the spirit of IMED, ``D + ln n``; the other terms pay for what is not known yet. No regret
    bound is proven. ``docs/noise_aware_imed.md`` has the measured figures, and what they were
    chosen on.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    rho
        The concentrated loss, instead of epsilon: Gaussian noise of variance ``1 / (2 rho)``, with
        the likelihood that it has; where a length depends on epsilon it is ``2 sqrt(rho)``.
    horizon
        For how many rounds, if that is known: then ``ln t`` is ``ln horizon``, and knowing little
        of an arm makes no test earlier. Left out, it is anytime; simulations leave it so.

    References
    ----------
    Hush's own. IMED: Honda, Takemura: Non-Asymptotic Analysis of a New Bandit Algorithm for
    Semi-Bounded Rewards. JMLR 2015. https://jmlr.org/papers/v16/honda15a.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.NoiseAwareIMED(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> bool(learner.statistics.counts[1] > 400)
    True
    """

    epsilon: float | None = None
    horizon: int | None = None
    _: KW_ONLY
    rho: float | None = None

    memory: ClassVar[Memory] = "total"
    explores_first: ClassVar[bool] = False
    constants: ClassVar[Constants] = Constants()
    summary = "the arm that looks best, and challengers when the exact posterior says they are due"
    reference = "https://jmlr.org/papers/v16/honda15a.html"
    noise_law = BATCH_NOISE

    @property
    def needs_horizon(self) -> bool:
        """Never: without one it is anytime."""
        return False

    @property
    def first_batch(self) -> int:
        """How many rewards an arm's first release sums."""
        return first_batch_of(self.release_noise.epsilon)

    @property
    def schedule(self) -> Schedule:
        """Batches whose lengths depend on releases."""
        return AsOpened()

    def _public_side(self, n_arms: int) -> ChallengerSide:
        return ChallengerSide(self, n_arms)


class ChallengerSide(PosteriorSide):
    """Who leads, who is due when, and how long batches are: all settled at releases.

    A test ends when its batch has all its decisions. An arm with a full batch whose rewards are
    late waits for them, and the leader is played meanwhile, whose next batch opens at once.
    """

    _policy: NoiseAwareIMED
    sets_lengths: ClassVar[bool] = True
    counts_decisions: ClassVar[bool] = True

    def __init__(self, policy: NoiseAwareIMED, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._first_batch = policy.first_batch
        self._batches = DecidedBatches(n_arms)
        self._lengths = [self._first_batch] * n_arms  # of tests to come
        self._testing: int | None = None
        self._next: int | None = None  # the challenger whose turn it is
        self._leader: int | None = None
        self._due = [0] * n_arms  # the round from which an arm is to be tested
        self._key = [0.0] * n_arms
        self._leader_plays = [0.0] * n_arms
        self._until = 0  # the leader is played up to this round at least

    def absorb(self, release: Release) -> None:
        """Take note of a release: everything is weighed anew."""
        super().absorb(release)
        self._weigh()

    def _note(self, release: Release, arm: int) -> None:
        super()._note(release, arm)
        self._batches.release(arm, release.count)

    def decided(self, arm: int) -> None:
        """Count the decision; a test begins with its first one, if it was the arm's turn."""
        super().decided(arm)
        batches = self._batches
        batches.decide(arm, self.wants_after(arm, batches.played[arm]))
        if arm in (self._next, self._testing):
            self._testing, self._next = arm if batches.lacking[arm] else None, None

    def dropped(self, arm: int) -> None:
        """Count a decision less: no reward will come for it."""
        super().dropped(arm)
        self._batches.drop(arm)
        if arm == self._testing and not self._batches.lacking[arm]:
            self._testing = None
        self._until = 0

    def wants(self, arm: int) -> int:
        """Return how many rewards the arm's next release sums up."""
        batches = self._batches
        if batches.waiting[arm]:
            return batches.waiting[arm][0]
        if batches.begun[arm]:
            return batches.begun[arm] + batches.lacking[arm]
        return self.wants_after(arm, batches.played[arm])

    def wants_after(self, arm: int, decided: int) -> int:
        """Return how many decisions a batch takes that opens after so many others of the arm.

        The leader's total doubles. So does that of an arm that is played on without a release.
        """
        if not self._batches.released[arm]:
            return min(max(decided, self._first_batch), LONGEST)
        return max(1, decided) if arm == self._leader else self._lengths[arm]

    def catch_up(self, decided: Counts, passed: Counts, begun: Counts, lacking: Counts) -> None:  # noqa: ARG002
        """Take over how many decisions were made; a test that was begun here goes on."""
        if not self._batches.take_over(decided, begun, lacking) or self._leader is None:
            return
        self._weigh()
        if self._testing is not None and not lacking[self._testing]:
            self._testing = None

    def _weigh(self) -> None:
        """Find the leader, and when the others are due; set the lengths of tests to come."""
        policy, first = self._policy, self._first_batch
        horizon, constants = policy.horizon, policy.constants
        epsilon = policy.release_noise.epsilon
        released, played = self._batches.released, self._batches.played
        known = [arm for arm in range(self._n_arms) if released[arm]]
        means = {arm: self._posterior(arm).mean for arm in known}
        leader = known[0]
        for arm in known:
            leader = arm if above(means[arm], means[leader]) else leader
        top = means[leader]
        for arm in range(self._n_arms):
            plays = 0.0
            if arm == leader:
                key = math.inf
            elif arm not in means:
                key = due_of_newcomer(top, first, constants)
            else:
                evidence = against(self._posterior(arm).log_above(top))
                count = float(released[arm])
                key = due(evidence, count, top, first, self._n_arms, horizon is not None, constants)
                length = int(batch_length(count, top - means[arm], epsilon, constants))
                plays = plays_of_leader(evidence, played[arm], constants)
                self._lengths[arm] = min(length, LONGEST)
            self._key[arm], self._leader_plays[arm] = key, plays
            self._due[arm] = self._due_round(key)
        self._leader, self._next, self._until = leader, None, 0

    def _due_round(self, key: float) -> int:
        if self._policy.horizon is not None:
            return 0 if key <= math.log(self._policy.horizon) else LONGEST
        return math.ceil(math.exp(key)) if key < math.log(LONGEST) else LONGEST

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        if self._leader is None:
            return self._without_release()
        if self._testing is not None:
            return self._testing
        return self._leader if t <= self._until else self._turn(t, self._leader)

    def _without_release(self) -> int:
        """Return the arm of a round in which nothing has been released yet."""
        played, first = self._batches.played, self._first_batch
        return min(range(self._n_arms), key=lambda arm: (max(first - 1, played[arm]), arm))

    def _turn(self, t: int, leader: int) -> int:
        """Return the challenger whose turn it is, or the leader; note until when it surely is."""
        turn, until = leader, LONGEST
        newcomer, batches = False, self._batches
        for arm in range(self._n_arms):
            if arm == leader or batches.waits(arm):
                continue
            if not batches.released[arm]:
                if newcomer:
                    continue
                newcomer = True
            plays = math.ceil(self._leader_plays[arm]) - batches.played[leader]
            wait = max(self._due[arm] - t, plays)
            if wait <= 0:
                if turn == leader or above(self._key[turn], self._key[arm]):
                    turn = arm
            else:
                until = min(until, t + wait - 1)
        self._until, self._next = (until, None) if turn == leader else (0, turn)
        return turn

    def _chances(self, t: int) -> Floats:
        return one_hot(self._pick(t, np.random.default_rng(0)), self._n_arms)

    def state(self) -> dict[str, Any]:
        """Return the batches of decisions, too, and the arm that is tested."""
        return {**super().state(), **self._batches.state(), "testing": self._testing}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        self._batches.restore(state)
        testing = state.get("testing")
        if testing is not None:
            self._testing = checked_arm(testing, self._n_arms)
        if any(self._batches.released):
            self._weigh()

"""A bandit policy at work."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from hush.errors import NoDecisionError, NoiseError, RewardError, StateError, whole
from hush.mechanisms import EveryRound, RewardRange
from hush.mechanisms.sums import ArmSums
from hush.noise import NoiseSource
from hush.policies.core.decision import Decision
from hush.policies.core.identification import named_arm
from hush.policies.core.intervals import checked_confidence, mean_intervals
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
        self._generator = noise.selection
        self._keeps_last_only = isinstance(policy.schedule, EveryRound)
        self._unnamed = [0] * n_arms  # decisions of select(), which have no id
        # What best() said last, and to what: it changes at releases only.
        self._answer: tuple[tuple[int, float], int | None] | None = None
        self._set_lengths()

    def select(self) -> int:
        """Decide one more round and return the arm to play."""
        with self._lock:
            if self._halted:
                self._resume()
            arm = self._choose_arm()
            self._unnamed[arm] += 1
            return arm

    def _choose_arm(self) -> int:
        line, public = self._line, self._public
        if line.round >= public.stage_end:
            self._begin_stage()
        t = line.round + 1
        arm = public.choose(t, self._generator)
        if public.follows_decisions:
            public.decided(arm)
        line.round = t
        return arm

    def _begin_stage(self) -> None:
        if isinstance(self._private, ArmSums):
            for arm in range(self._n_arms):
                self._private.drop(arm)
        self._public.begin_stage(self._line.round + 1)
        self._set_lengths()

    def _set_lengths(self) -> None:
        if self._public.sets_lengths and isinstance(self._private, ArmSums):
            for arm in range(self._n_arms):
                self._private.open(arm, self._public.wants(arm))

    def observe(self, arm: int, sample: Sample) -> Release | None:
        """Settle one outstanding decision of ``arm`` with the reward that ``sample(arm)`` gives."""
        return self.update(arm, sample(arm))

    def update(self, arm: int, reward: float) -> Release | None:
        """Settle one decision of ``arm`` that :meth:`select` made; return the release, if any.

        Store :meth:`state` inside ``on_release``: a release that was acted on and then forgotten
        would be drawn again.
        """
        arm = checked_arm(arm, self._n_arms)
        unit = self._private.check(reward)
        with self._lock:
            if self._halted:
                self._resume()
            if not self._unnamed[arm]:
                raise NoDecisionError(
                    f"no decision for arm {arm} is outstanding; update once per select() of that "
                    "arm, and settle(decision, reward) once per decide()"
                )
            release = self._settle_unnamed(arm, unit)
            if release is not None:
                self._tell()
            return release

    def _settle_unnamed(self, arm: int, unit: float) -> Release | None:
        # Counted off first: an interrupt in between loses a reward, and never counts one twice.
        self._unnamed[arm] -= 1
        try:
            return self._settle(arm, unit)
        except NoiseError:  # nothing was drawn
            self._unnamed[arm] += 1
            raise

    def settle(self, decision: Decision | str, reward: float) -> Release | None:
        """Settle a decision, given itself or its id; a second reward for it is refused.

        Examples
        --------
        >>> import hush
        >>> learner = hush.LazyDPTS(epsilon=1.0).learner(n_arms=2)
        >>> early, late = learner.decide(), learner.decide()
        >>> _ = learner.settle(late.id, 1), learner.settle(early.id, 0)
        >>> learner.outstanding
        (0, 0)
        """
        unit = self._private.check(reward)
        with self._lock:
            if self._halted:
                self._resume()
            name, arm = self._open.find(decision)
            return self._settle_open(name, arm, unit)

    def update_batch(self, arms: Iterable[int], rewards: Iterable[float]) -> tuple[Release, ...]:
        """Settle many decisions of :meth:`select`, all of them or, on bad input, none."""
        if not isinstance(arms, Iterable) or not isinstance(rewards, Iterable):
            raise RewardError("update_batch takes a list of arms and a list of rewards")
        checked = [checked_arm(arm, self._n_arms) for arm in arms]
        units = [self._private.check(reward) for reward in rewards]
        if len(checked) != len(units):
            raise RewardError(f"{len(checked)} arms came with {len(units)} rewards; give one each")
        with self._lock:
            if self._halted:
                self._resume()
            for arm, wanted in Counter(checked).items():
                if wanted > self._unnamed[arm]:
                    raise NoDecisionError(
                        f"{wanted} rewards for arm {arm}, but only {self._unnamed[arm]} of its "
                        "decisions by select() are outstanding"
                    )
            pairs = zip(checked, units, strict=True)
            releases = [self._settle_unnamed(arm, unit) for arm, unit in pairs]
            self._tell()
        return tuple(release for release in releases if release is not None)

    def _settle(self, arm: int, units: float) -> Release | None:
        release = self._private.add(arm, units)
        public = self._public
        if public.exploring:
            public.settled(arm)
        if release is not None:
            public.absorb(release)
            self._publish(release)
            if public.sets_lengths:
                self._set_lengths()
        return release

    def _drop(self, arm: int) -> None:
        self._public.dropped(arm)

    def _default_units(self) -> float:
        return self._private.check(self._default)

    @property
    def policy(self) -> BanditPolicy:
        """The policy at work."""
        return self._policy

    @property
    def outstanding(self) -> tuple[int, ...]:
        """How many decisions of each arm still wait for their reward."""
        with self._lock:
            return tuple(self._all_outstanding())

    def _all_outstanding(self) -> list[int]:
        return self._open.count(list(self._unnamed))

    @property
    def statistics(self) -> Statistics:
        """What the selection rule sees: a read-only copy, safe to show."""
        with self._lock:
            self._readable()
            return self._public.statistics.snapshot()

    def interval(self, arm: int, confidence: float) -> tuple[float, float]:
        """Return an interval for the arm's mean reward, from releases alone: it costs no privacy.

        It is valid at all times together: with a chance of at least ``confidence`` the mean lies in
        every interval that this call gives from the first round to the last, however often it is
        made and whenever you stop looking. ``docs/confidence.md`` says what it assumes.

        Before an arm's first release it is the whole range. Policies with a counter, whose releases
        overlap, raise :class:`~hush.ParameterError`.

        Examples
        --------
        >>> import hush
        >>> learner = hush.LazyDPTS(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
        >>> learner.interval(0, 0.95)
        (0.0, 1.0)
        >>> for number in range(2000):
        ...     arm = learner.select()
        ...     _ = learner.update(arm, 1 if number % 10 < 4 + 4 * arm else 0)
        >>> low, high = learner.interval(1, 0.95)
        >>> round(low, 2), round(high, 2)
        (0.74, 0.84)
        """
        return mean_intervals(
            self, checked_confidence(confidence), (checked_arm(arm, self._n_arms),)
        )[0]

    def intervals(self, confidence: float) -> tuple[tuple[float, float], ...]:
        """Return an interval for the mean reward of every arm, which hold all together.

        With a chance of at least ``confidence`` every arm's mean lies in all its intervals, at all
        times: each may miss its mean with one K-th of the chance that :meth:`interval` has.

        Examples
        --------
        >>> import hush
        >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, reward_range=(0, 20))
        >>> learner.intervals(0.95)
        ((0.0, 20.0), (0.0, 20.0))
        """
        return mean_intervals(self, checked_confidence(confidence))

    def best(self, confidence: float) -> int | None:
        """Return the arm that is best, or None while that is not known: from releases alone.

        With a chance of at least ``confidence`` every arm that this call ever names is one of the
        best, however often it is made and whenever you stop asking. So you may play until it names
        one. ``docs/identification.md`` has the argument and what it assumes. Policies that come
        with a stopping rule of their own, such as :class:`~hush.DPTT`, use that.

        It is None until every arm has a release. Policies with a counter, whose releases overlap,
        raise :class:`~hush.ParameterError`.

        Examples
        --------
        >>> import hush
        >>> learner = hush.LazyDPTS(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
        >>> learner.best(0.99) is None
        True
        >>> for number in range(500):
        ...     arm = learner.select()
        ...     _ = learner.update(arm, 1 if number % 10 < 4 + 4 * arm else 0)
        >>> learner.best(0.99)
        1
        """
        delta = 1.0 - checked_confidence(confidence)
        with self._lock:
            self._readable()
            asked = self._line.releases, delta
            if self._answer is None or self._answer[0] != asked:
                self._answer = asked, named_arm(self, delta)
            return self._answer[1]

    def _state(self) -> dict[str, Any]:
        return {
            "outstanding": list(self._unnamed),
            **self._public.state(),
            "unreleased": self._private.state(),
        }

    def _restore(self, body: Mapping[str, Any]) -> None:
        super()._restore(body)
        outstanding = state_part(body, "outstanding", list)
        if len(outstanding) != self._n_arms:
            raise StateError("this state's parts disagree on the number of arms")
        self._unnamed = [whole("outstanding", each, least=0) for each in outstanding]
        self._private.restore(state_part(body, "unreleased", dict))
        self._public.restore(body, self._log.values())
        self._public.resume(self._all_outstanding(), self._private.arrived)
        self._set_lengths()

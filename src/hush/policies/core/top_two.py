"""Top-two policies: a leader and a challenger take turns, and a rule of their own ends it.

What they share: each arm is played once; then, in each round, the leader is played in a share of
one half of the rounds in which it leads, and otherwise the challenger, the arm that is hardest to
tell from the leader. An arm's sums are released when its pulls have doubled. Leader and stopping
change at releases only; the challenger also with the number of pulls.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from hush.errors import StateError, check_field, choice, whole
from hush.mechanisms import GrowingTotal, Schedule
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.public_side import PublicSide
from hush.policies.core.states import state_part
from hush.policies.core.statistics import Floats, one_hot
from hush.privacy import Release

__all__ = ["Threshold", "TopTwoPolicy", "TopTwoSide", "gaussian_cost", "gaussian_threshold"]

Threshold = Literal["stated", "heuristic"]
LEADER_SHARE = 0.5
SPREAD = 0.5  # of rewards in [0, 1]: they are sub-Gaussian of this deviation
ORDER = 2.0  # of the sum over phases, whose zeta is the next
ZETA = math.pi**2 / 6.0


@dataclass(frozen=True)
class TopTwoPolicy(BanditPolicy):
    """What DPTT, AdaPTT and AdaPTTStar share; they say how arms are compared and when it ends."""

    epsilon: float
    _: KW_ONLY
    threshold: Threshold = "stated"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "threshold", choice, known=("stated", "heuristic"))

    @property
    def schedule(self) -> Schedule:
        """Batches that double the arm's pulls: 1, 1, 2, 4, 8, ..."""
        return GrowingTotal()

    @abstractmethod
    def lead(self, means: Floats, counts: Floats) -> Floats:
        """Return each arm's value: the leader is the arm of the largest."""

    @abstractmethod
    def estimates(self, means: Floats) -> Floats:
        """Return released means as costs take them."""

    @abstractmethod
    def cost(self, one: float, two: float, pulls: tuple[float, float]) -> float:
        """Return how hard it is to mistake the second arm for a better one than the first."""

    @abstractmethod
    def handicap(self, pulls: float) -> float:
        """Return what a challenger's cost is raised by for the pulls it had."""

    @abstractmethod
    def needed(self, counts: tuple[float, float], known: Floats, delta: float) -> float:
        """Return the cost above which the first arm is held better than the second.

        Their counts of released pulls are given, and those of all arms.
        """

    def _public_side(self, n_arms: int) -> TopTwoSide:
        return TopTwoSide(self, n_arms)


class TopTwoSide(PublicSide):
    """Counts pulls, and who led when; knows the leader from release to release."""

    _policy: TopTwoPolicy
    counts_decisions: ClassVar[bool] = True
    stops_itself: ClassVar[bool] = True

    def __init__(self, policy: TopTwoPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._pulls = [0] * n_arms
        self._led = [0] * n_arms  # rounds in which an arm led
        self._kept = [0] * n_arms  # those of them in which it was played
        self._leader: int | None = None

    def decided(self, arm: int) -> None:
        """Count a pull, and a round of the leader."""
        super().decided(arm)
        self._pulls[arm] += 1
        if self._first is None:
            leader = self._lead()
            self._led[leader] += 1
            self._kept[leader] += arm == leader

    def dropped(self, arm: int) -> None:
        """Count a pull less: no reward will come for it."""
        super().dropped(arm)
        self._pulls[arm] = max(1, self._pulls[arm] - 1)

    def stopped(self, delta: float) -> int | None:
        """Return the arm of the largest mean, if it is held better than every other."""
        counts = self.statistics.counts
        if not counts.all():
            return None
        policy, means = self._policy, self._policy.estimates(self.statistics.means).tolist()
        best = int(np.argmax(means))
        for arm in range(self._n_arms):
            pair = float(counts[best]), float(counts[arm])
            if arm != best and not policy.cost(means[best], means[arm], pair) > policy.needed(
                pair, counts, delta
            ):
                return None
        return best

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        leader = self._lead()
        plays = self._kept[leader] <= LEADER_SHARE * (self._led[leader] + 1)
        return leader if plays or self._n_arms == 1 else self._challenger(leader)

    def _chances(self, t: int) -> Floats:
        return one_hot(self._pick(t, np.random.default_rng(0)), self._n_arms)

    def _pick_among(self, arms: list[int], t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return min(arms, key=self._pulls.__getitem__)

    def _chances_among(self, arms: list[int], t: int) -> Floats:  # noqa: ARG002
        return one_hot(arms.index(min(arms, key=self._pulls.__getitem__)), len(arms))

    def _lead(self) -> int:
        if self._leader is None:
            known = self.statistics
            self._leader = int(np.argmax(self._policy.lead(known.means, known.counts)))
        return self._leader

    def _challenger(self, leader: int) -> int:
        policy, means = self._policy, self._policy.estimates(self.statistics.means).tolist()
        pulls, mean = [float(each) for each in self._pulls], means[leader]
        others = [arm for arm in range(self._n_arms) if arm != leader]
        return min(
            others,
            key=lambda arm: (
                policy.cost(mean, means[arm], (pulls[leader], pulls[arm]))
                + policy.handicap(pulls[arm])
            ),
        )

    def _note(self, release: Release, arm: int) -> None:  # noqa: ARG002
        self._leader = None

    def state(self) -> dict[str, Any]:
        """Return pulls and leads too: they depend on decisions, not on releases alone."""
        counted = {"pulls": self._pulls, "led": self._led, "kept": self._kept}
        return {**super().state(), **{name: list(each) for name, each in counted.items()}}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        counted = [
            [whole(name, each, least=0) for each in state_part(state, name, list)]
            for name in ("pulls", "led", "kept")
        ]
        if any(len(each) != self._n_arms for each in counted):
            raise StateError("this state's parts disagree on the number of arms")
        self._pulls, self._led, self._kept = counted
        self._leader = None


def gaussian_cost(gap: float, w_a: float, w_b: float, most: float) -> float:
    """Return ``gap min(most, gap) / (2 s^2 (1 / w_a + 1 / w_b))`` with ``s = 1/2``, 0 without gap.

    >>> gaussian_cost(0.5, 8.0, 8.0, math.inf), gaussian_cost(0.5, 8.0, 8.0, 0.1)
    (2.0, 0.4)
    """
    if gap <= 0.0:
        return 0.0
    return gap * min(most, gap) / (2.0 * SPREAD * SPREAD * (1.0 / w_a + 1.0 / w_b))


def gaussian_threshold(
    w_a: float, w_b: float, n_arms: int, delta: float, epsilon: float, stated: bool
) -> float:
    """Return the threshold of AdaP-TT for two arms whose last phases had so many pulls.

    Stated, with ``k(w) = log2 w + 2``, ``zeta = pi^2 / 6`` and ``s = 1/2``:

        2 cG(delta / (2 zeta^2 k(w_a)^2 k(w_b)^2))
            + sum over both of ln(2 K zeta k(w)^2 / delta)^2 / (epsilon^2 s^2 w)
        cG(d) = 2 C(ln((K - 1) / d) / 2) + 2 ln(4 + ln w_a) + 2 ln(4 + ln w_b),  C(x) = x + ln x

    Heuristic, as in the authors' code: ``ln(1 / delta) + ln(1 + ln w_a) + ln(1 + ln w_b) +
    (1 / w_a + 1 / w_b) ln(1 / delta)^2 / epsilon^2``.

    >>> round(gaussian_threshold(1024.0, 1024.0, 5, 0.01, 1.0, True), 1)
    64.3
    >>> round(gaussian_threshold(1024.0, 1024.0, 5, 0.01, 1.0, False), 1)
    8.8
    """
    if not stated:
        loop = math.log(1.0 + math.log(w_a)) + math.log(1.0 + math.log(w_b))
        private = (1.0 / w_a + 1.0 / w_b) * (math.log(delta) / epsilon) ** 2
        return -math.log(delta) + loop + private
    phases_a = (math.log2(w_a) + 2.0) ** ORDER
    phases_b = (math.log2(w_b) + 2.0) ** ORDER
    x = 0.5 * math.log((n_arms - 1) * 2.0 * ZETA * ZETA * phases_a * phases_b / delta)
    calibrated = 2.0 * (x + math.log(x)) + 2.0 * math.log(4.0 + math.log(w_a))
    calibrated += 2.0 * math.log(4.0 + math.log(w_b))
    scale = 1.0 / (epsilon * epsilon * SPREAD * SPREAD)
    private = math.log(2.0 * n_arms * ZETA * phases_a / delta) ** 2 / w_a
    private += math.log(2.0 * n_arms * ZETA * phases_b / delta) ** 2 / w_b
    return 2.0 * calibrated + scale * private

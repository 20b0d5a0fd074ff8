"""NoiseAwareBAI: finds the best arm by what noisy releases really say. Hush's own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hush.errors import StateError
from hush.numerics.pairs import TIE, LogRatio, Top, leader_share, least_pulls, ratio_of, top_of
from hush.policies.core.identification import clearly_largest, contest
from hush.policies.core.posterior_side import NoiseAwarePolicy, PosteriorSide
from hush.policies.core.states import state_part
from hush.policies.core.statistics import Floats, one_hot
from hush.privacy import Release

__all__ = ["ContestSide", "NoiseAwareBAI"]


@dataclass(frozen=True)
class NoiseAwareBAI(NoiseAwarePolicy):
    """Plays the two arms that are hardest to tell apart, until the best one is known.

    For best-arm identification: play until ``learner.best(confidence)`` names an arm, which is one
    of the best with at least that chance. Regret is not what it minds.

    An arm's evidence ``R(x)`` for a mean x is its posterior given its noisy releases, over a
    uniform prior; it is computed exactly. At each release the leader ``a`` is the arm of the
    highest mode, and ``s_b = max over x of ln R_a(x) + ln R_b(x)`` says how well one common mean
    would explain both a and b. The best arm is known when all ``s_b <= ln(delta / (K - 1))``,
    whatever chose the arms: see ``docs/identification.md`` for the proof.

    Until then the challenger ``c`` has the largest ``s_b - ln n_b``, ``n_b`` its released rewards.
    Leader and challenger share pulls in proportion to what each loses at the maximiser, ``ln R``
    there relative to its largest value, with a share of .1 to .9; whichever is owed more pulls is
    played for a batch. An arm with fewer than ``max(sqrt(n), n / (10 K))`` of n pulls comes first.

    An arm's first batch has ``first_batch`` rewards; each later one lets the arm's total grow by
    ``growth``. Every batch's sum is released once with ``Lap(1/epsilon)`` noise.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    rho
        The concentrated loss, instead of epsilon: Gaussian noise of variance ``1 / (2 rho)``, with
        the likelihood that it has; where a length depends on epsilon it is ``2 sqrt(rho)``.
    first_batch
        How many rewards an arm's first release sums; ``ceil(4 / epsilon)`` if left out.
    growth
        The ratio by which an arm's total grows from release to release.

    References
    ----------
    Hush's own. The shares are those of Qin, You: Dual-Directed Algorithm Design for Efficient Pure
    Exploration. 2023. https://arxiv.org/abs/2310.19319

    Examples
    --------
    >>> import numpy as np
    >>> import hush
    >>> env, generator = hush.Bernoulli([0.2, 0.8, 0.5]), np.random.default_rng(7)
    >>> learner = hush.NoiseAwareBAI(epsilon=1.0).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> while learner.best(confidence=0.99) is None:
    ...     arm = learner.select()
    ...     _ = learner.update(arm, env.sample(generator, arm))
    >>> learner.best(confidence=0.99), learner.rounds < 1000
    (1, True)
    """

    commits: ClassVar[bool] = True
    summary = "finds the best arm: evidence from the exact posterior given noisy releases"
    reference = "https://arxiv.org/abs/2310.19319"

    def _public_side(self, n_arms: int) -> ContestSide:
        return ContestSide(self, n_arms)


class Turn(NamedTuple):
    """What is played next, and which two arms share its pulls: none where an arm comes first."""

    arm: int
    shares: tuple[tuple[int, float], ...] = ()


class ContestSide(PosteriorSide):
    """Keeps every arm's posterior, and how many pulls leaders and challengers are owed."""

    _policy: NoiseAwareBAI

    def __init__(self, policy: NoiseAwareBAI, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._known: dict[int, tuple[LogRatio, Top]] = {}
        self._owed = [0.0] * n_arms
        self._turn: Turn | None = None

    def decided(self, arm: int) -> None:
        """Share a batch that begins among leader and challenger."""
        begins = self._committed is None and self._first is None
        turn = self._next() if begins else None
        super().decided(arm)
        if turn is not None and turn.arm == arm and turn.shares:
            pulls = float(self.wants(arm))
            self._owed[arm] -= pulls
            for each, share in turn.shares:
                self._owed[each] += share * pulls
            self._turn = None

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return self._next().arm

    def _chances(self, t: int) -> Floats:  # noqa: ARG002
        return one_hot(self._next().arm, self._n_arms)

    def _pick_among(self, arms: list[int], t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return min(arms, key=self.statistics.counts.__getitem__)

    def _chances_among(self, arms: list[int], t: int) -> Floats:  # noqa: ARG002
        counts = self.statistics.counts[arms]
        return one_hot(int(counts.argmin()), len(arms))

    def _note(self, release: Release, arm: int) -> None:
        super()._note(release, arm)
        self._known.pop(arm, None)
        self._turn = None

    def _next(self) -> Turn:
        if self._turn is None:
            self._turn = self._decide()
        return self._turn

    def _decide(self) -> Turn:
        """Return the next turn: a function of releases, and of what arms are owed."""
        counts = self.statistics.counts
        fewest = int(counts.argmin())
        if self._n_arms == 1 or counts[fewest] < least_pulls(float(counts.sum()), self._n_arms):
            return Turn(fewest)
        ratios, tops = zip(*map(self._evidence, range(self._n_arms)), strict=True)
        leader, meetings = contest(ratios, tops)
        keys = {arm: each.level - math.log(counts[arm]) for arm, each in meetings.items()}
        challenger = clearly_largest(keys)
        share = leader_share(meetings[challenger].first, meetings[challenger].second)
        shares = ((leader, share), (challenger, 1.0 - share))
        leads, follows = (self._owed[arm] + part * self.wants(arm) for arm, part in shares)
        slack = TIE * (self.wants(leader) + self.wants(challenger))
        return Turn(leader if leads >= follows - slack else challenger, shares)

    def _evidence(self, arm: int) -> tuple[LogRatio, Top]:
        if arm not in self._known:
            ratio = ratio_of(self._posterior(arm))
            self._known[arm] = ratio, top_of(ratio)
        return self._known[arm]

    def state(self) -> dict[str, Any]:
        """Return what arms are owed too: it depends on decisions, not on releases alone."""
        return {**super().state(), "owed": list(self._owed)}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        owed = [float(each) for each in state_part(state, "owed", list)]
        if len(owed) != self._n_arms or not all(map(math.isfinite, owed)):
            raise StateError("this state's pulls owed are damaged; restore from an intact copy")
        self._owed, self._turn = owed, None

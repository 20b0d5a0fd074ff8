"""DP-SE (Sajed & Sheffet), and its anytime form."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np

from hush.errors import StateError, check_field, truth, whole
from hush.mechanisms import RewardRange, Schedule
from hush.mechanisms.schedules import LONGEST, AsOpened
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.learner import checked_arm
from hush.policies.core.public_side import PublicSide
from hush.policies.core.shared_bounds import order_bound
from hush.policies.core.states import state_part
from hush.policies.core.statistics import Floats, one_hot
from hush.privacy import Release

__all__ = ["DPSE", "EliminationLearner", "EliminationSide", "phase"]

FIRST_STAGE = 2**10


def phase(number: int, survivors: int, horizon: float, epsilon: float) -> tuple[int, float]:
    """Return how often a phase pulls each survivor, and how far from the best one may stay.

    >>> phase(1, 5, 1e6, 1.0)
    (2242, 0.13995...)
    """
    gap = 2.0**-number
    wide = math.log(8.0 * survivors * number**2 * horizon)
    narrow = math.log(4.0 * survivors * number**2 * horizon)
    wanted = max(32.0 * wide / gap**2, 8.0 * narrow / (epsilon * gap)) + 1.0
    pulls = LONGEST if wanted > LONGEST else math.ceil(wanted)
    return pulls, 2.0 * math.sqrt(wide / (2.0 * pulls)) + 2.0 * narrow / (pulls * epsilon)


@dataclass(frozen=True)
class DPSE(BanditPolicy):
    """Successive elimination in phases, with fresh noisy means in each.

    Phase ``e`` looks for gaps of ``D = 2**-e``. It pulls each of the surviving arms ``S`` in turn,
    ``R = ceil(max(32 ln(8 |S| e^2 / beta) / D^2, 8 ln(4 |S| e^2 / beta) / (epsilon D)) + 1)``
    times each, adds ``Lap(1/epsilon)`` to each sum, and drops the arms whose noisy mean is more
    than ``2 h + 2 c`` below the best: ``h = sqrt(ln(8 |S| e^2 / beta) / (2 R))``, ``c = ln(4 |S|
    e^2 / beta) / (R epsilon)``. The last survivor is played for good. ``beta = 1 / horizon``.

    With ``anytime=True`` it needs no horizon: it starts anew in rounds 1, 2^10 + 1, 2^20 + 1, 2^40
    + 1, ..., each time for the horizon that ends the stage. Squaring the horizon keeps regret
    logarithmic, which doubling it would not (Besson & Kaufmann).

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced.
    horizon
        For how many rounds; simulations fill it in. It may be played longer: the last survivor
        stays.
    anytime
        Restart with squared horizons instead of knowing one.

    References
    ----------
    Sajed, Sheffet: An Optimal Private Stochastic-MAB Algorithm Based on an Optimal Private
    Stopping Rule. ICML 2019. https://arxiv.org/abs/1905.09383
    Besson, Kaufmann: What Doubling Tricks Can and Can't Do for Multi-Armed Bandits. 2018.
    https://arxiv.org/abs/1803.06971

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPSE(epsilon=1.0, horizon=10_000).learner(3, noise=hush.SeededNoise(7))
    >>> for _ in range(10_000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.survivors
    (1,)
    """

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None
    anytime: bool = False

    explores_first: ClassVar[bool] = False
    summary = "successive elimination in phases with fresh noisy means"
    reference = "https://arxiv.org/abs/1905.09383"
    noise_law = "Lap(1/eps) on each phase's sum of an arm"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "anytime", truth)

    @property
    def needs_horizon(self) -> bool:
        """Whether it is neither anytime nor knows its horizon."""
        return self.horizon is None and not self.anytime

    @property
    def schedule(self) -> Schedule:
        """Phases, whose lengths depend on how many arms survive."""
        return AsOpened()

    def stage_end(self, after: int) -> int:
        """Return the last round of the stage that holds the round ``after + 1``.

        >>> DPSE(1.0, anytime=True).stage_end(0), DPSE(1.0, anytime=True).stage_end(2**10)
        (1024, 1048576)
        """
        if not self.anytime:
            return LONGEST
        end = FIRST_STAGE
        while end <= after:
            end = min(end * end, LONGEST)
        return end

    def stage_horizon(self, after: int) -> float:
        """Return the horizon that the stage of the round ``after + 1`` plans for."""
        if self.anytime:
            return float(self.stage_end(after))
        return float(self.horizon or 1)

    def phase(self, number: int, survivors: int, horizon: float) -> tuple[int, float]:
        """Return how often a phase pulls each survivor, and how far from the best one may stay."""
        return phase(number, survivors, horizon, self.epsilon)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves."""
        logarithm, formula = setting.log_horizon, "sum (ln T / D + ln T / eps)"
        yield order_bound(
            setting,
            formula,
            self.reference,
            lambda gap: logarithm / gap + logarithm / setting.epsilon,
        )

    def first_rounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield what the first phase costs."""
        rounds = min(int(self.stage_horizon(0)), setting.horizon)
        wanted = self._public_side(setting.n_arms).wants(0)
        pulls = min(wanted, rounds // setting.n_arms)
        cost = pulls * float(setting.all_gaps.sum())
        formula = "R sum D, R the pulls of each arm in the first phase"
        yield Bound("first phase", "lower", cost, formula, self.reference)

    def _public_side(self, n_arms: int) -> EliminationSide:
        return EliminationSide(self, n_arms)

    def _new_learner(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> EliminationLearner:
        return EliminationLearner(self, n_arms, noise, rewards)


class EliminationSide(PublicSide):
    """The phases of successive elimination.

    A phase ends when every survivor's sum has been released. Where rewards are late, all survivors
    are played in turn meanwhile.
    """

    _policy: DPSE
    sets_lengths: ClassVar[bool] = True
    counts_decisions: ClassVar[bool] = True

    def __init__(self, policy: DPSE, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self.begin_stage(1)

    def begin_stage(self, t: int) -> None:
        """Start anew with round ``t``, with all arms."""
        self.stage_end = self._policy.stage_end(t - 1)
        self._horizon = self._policy.stage_horizon(t - 1)
        self.survivors = list(range(self._n_arms))
        self._open(1)

    def absorb(self, release: Release) -> None:
        """Take note of a release; the last one of a phase drops arms and opens the next."""
        super().absorb(release)
        self._missing.remove(operator.index(release.arm))  # type: ignore[arg-type]  # it names one
        if not self._missing:
            self.survivors = self._kept()
            self._open(self._phase + 1)

    def _kept(self) -> list[int]:
        """Return the survivors that a phase leaves."""
        means = self.statistics.means
        best = max(means[each] for each in self.survivors)
        return [a for a in self.survivors if best - means[a] <= self._slack]

    def decided(self, arm: int) -> None:
        """Count the phase's decisions: survivors take turns."""
        super().decided(arm)
        self._decided[arm] += 1

    def dropped(self, arm: int) -> None:
        """Count a decision less: no reward will come for it."""
        super().dropped(arm)
        self._decided[arm] = max(0, self._decided[arm] - 1)

    def wants(self, arm: int) -> int:
        """Return the phase's pulls of an arm that still lacks its release."""
        playing = arm in self._missing and not self._settled
        return self._pulls if playing else LONGEST

    @property
    def _settled(self) -> bool:
        return len(self.survivors) == 1

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return self._turn()

    def _chances(self, t: int) -> Floats:  # noqa: ARG002
        return one_hot(self._turn(), self._n_arms)

    def _turn(self) -> int:
        decided = self._decided
        arm = min(self._missing, key=decided.__getitem__)
        # Where all that lack their release wait for rewards alone, every survivor takes turns: an
        # arm whose rewards never come does not take the traffic.
        return arm if decided[arm] < self._pulls else min(self.survivors, key=decided.__getitem__)

    def _open(self, number: int) -> None:
        self._phase = number
        self._missing = list(self.survivors)
        self._decided = [0] * self._n_arms
        self._plan()

    def _plan(self) -> None:
        plan = self._policy.phase(self._phase, len(self.survivors), self._horizon)
        self._pulls, self._slack = plan

    def state(self) -> dict[str, Any]:
        """Return the phase too: it depends on decisions, not on releases alone."""
        return {
            **super().state(),
            "phase": self._phase,
            "horizon": self._horizon,
            "stage_end": self.stage_end,
            "survivors": list(self.survivors),
            "missing": list(self._missing),
            "decided": list(self._decided),
        }

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        survivors, missing = (
            [checked_arm(each, self._n_arms) for each in state_part(state, key, list)]
            for key in ("survivors", "missing")
        )
        decided = [whole("decided", each, least=0) for each in state_part(state, "decided", list)]
        if not survivors or not missing or len(decided) != self._n_arms:
            raise StateError("this state's phase is damaged; restore from an intact copy")
        self._phase = whole("phase", state["phase"], least=1)
        self._horizon = float(state["horizon"])
        self.stage_end = whole("stage_end", state["stage_end"], least=1)
        self.survivors, self._missing, self._decided = survivors, missing, decided
        self._plan()


class EliminationLearner(BanditLearner):
    """Successive elimination at work: a bandit learner that also says which arms are left.

    Examples
    --------
    >>> import hush
    >>> learner = hush.DPSE(epsilon=1.0, horizon=10**6).learner(n_arms=3)
    >>> [learner.select() for _ in range(4)], learner.survivors
    ([0, 1, 2, 0], (0, 1, 2))
    """

    _public: EliminationSide

    @property
    def survivors(self) -> tuple[int, ...]:
        """The arms that have not been dropped."""
        return tuple(self._public.survivors)

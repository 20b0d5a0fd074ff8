"""Median elimination, not private."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

from hush.errors import ParameterError, check_field, positive
from hush.mechanisms import RewardRange, Schedule
from hush.mechanisms.schedules import LONGEST, AsOpened
from hush.noise import NoiseSource
from hush.policies.core.bandit import BanditPolicy
from hush.policies.sequential_halving import HalvingLearner, HalvingSide

__all__ = ["MedianElimination", "MedianSide"]


@dataclass(frozen=True)
class MedianElimination(BanditPolicy):
    """Finds an arm within ``accuracy`` of the best but for a chance of ``delta``: drops half each.

    Phase ``l = 1, 2, ...`` pulls each surviving arm ``ceil(4 / a^2 ln(3 / d))`` times afresh, with
    ``a = accuracy / 4 (3 / 4)^(l - 1)`` and ``d = delta / 2^l``, and drops the worse half. When one
    arm is left it is what ``learner.recommended`` names; it is played from then on. In all it takes
    of the order of ``K / accuracy^2 ln(1 / delta)`` pulls, which no such algorithm can improve.

    Parameters
    ----------
    accuracy
        How far from the best the recommended arm may be.
    delta
        The chance with which it may be farther.

    Notes
    -----
    Compared with the text of the journal version: phases, accuracies and chances are its Algorithm
    4. There all arms at the median stay; here the better half stays, and of equal arms the first.

    References
    ----------
    Even-Dar, Mannor, Mansour: PAC Bounds for Multi-Armed Bandit and Markov Decision Processes. COLT
    2002. https://doi.org/10.1007/3-540-45435-7_18
    Even-Dar, Mannor, Mansour: Action Elimination and Stopping Conditions for the Multi-Armed Bandit
    and Reinforcement Learning Problems. JMLR 7, 2006. https://jmlr.org/papers/v7/evendar06a.html

    Examples
    --------
    >>> import hush
    >>> learner = hush.MedianElimination(accuracy=0.5, delta=0.1).learner(n_arms=4)
    >>> while learner.recommended is None:
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 2 else 0)
    >>> learner.recommended, learner.rounds
    (2, 8554)
    """

    _: KW_ONLY
    accuracy: float = 0.1
    delta: float = 0.05

    explores_first: ClassVar[bool] = False
    non_private = True
    summary = "finds an arm near the best: drops the worse half in each phase; not private"
    reference = "https://doi.org/10.1007/3-540-45435-7_18"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("accuracy", "delta"):
            check_field(self, name, positive)
            if getattr(self, name) >= 1.0:
                raise ParameterError(f"{name} must lie between 0 and 1")

    @property
    def schedule(self) -> Schedule:
        """Phases, each longer than the one before."""
        return AsOpened()

    def phase_pulls(self, phase: int) -> int:
        """Return how often a phase, from 1, pulls each survivor.

        >>> MedianElimination(accuracy=0.5, delta=0.1).phase_pulls(1)
        1049
        """
        near = max(self.accuracy / 4.0 * 0.75 ** (phase - 1), 1e-100)
        wanted = 4.0 / near**2 * (math.log(3.0 / self.delta) + phase * math.log(2.0))
        return LONGEST if wanted > LONGEST else math.ceil(wanted)

    def _public_side(self, n_arms: int) -> MedianSide:
        return MedianSide(self, n_arms)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> HalvingLearner:
        return HalvingLearner(self, n_arms, noise, rewards)


class MedianSide(HalvingSide):
    """Phases that leave the better half, and grow."""

    _policy: MedianElimination

    def _plan(self) -> None:
        self._pulls, self._slack = self._policy.phase_pulls(self._phase), 0.0

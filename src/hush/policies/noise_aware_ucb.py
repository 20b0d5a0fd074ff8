"""NoiseAwareUCB: upper ends of intervals that hold at all times. Hush's own."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar

import numpy as np

from hush.errors import ParameterError, check_field, is_number, shown
from hush.numerics.bound import Bound, Setting
from hush.policies.core.noise_aware_bounds import noise_aware_ucb_bounds
from hush.policies.core.posterior_side import NoiseAwarePolicy, PosteriorSide
from hush.policies.core.statistics import Floats, one_hot

__all__ = ["NoiseAwareUCB", "UpperSide"]


@dataclass(frozen=True)
class NoiseAwareUCB(NoiseAwarePolicy):
    """The arm whose mean could be the largest, by an interval that holds at all times.

    An arm's exact posterior given its noisy releases, divided by its prior, is the evidence
    ``R(x)`` for a mean x. At the true mean ``1 / R`` is a martingale, so ``R`` ever falls below
    ``d`` there with a chance of at most d (Ville). Whenever a batch is released, after t rounds,
    the arm with the largest

        U = max{x : R(x) >= 1 / f(t)},    f(t) = t (1 + ln t)^power,

    is played until its next batch is released. Every arm's first batch, of ``first_batch``
    rewards, comes first; each later one lets the arm's total grow by ``growth``. Every batch's
    sum is released once with ``Lap(1/epsilon)`` noise; all else is post-processing.

    Its regret is bounded at every horizon, with constants: ``docs/theory/noise_aware_ucb.md``. In
    the long run it is ``growth`` times the least that any private policy can have, for a positive
    ``power``; ``power=0`` adds ``growth max D ln T``, and has less regret at any horizon measured.

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
    power
        Of ``1 + ln t`` in f, from 0 to 2.

    References
    ----------
    Hush's own. The evidence: Waudby-Smith, Ramdas: Confidence sequences for sampling without
    replacement. NeurIPS 2020. https://arxiv.org/abs/2006.04347

    Examples
    --------
    >>> import hush
    >>> learner = hush.NoiseAwareUCB(epsilon=1.0).learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> bool(learner.statistics.counts[1] > 400)
    True
    """

    _: KW_ONLY
    power: float = 0.0

    commits: ClassVar[bool] = True
    summary = "the largest upper end of intervals that hold at all times"
    reference = "https://arxiv.org/abs/2006.04347"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "power", _checked_power)

    def level(self, rounds: int) -> float:
        """Return ``ln f(t)``: how far below 0 the logarithm of the evidence may lie.

        >>> round(NoiseAwareUCB(1.0, power=1.0).level(1000), 3)
        8.976
        """
        log = math.log(rounds)
        return log + self.power * math.log1p(log)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield what ``docs/theory/noise_aware_ucb.md`` proves, which is for Laplace noise."""
        if self.epsilon is None:
            return
        yield from noise_aware_ucb_bounds(
            setting,
            epsilon=self.epsilon,
            growth=self.growth,
            first_batch=self.schedule.length(0),
            power=self.power,
        )

    def _public_side(self, n_arms: int) -> UpperSide:
        return UpperSide(self, n_arms)


class UpperSide(PosteriorSide):
    """Chooses when a batch has been released: the arm with the largest upper end."""

    _policy: NoiseAwareUCB

    def _pick(self, t: int, generator: np.random.Generator) -> int:
        return self._pick_among(range(self._n_arms), t, generator)

    def _pick_among(self, arms: Sequence[int], t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        level = self._policy.level(t - 1)
        uppers = [self._posterior(arm).upper(level) for arm in arms]
        return arms[int(np.argmax(uppers))]

    def _chances(self, t: int) -> Floats:
        return self._chances_among(range(self._n_arms), t)

    def _chances_among(self, arms: Sequence[int], t: int) -> Floats:
        picked = self._pick_among(arms, t, np.random.default_rng(0))
        return one_hot(arms.index(picked), len(arms))


def _checked_power(name: str, value: object) -> float:
    if not is_number(value) or not 0.0 <= value <= 2.0:
        raise ParameterError(f"{name} must be a number from 0 to 2; got {shown(value)}")
    return float(value)

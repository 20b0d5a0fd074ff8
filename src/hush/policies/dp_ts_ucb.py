"""DP-TS-UCB (Hu, Huang, Zhang, Lécuyer, Hegde)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from hush.errors import ParameterError, StateError, check_field, positive
from hush.mechanisms.schedules import LONGEST
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.guarantees import no_guarantee
from hush.policies.core.public_side import PublicSide
from hush.policies.core.shared_bounds import at_least_e, order_bound
from hush.policies.core.states import state_part
from hush.privacy import Guarantee, Release

__all__ = ["DPTSUCB", "CappedDraws"]

FACTOR = 2.0 * math.sqrt(2.0 * math.pi * math.e)


@dataclass(frozen=True)
class DPTSUCB(BanditPolicy):
    """Gaussian Thompson sampling with few draws: what a posterior's own draws hide, made to last.

    Each arm has epochs of 1, 2, 4, ... rewards of its own. With ``m`` the mean of its last full
    epoch, of ``n`` rewards, an arm draws ``N(m, ln(T)^alpha / n)`` in each round, at most ``c0
    T^((1 - alpha) / 2) ln(T)^((3 - alpha) / 2)`` times in an epoch. After that the largest of these
    draws stands for it, as an upper confidence bound would. The largest value is played.

    **No epsilon.** Sums are not noised, and the guarantee is infinite: what the *arms played* lose
    about one reward is bounded as if it were one Gaussian draw of variance 1, shifted by
    :attr:`gaussian_loss` (Gaussian differential privacy). Releases, statistics and states are exact
    sums, which must not be shown. Draws are of double precision, which no proof covers. For the
    losses themselves, exactly, at small horizons: ``docs/free_privacy.md``.

    Of the paper the abstract and two readers' notes could be read. They agree on the law and number
    of draws, on epochs, each with draws of its own, and on the order of regret. They give the loss
    as :attr:`gaussian_loss` for the draws, and the root of 2 times that for the whole; the proof
    below needs no such factor. The first pulls and c0 are Hush's: with ``c0 = 2 sqrt(2 pi e)`` the
    largest of all draws is above the true mean but for a chance of 1/T, given that the epoch's mean
    is off by ``sqrt(ln T / n)`` at most.

    Parameters
    ----------
    horizon
        For how many rounds; simulations fill it in.
    alpha
        From 0, for least regret, to 1, for least loss.
    c0
        The factor of how many draws there may be.

    References
    ----------
    Hu, Huang, Zhang, Lécuyer, Hegde: Connecting Thompson Sampling and UCB: Towards More Efficient
    Trade-offs Between Privacy and Regret. ICML 2025. https://arxiv.org/abs/2505.02383

    Examples
    --------
    >>> import hush
    >>> policy = hush.DPTSUCB(horizon=10**6, alpha=1.0)
    >>> policy.most_draws, round(policy.gaussian_loss, 3)
    (115, 2.885)
    >>> learner = policy.learner(n_arms=2, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.statistics.counts.argmax()
    np.int64(1)
    """

    _: KW_ONLY
    horizon: int | None = None
    alpha: float = 1.0
    c0: float = FACTOR

    non_private = True
    summary = "Gaussian Thompson sampling with few draws: Gaussian privacy of the arms, no epsilon"
    reference = "https://arxiv.org/abs/2505.02383"

    def __post_init__(self) -> None:
        alpha = self.alpha
        if isinstance(alpha, bool) or not isinstance(alpha, int | float) or not 0.0 <= alpha <= 1.0:
            raise ParameterError(f"alpha must lie between 0 and 1; got {alpha!r}")
        object.__setattr__(self, "alpha", float(alpha))
        check_field(self, "c0", positive)
        super().__post_init__()

    @property
    def spread(self) -> float:
        """The variance of an arm's draw after one reward, ``ln(T)^alpha``."""
        return float(math.log(at_least_e(self.horizon or 1)) ** self.alpha)

    @property
    def most_draws(self) -> int:
        """How many draws an epoch of an arm may have."""
        rounds, rest = at_least_e(self.horizon or 1), 1.0 - self.alpha
        draws: float = rounds ** (rest / 2.0) * math.log(rounds) ** (1.0 + rest / 2.0)
        return math.ceil(min(self.c0 * draws, LONGEST))

    @property
    def gaussian_loss(self) -> float:
        """The mu of Gaussian privacy of all arms played, for one reward replaced.

        A reward moves the mean of one epoch of n rewards by ``1 / n`` at most, hence each of its
        draws by ``1 / sqrt(n ln(T)^alpha)`` standard deviations, and there are at most
        ``most_draws`` of them, or as many as rounds; n is at least 1.
        """
        return math.sqrt(min(self.most_draws, self.horizon or 1) / self.spread)

    @property
    def guarantee(self) -> Guarantee:
        """None in terms of epsilon, with what there is instead."""
        return no_guarantee(
            "sums are exact; the arms played alone are mu-Gaussian private with mu = "
            f"{self.gaussian_loss:.3g}, which is no epsilon"
        )

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves."""
        power = setting.log_horizon ** (self.alpha + 1.0)
        yield order_bound(
            setting, "sum ln(T)^(alpha + 1) / D", self.reference, lambda gap: power / gap
        )

    def _public_side(self, n_arms: int) -> CappedDraws:
        return CappedDraws(self, n_arms)


class CappedDraws(PublicSide):
    """Draws for each arm while its epoch has some left; then the largest of them."""

    _policy: DPTSUCB

    def __init__(self, policy: DPTSUCB, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._most, self._spread = policy.most_draws, policy.spread
        self._left = [self._most] * n_arms
        self._largest: list[float | None] = [None] * n_arms

    def _note(self, release: Release, arm: int) -> None:  # noqa: ARG002
        self._left[arm], self._largest[arm] = self._most, None

    def _pick(self, t: int, generator: np.random.Generator) -> int:
        return self._pick_among(list(range(self._n_arms)), t, generator)

    def _pick_among(self, arms: list[int], t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return max(arms, key=lambda arm: (self._value(arm, generator), -arm))

    def _value(self, arm: int, generator: np.random.Generator) -> float:
        before = self._largest[arm]
        if not self._left[arm] and before is not None:
            return before
        self._left[arm] -= 1
        width = math.sqrt(self._spread / self.statistics.counts[arm])
        value = float(self.statistics.means[arm]) + width * float(generator.standard_normal())
        self._largest[arm] = value if before is None else max(before, value)
        return value

    def state(self) -> dict[str, Any]:
        """Return the draws too: they cannot be computed from releases."""
        return {**super().state(), "left": list(self._left), "largest": list(self._largest)}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        left, largest = (state_part(state, key, list) for key in ("left", "largest"))
        if not len(left) == len(largest) == self._n_arms:
            raise StateError("this state's draws are damaged; restore from an intact copy")
        self._left = [int(each) for each in left]
        self._largest = [None if each is None else float(each) for each in largest]

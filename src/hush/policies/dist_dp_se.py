"""Dist-DP-SE: elimination with noise in shares (Chowdhury & Zhou)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass, field, replace

from hush.errors import check_field, whole
from hush.mechanisms.schedules import LONGEST
from hush.mechanisms.shares import SharedSum
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.guarantees import reward_guarantee
from hush.policies.dp_se import DPSE
from hush.privacy import Guarantee

__all__ = ["DistDPSE", "batch"]


def batch(
    number: int, survivors: int, horizon: float, epsilon: float, growth: float
) -> tuple[int, float]:
    """Return how often a batch pulls each survivor, and how far from the best one may stay.

    >>> batch(10, 5, 1e6, 1.0, 2.0)
    (1024, 0.2575...)
    """
    wanted = growth**number
    pulls = LONGEST if wanted > LONGEST else int(wanted)
    wide = math.log(4.0 * survivors * number**2 * horizon)
    narrow = math.log(2.0 * survivors * number**2 * horizon)
    noise = (math.sqrt(2.0 * narrow) + narrow) / epsilon
    return pulls, 2.0 * (math.sqrt(wide / (2.0 * pulls)) + noise / pulls)


@dataclass(frozen=True)
class DistDPSE(DPSE):
    """Successive elimination in batches, with noise that devices add in shares: no trusted server.

    Batch ``b`` pulls each of the surviving arms ``S`` in turn, ``l = 2^b`` times each. A device
    sends its reward in parts of ``1/g``, ``g = ceil(epsilon sqrt(l))``, with a share of the noise,
    modulo ``l g + 2 tau + 1``; a protocol for secure sums shows the server their sum alone, which
    has discrete Laplace noise of scale ``1/epsilon``: :class:`hush.Shares`. Arms are dropped whose
    noisy mean is more than ``2 r`` below the best, with ``r = sqrt(ln(4 |S| b^2 T) / (2 l)) +
    (sqrt(2 ln(2 |S| b^2 T)) + ln(2 |S| b^2 T)) / (epsilon l)``. The last survivor is played for
    good.

    The paper states r up to a constant; these are the constants that its authors compute with. They
    let ``l = 4^b`` and a failure chance of 0.1 stand for ``2^b`` and ``1/T`` in experiments. The
    learner here draws the sum of a batch at once, which has the same law as the sum of shares.
    Rewards are coins here as everywhere; ``Shares.share`` rounds as the paper does.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward is replaced, for anyone who sees the sums.
    horizon
        For how many rounds; simulations fill it in.
    growth
        By which factor batches grow.

    References
    ----------
    Chowdhury, Zhou: Distributed Differential Privacy in Multi-Armed Bandits. ICLR 2023.
    https://arxiv.org/abs/2206.05772

    Examples
    --------
    >>> import hush
    >>> policy = hush.DistDPSE(epsilon=1.0, horizon=10_000)
    >>> policy.guarantee.trust
    'distributed'
    >>> learner = policy.learner(3, noise=hush.SeededNoise(7))
    >>> for _ in range(10_000):
    ...     arm = learner.select()
    ...     _ = learner.update(arm, 1 if arm == 1 else 0)
    >>> learner.survivors
    (1,)
    """

    _: KW_ONLY
    anytime: bool = field(default=False, init=False, repr=False)
    growth: int = 2

    summary = "successive elimination in batches, with noise that devices add in shares"
    reference = "https://arxiv.org/abs/2206.05772"
    noise_law = "discrete Laplace of scale 1/eps on each batch's sum, in shares"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "growth", whole, least=2, most=10**6)

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon for each reward, for whoever sees sums of devices' messages."""
        return replace(
            reward_guarantee(self.epsilon),
            trust="distributed",
            reason="each reward enters one sum of messages, which is all that is seen, and moves "
            "it by at most g parts; the devices' shares of noise add up to discrete Laplace noise "
            "of scale g/epsilon parts; every decision is computed from such sums alone",
        )

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the order that its source proves: that of DP-SE."""
        yield from super().bounds(setting)

    def phase(self, number: int, survivors: int, horizon: float) -> tuple[int, float]:
        """Return how often a batch pulls each survivor, and how far from the best one may stay."""
        return batch(number, survivors, horizon, self.epsilon, float(self.growth))

    def _mechanism(self, noise: NoiseSource) -> SharedSum:
        return SharedSum(epsilon=self.epsilon, horizon=self.horizon or 1, noise=noise)

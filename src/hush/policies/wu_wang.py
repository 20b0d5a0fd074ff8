"""RNM-FTNL on resampled rewards (Wu, Wang)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, cast

from hush.errors import check_field, choice
from hush.mechanisms import NoisyArgmax
from hush.noise import NoiseSource
from hush.noise.laws import ArgmaxLaw
from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.guarantees import vector_guarantee
from hush.policies.core.leader_bounds import leader_bounds
from hush.privacy import Guarantee

__all__ = ["WuWang"]


@dataclass(frozen=True)
class WuWang(EpochPolicy):
    """Follow the noisy leader of the last epoch, on rewards that are resampled as coins.

    Every entry of a reward vector is replaced by a coin that falls 1 with that probability. Epoch 0
    plays action 0 once; epoch ``s`` plays, for ``2**s`` rounds, the action that had the largest sum
    of coins plus noise in epoch ``s - 1``. Coins make a better action at least as likely to be
    chosen as a worse one, whatever rewards look like; from that alone Wu and Wang get a regret of
    ``ln K / Dmin + ln^2 K / eps`` in order, where the bound of RNM-FTNL adds up over brackets.

    Hush tosses a coin for every reward anyway, in all its policies. So this is
    ``RNMFTNL(epsilon, noise=...)`` draw by draw, its resampling costs nothing, and what is proven
    of it holds for RNMFTNL too: ``docs/conjecture.md`` has the proof, with constants.

    Reconstructed from the abstracts of the paper's two versions, which give the Bernoulli
    resampling, report-noisy-max, Laplace noise, Gumbel noise for deterministic losses, and the
    rate. The doubling epochs and the first action are RNM-FTNL's. The scale is Hush's:
    ``2/epsilon``, which is what replaced vectors need. The constants of the paper's regret bound
    are not known here.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced.
    noise
        ``"laplace"``, or ``"gumbel"`` (the exponential mechanism), which the paper takes where
        losses are deterministic.

    References
    ----------
    Wu, Wang: New Rates in Stochastic Decision-Theoretic Online Learning under Differential Privacy.
    2025. https://arxiv.org/abs/2502.10997

    Examples
    --------
    >>> import hush
    >>> expert = hush.WuWang(epsilon=1.0).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(255):
    ...     action = expert.select()
    ...     _ = expert.update([0.2, 0.8, 0.3])
    >>> expert.select(), len(expert.releases)
    (1, 8)
    """

    epsilon: float
    _: KW_ONLY
    noise: str = "laplace"

    laws: ClassVar[tuple[str, ...]] = ("laplace", "gumbel")
    summary = "follow the noisy leader of the last doubling epoch, on resampled rewards"
    reference = "https://arxiv.org/abs/2502.10997"
    noise_law = "Lap(2/eps) on each action's sum of an epoch (default)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_field(self, "noise", choice, known=self.laws)

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon when a reward vector is replaced."""
        return vector_guarantee(
            self.epsilon,
            "the coins of each reward vector enter the sums of one epoch, move each by at most 1, "
            "and the sums are used for one noisy argmax with noise of scale 2/epsilon",
        )

    def _mechanism(self, noise: NoiseSource) -> NoisyArgmax:
        return NoisyArgmax(
            epsilon=self.epsilon, noise=self.noise, neighbours="replace", source=noise
        )

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the paper's rate, and our own bounds for a follower of a noisy leader."""
        if setting.smallest is not None:
            logarithm = math.log(setting.n_arms)
            value = logarithm / setting.smallest + logarithm**2 / self.epsilon
            formula = "ln K / Dmin + ln^2 K / eps"
            yield Bound("resampled", "upper", value, formula, self.reference, strength="order")
        yield from leader_bounds(self, setting, cast("ArgmaxLaw", self.noise), 2.0 / self.epsilon)

"""The exponential mechanism on random prefixes (Cesari & Colomboni)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from hush.mechanisms import NoisyArgmax
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.full_information import EpochPolicy
from hush.policies.core.guarantees import vector_guarantee
from hush.policies.core.leader_bounds import prefix_bounds
from hush.privacy import Guarantee

__all__ = ["RandomPrefixEM"]


@dataclass(frozen=True)
class RandomPrefixEM(EpochPolicy):
    """Choose each block's action by the exponential mechanism on a random prefix of the last block.

    Block 0 plays action 0 once. Block ``s`` plays one action for ``2**s`` rounds: action ``j``
    with probability proportional to ``exp(epsilon / 2 * sum_j)``, where the sums run over the
    first ``N`` rounds of the block before, and ``N`` is uniform on 1, ..., ``2**(s - 1)``, whatever
    the rewards are. The source proves a rate that is optimal on every instance, which settles what
    the paper of RNMFTNL leaves open.

    Reconstructed from the paper's abstract, which gives doubling blocks, one action a block, the
    exponential mechanism, and a uniformly random prefix that does not depend on data. That the
    prefix has at least one round and at most all of them, and the first action, are Hush's choice;
    privacy does not rest on either. Regret does. Here a block of n rounds follows a prefix that is
    too short with a chance of order 1/n, so that every block costs about the same, and regret grows
    with ``ln T``. The bound of the source does not: it is listed as not holding here.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced.

    References
    ----------
    Cesari, Colomboni. 2026. https://arxiv.org/abs/2605.29148

    Examples
    --------
    >>> import hush
    >>> expert = hush.RandomPrefixEM(epsilon=1.0).learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(1023):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> len(expert.releases), all(r.count <= 2**r.epoch for r in expert.releases)
    (10, True)
    """

    epsilon: float

    sums_prefix: ClassVar[bool] = True
    summary = "the exponential mechanism on a random prefix of the last doubling block"
    reference = "https://arxiv.org/abs/2605.29148"
    noise_law = "Gumbel of scale 2/eps on each action's sum of a prefix (exponential mechanism)"

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon when a reward vector is replaced."""
        return vector_guarantee(
            self.epsilon,
            "each reward vector enters the sums of one block at most, moves each by at most "
            "1, and they are used for one draw of the exponential mechanism with weights "
            "exp(epsilon / 2 * sum)",
        )

    def _mechanism(self, noise: NoiseSource) -> NoisyArgmax:
        return NoisyArgmax(epsilon=self.epsilon, noise="gumbel", neighbours="replace", source=noise)

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield our own bounds for what is written here, and the bound that its source claims."""
        yield from prefix_bounds(self, setting, 2.0 / self.epsilon)
        if setting.smallest is not None:
            value = math.log(setting.n_arms) * (1.0 / setting.smallest + 1.0 / setting.epsilon)
            formula = "1000 (ln K / Dmin + ln K / eps)"
            yield Bound(
                "random prefix",
                "upper",
                1000.0 * value,
                formula,
                self.reference,
                holds=False,
                condition="the algorithm of its source, and a single best action; this one is "
                "reconstructed from the abstract",
                quoted=True,
            )

"""Local privacy around any policy of coins: nobody is trusted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import Any, get_type_hints

import numpy as np

from hush.errors import ParameterError
from hush.mechanisms import RewardRange
from hush.mechanisms.flipping import FlippedSums, keep_chance
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.guarantees import local_guarantee
from hush.policies.core.local_learner import LocalLearner
from hush.policies.core.statistics import Floats
from hush.policies.core.wrapping import WrappingPolicy
from hush.policies.thompson_sampling import ThompsonSampling
from hush.privacy import Guarantee

__all__ = ["Local"]


@dataclass(frozen=True)
class Local(WrappingPolicy):
    """Any non-private policy on coins that were flipped at random before anything saw them.

    A reward becomes a coin, as always. The coin is kept with probability ``e^epsilon / (1 +
    e^epsilon)`` and turned over otherwise, on the device of the person if you like:
    :func:`hush.randomize`. A mean ``m`` becomes ``(1 + m (e^epsilon - 1)) / (1 + e^epsilon)``, so
    that gaps shrink by ``tanh(epsilon / 2)``, and the policy that decides sees nothing else.
    UCB1 on flipped coins is LDP-UCB-B of Ren et al.

    On a command line it is ``Local(UCB1)``, in a study's file ``policy = "Local", of = "UCB1"`` or
    ``of = {policy = "UCBV", zeta = 2.0}``. ``statistics`` are those of flipped coins; ``interval``
    and ``best`` speak of rewards.

    Parameters
    ----------
    of
        The policy that decides; Thompson sampling if left out. It must be non-private and learn
        from sums of coins.
    epsilon
        The privacy loss when one reward is replaced, for anyone who sees its coin.

    References
    ----------
    Ren, Zhou, Liu, Shroff: Multi-Armed Bandits with Local Differential Privacy. 2020.
    https://arxiv.org/abs/2007.03121
    Warner: Randomized Response. Journal of the American Statistical Association 60, 1965.
    https://doi.org/10.1080/01621459.1965.10480775

    Examples
    --------
    >>> import hush
    >>> policy = hush.Local(hush.UCB1(), epsilon=1.0)
    >>> learner = policy.learner(n_arms=2)
    >>> arm = learner.select()
    >>> learner.update(arm, hush.randomize(0.7, epsilon=1.0)).mechanism
    'flipped-coins'
    >>> policy.guarantee.trust
    'local'
    >>> hush.Local(hush.LazyDPTS(1.0), epsilon=1.0)
    Traceback (most recent call last):
    ...
    hush.errors.ParameterError: Local goes around a policy that is not private; LazyDPTS adds noise
    of its own
    """

    of: BanditPolicy = field(default_factory=ThompsonSampling)
    _: KW_ONLY
    epsilon: float

    summary = "any non-private policy on coins that were flipped at random: nobody is trusted"
    reference = "https://arxiv.org/abs/2007.03121"
    noise_law = "each coin turned over with chance 1/(1 + e^eps)"

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_chance(self.epsilon)  # raises where a coin would say nothing

    def _check_inner(self, name: str) -> None:
        if self.of.guarantee.private:
            raise ParameterError(
                f"Local goes around a policy that is not private; {name} adds noise of its own"
            )
        cls = type(self.of)
        own = any(getattr(cls, hook) is not getattr(BanditPolicy, hook) for hook in SUMMING)
        if own or self.of.counter is not None or not _learns_as_all(cls):
            raise ParameterError(
                f"Local goes around a policy that learns from sums of coins; {name} adds rewards "
                "up in its own way"
            )

    @classmethod
    def _inner_defaults(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the epsilon that a private policy would have: what is wrong is said of that."""
        return {"epsilon": parameters["epsilon"]} if "epsilon" in parameters else {}

    @property
    def keep(self) -> float:
        """The chance that a coin is kept.

        >>> import hush
        >>> round(hush.Local(epsilon=1.0).keep, 4)
        0.7311
        """
        return keep_chance(self.epsilon)

    @property
    def release_epsilon(self) -> float:
        """Infinite: sums of flipped coins are released as they are."""
        return math.inf

    @property
    def _draws_noise(self) -> bool:
        return True

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon for each reward, whoever sees its coin."""
        return local_guarantee(
            self.epsilon,
            "each reward is a coin that is turned over with chance 1/(1 + e^epsilon) before "
            "anything sees it; all else is computed from such coins",
        )

    def coin_means(self, means: Floats) -> Floats:
        """Return the means of flipped coins.

        >>> import hush, numpy as np
        >>> hush.Local(epsilon=1.0).coin_means(np.array([0.0, 0.5, 1.0])).round(4)
        array([0.2689, 0.5   , 0.7311])
        """
        keep = self.keep
        return np.asarray((1.0 - keep) + means * (2.0 * keep - 1.0))

    def _setting(self, setting: Setting) -> Setting:
        seen = self.coin_means(np.array(setting.means)).tolist()
        return Setting(tuple(seen), setting.horizon, math.inf)

    def _seen(self, bounds: Iterator[Bound]) -> Iterator[Bound]:
        """Yield bounds of regret that is scored with the gaps of rewards, not of coins."""
        shrink = 2.0 * self.keep - 1.0
        for bound in bounds:
            formula = f"({bound.formula}) / tanh(eps/2), of flipped coins"
            yield replace(bound, value=bound.value / shrink, formula=formula)

    def _private_side(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> FlippedSums:
        return FlippedSums(
            n_arms, schedule=self.schedule, epsilon=self.epsilon, rewards=rewards, noise=noise
        )

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> LocalLearner:
        return LocalLearner(self, n_arms, noise, rewards)


# What decides how rewards are added up.
SUMMING = ("_private_side", "_arm_sums", "_mechanism", "_counter")
# What every class has of its own.
ALWAYS = {*vars(type("Any", (BanditLearner,), {})), "__annotations__"}


def _learns_as_all(cls: type[BanditPolicy]) -> bool:
    """Whether a policy's learner is that of all bandit policies, or one that only shows more."""
    try:
        learner = get_type_hints(cls._new_learner)["return"]
    except (NameError, KeyError):
        return False
    if not issubclass(learner, BanditLearner):
        return False
    own = learner.__mro__[: learner.__mro__.index(BanditLearner)]
    names = {name for each in own for name in vars(each)} - ALWAYS
    return not any(hasattr(BanditLearner, name) for name in names)

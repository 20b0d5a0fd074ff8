"""The private shrinking dartboard (Asi, Feldman, Koren, Talwar)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass

from hush.mechanisms import Dartboard, RewardRange
from hush.mechanisms.dartboard import largest_rate
from hush.noise import NoiseSource
from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import kl
from hush.policies.core.full_information import ActionLearner
from hush.policies.core.guarantees import vector_guarantee
from hush.policies.core.policy import Policy
from hush.privacy import Guarantee, Release

__all__ = ["DartboardLearner", "ShrinkingDartboard"]


@dataclass(frozen=True)
class ShrinkingDartboard(Policy):
    """Multiplicative weights that change their action rarely: made for an oblivious adversary.

    An action's weight is ``(1 - eta) ** (its loss so far)``; loss is 1 minus reward. The first
    action is drawn uniformly. After each round the action in play is kept with probability ``(1 -
    p)`` times the ratio of its new weight to its old one, and is drawn anew from the weights
    otherwise. After ``4 T p`` draws the action stays for good. ``p = 1 / sqrt(T)``.

    The paper takes ``eta = p epsilon / 20``, at which its theorem gives a loss of ``eta / p +
    16 T p eta``, that is 0.85 epsilon, and exact accounting 0.45 epsilon. Here eta is the largest
    at which the exact loss, ``ln(1 + eta (1 - p) / p) - 8 T p ln(1 - eta)``, is epsilon: for small
    epsilon about ``p epsilon / 9``. ``docs/privacy.md`` has the argument.

    It is made for rewards that an adversary fixes in advance. Where they are drawn from one law it
    is no match for RNMFTNL, because its rate is so small: ``docs/comparison.md`` has figures.

    Parameters
    ----------
    epsilon
        The privacy loss when one reward vector is replaced. All of it is spent.
    horizon
        For how many rounds; simulations fill it in. Past it the learner goes on, with what is
        left of its draws.

    References
    ----------
    Asi, Feldman, Koren, Talwar: Private Online Prediction from Experts: Separations and Faster
    Rates. COLT 2023. https://arxiv.org/abs/2210.13537

    Examples
    --------
    >>> import hush
    >>> policy = hush.ShrinkingDartboard(epsilon=1.0, horizon=10_000)
    >>> policy.switch_chance, round(policy.rate, 6), policy.budget
    (0.01, 0.001118, 400)
    >>> expert = policy.learner(n_arms=3, noise=hush.SeededNoise(7))
    >>> for _ in range(1000):
    ...     action = expert.select()
    ...     _ = expert.update([0, 1, 0])
    >>> 0 <= expert.select() < 3
    True
    """

    epsilon: float
    _: KW_ONLY
    horizon: int | None = None

    feedback = "full"
    summary = "multiplicative weights that rarely switch; for adversaries"
    reference = "https://arxiv.org/abs/2210.13537"
    noise_law = "a coin a round, Gumbel noise a switch"

    @property
    def switch_chance(self) -> float:
        """The probability of a draw that no reward causes, p: at most 1/2."""
        return min(0.5, 1.0 / math.sqrt(self.horizon or 1))

    @property
    def rate(self) -> float:
        """The learning rate, eta: the largest whose loss is epsilon, and at most 1/2."""
        return largest_rate(self.epsilon, chance=self.switch_chance, budget=self.budget)

    @property
    def budget(self) -> int:
        """How many draws there may be."""
        return math.floor(4.0 * (self.horizon or 1) * self.switch_chance)

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon when a reward vector is replaced."""
        return vector_guarantee(
            self.epsilon,
            "a reward vector moves one coin, whose chances it changes by a factor of at most 1 + "
            "eta (1 - p)/p or 1/(1 - eta), and the chances of at most 4 T p draws from then on, "
            "each by a factor of at most 1/(1 - eta)^2; eta is the largest at which the logarithms "
            "of all of these add up to epsilon",
        )

    def bounds(self, setting: Setting) -> Iterator[Bound]:
        """Yield the bound against an oblivious adversary.

        Without a budget each action is drawn from the weights of its round, and the first two terms
        are those of multiplicative weights. A round has a draw with chance q at most, so that more
        than the budget of ``4 T p`` are as likely as Chernoff's bound says; they cost T at most.
        """
        rounds, rate, chance = setting.horizon, self.rate, self.switch_chance
        known = self.horizon or rounds
        allowed, drawn = min(1.0, 4.0 * chance), chance + (1.0 - chance) * rate
        # kl takes its smaller mean first: that of rounds without a draw.
        exponent = kl(1.0 - allowed, 1.0 - drawn) if drawn < allowed else 0.0
        overdrawn = math.exp(-rounds * exponent)
        yield Bound(
            "oblivious adversary",
            "upper",
            rate * rounds + math.log(setting.n_arms) / rate + rounds * overdrawn,
            "eta T + ln K / eta + T exp(-T kl(4 p, q)) with q = p + (1 - p) eta",
            f"{self.reference}, its last term by Chernoff's bound for any eta",
            holds=known == rounds,
            condition=f"the policy's own horizon, {known}",
            quoted=True,
        )

    def _new_learner(
        self, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> DartboardLearner:
        return DartboardLearner(self, n_arms, noise, rewards)


class DartboardLearner(ActionLearner):
    """A shrinking dartboard at work: ``update`` takes the rewards of all actions.

    Examples
    --------
    >>> import hush
    >>> expert = hush.ShrinkingDartboard(epsilon=1.0, horizon=100).learner(n_arms=2)
    >>> action = expert.select()
    >>> expert.update([0, 1]).mechanism
    'dartboard'
    """

    _private: Dartboard

    def __init__(
        self,
        policy: ShrinkingDartboard,
        n_arms: int,
        noise: NoiseSource,
        rewards: RewardRange,
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards, starts_at_random=True)
        self._private = Dartboard(
            n_arms,
            rate=policy.rate,
            chance=policy.switch_chance,
            budget=policy.budget,
            rewards=rewards,
            noise=noise,
        )
        self._keeps_last_only = True

    def _add(self, units: list[float]) -> Release:
        assert self._action is not None  # noqa: S101  a decision is outstanding
        return self._private.add(units, action=self._action)

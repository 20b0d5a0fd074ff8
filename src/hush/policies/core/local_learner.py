"""A bandit policy at work that takes coins which were flipped already."""

from __future__ import annotations

from collections.abc import Iterable

from hush.mechanisms import FlippedCoin
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.decision import Decision
from hush.privacy import Release

__all__ = ["LocalLearner"]


class LocalLearner(BanditLearner):
    """A learner that takes flipped coins as they are, and flips rewards that are numbers.

    Its private half tells them apart; here they have a type.

    Examples
    --------
    >>> import hush
    >>> learner = hush.Local(hush.UCB1(), epsilon=1.0).learner(n_arms=2)
    >>> learner.update(learner.select(), hush.randomize(1, epsilon=1.0)).count
    1
    """

    def update(self, arm: int, reward: float | FlippedCoin) -> Release | None:
        """Settle one decision of ``arm`` that :meth:`select` made; return the release, if any."""
        return super().update(arm, reward)  # type: ignore[arg-type]

    def settle(self, decision: Decision | str, reward: float | FlippedCoin) -> Release | None:
        """Settle a decision, given itself or its id; a second reward for it is refused."""
        return super().settle(decision, reward)  # type: ignore[arg-type]

    def update_batch(
        self, arms: Iterable[int], rewards: Iterable[float | FlippedCoin]
    ) -> tuple[Release, ...]:
        """Settle many decisions of :meth:`select`, all of them or, on bad input, none."""
        return super().update_batch(arms, rewards)  # type: ignore[arg-type]

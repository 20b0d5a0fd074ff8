"""Where a shrinking dartboard keeps its losses: a private coin a round, a draw a switch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

from hush.errors import StateError
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.sums import DAMAGED, NOTICE, wholes
from hush.noise import NoiseSource
from hush.privacy import Release

__all__ = ["Dartboard", "largest_rate"]

Chances = tuple[float, float]
SLACK = 1e-12  # of epsilon: far above what rounding can add to a loss


class Dartboard:
    """Holds the cumulative losses of all actions and says, each round, which action is next.

    An action's weight is ``(1 - rate) ** loss``. The action in play is kept with probability
    ``(1 - chance)`` times the ratio of its weight after the round to that before, and replaced
    otherwise by a draw from the weights, which may pick the same action again. After ``budget``
    replacements it is kept for good.

    Of the coins only that of the replaced round knows the difference. A replacement is
    ``1 + rate (1 - chance) / chance`` times as likely after a loss as after a gain, and keeping the
    action is ``1 / (1 - rate)`` times as likely after a gain. Each draw from then on, that round's
    own included, loses ``-2 ln(1 - rate)`` at most. :attr:`epsilon` is the larger side of the coin
    plus all draws of the budget. With many actions a run comes as close to it as one likes.

    Parameters
    ----------
    n_arms
        How many actions there are.
    rate
        The learning rate, in (0, 1/2].
    chance
        The probability of a replacement that no reward causes.
    budget
        How many replacements there may be.
    rewards
        The declared range of rewards.
    noise
        Where coins and draws come from.

    Examples
    --------
    >>> from hush import ScriptedNoise
    >>> board = Dartboard(2, rate=0.1, chance=0.25, budget=9, rewards=RewardRange(),
    ...                   noise=ScriptedNoise([0, 1, 1]))
    >>> [board.add([0.0, 1.0], action=0).value for _ in range(2)]
    [0, 1]
    """

    name: ClassVar[str] = "dartboard"

    def __init__(
        self,
        n_arms: int,
        *,
        rate: float,
        chance: float,
        budget: int,
        rewards: RewardRange,
        noise: NoiseSource,
    ) -> None:
        self._chances, self._draw_epsilon = _odds(rate, chance)
        self._budget = budget
        self._rewards = rewards
        self._noise = noise
        self._rounds = 0
        self._switches = 0
        self._sums = [0] * n_arms

    @property
    def epsilon(self) -> float:
        """The loss of all coins and draws together when one reward vector is replaced."""
        return _loss(self._chances, self._draw_epsilon, self._budget)

    def check(self, rewards: object) -> list[float]:
        """Return the reward vector mapped to [0, 1], or raise."""
        return self._rewards.units(rewards, len(self._sums))

    def add(self, units: list[float], *, action: int) -> Release:
        """Add a checked reward vector; return the next action."""
        tosses = self._noise.coins.random(len(units)).tolist()
        gains = [c < u for c, u in zip(tosses, units, strict=True)]
        sums = [s + g for s, g in zip(self._sums, gains, strict=True)]
        switches = self._switches
        if switches < self._budget and self._noise.toss(not gains[action], chances=self._chances):
            # Gains and losses differ by the round's number: the same weights, up to a factor.
            action = self._noise.argmax(
                sums, epsilon=self._draw_epsilon, law="gumbel", neighbours="replace"
            )
            switches += 1
        release = Release(None, self._rounds, 1, action, self.name, self.epsilon)
        self._sums, self._switches, self._rounds = sums, switches, self._rounds + 1
        return release

    def state(self) -> dict[str, Any]:
        """Return the cumulative sums, raw: see the notice."""
        return {
            "notice": NOTICE,
            "rounds": self._rounds,
            "switches": self._switches,
            "sums": list(self._sums),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the sums of :meth:`state`."""
        sums = wholes(state, "sums", len(self._sums))
        single = {key: [state.get(key)] for key in ("rounds", "switches")}
        rounds, switches = (wholes(single, key, 1)[0] for key in single)
        if any(each > rounds for each in sums) or switches > min(rounds, self._budget):
            raise StateError(DAMAGED)
        self._sums, self._rounds, self._switches = sums, rounds, switches

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{len(self._sums)} actions>)"


def largest_rate(epsilon: float, *, chance: float, budget: int) -> float:
    """Return the largest learning rate, at most 1/2, with which a dartboard loses epsilon at most.

    Examples
    --------
    >>> rate = largest_rate(1.0, chance=0.01, budget=400)
    >>> round(rate, 6)
    0.001118
    >>> round(_loss(*_odds(rate, 0.01), 400), 9)
    1.0
    """
    allowed = epsilon * (1.0 - SLACK)
    low, high = 0.0, 0.5
    if _loss(*_odds(high, chance), budget) <= allowed:
        return high
    while low < (middle := (low + high) / 2.0) < high:
        if _loss(*_odds(middle, chance), budget) <= allowed:
            low = middle
        else:
            high = middle
    return low


def _odds(rate: float, chance: float) -> tuple[Chances, float]:
    """Return the chance of a replacement after a gain and after a loss, and what a draw loses."""
    return (chance, chance + (1.0 - chance) * rate), -2.0 * math.log1p(-rate)


def _loss(chances: Chances, draw_epsilon: float, budget: int) -> float:
    gained, lost = chances
    more = lost - gained
    coin = max(math.log1p(more / gained), -math.log1p(-more / (1.0 - gained)))
    return coin + budget * draw_epsilon

"""What a replay returns: estimates of rewards with intervals, and what was played."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hush.extras import require
from hush.output.numbers import counted
from hush.output.tabular import Tabular
from hush.simulation.summary import LEVEL

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

__all__ = ["Estimate", "Replay"]

Floats = NDArray[np.float64]


class Estimate(NamedTuple):
    """A figure with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Replay(Tabular):
    """What policies earned on a log, and what that says about the people whom it is of.

    Nothing in it is private.

    Attributes
    ----------
    rewards
        The mean reward of a round, policy x order of the log.
    pulls
        How often each arm was played: policy x order x arm.
    resampled
        The mean reward of a round, policy x resampled log, with the mean reward of its arm for each
        row: the luck of which rows were met is left out.
    rates
        The mean rewards of the arms in these resampled logs: log x arm.
    own_rates
        The mean rewards of the arms in the log that was resampled.
    spread
        The mean rewards of the arms in more resampled logs: log x arm.
    policies
        The policies' labels, in order.
    names
        The arms' names, in order.
    log
        What was played on: its sizes.
    rounds
        How many rounds there are in each replay.
    redrawn
        How many orders were too short, and drawn again.
    seed
        What to pass to ``replay`` to get exactly this again.

    Examples
    --------
    >>> import hush
    >>> log = hush.Log(["a", "b"] * 200, [0, 1, 1, 1] * 100)
    >>> found = hush.replay(hush.UCB1(), log, runs=20, seed=7)
    >>> bool(found.estimate(0).value == found.rewards.mean())
    True
    """

    rewards: Floats
    pulls: NDArray[np.int64]
    resampled: Floats
    rates: Floats
    own_rates: Floats
    spread: Floats
    policies: tuple[str, ...]
    names: tuple[str, ...]
    log: dict[str, Any]
    rounds: int
    redrawn: int
    seed: int
    parameters: tuple[dict[str, Any], ...] = field(repr=False)
    discrete: bool = False

    @property
    def runs(self) -> int:
        """How many orders of the log were played."""
        return int(self.rewards.shape[1])

    def estimate(self, position: int, than: int | None = None) -> Estimate:
        """Return a policy's reward in a round, or how much more it is than another's.

        The interval is at 95 %.

        Parameters
        ----------
        position
            Which policy.
        than
            Which other one. Both met the same orders of the log.
        """
        low, high = self.log["reward_range"]
        if than is None:
            return self._estimate(self.rewards[position], self.resampled[position], low, high)
        values = self.rewards[position] - self.rewards[than]
        again = self.resampled[position] - self.resampled[than]
        return self._estimate(values, again, low - high, high - low)

    def _estimate(self, values: Floats, again: Floats, least: float, most: float) -> Estimate:
        from scipy.special import ndtri, stdtrit

        value, tails = float(values.mean()), np.array([0.5 - LEVEL / 2.0, 0.5 + LEVEL / 2.0])
        degrees = min(self.runs, self.log["persons"] or self.log["rows"]) - 1
        if degrees < 1:  # one person says nothing of others
            return Estimate(value, least, most)
        # What the arms' rates explain is due to the log; the rest, orders and noise, averages out.
        slopes = np.linalg.lstsq(self._terms(self.rates), again, rcond=None)[0]
        moved = self._terms(self.spread) @ slopes - slopes[0]
        luck = values.std(ddof=1) / math.sqrt(self.runs)
        moved += np.random.default_rng(self.seed).normal(0.0, luck, moved.size)
        far = float(stdtrit(degrees, tails[1]))
        low, high = (far / float(ndtri(tails[1])) * np.quantile(moved, tails)).tolist()
        half = far * float(moved.std(ddof=1))
        # A curved surface moves to one side. Each end is the farther of two: percentiles fail
        # where the spread itself moves the mean, the even interval where the surface has its top.
        return Estimate(
            value, max(least, value + min(low, -half)), min(most, value + max(high, half))
        )

    def _terms(self, rates: Floats) -> Floats:
        """Return the terms of a surface over the arms' rates: one, by how much they move, squares.

        Squares, because two policies may differ most where the arms differ least.
        """
        low, high = self.log["reward_range"]
        moves = (rates - self.own_rates) / (high - low)
        return np.column_stack([np.ones(len(rates)), moves, moves**2])

    def shares(self, position: int) -> dict[str, float]:
        """Return the share of rounds in which a policy played each arm, on average.

        >>> import hush
        >>> log = hush.Log(["a", "b"] * 200, [0, 1, 1, 1] * 100)
        >>> list(hush.replay(hush.UCB1(), log, runs=20, seed=7).shares(0))
        ['a', 'b']
        """
        shares = self.pulls[position].mean(axis=0) / self.rounds
        return dict(zip(self.names, shares.tolist(), strict=True))

    def summary(self) -> pd.DataFrame:
        """Return estimates with their 95 % intervals, a row per policy.

        ``reward`` is that of a round, ``difference`` how much more it is than the first policy's;
        then come the shares of rounds in which each arm was played.

        >>> import hush
        >>> log = hush.Log(["a", "b"] * 200, [0, 1, 1, 1] * 100)
        >>> found = hush.replay([hush.UCB1(), hush.LazyDPTS(1.0)], log, runs=20, seed=7)
        >>> list(found.summary().columns)[:6]
        ['reward', 'low', 'high', 'difference', 'difference_low', 'difference_high']
        """
        require("a pandas table")
        import pandas as pd

        rows = [
            {
                **dict(zip(("reward", "low", "high"), self.estimate(place), strict=True)),
                **dict(
                    zip(
                        ("difference", "difference_low", "difference_high"),
                        self.estimate(place, 0),
                        strict=True,
                    )
                ),
                **{f"share of {name}": share for name, share in self.shares(place).items()},
            }
            for place in range(len(self.policies))
        ]
        return pd.DataFrame(rows, index=pd.Index(self.policies, name="policy"))

    def to_columns(self) -> dict[str, Any]:
        """Return the rewards of all replays in long form: policy, order, reward.

        >>> import hush
        >>> log = hush.Log(["a", "b"] * 200, [0, 1, 1, 1] * 100)
        >>> list(hush.replay(hush.UCB1(), log, runs=20, seed=7).to_columns())
        ['policy', 'order', 'reward']
        """
        return {
            "policy": np.repeat(np.array(self.policies, dtype=object), self.runs),
            "order": np.tile(np.arange(self.runs), len(self.policies)),
            "reward": self.rewards.ravel(),
        }

    def plot(self, path: str | Path | None = None, *, title: str | None = None) -> Figure:
        """Draw the rewards of a round with their 95 % intervals, a line per policy.

        Parameters
        ----------
        path
            Where to save it; the suffix (``.svg``, ``.png``, ``.pdf``) is the format.
        title
            A title above the picture.
        """
        from hush.output.pictures import save_figure
        from hush.simulation.replay_picture import draw_replay

        figure = draw_replay(self, title)
        if path is not None:
            save_figure(figure, Path(path))
        return figure

    def __repr__(self) -> str:
        many = counted(len(self.policies), "policy", "policies")
        sizes = f"{self.rounds} rounds of {self.log['rows']} rows"
        return f"<Replay: {many} x {self.runs} orders, {sizes}, seed {self.seed}>"

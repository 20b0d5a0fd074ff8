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
        The mean reward of a round, policy x resampled log.
    rates
        The mean rewards of the arms in the resampled logs: log x arm.
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
        from scipy.special import stdtrit

        # What the arms' rates explain is due to the log; the rest, orders and noise, averages out.
        slopes = np.column_stack([np.ones(self.runs), self.rates])
        explained = slopes @ np.linalg.lstsq(slopes, again, rcond=None)[0]
        variance = explained.var(ddof=1) + values.var(ddof=1) / self.runs
        value = float(values.mean())
        half = float(stdtrit(self.runs - 1, 0.5 + LEVEL / 2.0)) * math.sqrt(variance)
        return Estimate(value, max(least, value - half), min(most, value + half))

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

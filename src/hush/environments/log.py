"""Logs: what was done and what came of it, row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hush.environments.bernoulli import Bernoulli
from hush.environments.log_columns import (
    checked_labels,
    checked_numbers,
    checked_persons,
    checked_places,
    checked_propensities,
    checked_rewards,
    in_order,
)
from hush.environments.log_file import read_columns
from hush.environments.people import Cohort
from hush.errors import ParameterError, RewardError

__all__ = ["Log"]

MOST_OFF = 6.0  # standard errors by which counts may miss what the chances say
FEW = 3.0  # standard deviations by which a replay may have fewer rounds than on average


class Log:
    """A log: in each row an arm that was drawn at random, and the reward that came of it.

    A log knows no other arm's reward, so that policies are played on it by :func:`hush.replay`. Its
    averages make coins, which last as long as you like: :meth:`coins`.

    Rewards of a log are private, and so is whatever is computed from them without noise: its
    averages too. Messages of errors name rows and never hold a reward.

    Parameters
    ----------
    arms
        What was done in each row: names or numbers.
    rewards
        What came of it, from ``reward_range``.
    propensities
        With what chance that arm was drawn in that row. Left out, all arms are as likely.
    persons
        Whose row it is. Left out, every row is somebody else.
    names
        The arms in the order in which policies number them; sorted if left out. Each needs a row.
    reward_range
        Declared ends of all rewards.

    Examples
    --------
    >>> import hush
    >>> log = hush.Log(["old", "new", "old", "new"], [0, 1, 1, 1])
    >>> log, log.names, log.counts.tolist()
    (<Log: 4 rows, 2 arms>, ('new', 'old'), [2, 2])
    >>> log.coins()
    Bernoulli([1.0, 0.5])
    """

    def __init__(
        self,
        arms: Iterable[object],
        rewards: ArrayLike,
        *,
        propensities: ArrayLike | None = None,
        persons: Iterable[object] | None = None,
        names: Sequence[object] | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> None:
        given = checked_labels("arm", arms)
        self.names = tuple(map(str, names)) if names is not None else in_order(given)
        self.arms = checked_places(given, self.names)
        self.reward_range = (float(reward_range[0]), float(reward_range[1]))
        self.rewards = checked_rewards(rewards, len(given), self.reward_range)
        self.propensities = checked_propensities(propensities, len(given), self.n_arms)
        self.persons = None if persons is None else checked_persons(persons, len(given))
        self._check_chances(propensities is not None)

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        arm: str,
        reward: str,
        propensity: str | None = None,
        person: str | None = None,
        reward_range: tuple[float, float] = (0.0, 1.0),
    ) -> Log:
        r"""Read a log from a CSV file whose first line names its columns.

        Parameters
        ----------
        path
            The file.
        arm, reward, propensity, person
            Names of columns; see :class:`~hush.Log`.
        reward_range
            Declared ends of all rewards.

        Examples
        --------
        >>> import hush
        >>> path = getfixture("tmp_path") / "log.csv"
        >>> _ = path.write_text("shown,clicked\nold,0\nnew,1\n")
        >>> hush.Log.read(path, arm="shown", reward="clicked")
        <Log: 2 rows, 2 arms>
        """
        wanted = {"arm": arm, "reward": reward, "propensity": propensity, "person": person}
        columns = read_columns(Path(path), {k: v for k, v in wanted.items() if v is not None})
        return cls(
            columns["arm"],
            checked_numbers("reward", columns["reward"], RewardError),
            propensities=None
            if propensity is None
            else checked_numbers("propensity", columns["propensity"], ParameterError),
            persons=columns.get("person"),
            reward_range=reward_range,
        )

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return len(self.names)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows each arm has."""
        return np.bincount(self.arms, minlength=self.n_arms)

    @property
    def chance(self) -> float:
        """With what chance a replay keeps a row, whatever is played: the smallest propensity."""
        return float(self.propensities.min())

    @property
    def rounds(self) -> int:
        """How many rounds nearly every replay has: about one of ``1 / chance`` rows is kept.

        >>> import hush
        >>> hush.Log([0, 1] * 500, [0, 1] * 500).rounds
        452
        """
        kept = self.chance / self.propensities
        means = [_less(kept[self.arms == arm]) for arm in range(self.n_arms)]
        return max(0, min(*means, _less(np.full(len(self), self.chance))))

    @property
    def rates(self) -> NDArray[np.float64]:
        """The mean reward of each arm, as estimated from its rows: not private."""
        weights = 1.0 / self.propensities
        total = np.bincount(self.arms, weights * self.rewards, self.n_arms)
        return np.asarray(total / np.bincount(self.arms, weights, self.n_arms))

    def coins(self) -> Bernoulli:
        """Return coins at the log's rates, for as many rounds as you like.

        What coins cannot have: trends, and anything that rows of a person share.
        """
        low, high = self.reward_range
        return Bernoulli(((self.rates - low) / (high - low)).clip(0.0, 1.0).tolist())

    def cohort(self) -> Cohort:
        """Return the same coins, and the log's persons, who come as often as in the log.

        >>> import hush
        >>> log = hush.Log(["a", "b", "a"], [1, 0, 1], persons=["ann", "bob", "ann"])
        >>> log.cohort().visits
        (1, 2)
        """
        if self.persons is None:
            raise ParameterError("the log does not say whose rows they are; give it persons")
        return Cohort(self.coins(), visits=np.sort(np.bincount(self.persons)).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description: sizes, and no reward."""
        return {
            "log": type(self).__name__,
            "rows": len(self),
            "arms": dict(zip(self.names, self.counts.tolist(), strict=True)),
            "chance": self.chance,
            "persons": None if self.persons is None else int(self.persons.max()) + 1,
            "reward_range": list(self.reward_range),
        }

    def _check_chances(self, given: bool) -> None:
        """Refuse chances that the counts of arms speak against: a replay would be biased.

        Weighted by one over their chances, an arm's rows add up to all rows, but for luck.
        """
        for arm, name in enumerate(self.names):
            chances = self.propensities[self.arms == arm]
            typical = chances.size / (1.0 / chances).sum()
            seen = ((1.0 - chances) / chances**2).sum()
            spread = math.sqrt(max(seen, len(self) * (1.0 - typical) / typical))
            if abs((1.0 / chances).sum() - len(self)) > MOST_OFF * spread:
                told = "the propensities say" if given else "equal chances would give"
                raise ParameterError(
                    f"arm {name!r} has {chances.size:,} of {len(self):,} rows, which is not what "
                    f"{told}; give the chance with which the arm of each row was drawn"
                )

    def __len__(self) -> int:
        return int(self.arms.size)

    def __repr__(self) -> str:
        return f"<Log: {len(self)} rows, {self.n_arms} arms>"


def _less(chances: NDArray[np.float64]) -> int:
    """Return a number that so many coins nearly always exceed."""
    spread = math.sqrt(float((chances * (1.0 - chances)).sum()))
    return math.floor(float(chances.sum()) - FEW * spread + 1e-9)

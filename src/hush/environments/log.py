"""Logs: what was done and what came of it, row by row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hush.environments.bernoulli import Bernoulli
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
        given = _labels("arm", arms)
        self.names = tuple(map(str, names)) if names is not None else _in_order(given)
        self.arms = _places(given, self.names)
        self.reward_range = (float(reward_range[0]), float(reward_range[1]))
        self.rewards = _rewards(rewards, len(given), self.reward_range)
        self.propensities = _propensities(propensities, len(given), self.n_arms)
        self.persons = None if persons is None else _persons(persons, len(given))
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
            _numbers("reward", columns["reward"], RewardError),
            propensities=None
            if propensity is None
            else _numbers("propensity", columns["propensity"], ParameterError),
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


def _labels(what: str, given: Iterable[object]) -> list[str]:
    found = [_plain(each) for each in given]
    for row, label in enumerate(found, start=1):
        if label in ("", "nan", "None"):
            raise ParameterError(f"row {row} has no {what}")
    return found


def _plain(label: object) -> str:
    """Return a label as text; a whole number is one, however it was stored."""
    whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label)) if whole else str(label).strip()  # type: ignore[call-overload]


def _in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct labels: by size where all are numbers, else by the alphabet.

    >>> _in_order(["10", "9"]), _in_order(["b", "a", "b"])
    (('9', '10'), ('a', 'b'))
    """
    names = sorted(set(labels))
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(names)


def _places(labels: Sequence[str], names: tuple[str, ...]) -> NDArray[np.int64]:
    order = {name: place for place, name in enumerate(names)}
    if not labels:
        raise ParameterError("the log has no rows")
    if len(order) < 2:
        raise ParameterError("the log has a single arm; there is nothing to choose between")
    for row, label in enumerate(labels, start=1):
        if label not in order:
            raise ParameterError(f"row {row} has an arm that is none of {', '.join(names)}")
    arms = np.array([order[label] for label in labels], dtype=np.int64)
    for name, place in order.items():
        if not (arms == place).any():
            raise ParameterError(f"arm {name!r} has no row")
    return arms


def _numbers(what: str, cells: Iterable[str], error: type[Exception]) -> list[float]:
    found = []
    for row, cell in enumerate(cells, start=1):
        try:
            found.append(float(cell))
        except ValueError:
            raise error(f"the {what} of row {row} is not a number") from None
    return found


def _row(wrong: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(wrong)[0]) + 1


def _rewards(given: ArrayLike, rows: int, ends: tuple[float, float]) -> NDArray[np.float64]:
    low, high = ends
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError("reward_range must be two finite numbers, the lower one first")
    rewards = _array("rewards", given, rows)
    if np.isnan(rewards).any():
        raise RewardError(f"the reward of row {_row(np.isnan(rewards))} is missing")
    outside = (rewards < low) | (rewards > high)
    if outside.any():
        raise RewardError(
            f"the reward of row {_row(outside)} lies outside [{low:g}, {high:g}]; declare the "
            "range that all rewards have, and do not look for it in the rewards"
        )
    return rewards


def _propensities(given: ArrayLike | None, rows: int, n_arms: int) -> NDArray[np.float64]:
    if given is None:
        return np.full(rows, 1.0 / n_arms)
    chances = _array("propensities", given, rows)
    wrong = ~((chances > 0.0) & (chances <= 1.0))
    if wrong.any():
        raise ParameterError(f"the propensity of row {_row(wrong)} is not in (0, 1]")
    return chances


def _array(what: str, given: ArrayLike, rows: int) -> NDArray[np.float64]:
    try:
        array = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{what} must be numbers, one for each row") from None
    if array.shape != (rows,):
        raise ParameterError(f"{what} must be one for each of {rows:,} rows")
    return array


def _persons(given: Iterable[object], rows: int) -> NDArray[np.int64]:
    labels = _labels("person", given)
    if len(labels) != rows:
        raise ParameterError(f"persons must be one for each of {rows:,} rows")
    numbers: Mapping[str, int] = {name: n for n, name in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def _less(chances: NDArray[np.float64]) -> int:
    """Return a number that so many coins nearly always exceed."""
    spread = math.sqrt(float((chances * (1.0 - chances)).sum()))
    return math.floor(float(chances.sum()) - FEW * spread + 1e-9)

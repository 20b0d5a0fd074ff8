"""Columns of a log, checked: what is wrong is told by its row, and never with a reward."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hush.errors import ParameterError, RewardError

__all__ = [
    "checked_labels",
    "checked_numbers",
    "checked_persons",
    "checked_places",
    "checked_propensities",
    "checked_rewards",
    "in_order",
]


def checked_labels(what: str, given: Iterable[object]) -> list[str]:
    """Return names of arms or persons as text; none may be missing."""
    found = [_plain(each) for each in given]
    for row, label in enumerate(found, start=1):
        if label in ("", "nan", "None"):
            raise ParameterError(f"row {row} has no {what}")
    return found


def _plain(label: object) -> str:
    """Return a label as text; a whole number is one, however it was stored."""
    whole = isinstance(label, float | np.floating) and float(label).is_integer()
    return str(int(label)) if whole else str(label).strip()  # type: ignore[call-overload]


def in_order(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct labels: by size where all are numbers, else by the alphabet.

    >>> in_order(["10", "9"]), in_order(["b", "a", "b"])
    (('9', '10'), ('a', 'b'))
    """
    names = sorted(set(labels))
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(names)


def checked_places(labels: Sequence[str], names: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the place of each row's arm among the names."""
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


def checked_numbers(what: str, cells: Iterable[str], error: type[Exception]) -> list[float]:
    """Read cells as numbers; what cannot be read is told by its row."""
    found = []
    for row, cell in enumerate(cells, start=1):
        try:
            found.append(float(cell))
        except ValueError:
            raise error(f"the {what} of row {row} is not a number") from None
    return found


def _row(wrong: NDArray[np.bool_]) -> int:
    return int(np.flatnonzero(wrong)[0]) + 1


def checked_rewards(given: ArrayLike, rows: int, ends: tuple[float, float]) -> NDArray[np.float64]:
    """Return rewards as an array; none may be missing or outside the declared ends."""
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


def checked_propensities(given: ArrayLike | None, rows: int, n_arms: int) -> NDArray[np.float64]:
    """Return chances in (0, 1]; all alike where none are given."""
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


def checked_persons(given: Iterable[object], rows: int) -> NDArray[np.int64]:
    """Return persons as numbers, in the order in which they come first."""
    labels = checked_labels("person", given)
    if len(labels) != rows:
        raise ParameterError(f"persons must be one for each of {rows:,} rows")
    numbers: Mapping[str, int] = {name: n for n, name in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)

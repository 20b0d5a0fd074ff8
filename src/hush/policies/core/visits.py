"""How many rewards of each person a learner has taken: from ids and releases alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hush.errors import ParameterError, StateError, whole

__all__ = ["PersonId", "Visits", "checked_person"]

PersonId = str | int


def checked_person(person: object) -> str | None:
    """Return an id as a text, or raise; None is somebody who never comes again.

    >>> checked_person(7), checked_person("ann"), checked_person(None)
    ('7', 'ann', None)
    """
    if person is None:
        return None
    if not isinstance(person, str | int) or isinstance(person, bool) or person == "":
        raise ParameterError(
            f"person must be a text or a whole number, the same at every visit; got a "
            f"{type(person).__name__}"
        )
    return str(person)


class Visits:
    """Says whose reward is learnt: up to a bound in all, and up to another in one release.

    It goes by ids, arms and releases, never by a reward.

    >>> visits = Visits(n_arms=1, bound=2, per_release=1)
    >>> visits.takes("ann", 0)
    True
    >>> visits.count("ann", 0)
    >>> visits.takes("ann", 0)
    False
    >>> visits.released(0)
    >>> visits.takes("ann", 0)
    True
    """

    def __init__(self, n_arms: int, bound: int, per_release: int | None) -> None:
        self._bound = bound
        self._per_release = bound if per_release is None else per_release
        self._taken: dict[str, int] = {}
        self._inside: list[dict[str, int]] = [{} for _ in range(n_arms)]

    def takes(self, person: str | None, arm: int) -> bool:
        """Tell whether one more reward of a person may enter the arm's running sum."""
        if person is None:
            return True
        inside = self._inside[arm].get(person, 0)
        return self._taken.get(person, 0) < self._bound and inside < self._per_release

    def count(self, person: str | None, arm: int, step: int = 1) -> None:
        """Count a reward that enters the arm's running sum; or, with -1, that it did not."""
        if person is not None:
            for counts in (self._taken, self._inside[arm]):
                counts[person] = counts.get(person, 0) + step

    def released(self, arm: int) -> None:
        """Take note that the arm's sum was released, or dropped."""
        self._inside[arm].clear()

    def state(self) -> dict[str, Any]:
        """Return all counts."""
        return {"taken": dict(self._taken), "inside": [dict(each) for each in self._inside]}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over a :meth:`state`."""
        taken, inside = state.get("taken"), state.get("inside")
        if not isinstance(inside, list) or len(inside) != len(self._inside):
            raise StateError("this state's persons are damaged; restore from an intact copy")
        self._taken, *self._inside = (_counts(each) for each in (taken, *inside))


def _counts(given: object) -> dict[str, int]:
    if not isinstance(given, Mapping):
        raise StateError("this state's persons are damaged; restore from an intact copy")
    return {str(key): whole("visits", value, least=0) for key, value in given.items()}

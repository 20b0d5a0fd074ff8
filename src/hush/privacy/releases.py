"""What leaves the private side: releases, and how they are shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from hush.errors import StateError, positive
from hush.output.document import Paragraph, TableOf
from hush.output.numbers import counted
from hush.output.text_table import text_table

__all__ = ["Release", "Releases"]

MOST_SHOWN = 20


@dataclass(frozen=True)
class Release:
    """One value that left the private side: a noisy sum, or an action chosen by a noisy argmax.

    A release is drawn once, kept, and never drawn again. All its fields are safe to show.

    Attributes
    ----------
    arm
        The arm whose rewards were summed; ``None`` where all arms took part (full information).
    epoch
        Which of the arm's epochs this closes, from 0.
    count
        How many rewards (or reward vectors) went in. Each reward goes into one release only.
    value
        The noisy sum, or the chosen action.
    mechanism
        ``"noisy-sum"``, ``"gaussian-sum"``, ``"noisy-argmax"``, ``"exact-sum"`` or
        ``"exact-argmax"``.
    epsilon
        The privacy loss that this release is calibrated to; infinite for an exact one, and for one
        with Gaussian noise, which has no pure loss.
    rho
        The concentrated loss of a release with Gaussian noise; ``None`` for all others.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([0.25]))
    >>> learner.update(learner.select(), 1)
    Release(arm=0, epoch=0, count=1, value=0.25, mechanism='noisy-sum', epsilon=1.0)
    """

    arm: int | None
    epoch: int
    count: int
    value: int | float
    mechanism: str
    epsilon: float
    rho: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able dictionary.

        An infinite epsilon becomes ``None``; a rho is there only where it is stated.
        """
        plain = {name: value for name, value in vars(self).items() if name != "rho" or value}
        return {**plain, "epsilon": None if math.isinf(self.epsilon) else self.epsilon}

    def __repr__(self) -> str:
        shown = (f"{n}={v!r}" for n, v in vars(self).items() if n != "rho" or v is not None)
        return f"Release({', '.join(shown)})"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Release:
        """Rebuild a release from :meth:`to_dict`."""
        try:
            fields = dict(data)
            fields["epsilon"] = math.inf if fields["epsilon"] is None else float(fields["epsilon"])
            if "rho" in fields:
                fields["rho"] = positive("rho", fields["rho"])
            return cls(**fields)
        except (KeyError, TypeError, ValueError) as error:
            raise StateError(
                "a release in this state is damaged; restore from an intact copy"
            ) from error

    def _repr_html_(self) -> str:
        return Releases((self,))._repr_html_()


R = TypeVar("R")


class Releases(tuple[R, ...]):
    """Releases in order: a tuple that shows as a table, of the last ones if there are many.

    Examples
    --------
    >>> import hush
    >>> learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(2, noise=hush.ScriptedNoise([0.25, 1]))
    >>> for reward in (1, 0):
    ...     _ = learner.update(learner.select(), reward)
    >>> learner.releases
    <2 releases>
    >>> print(learner.releases)
    2 releases
    arm  epoch  count  value  mechanism  epsilon
    0        0      1   0.25  noisy-sum        1
    1        0      1      1  noisy-sum        1
    """

    def _title(self) -> str:
        many = counted(len(self), "release", "releases")
        return f"{many}; the last {MOST_SHOWN}" if len(self) > MOST_SHOWN else many

    def _table(self) -> TableOf:
        rows = [vars(each) for each in self[-MOST_SHOWN:]]
        names = rows[0] if rows else ()
        heads = tuple(name for name in names if any(row[name] is not None for row in rows))
        return TableOf(heads, tuple(tuple(_cell(row[head]) for head in heads) for row in rows))

    def __str__(self) -> str:
        return f"{self._title()}\n{text_table(self._table())}".rstrip()

    def __repr__(self) -> str:
        return f"<{self._title().partition(';')[0]}>"

    def _repr_html_(self) -> str:
        return Paragraph(self._title()).html() + self._table().html()


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, float):
        return f"{value:g}" if math.isfinite(value) else "infinite"
    return "" if value is None else str(value)

"""Coins, and who comes: persons who come back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from hush.environments.bernoulli import Bernoulli
from hush.errors import ParameterError, whole

__all__ = ["Cohort", "People"]

MOST_AT_ONCE = 10**6


class People(Bernoulli):
    """Coins, and a person in every round, who may come back.

    A number of persons are around at once. Each round one of them comes, all equally likely, and
    whoever has made all her visits is followed by somebody new. How often she comes is one of
    ``visits``, all equally likely, drawn when she first appears. Who comes depends on no reward,
    and is public in a simulation: :class:`~hush.Person` learns from so many of her rewards and no
    more.

    Parameters
    ----------
    env
        The coins. Rewards do not depend on who comes.
    visits
        How often a person comes: a number, or several of which each is as likely.
    at_once
        How many persons are around; with 1, all visits of a person are in a row.

    Examples
    --------
    >>> import hush, numpy as np
    >>> env = hush.People(hush.paper_s1(), visits=3, at_once=2)
    >>> persons = env.arrivals(np.random.default_rng(7))
    >>> [next(persons) for _ in range(10)]
    [1, 1, 1, 2, 2, 2, 3, 0, 0, 0]
    """

    def __init__(self, env: Bernoulli, *, visits: int | Iterable[int], at_once: int = 100) -> None:
        if not isinstance(env, Bernoulli) or isinstance(env, People):
            raise ParameterError(f"env must be coins, such as Bernoulli([0.5, 0.4]); got {env!r}")
        super().__init__(env.means.tolist())
        given = list(visits) if isinstance(visits, Iterable) else [visits]
        if not given:
            raise ParameterError("visits must be a number of visits, or several")
        self.visits = tuple(whole("visits", each, least=1) for each in given)
        self.at_once = whole("at_once", at_once, least=1, most=MOST_AT_ONCE)

    def arrivals(self, generator: np.random.Generator) -> Iterator[int]:
        """Yield who comes, round by round and for ever: persons are numbered from 0."""
        visits = np.array(self.visits)
        left = generator.choice(visits, size=self.at_once).tolist()
        here = list(range(self.at_once))
        newest = self.at_once
        while True:
            place = int(generator.integers(self.at_once))
            yield here[place]
            left[place] -= 1
            if not left[place]:
                here[place], left[place] = newest, int(generator.choice(visits))
                newest += 1

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description."""
        return {
            "environment": "People",
            "means": self.means.tolist(),
            "visits": list(self.visits),
            "at_once": self.at_once,
        }

    def __hash__(self) -> int:
        return hash((super().__hash__(), self.visits, self.at_once))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, People) and self.to_dict() == other.to_dict()

    def __repr__(self) -> str:
        return f"People({super().__repr__()}, visits={self.visits}, at_once={self.at_once})"


class Cohort(People):
    """Coins, and persons of whom it is known how often each comes: those of a log.

    Each run has the visits of all persons in a random order. When all have been made, the cohort
    comes again, as other persons.

    Parameters
    ----------
    env
        The coins.
    visits
        How often each person comes.

    Examples
    --------
    >>> import hush, numpy as np
    >>> env = Cohort(hush.paper_s1(), visits=[1, 3])
    >>> persons = env.arrivals(np.random.default_rng(7))
    >>> [next(persons) for _ in range(8)]
    [0, 1, 1, 1, 3, 3, 3, 2]
    """

    def __init__(self, env: Bernoulli, *, visits: Iterable[int]) -> None:
        super().__init__(env, visits=visits, at_once=1)
        self.at_once = len(self.visits)

    def arrivals(self, generator: np.random.Generator) -> Iterator[int]:
        """Yield who comes, round by round and for ever."""
        newest = 0
        rounds = np.repeat(np.arange(self.at_once), self.visits)
        while True:
            yield from (generator.permutation(rounds) + newest).tolist()
            newest += self.at_once

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description: how many persons come how often."""
        often, persons = np.unique(self.visits, return_counts=True)
        visits = dict(zip(map(str, often), persons.tolist(), strict=True))
        return {"environment": "Cohort", "means": self.means.tolist(), "visits": visits}

    def __repr__(self) -> str:
        return f"Cohort({self.means.tolist()}, <{self.at_once} persons>)"

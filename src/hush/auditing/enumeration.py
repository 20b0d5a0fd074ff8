"""Exact laws by listing every outcome of every draw: any policy, small horizons.

The learner runs with a noise source that takes, instead of drawing, one listed outcome after the
other; all combinations are gone through. A Laplace draw has infinitely many outcomes: the far ones
are left out, and their probability is carried along, so that every ratio is a proven lower bound.
The selection rule's own draws are fixed, that is, taken as known to the attacker.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hush.auditing.reward_tables import Table, play
from hush.errors import HushError
from hush.noise import ArgmaxLaw, NoiseSource, SeededNoise, argmax_scale
from hush.noise.laws import ScoreLaw
from hush.numerics.noisy_argmax import win_chances
from hush.policies import Policy
from hush.privacy import Neighbours
from hush.privacy.conversions import gaussian_deviation
from hush.theory.two_arms import Arms, laplace_masses

__all__ = ["ArmLaw", "TooManyOutcomesError", "enumerate_law", "worst_event"]


class TooManyOutcomesError(HushError, RuntimeError):
    """There are more combinations of outcomes than were allowed."""


@dataclass(frozen=True)
class ArmLaw:
    """The law of the arms played on one table.

    Attributes
    ----------
    chances
        The probability of every arm sequence, less what was left out.
    left_out
        The probability of all outcomes that were left out.
    runs
        How many combinations there were.
    draws
        How many draws the longest had.
    """

    chances: dict[Arms, float]
    left_out: float
    runs: int
    draws: int


class ListingNoise(NoiseSource):
    """Takes the outcomes that a path names, and the first one of every later draw."""

    def __init__(self, source: NoiseSource, *, discrete: bool) -> None:
        self._generators = source.selection, source.coins
        self._starts = [each.bit_generator.state for each in self._generators]
        self._discrete = discrete
        self.restart([])

    def restart(self, path: Sequence[int]) -> None:
        """Begin a run along a path; selection and coins begin where they always do."""
        self._path = path
        self.taken: list[int] = []
        self.sizes: list[int] = []
        self.values: list[int] = []
        self.chance = 1.0
        for generator, start in zip(self._generators, self._starts, strict=True):
            generator.bit_generator.state = start

    def _take(self, chances: Sequence[float]) -> int:
        place = len(self.taken)
        which = self._path[place] if place < len(self._path) else 0
        self.taken.append(which)
        self.sizes.append(len(chances))
        self.chance *= chances[which]
        return which

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> int:
        """Take the next listed value around the total."""
        return self._around(total, laplace_masses(sensitivity / epsilon))

    def add_gaussian(self, total: int, *, rho: float, sensitivity: int = 1) -> int:
        """Take the next listed value around the total."""
        return self._around(total, gaussian_masses(sensitivity * gaussian_deviation(rho)))

    def _around(self, total: int, masses: Sequence[float]) -> int:
        self.values.append(total + self._take(masses) - len(masses) // 2)
        return self.values[-1]

    def argmax(
        self, totals: Sequence[int], *, epsilon: float, law: ArgmaxLaw, neighbours: Neighbours
    ) -> int:
        """Take the next listed winner."""
        name: ScoreLaw = "discrete-laplace" if law == "laplace" and self._discrete else law
        return self._take(_winners(tuple(totals), argmax_scale(epsilon, neighbours), name))

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:
        """Take the next listed side."""
        return bool(self._take((1.0 - chances[bit], chances[bit])))

    @property
    def selection(self) -> np.random.Generator:
        """Fixed draws."""
        return self._generators[0]

    @property
    def coins(self) -> np.random.Generator:
        """Fixed tosses; rewards of 0 and 1 need none."""
        return self._generators[1]

    def state(self) -> dict[str, Any]:
        """Return nothing to resume from: it is handed over by itself."""
        return {"kind": "listing"}


@lru_cache(maxsize=256)
def gaussian_masses(deviation: float) -> tuple[float, ...]:
    """Return the masses of discrete Gaussian noise around 0, up to six deviations off.

    >>> masses = gaussian_masses(1.0)
    >>> len(masses), round(sum(masses), 12)
    (13, 1.0)
    """
    reach = math.ceil(6.0 * deviation)
    masses = np.exp(-0.5 * (np.arange(-reach, reach + 1) / deviation) ** 2)
    return tuple((masses / masses.sum()).tolist())


@lru_cache(maxsize=4096)
def _winners(totals: tuple[int, ...], scale: float, law: ScoreLaw) -> tuple[float, ...]:
    return tuple(win_chances(totals, scale=scale, law=law).tolist())


def enumerate_law(
    policy: Policy,
    table: Table,
    *,
    seed: int = 0,
    most: int = 5000,
    discrete: bool = True,
    start: int = 0,
    shown: bool = False,
) -> ArmLaw:
    """Return the exact law of the arms on a table.

    Parameters
    ----------
    policy
        Any policy; its horizon must be filled in.
    table
        Rewards of 0 and 1, a row a round. The last round is decided, not settled.
    seed
        Seed of the selection rule's draws, which are the same in every combination.
    most
        How many combinations are allowed.
    discrete
        Whether Laplace noise within a noisy argmax is the discrete one that is deployed.
    start
        How many rounds draw no noise; they are played once, and stored.
    shown
        Whether an outcome is all that is seen: the arms, and after them the noisy sums.

    Examples
    --------
    >>> import hush, numpy as np
    >>> from hush.auditing import enumerate_law
    >>> law = enumerate_law(hush.RNMFTNL(1.0), np.array([[0, 1], [0, 0]], np.int8))
    >>> {arms: round(chance, 4) for arms, chance in law.chances.items()}
    {(0, 0): 0.3033, (0, 1): 0.6967}
    """
    chances: dict[Arms, float] = defaultdict(float)
    path: list[int] | None = []
    runs = draws = 0
    kept = 0.0
    before, state, source = _prefix(policy, table, start, seed)
    noise = ListingNoise(source, discrete=discrete)
    while path is not None:
        if runs >= most:
            raise TooManyOutcomesError(f"more than {most:,} combinations of outcomes")
        noise.restart(path)
        learner = (
            policy.restore(state, noise=noise)
            if state
            else policy.learner(table.shape[1], noise=noise)
        )
        after = play(learner, table[start:], settle_last=False)
        chances[(*before, *after, *(noise.values if shown else ()))] += noise.chance
        kept += noise.chance
        runs += 1
        draws = max(draws, len(noise.taken))
        path = _next_path(noise)
    return ArmLaw(dict(chances), max(0.0, 1.0 - kept), runs, draws)


def _prefix(
    policy: Policy, table: Table, start: int, seed: int
) -> tuple[list[int], dict[str, Any] | None, NoiseSource]:
    source = SeededNoise(seed)
    if not start:
        return [], None, source
    learner = policy.learner(table.shape[1], noise=source)
    arms = play(learner, table[:start])
    return arms, learner.state(), source


def _next_path(noise: ListingNoise) -> list[int] | None:
    for place in range(len(noise.taken) - 1, -1, -1):
        if noise.taken[place] + 1 < noise.sizes[place]:
            return [*noise.taken[:place], noise.taken[place] + 1]
    return None


@dataclass(frozen=True)
class Event:
    """Arm sequences that are likelier under one table: probabilities, and what that proves."""

    arms: frozenset[Arms]
    first: float
    second: float
    loss: float


def worst_event(first: ArmLaw, second: ArmLaw) -> Event:
    """Return the single arm sequence of the largest proven loss from the first law to the second.

    >>> law, other = ArmLaw({(0,): 0.75, (1,): 0.25}, 0, 2, 1), ArmLaw({(0,): 1.0}, 0, 1, 1)
    >>> worst_event(law, other).loss
    inf
    """
    best = Event(frozenset(), 1.0, 1.0, -math.inf)
    for arms, chance in first.chances.items():
        other = second.chances.get(arms, 0.0) + second.left_out
        loss = math.log(chance / other) if other > 0.0 and chance > 0.0 else math.inf
        if chance > 0.0 and loss > best.loss:
            best = Event(frozenset([arms]), chance, second.chances.get(arms, 0.0), loss)
    return best

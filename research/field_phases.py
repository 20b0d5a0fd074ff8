"""Ways to read the phases of DP-SE, to find the one that its published regret was made with.

No engine plays them: a phase is one binomial draw per survivor, so that a run is a few lines.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

__all__ = ["CHANGES", "PhaseReading", "combined", "play_phases"]


@dataclass(frozen=True)
class PhaseReading:
    """What may be read in another way; the defaults are those of the text, and of ``hush.DPSE``.

    Phase e looks for gaps of ``growth^-(e + later)``, pulls each survivor ``constant L / gap^2``
    times (or that plus the privacy term, with ``adds``), and drops arms more than ``slack (wide h +
    c)`` behind, by logarithms of the given base. ``stale`` is a fault of public code: a phase's sum
    is divided by the arm's pulls in all phases. The chance of failure is ``T^-power``.
    """

    later: int = 0
    growth: float = 2.0
    constant: float = 32.0
    base: float = math.e
    slack: float = 2.0
    wide: float = 1.0
    power: float = 1.0
    adds: bool = False
    stale: bool = False
    rounds: int = 1


CHANGES: dict[str, Mapping[str, Any]] = {
    "gaps from 1/4 on": {"later": 1},
    "gaps from 1 on": {"later": -1},
    "gaps of 4^-e": {"growth": 4.0},
    "gaps of e^-e": {"growth": math.e},
    "8 instead of 32": {"constant": 8.0},
    "16 instead of 32": {"constant": 16.0},
    "64 instead of 32": {"constant": 64.0},
    "128 instead of 32": {"constant": 128.0},
    "logarithms of base 2": {"base": 2.0},
    "logarithms of base 10": {"base": 10.0},
    "an arm is kept to 4 h + 4 c": {"slack": 4.0},
    "an arm is kept to h + c": {"slack": 1.0},
    "no 2 under the root of h": {"wide": math.sqrt(2.0)},
    "h twice as wide": {"wide": 2.0},
    "a failure chance of 1/T^2": {"power": 2.0},
    "both terms of R added": {"adds": True},
    "sums over all pulls (a fault of public code)": {"stale": True},
    "every phase twice": {"rounds": 2},
}


def combined(most: int) -> Iterator[tuple[tuple[str, ...], PhaseReading]]:
    """Yield all readings with at most so many changes, of which no two are of the same thing.

    >>> sum(1 for _ in combined(1)) == len(CHANGES) + 1
    True
    """
    for count in range(most + 1):
        for names in itertools.combinations(CHANGES, count):
            keys = [key for name in names for key in CHANGES[name]]
            if len(set(keys)) == len(keys):
                changes = {key: v for name in names for key, v in CHANGES[name].items()}
                yield names, replace(PhaseReading(), **changes)


def play_phases(
    reading: PhaseReading,
    means: tuple[float, ...],
    epsilon: float,
    horizon: int,
    failure: float,
    generator: np.random.Generator,
) -> tuple[float, int]:
    """Return the regret of a run at the horizon, and after how many rounds one arm was left.

    >>> generator = np.random.default_rng(7)
    >>> play_phases(PhaseReading(), (0.9, 0.1), 1.0, 10**5, 1e-5, generator)
    (1464.0, 3660)
    """
    best, survivors = max(means), list(range(len(means)))
    done, number, pulled, regret = 0, 0, 0, 0.0
    while len(survivors) > 1 and done < horizon:
        number += 1
        gap = reading.growth ** -(number + reading.later)
        wide = _log(reading, 8.0 * len(survivors) * number**2 / failure**reading.power)
        narrow = _log(reading, 4.0 * len(survivors) * number**2 / failure**reading.power)
        terms = (reading.constant * wide / gap**2, 8.0 * narrow / (epsilon * gap))
        wanted = math.ceil((sum(terms) if reading.adds else max(terms)) + 1.0) * reading.rounds
        pulls = min(wanted, (horizon - done) // len(survivors) + 1)
        pulled += pulls
        counted = pulled if reading.stale else pulls
        noisy = {
            arm: (generator.binomial(pulls, means[arm]) + generator.laplace(0.0, 1.0 / epsilon))
            / counted
            for arm in survivors
        }
        regret += pulls * sum(best - means[arm] for arm in survivors)
        done += pulls * len(survivors)
        h = reading.wide * math.sqrt(wide / (2.0 * pulls))
        allowed = reading.slack * (h + narrow / (pulls * epsilon))
        first = max(noisy.values())
        survivors = [arm for arm in survivors if first - noisy[arm] <= allowed]
    rest = max(0, horizon - done) * (best - means[survivors[0]])
    return regret + rest, done


def _log(reading: PhaseReading, value: float) -> float:
    return math.log(value) / math.log(reading.base)

"""The sample-ratio test: whether each arm was shown as often as it was to be.

It looks at the first learnt decision of every person that was left to chance. Given all that came
before, such a decision shows arm k with a known chance p. So the sum of "k was shown" less p over
those decisions, *firsts less expected*, is a martingale, however the chances change with what was
learnt meanwhile; its variance adds up p (1 - p), the *spread*. As its steps are at most 1,

    exp(s (firsts - expected) - (exp(s) - 1 - s) spread)

has a mean of at most 1 at all times, for every s > 0 (Bennett), and with the signs of firsts and
expected changed as well. So has the mean of these over a grid of s, both signs and all arms: the
evidence against the plan. By Ville's inequality it exceeds ``1 / a`` at any time at all with a
chance of at most a. So ``1 / evidence`` is a p-value that may be looked at as often as one likes:
a page that is loaded every day raises no more false alarms than one that is loaded once. A
chi-square test would have neither property: it needs one fixed look, and chances that do not
depend on whom was shown what.

Everything here is a function of visits and of the plan: it never depends on a reward except
through released values.

Fabijan et al.: Diagnosing sample ratio mismatch in online controlled experiments. KDD 2019.
https://doi.org/10.1145/3292500.3330722
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hush.output.document import Paragraph, TableOf

__all__ = ["LEVEL", "RatioOfArm", "SampleRatio", "sample_ratio"]

LEVEL = 0.01  # below this the verdict is a mismatch
# A mismatch of z standard deviations shows best at s = z / sqrt(spread): from 2 down to 2e-6.
GRID = 2.0 ** -np.arange(-1.0, 20.0)
ALLOWED = np.expm1(GRID) - GRID


@dataclass(frozen=True)
class RatioOfArm:
    """How often an arm was shown first, and how often it was to be.

    Attributes
    ----------
    name
        The arm's.
    firsts
        How many people's first learnt decision showed it.
    expected
        How many were to: the sum of the chances that it had.
    z
        Their difference in standard deviations; 0 where nothing was left to chance.

    Examples
    --------
    >>> sample_ratio([("old", 480, 500.0, 250.0), ("new", 520, 500.0, 250.0)]).arms[0]
    RatioOfArm(name='old', firsts=480, expected=500.0, z=-1.26...)
    """

    name: str
    firsts: int
    expected: float
    z: float


@dataclass(frozen=True)
class SampleRatio:
    """What came of the test.

    Attributes
    ----------
    arms
        A row for each arm.
    p_value
        The chance of a mismatch this clear, at this time or any other, if all was as planned: at
        most so much. None where nothing was left to chance yet.

    Examples
    --------
    >>> fine = sample_ratio([("old", 480, 500.0, 250.0), ("new", 520, 500.0, 250.0)])
    >>> fine.p_value, fine.mismatch
    (1.0, False)
    >>> print(sample_ratio([("old", 400, 500.0, 250.0), ("new", 600, 500.0, 250.0)]).verdict)
    the arms were not shown as planned (p = 2.8e-06): old was the first for 400 people, and 500 ...
    """

    arms: tuple[RatioOfArm, ...]
    p_value: float | None

    @property
    def mismatch(self) -> bool:
        """Whether the arms were not shown as planned; a false alarm in 100 experiments, at most.

        >>> sample_ratio([]).mismatch
        False
        """
        return self.p_value is not None and self.p_value < LEVEL

    @property
    def verdict(self) -> str:
        """The result in words.

        >>> sample_ratio([]).verdict
        'no first decision was left to chance yet: nothing to test'
        """
        if self.p_value is None:
            return "no first decision was left to chance yet: nothing to test"
        if not self.mismatch:
            return f"the arms were shown as planned, as far as can be told (p = {self.p_value:.2g})"
        worst = max(self.arms, key=lambda each: abs(each.z))
        return (
            f"the arms were not shown as planned (p = {self.p_value:.2g}): {worst.name} was the "
            f"first for {worst.firsts:,} people, and {worst.expected:,.0f} were expected; find out "
            "where decisions get lost before believing what was learnt"
        )

    def __repr__(self) -> str:
        return f"<sample ratio: {self.verdict}>"

    def _repr_html_(self) -> str:
        rows = tuple(
            (each.name, f"{each.firsts:,}", f"{each.expected:,.1f}", f"{each.z:+.2f}")
            for each in self.arms
        )
        table = TableOf(("arm", "first decisions", "expected", "z"), rows)
        return table.html() + Paragraph(f"Sample ratio: {self.verdict}.").html()


def sample_ratio(tallies: Sequence[tuple[str, int, float, float]]) -> SampleRatio:
    """Test whether arms were shown as planned.

    Parameters
    ----------
    tallies
        For each arm its name, how many first decisions showed it, how many were expected to, and
        the variance of that number.

    Examples
    --------
    >>> sample_ratio([("old", 0, 0.0, 0.0), ("new", 0, 0.0, 0.0)])
    <sample ratio: no first decision was left to chance yet: nothing to test>
    """
    rows = tuple(
        RatioOfArm(name, firsts, expected, (firsts - expected) / math.sqrt(spread) if spread else 0)
        for name, firsts, expected, spread in tallies
    )
    tested = [(firsts - expected, spread) for _, firsts, expected, spread in tallies if spread]
    if not tested:
        return SampleRatio(rows, None)
    logs = np.concatenate(
        [sign * GRID * off - ALLOWED * spread for off, spread in tested for sign in (1.0, -1.0)]
    )
    most = float(logs.max())
    evidence = most + math.log(float(np.exp(logs - most).mean()))
    return SampleRatio(rows, math.exp(-max(evidence, 0.0)))

"""Published figures beside ours: *agrees*, *differs* or *cannot be compared*.

The rule is :func:`allowed`, and stands nowhere else: two figures agree if they are no further apart
than the published one may be misread by, and three standard errors of both means. A source that
averaged so many runs has the error of so many of ours; where it does not say how many, of one. A
margin as large as the published figure itself lets nothing differ that is smaller: then they cannot
be compared.

Where a figure differs, every other reading of the source that the study has is held against it by
the same rule, and so is this: that the source counted the rewards that came, whose luck its regret
then has in it, instead of gaps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

from hush.output.numbers import readable, with_interval
from hush.studies.definition.published import Published
from hush.studies.outcome import CurveData, Outcome

__all__ = [
    "AGREES",
    "DIFFERS",
    "REALISED",
    "RULE",
    "UNKNOWN",
    "Attempt",
    "Comparison",
    "Estimate",
    "allowed",
    "compare_published",
]

AGREES, DIFFERS, UNKNOWN = "agrees", "differs", "cannot be compared"
ERRORS = 3.0  # so many standard errors are allowed
REALISED = "regret counted by rewards instead of gaps"
INTERVAL = 1.96  # standard errors to either side: 95 %
RULE = (
    "A published figure agrees with ours if they are no further apart than it may be misread by, "
    "plus three standard errors of both means: ours, and that of as many runs as the source "
    "averaged (one, where it does not say), with the deviation that our runs have. Where that is "
    "as much as the published figure itself, they cannot be compared. Intervals are of our mean "
    "alone, and allow for no run too rare to be seen."
)


class Estimate(NamedTuple):
    """A mean over runs, the deviation of one run, and how many there were."""

    mean: float
    deviation: float
    runs: int

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / math.sqrt(self.runs)

    @property
    def text(self) -> str:
        """The mean with its 95 % interval."""
        half = INTERVAL * self.error
        return with_interval(self.mean, self.mean - half, self.mean + half)


def allowed(ours: Estimate, runs: int, reading: float, luck: float = 0.0) -> float:
    """Return how far a published mean of so many runs may be from ours, and agree.

    Parameters
    ----------
    ours
        Our mean and the deviation of one of our runs, which stands for theirs too.
    runs
        How many runs the source averaged.
    reading
        By how much its figure may be misread.
    luck
        What else moves a run of theirs: the deviation of the rewards that came.

    Examples
    --------
    >>> round(allowed(Estimate(1890.0, 270.0, 10_000), 20, 20.0), 1)
    201.3
    """
    theirs = (ours.deviation**2 + luck**2) / runs
    return reading + ERRORS * math.sqrt(ours.error**2 + theirs)


@dataclass(frozen=True)
class Attempt:
    """Another reading of the source, and what it gives."""

    name: str
    ours: Estimate
    agrees: bool


@dataclass(frozen=True)
class Comparison:
    """A published figure, ours, the verdict, and what else was tried where they differ."""

    study: str
    title: str
    published: Published
    ours: Estimate
    allowed: float
    verdict: str
    attempts: tuple[Attempt, ...] = ()

    @property
    def setting(self) -> str:
        """The policy, and where in the study's sweeps it is."""
        over = ", ".join(f"{axis} {readable(value)}" for axis, value in self.published.over)
        return f"{self.place}, excess over {over}" if over else self.place

    @property
    def place(self) -> str:
        """The policy, and the values that it has there."""
        values = [f"{axis} {readable(value)}" for axis, value in self.published.where]
        return ", ".join([self.published.policy, *values])

    @property
    def theirs(self) -> str:
        """What the source says."""
        if self.published.value is None:
            return "not readable"
        below = "at most " if self.published.most else ""
        return f"{below}{self.published.value:,.10g}"

    @property
    def text(self) -> str:
        """Our figure with its 95 % interval, where there is one to stand beside."""
        if self.published.value is None:
            return ""
        return self.ours.text

    @property
    def found(self) -> tuple[str, ...]:
        """The readings that agree where our own does not."""
        return tuple(each.name for each in self.attempts if each.agrees)

    @property
    def _too_wide(self) -> str:
        spread = self.ours.deviation / self.ours.mean
        return (
            f"a mean that can be told: the deviation of our runs is {spread:.2g} times their mean, "
            f"and {self.published.runs:,} such runs may be as far from it as from 0"
        )

    @property
    def why(self) -> str:
        """The reason: what is missing, or what gives the published figure and what does not."""
        if self.verdict == UNKNOWN:
            return f"missing: {self.published.missing or self._too_wide}"
        said = [self.published.because] if self.published.because else []
        if self.verdict == DIFFERS:
            count = len(self.attempts)
            gives = f"{'; '.join(self.found)} agrees" if self.found else "none of them agrees"
            said.append(f"Of {count} other readings: {gives}.")
        return " ".join(said)


def compare_published(outcome: Outcome) -> list[Comparison]:
    """Hold all published figures of a study against its data.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("public-2019-two-arms", quick=True).resized(runs=20))
    >>> {each.verdict for each in compare_published(outcome)}
    {'agrees'}
    """
    return [_compared(outcome, each) for each in outcome.study.published]


def _compared(outcome: Outcome, published: Published) -> Comparison:
    ours, luck = _measured(outcome, published, published.policy)
    margin = allowed(ours, published.runs, published.reading)
    about = (outcome.study.name, outcome.study.title, published, ours, margin)
    if published.value is None:
        return Comparison(*about, UNKNOWN)
    if _near(published, ours, margin):
        tells = published.most or margin < abs(published.value)
        return Comparison(*about, AGREES if tells else UNKNOWN)
    tried = []
    for name in published.tried:
        other, _ = _measured(outcome, published, name)
        fits = _near(published, other, allowed(other, published.runs, published.reading))
        tried.append(Attempt(name, other, fits))
    if luck:
        wide = allowed(ours, published.runs, published.reading, luck)
        tried.append(Attempt(REALISED, ours, _near(published, ours, wide)))
    return Comparison(*about, DIFFERS, tuple(tried))


def _near(published: Published, ours: Estimate, margin: float) -> bool:
    value = published.value or 0.0
    return ours.mean <= value + margin and (published.most or ours.mean >= value - margin)


def _measured(outcome: Outcome, published: Published, policy: str) -> tuple[Estimate, float]:
    """Return our figure of what is published, and the deviation that luck would add to a run."""
    data = outcome.find(policy, dict(published.where))[0]
    ours, luck = _estimate(data), _luck(data)
    if not published.over:
        return ours, luck
    base = _estimate(outcome.find(policy, {**dict(published.where), **dict(published.over)})[0])
    ratio = ours.mean / base.mean
    deviation = math.hypot(ours.deviation, ratio * base.deviation) / base.mean
    return Estimate(ratio - 1.0, deviation, min(ours.runs, base.runs)), luck / base.mean


def _estimate(data: CurveData) -> Estimate:
    values = data.final
    deviation = float(values.std(ddof=1)) if values.size > 1 else 0.0
    return Estimate(float(values.mean()), deviation, values.size)


def _luck(data: CurveData) -> float:
    """Return the deviation of a run's rewards if it plays the best arm throughout."""
    if data.curve.confidence:
        return 0.0  # samples are counted, whatever rewards there are
    best = float(data.curve.env.means.max())
    return math.sqrt(data.curve.horizon * best * (1.0 - best))

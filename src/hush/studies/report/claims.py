"""Claims tested on data: *holds*, *does not hold* or *inconclusive*, with the figures.

Four tests. ``less``: one policy's regret is below another's. ``close``: the ratio of two
policies' regrets lies within a factor. ``bounded``: regret is at most a factor times a yardstick.
``rate``: regret grows like a power of a parameter, or of its logarithm, or of both multiplied; the
exponent lies within a margin of the claimed one, or on one side of it. No point may be clearly off
the line by more than a factor of sqrt(2), as epochs double and regret moves in such steps; with one
side, only the point at the end towards which regret grows may not be above it.

Means decide where their intervals do. Where these runs do not tell the means, and only there, the
medians are looked at, and the figure says so: what holds for medians need not hold for means. Exact
regret has no interval: its figures decide.

A test is made at every combination of swept values that the claim does not fix. It holds where
the whole interval is on the claim's side, and does not hold where the whole interval is on the
other; a claim that says "not" says so of each place. A claim holds if it holds everywhere; one
clear counter-example and it does not; else it is inconclusive. The intervals are widened so that
all of one claim's hold together with 95 %. Nothing is widened for the number of claims, unless the
level says so.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hush.output.numbers import readable
from hush.simulation.summary import LEVEL
from hush.studies.definition.study import Claim
from hush.studies.outcome import KINDS, Cell, Outcome, measured
from hush.studies.report.measured import Measured, off_the_line, slope
from hush.studies.yardsticks import yardstick, yardstick_label

__all__ = ["FAILS", "HOLDS", "INCONCLUSIVE", "Finding", "check_claim", "check_claims"]

HOLDS, FAILS, INCONCLUSIVE = "holds", "does not hold", "inconclusive"
NOT = {HOLDS: FAILS, FAILS: HOLDS, INCONCLUSIVE: INCONCLUSIVE}
STRAIGHT = math.log(2.0) / 2.0  # how far a point may be off the line: steps of a factor of two
ENDS = {"at most": -1, "at least": 0}  # towards which a one-sided rate must not speed up
JUST_BELOW = math.nextafter(0.0, -1.0)  # equal is not less
FEW = 6  # so many places are shown one by one
Where = dict[str, Any]
GROWTHS: dict[str, tuple[Callable[[float], float], str]] = {
    "power": (float, "{}"),
    "log": (math.log, "ln {}"),
    "x log x": (lambda x: x * math.log(x), "{0} ln {0}"),
    "x - 1": (lambda x: x - 1.0, "{} - 1"),
}


@dataclass(frozen=True)
class Part:
    """A claim at one place: the tested figure with its interval, and the verdict."""

    where: Where
    figure: str
    value: float
    low: float
    high: float
    verdict: str
    kind: str = "mean"
    off_line: float = 0.0

    @property
    def text(self) -> str:
        """The figure with its interval, and whether points are off the line."""
        ends = "" if self.kind == "exact" else f" ({self.low:,.3g} to {self.high:,.3g})"
        shown = f"{self.value:,.3g}{ends}"
        bent = f", points {math.expm1(self.off_line):.0%} off the line" if self.bent else ""
        return f"{place_label(self.where)}{shown}{bent}"

    @property
    def bent(self) -> bool:
        """Whether the points of a rate are on no straight line."""
        return self.off_line > STRAIGHT


@dataclass(frozen=True)
class Finding:
    """A claim, its verdict, and the figures behind it."""

    study: str
    claim: Claim
    verdict: str
    parts: tuple[Part, ...]

    @property
    def of_medians(self) -> bool:
        """Whether the verdict rests on medians somewhere."""
        return any(part.kind == "median" for part in self.parts)

    @property
    def against(self) -> tuple[Part, ...]:
        """The places that contradict the claim."""
        return tuple(part for part in self.parts if part.verdict == FAILS)

    @property
    def figures(self) -> str:
        """The figures in one line: at every place, or their range where places are many."""
        end = ", exact" if all(part.kind == "exact" for part in self.parts) else ""
        if len(self.parts) <= FEW:
            return f"{self._name} " + "; ".join(part.text for part in self.parts) + end
        low, high = min(p.low for p in self.parts), max(p.high for p in self.parts)
        places = f"{self._name} from {low:,.3g} to {high:,.3g} over {len(self.parts)} places"
        return places + end + self._exceptions

    @property
    def _name(self) -> str:
        return " or ".join(dict.fromkeys(part.figure for part in self.parts))

    @property
    def _exceptions(self) -> str:
        if not self.against:
            return ""
        shown = "; ".join(part.text for part in self.against[:FEW])
        more = len(self.against) - FEW
        return f"; against it: {shown}" + (f"; and {more} more" if more > 0 else "")


def place_label(where: Where) -> str:
    """Return a place in words, to stand before its figure; nothing if there is but one."""
    text = ", ".join(f"{key} {readable(value)}" for key, value in where.items())
    return f"at {text}: " if text else ""


def check_claims(outcome: Outcome, level: float = LEVEL) -> list[Finding]:
    """Test all claims of a study, each at a level of its own.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=20))
    >>> check_claims(outcome)[0].verdict
    'does not hold'
    """
    return [check_claim(outcome, claim, level) for claim in outcome.study.claims]


def check_claim(outcome: Outcome, claim: Claim, level: float = LEVEL) -> Finding:
    """Test one claim; where medians may be looked at too, their intervals count as others."""
    terms = [(where, _terms(outcome, claim, where)) for where in _places(outcome, claim)]
    cells = dict.fromkeys(cell for _, each in terms for term in each for cell in term.cells)
    kinds = [cell.typical().kind for cell in cells]
    looks = sum(kind != "exact" for kind in kinds) * (2 if "median" in kinds else 1)
    each_level = 1.0 - (1.0 - level) / max(1, looks)
    parts = tuple(_tested(claim, where, each, each_level) for where, each in terms)
    verdicts = {part.verdict for part in parts}
    verdict = HOLDS if verdicts == {HOLDS} else FAILS if FAILS in verdicts else INCONCLUSIVE
    return Finding(outcome.study.name, claim, verdict, parts)


def _places(outcome: Outcome, claim: Claim) -> list[Where]:
    """Return all combinations of swept values that the claim leaves open."""
    fixed = dict(claim.where)
    away = dict(claim.minus)
    used = {
        axis
        for name in (claim.policy, claim.other)
        for each in outcome.find(name)
        for axis, _ in each.curve.place
    }
    axes = {
        axis: [fixed[axis]] if axis in fixed else [v for v in values if away.get(axis) != v]
        for axis, values in outcome.study.axes
        if axis in used and axis != claim.against
    }
    return [dict(zip(axes, chosen, strict=True)) for chosen in itertools.product(*axes.values())]


@dataclass(frozen=True)
class Term:
    """What a test looks at: regret, less that of a base where there is one, in some unit."""

    cell: Cell
    base: Cell | None = None
    unit: float = 1.0
    x: float = math.nan

    @property
    def cells(self) -> tuple[Cell, ...]:
        return (self.cell,) if self.base is None else (self.cell, self.base)

    def log(self, found: dict[Cell, Measured]) -> Measured:
        value = found[self.cell] if self.base is None else found[self.cell] - found[self.base]
        return value.divided_by(self.unit).log()


def _terms(outcome: Outcome, claim: Claim, where: Where) -> list[Term]:
    """Return what the claim compares at a place, or the points of its line."""
    if claim.test != "rate":
        names = [name for name in (claim.policy, claim.other) if name]
        return [_term(outcome, claim, name, where) for name in names]
    if claim.against == "round":
        (data,) = outcome.find(claim.policy, where)[:1]
        return [Term(Cell(data, until=point), x=float(point)) for point in claim.rounds]
    away = dict(claim.minus).get(claim.against)
    return [
        _term(outcome, claim, claim.policy, {**where, claim.against: value}, float(value))
        for value in outcome.study.values(claim.against)
        if value != away
    ]


def _term(outcome: Outcome, claim: Claim, policy: str, where: Where, x: float = math.nan) -> Term:
    data = outcome.find(policy, where)[0]
    base = None
    if claim.minus:
        base = Cell(outcome.find(policy, {**where, **dict(claim.minus)})[0], claim.since)
    unit = yardstick(claim.relative_to, data.curve) if claim.relative_to else 1.0
    return Term(Cell(data, claim.since), base, unit, x)


def _tested(claim: Claim, where: Where, terms: list[Term], level: float) -> Part:
    """Test a claim at a place, with intervals that have the level each."""
    cells = list(dict.fromkeys(cell for term in terms for cell in term.cells))
    kinds = {cell.typical().kind for cell in cells}
    found = _by_kind(claim, where, terms, level, "exact" if kinds == {"exact"} else "mean")
    if found.verdict == INCONCLUSIVE and "median" in kinds:
        return _by_kind(claim, where, terms, level, "median")
    return found


def _by_kind(claim: Claim, where: Where, terms: list[Term], level: float, kind: str) -> Part:
    """Test a claim at a place on means, or on medians."""
    cells = dict.fromkeys(cell for term in terms for cell in term.cells)
    values = {cell: measured(cell, level, kind) for cell in cells}
    logs = [term.log(values) for term in terms]
    if claim.test == "rate":
        return _rate(claim, where, kind, terms, logs)
    top = math.log(claim.factor) if claim.test != "less" else JUST_BELOW
    if claim.test == "bounded":
        found, least = logs[0], -math.inf
        name = "regret" if kind == "exact" else f"{kind} regret"
        figure = f"{name} relative to {yardstick_label(claim.relative_to)}"
    else:
        found, least = logs[0] - logs[1], -top if claim.test == "close" else -math.inf
        figure = f"ratio of {KINDS[kind]}"
    verdict = _verdict(claim, found, least, top)
    value, low, high = (math.exp(each) for each in (found.value, found.low, found.high))
    return Part(where, figure, value, low, high, verdict, kind)


def _rate(claim: Claim, where: Where, kind: str, terms: list[Term], logs: list[Measured]) -> Part:
    """Test the slope of ln regret against the logarithm of what it is claimed to grow with."""
    grows, label = GROWTHS[claim.growth]
    x = [math.log(grows(term.x)) for term in terms]
    found = slope(x, logs)
    off_line = off_the_line(x, logs, ENDS.get(claim.side))
    least = claim.exponent - claim.within if claim.side != "at most" else -math.inf
    most = claim.exponent + claim.within if claim.side != "at least" else math.inf
    verdict = _verdict(claim, found, least, most, bent=off_line > STRAIGHT)
    figure = f"exponent of {label.format(claim.against)}"
    if kind == "median":
        figure += " (medians)"
    return Part(where, figure, found.value, found.low, found.high, verdict, kind, off_line)


def _verdict(
    claim: Claim, found: Measured, least: float, most: float, *, bent: bool = False
) -> str:
    """Say where an interval lies; what is on no line does not hold, but need not be false."""
    if least <= found.low and found.high <= most:
        verdict = INCONCLUSIVE if bent else HOLDS
    else:
        outside = found.high < least or found.low > most
        verdict = FAILS if outside else INCONCLUSIVE
    return NOT[verdict] if claim.opposite else verdict

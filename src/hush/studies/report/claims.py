"""Claims tested on data: *holds*, *does not hold* or *inconclusive*, with the figures.

Four tests. ``less``: one policy's regret is below another's. ``close``: the ratio of two
policies' regrets lies within a factor. ``bounded``: regret is at most a factor times a yardstick.
``rate``: regret grows like a power of a parameter, or of its logarithm, or of both multiplied; the
exponent lies within a margin of the claimed one. Exact regret has no interval: its figures decide.

A test is made at every combination of swept values that the claim does not fix. It holds where
the whole confidence interval is on the claim's side, and does not hold where the whole interval
is on the other. A claim holds if it holds everywhere; one clear counter-example and it does not;
else it is inconclusive. The intervals are widened so that all of one claim's together have 95 %.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

from hush.output.numbers import readable
from hush.studies.definition.study import Claim
from hush.studies.outcome import CurveData, Outcome
from hush.studies.report.estimates import Estimate, slope
from hush.studies.yardsticks import yardstick, yardstick_label

__all__ = ["FAILS", "HOLDS", "INCONCLUSIVE", "Finding", "check_claim", "check_claims"]

HOLDS, FAILS, INCONCLUSIVE = "holds", "does not hold", "inconclusive"
LEVEL = 0.95
Where = dict[str, Any]


@dataclass(frozen=True)
class Part:
    """A claim at one place: the tested figure with its interval, and the verdict."""

    where: Where
    figure: str
    value: float
    low: float
    high: float
    verdict: str


@dataclass(frozen=True)
class Finding:
    """A claim, its verdict, and the figures behind it."""

    study: str
    claim: Claim
    verdict: str
    parts: tuple[Part, ...]

    @property
    def figures(self) -> str:
        """The figures in one line: at every place, or their range where places are many."""
        name = self.parts[0].figure
        if all(p.low == p.high for p in self.parts):
            return self._exact_figures(name)
        if len(self.parts) > 6:
            low, high = min(p.low for p in self.parts), max(p.high for p in self.parts)
            return f"{name} from {low:,.3g} to {high:,.3g} over {len(self.parts)} places"
        shown = [
            f"{_shown(p.where)}{p.value:,.3g} ({p.low:,.3g} to {p.high:,.3g})" for p in self.parts
        ]
        return f"{name} " + "; ".join(shown)

    def _exact_figures(self, name: str) -> str:
        if len(self.parts) > 6:
            values = [p.value for p in self.parts]
            ends = f"{min(values):,.3g} to {max(values):,.3g}"
            return f"{name} from {ends} over {len(self.parts)} places, exact"
        shown = "; ".join(f"{_shown(p.where)}{p.value:,.3g}" for p in self.parts)
        return f"{name} {shown}, exact"


def _shown(where: Where) -> str:
    text = ", ".join(f"{key} {readable(value)}" for key, value in where.items())
    return f"at {text}: " if text else ""


def check_claims(outcome: Outcome) -> list[Finding]:
    """Test all claims of a study.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> outcome = run_study(shipped_study("adap-constant", quick=True).resized(runs=10))
    >>> check_claims(outcome)[0].verdict
    'does not hold'
    """
    return [check_claim(outcome, claim) for claim in outcome.study.claims]


def check_claim(outcome: Outcome, claim: Claim) -> Finding:
    """Test one claim."""
    places = _places(outcome, claim)
    level = 1.0 - (1.0 - LEVEL) / len(places)
    parts = tuple(_tested(outcome, claim, where, level) for where in places)
    verdicts = {part.verdict for part in parts}
    verdict = HOLDS if verdicts == {HOLDS} else FAILS if FAILS in verdicts else INCONCLUSIVE
    if claim.opposite:
        verdict = {HOLDS: FAILS, FAILS: HOLDS}.get(verdict, verdict)
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


def _tested(outcome: Outcome, claim: Claim, where: Where, level: float) -> Part:
    if claim.test == "rate":
        figure, estimate = _exponent(outcome, claim, where)
        ends = (claim.exponent - claim.within, claim.exponent + claim.within)
    elif claim.test == "bounded":
        estimate = _measure(outcome, claim, claim.policy, where).log()
        figure = f"regret relative to {yardstick_label(claim.relative_to)}"
        ends = (-math.inf, math.log(claim.factor))
    else:
        estimate = (
            _measure(outcome, claim, claim.policy, where).log()
            - _measure(outcome, claim, claim.other, where).log()
        )
        figure = "ratio"
        top = math.log(claim.factor) if claim.test == "close" else 0.0
        ends = (-top if claim.test == "close" else -math.inf, top)
    low, high = estimate.interval(level)
    verdict = _verdict(low, high, *ends)
    if claim.test == "rate":
        return Part(where, figure, estimate.value, low, high, verdict)
    value, low, high = (math.exp(each) for each in (estimate.value, low, high))
    return Part(where, figure, value, low, high, verdict)


def _verdict(low: float, high: float, least: float, most: float) -> str:
    if least <= low and high <= most:
        return HOLDS
    return FAILS if high < least or low > most else INCONCLUSIVE


def _measure(outcome: Outcome, claim: Claim, policy: str, where: Where) -> Estimate:
    """Return mean regret at the horizon, less what the claim takes off, in the claim's unit."""
    each = _one(outcome, policy, where)
    found = _regret(each, claim.since)
    if claim.minus:
        base = _one(outcome, policy, {**where, **dict(claim.minus)})
        found = found - _regret(base, claim.since)
    if claim.relative_to:
        found = found.divided_by(yardstick(claim.relative_to, each.curve))
    return found


def _one(outcome: Outcome, policy: str, where: Where) -> CurveData:
    return outcome.find(policy, where)[0]


def _regret(each: CurveData, since: int) -> Estimate:
    values = each.final
    if since:
        values = values - each.regret[:, each.curve.points.index(since)]
    return each.estimate(values)


def _exponent(outcome: Outcome, claim: Claim, where: Where) -> tuple[str, Estimate]:
    """Return the slope of ln regret against the logarithm of what it is claimed to grow with."""
    if claim.against == "round":
        each = _one(outcome, claim.policy, where)
        places = [each.curve.points.index(point) for point in claim.rounds]
        y = [each.estimate(each.regret[:, place]).log() for place in places]
        x = [float(point) for point in claim.rounds]
    else:
        away = dict(claim.minus).get(claim.against)
        x = [v for v in outcome.study.values(claim.against) if v != away]
        y = [
            _measure(outcome, claim, claim.policy, {**where, claim.against: value}).log()
            for value in x
        ]
    name = claim.against
    if claim.growth == "log":
        x, name = [math.log(each) for each in x], f"ln {claim.against}"
    elif claim.growth == "x log x":
        x, name = [each * math.log(each) for each in x], f"{claim.against} ln {claim.against}"
    return f"exponent of {name}", slope([math.log(each) for each in x], y)

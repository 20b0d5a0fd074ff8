"""What a forecast is asked: checked before any work is done."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hush.errors import ParameterError, is_finite, is_number, positive, shown, whole
from hush.live import Outlook, Store
from hush.live.durations import UNITS
from hush.live.outlook import outlook
from hush.live.planning import Arms
from hush.live.terms import MOST_ARMS, Terms, checked_share, live_policies
from hush.simulation.engines import why_no_leap
from hush.simulation.runner import fresh_seed

__all__ = ["Question"]

# The loss of one reward at which noise is never seen: it is not 0 once in 10^43 releases.
UNNOISED = 100.0
AROUND = (0.5, 1.0, 2.0, 4.0)  # the promises looked at, relative to that asked for
MOST_DAYS = 3_660
MOST_RUNS = 10**6
MOST_DECISIONS = 10**12
PATIENCE = 10**6  # rounds that may be played one by one, unless a policy is asked for by name
MOST_NOISE = 0.1  # that may be called useful, however far apart the arms are
# A forecast is of an experiment that leaves the rest to `Store.create`.
DEFAULTS = {
    name: each.default
    for name, each in inspect.signature(Store.create).parameters.items()
    if each.default is not inspect.Parameter.empty
}


@dataclass(frozen=True)
class Question:
    """What is guessed, and what is chosen, before an experiment is started.

    Attributes
    ----------
    terms
        The terms of the experiments in question: of each policy, for each promise in order.
    unnoised
        The same, a policy each, for a promise so weak that no noise is ever seen.
    left_out
        Policies that nobody asked for by name, and whose simulation would take too long.

    Examples
    --------
    >>> asked = Question.of({
    ...     "rates": [0.1, 0.3], "per_day": 100, "person_epsilon": 1.0, "person_bound": 4,
    ...     "window": "1d", "days": 14, "learnt": 0.5, "policies": ["LazyDPTS"],
    ...     "epsilons": [2.0], "runs": 100, "seed": 7})
    >>> [each.epsilon for each in asked.terms], asked.unnoised[0].epsilon
    ([0.25, 0.5], 100.0)
    >>> asked.rounds, asked.delay, asked.looked
    (700, 50, (2, 4, 7, 14))
    """

    rates: tuple[float, ...]
    per_day: float
    days: int
    learnt: float
    person_epsilon: float
    terms: tuple[Terms, ...]
    unnoised: tuple[Terms, ...]
    runs: int
    seed: int
    left_out: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Question:
        """Check what ``forecast`` was given."""
        rates = _checked_rates(given["rates"])
        per_day = positive("per_day", given["per_day"])
        days = whole("days", given["days"], least=1, most=MOST_DAYS)
        learnt = checked_share("learnt", positive("learnt", given["learnt"]), 1.0)
        if not 1.0 <= per_day * learnt * days <= MOST_DECISIONS:
            raise ParameterError(
                f"per_day * learnt * days must be from 1 to {MOST_DECISIONS:.0e} decisions; it is "
                f"{per_day * learnt * days:.3g}"
            )
        runs = whole("runs", given["runs"], least=2, most=MOST_RUNS)
        seed = fresh_seed() if given["seed"] is None else whole("seed", given["seed"], least=0)
        promise = positive("person_epsilon", given["person_epsilon"])
        promises = _checked_promises(given["epsilons"], promise)
        bound = whole("person_bound", given["person_bound"], least=1)
        policies = given["policies"]
        names = live_policies() if policies is None else _listed("policies", policies)

        def terms(policy: object, person_epsilon: float) -> Terms:
            chosen = {name: given[name] for name in ("person_bound", "window")}
            return Terms.of(policy, None, {**DEFAULTS, **chosen, "person_epsilon": person_epsilon})

        unnoised = tuple(terms(name, bound * UNNOISED) for name in names)
        if len({str(each.policy) for each in unnoised}) < len(unnoised):
            raise ParameterError("policies must be different ones")
        asked = tuple(terms(name, each) for name in names for each in promises)
        found = cls(rates, per_day, days, learnt, promise, asked, unnoised, runs, seed)
        return found._in_time() if policies is None else found

    def _in_time(self) -> Question:
        """Leave out policies that would take minutes: those that go round by round, for long."""
        delay = self.delay
        if self.rounds * self.runs * (len(self.terms) + len(self.unnoised)) <= PATIENCE:
            return self
        kept = [each for each in self.unnoised if why_no_leap(each.learning, delay) is None]
        names = [each.policy for each in kept]
        return replace(
            self,
            terms=tuple(each for each in self.terms if each.policy in names),
            unnoised=tuple(kept),
            left_out=tuple(each.policy["policy"] for each in self.unnoised if each not in kept),
        )

    @property
    def gaps(self) -> tuple[float, ...]:
        """What a decision for each arm loses."""
        best = max(self.rates)
        return tuple(best - rate for rate in self.rates)

    @property
    def within(self) -> float:
        """The noise on a mean that is called useful: it does not hide the next-best arm."""
        return min([MOST_NOISE, *(gap for gap in self.gaps if gap > 0.0)])

    @property
    def rounds(self) -> int:
        """How many decisions are learnt from in all."""
        return self.rounds_by(self.days)

    @property
    def delay(self) -> int:
        """How many decisions that are learnt from are made while a reward is waited for."""
        return math.floor(self.outlook(self.terms[0]).wait / UNITS["d"] * self._learnt_per_day)

    @property
    def looked(self) -> tuple[int, ...]:
        """The days at which the arm that leads is looked at: the last, half of it, and so on."""
        return tuple(sorted({math.ceil(self.days / part) for part in (1, 2, 4, 8)}))

    @property
    def _learnt_per_day(self) -> float:
        return self.per_day * self.learnt

    def rounds_by(self, day: int) -> int:
        """Return how many decisions are learnt from until the end of a day."""
        return round(self._learnt_per_day * day)

    def outlook(self, terms: Terms) -> Outlook:
        """Return when an experiment of such terms knows something."""
        arms = Arms(tuple(f"arm {number}" for number in range(1, len(self.rates) + 1)))
        return outlook(terms, arms, per_day=self.per_day, learnt=self.learnt, within=self.within)


def _listed(name: str, values: object) -> list[Any]:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise ParameterError(f"{name} must be a list; got {shown(values)}")
    found = list(values)
    if not found:
        raise ParameterError(f"{name} must not be empty")
    return found


def _checked_rates(rates: object) -> tuple[float, ...]:
    found = _listed("rates", rates)
    if not 2 <= len(found) <= MOST_ARMS:
        raise ParameterError(f"rates must be 2 to {MOST_ARMS:,}, one for each arm")
    for each in found:
        if not is_number(each) or not is_finite(each) or not 0.0 <= each <= 1.0:
            raise ParameterError(f"rates must be numbers from 0 to 1; got {shown(each)}")
    return tuple(float(each) for each in found)


def _checked_promises(epsilons: object, asked: float) -> tuple[float, ...]:
    """Return the promises to look at, in order; the one asked for is among them."""
    if epsilons is None:
        return tuple(asked * factor for factor in AROUND)
    found = {positive("one of epsilons", each) for each in _listed("epsilons", epsilons)}
    return tuple(sorted(found | {asked}))

"""What a study is: curves to simulate, pictures to draw, claims to test.

A study is checked once, when it is made; what comes later trusts it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from hush.environments import Bernoulli
from hush.errors import is_number, whole
from hush.policies import Policy

__all__ = ["Claim", "Curve", "Place", "Plot", "Study", "readable"]

Place = tuple[tuple[str, Any], ...]


def readable(value: object) -> str:
    """Return a swept value as a reader wants to see it.

    >>> readable(0.25), readable(1e12), readable(2_500_000), readable("laplace")
    ('0.25', '10^12', '2.5 10^6', 'laplace')
    """
    if not is_number(value):
        return str(value)
    digits, _, power = f"{value:g}".partition("e")
    if not power:
        return digits
    times = "" if digits == "1" else f"{digits} "
    return f"{times}10^{int(power)}"


@dataclass(frozen=True)
class Curve:
    """One policy on one environment: what is simulated, and where in the study's sweeps it lies.

    ``place`` holds the swept values that it depends on: a policy without epsilon has no epsilon
    there, and belongs to every panel.
    """

    name: str
    policy: Policy
    env: Bernoulli
    horizon: int
    runs: int
    points: tuple[int, ...]
    place: Place

    def lies(self, where: dict[str, Any]) -> bool:
        """Tell whether the curve belongs to given swept values; what it lacks fits them all."""
        return all(where.get(axis, value) == value for axis, value in self.place)


@dataclass(frozen=True)
class Plot:
    """A picture: ``time`` (regret against rounds), ``sweep`` (against a swept value), ``dots``."""

    kind: str
    title: str = ""
    against: str = ""
    panels: str = ""
    scales: tuple[str, ...] = ("linear", "log")
    policies: tuple[str, ...] = ()
    where: Place = ()


@dataclass(frozen=True)
class Claim:
    """A sentence and its test on the data; see :mod:`hush.studies.report.claims`."""

    text: str
    test: str
    policy: str
    source: str = ""
    other: str = ""
    factor: float = 1.0
    against: str = ""
    growth: str = "power"
    exponent: float = 1.0
    within: float = 0.25
    rounds: tuple[int, ...] = ()
    since: int = 0
    minus: Place = ()
    where: Place = ()
    opposite: bool = False


@dataclass(frozen=True)
class Study:
    """A checked study.

    Attributes
    ----------
    name
        Its file's name without the suffix.
    axes
        The swept parameters and their values, in order.
    curves
        What is simulated.

    Examples
    --------
    >>> from hush.studies import shipped_study
    >>> study = shipped_study("figure-1", quick=True)
    >>> study.axes
    (('epsilon', (0.25, 0.5, 1.0)),)
    >>> len(study.curves), study.policies[0]
    (16, 'Anytime-Lazy-UCB')
    """

    name: str
    title: str
    about: str
    seed: int
    axes: tuple[tuple[str, tuple[Any, ...]], ...]
    curves: tuple[Curve, ...]
    plots: tuple[Plot, ...] = ()
    claims: tuple[Claim, ...] = ()
    baseline: str = ""
    parameters: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of its policies, in order."""
        return tuple(dict.fromkeys(curve.name for curve in self.curves))

    def values(self, axis: str) -> tuple[Any, ...]:
        """Return the values of a swept parameter; none if it is not swept."""
        return dict(self.axes).get(axis, ())

    def resized(self, *, runs: int | None = None, seed: int | None = None) -> Study:
        """Return the study with another number of runs, or another seed.

        A policy that has fewer runs than the others keeps at most its own number.

        >>> from hush.studies import shipped_study
        >>> shipped_study("figure-1").resized(runs=3).curves[0].runs
        3
        """
        changed = self
        if runs is not None:
            runs = whole("runs", runs, least=1)
            most = max(curve.runs for curve in self.curves)
            curves = tuple(
                replace(curve, runs=runs if curve.runs == most else min(runs, curve.runs))
                for curve in self.curves
            )
            changed = replace(changed, curves=curves)
        if seed is not None:
            changed = replace(changed, seed=whole("seed", seed, least=0))
        return changed

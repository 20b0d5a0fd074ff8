"""What a study is: curves to simulate, pictures to draw, claims to test.

A study is checked once, when it is made; what comes later trusts it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from hush.environments import Bernoulli
from hush.errors import ParameterError, unknown_name, whole
from hush.policies import Policy
from hush.studies.definition.published import Published
from hush.studies.definition.toml_table import Table

__all__ = ["Claim", "Curve", "Place", "Plot", "Study"]

Place = tuple[tuple[str, Any], ...]


@dataclass(frozen=True)
class Curve:
    """One policy on one environment: what is run, and where in the study's sweeps it lies.

    ``place`` holds the swept values that it depends on: a policy without epsilon has no epsilon
    there, and belongs to every panel. Where it is ``exact``, expected regret is computed instead of
    simulated, and counts as one run. Rewards come ``delay`` rounds late. With a ``confidence`` runs
    end when the best arm is named, and samples are counted instead of regret, up to the horizon.
    """

    name: str
    policy: Policy
    env: Bernoulli
    horizon: int
    runs: int
    points: tuple[int, ...]
    place: Place
    exact: bool = False
    delay: int = 0
    confidence: float = 0.0

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
    relative_to: str = ""


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
    side: str = "both"
    rounds: tuple[int, ...] = ()
    since: int = 0
    minus: Place = ()
    where: Place = ()
    opposite: bool = False
    relative_to: str = ""
    family: str = ""
    because: str = ""


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
        What is run.
    relative_to
        Yardsticks that the report shows regret relative to.
    published
        What a source says of the same, to stand beside ours.

    Examples
    --------
    >>> from hush.studies import shipped_study
    >>> study = shipped_study("figures", quick=True)
    >>> study.axes
    (('instance', ('S1', 'S2')), ('epsilon', (0.25, 0.5, 1.0)))
    >>> len(study.curves), study.policies[0]
    (32, 'Anytime-Lazy-UCB')
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
    relative_to: tuple[str, ...] = ()
    published: tuple[Published, ...] = ()

    @property
    def policies(self) -> tuple[str, ...]:
        """The names of its policies, in order."""
        return tuple(dict.fromkeys(curve.name for curve in self.curves))

    def values(self, axis: str) -> tuple[Any, ...]:
        """Return the values of a swept parameter; none if it is not swept."""
        return dict(self.axes).get(axis, ())

    def place(self, value: object) -> Place:
        """Return swept values out of a table such as ``{epsilon = 0.5}``, checked."""
        table = Table("where", value, None)
        for key, each in table.values.items():
            known = self.values(key)
            if not known:
                raise unknown_name("swept parameter", key, [axis for axis, _ in self.axes])
            if each not in known:
                raise ParameterError(f"{key} = {each!r} is not among {', '.join(map(repr, known))}")
        return tuple(table.values.items())

    def resized(self, *, runs: int | None = None, seed: int | None = None) -> Study:
        """Return the study with another number of runs, or another seed.

        A policy that has fewer runs than the others keeps at most its own number.

        >>> from hush.studies import shipped_study
        >>> shipped_study("figures").resized(runs=3).curves[0].runs
        3
        """
        changed = self
        if runs is not None:
            runs = whole("runs", runs, least=1)
            most = max(curve.runs for curve in self.curves)
            curves = tuple(
                curve
                if curve.exact
                else replace(curve, runs=runs if curve.runs == most else min(runs, curve.runs))
                for curve in self.curves
            )
            changed = replace(changed, curves=curves)
        if seed is not None:
            changed = replace(changed, seed=whole("seed", seed, least=0))
        return changed

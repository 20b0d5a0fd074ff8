"""Studies out of TOML files: read, checked, and laid out as curves."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, fields, replace
from importlib import resources
from pathlib import Path
from typing import Any

from hush.errors import ParameterError, choice, positive, unknown_name, whole
from hush.policies import Policy
from hush.policies.core.intervals import checked_confidence
from hush.policies.lookup import policy_named
from hush.simulation.plan import default_checkpoints
from hush.simulation.runner import MOST_ROUNDS
from hush.studies.definition.environment_table import ENVIRONMENT, FIRST, read_environments
from hush.studies.definition.plots_and_claims import read_claims, read_plots
from hush.studies.definition.published import read_published
from hush.studies.definition.study import Curve, Place, Study
from hush.studies.definition.toml_table import Table, located, one_or_more, several, text, truth
from hush.studies.exact_curves import require_exact
from hush.studies.yardsticks import require_yardstick

__all__ = ["PAPERS", "SHIPPED", "load_study", "read_study", "shipped_study", "shipped_text"]

SHIPPED = (
    "figures",
    "beyond",
    "adap-constant",
    "every-policy",
    "horizon",
    "price-of-privacy",
    "arms",
    "gaps",
    "trust",
    "trust-arms",
    "equivalents",
    "full-information",
    "conjecture",
    "brackets",
)
"""The names of the studies that come with Hush."""
PAPERS = (
    "azize-basu-2022",
    "azize-basu-2022-regimes",
    "azize-2024-concentrated",
    "azize-2025",
    "azize-2025-growth",
    "jourdan-azize-2025",
    "hu-2022",
    "hu-similar",
    "public-2019-two-arms",
    "public-2019-four-arms",
    "ren-2020",
    "chowdhury-zhou-2023",
    "chowdhury-zhou-2023-harder",
)
"""The names of those that repeat other people's experiments."""
TOP = (
    "title", "about", "seed", "exact", "runs", "horizon", "epsilon", "checkpoints", "baseline",
    "relative_to", "confidence",
)  # fmt: skip
TABLES = ("environment", "policies", "plots", "claims", "published", "quick")
QUICK = ("runs", "horizon", "epsilon", "checkpoints", "policy_runs", *ENVIRONMENT)
RESERVED = ("policy", "name", "runs")
Axes = dict[str, tuple[Any, ...]]


def load_study(path: str | Path, *, quick: bool = False) -> Study:
    r"""Read a study from a TOML file.

    Parameters
    ----------
    path
        The file. Its name without the suffix names the study.
    quick
        Take the smaller sizes of the file's ``[quick]`` table.

    Examples
    --------
    >>> from pathlib import Path
    >>> from hush.studies import load_study
    >>> lines = ['runs = 5', 'horizon = [100, 1000]', 'epsilon = 1.0', '[environment]',
    ...          'instance = "S1"', '[[policies]]', 'policy = "LazyDPTS"']
    >>> path = Path(getfixture("tmp_path")) / "mine.toml"
    >>> _ = path.write_text("\n".join(lines))
    >>> [curve.horizon for curve in load_study(path).curves]
    [100, 1000]
    """
    path = Path(path)
    try:
        content = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ParameterError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ParameterError(f"cannot read {path}: it is not UTF-8") from None
    return read_study(path.stem, content, path.name, quick=quick)


def shipped_study(name: str, *, quick: bool = False) -> Study:
    """Return one of the studies that come with Hush.

    >>> shipped_study("figure-1")
    Traceback (most recent call last):
    ...
    hush.errors.UnknownNameError: unknown study 'figure-1'; did you mean 'figures'?
    """
    return read_study(name, shipped_text(name), f"{name}.toml", quick=quick)


def shipped_text(name: str) -> str:
    """Return the file of a study that comes with Hush: a beginning for your own.

    >>> print(shipped_text("horizon").splitlines()[0])
    title = "Regret against the horizon"
    """
    choice("study", name, (*SHIPPED, *PAPERS))
    folder = resources.files("hush.studies") / "data"
    file = (folder / "papers" if name in PAPERS else folder) / f"{name}.toml"
    return file.read_text(encoding="utf-8")


def read_study(name: str, content: str, file: str, *, quick: bool = False) -> Study:
    """Read a study from the text of a TOML file; ``file`` is named in errors."""
    try:
        values = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise ParameterError(f"{file}: not TOML: {error}") from None
    top = Table(f"{file}: ", values, (*TOP, *TABLES))
    if "environment" not in top:
        raise top.refuse("environment", 'is missing; write [environment] and instance = "S1"')
    environment = Table(top.at("environment"), top.values["environment"], ENVIRONMENT)
    small = Table(top.at("quick"), top.values.get("quick", {}), QUICK)
    if quick:
        _shrink(top, environment, small)
    return _Layout(name, top, environment).study()


def _shrink(top: Table, environment: Table, small: Table) -> None:
    for key, value in small.values.items():
        if key == "policy_runs":
            most = small.get(key, lambda each: whole("policy_runs", each, least=1))
            for entry in top.tables("policies", None):
                if "runs" in entry:
                    given = top.values["policies"][int(entry.where[:-1].rpartition("[")[2]) - 1]
                    given["runs"] = min(most, given["runs"])
        else:
            (environment if key in ENVIRONMENT else top).values[key] = value


def _yardsticks(value: object, curves: list[Curve]) -> tuple[str, ...]:
    """Return what regret is shown relative to; every curve must have it."""
    names = [text(each) for each in one_or_more(value)]
    for name, curve in itertools.product(names, curves):
        require_yardstick(name, curve)
    return tuple(names)


class _Layout:
    """The way from tables to a study."""

    def __init__(self, name: str, top: Table, environment: Table) -> None:
        self.name, self.top, self.environment = name, top, environment
        self.axes: Axes = {}
        self.exact = bool(top.get("exact", truth, False))
        self.runs = self._runs(top)
        self.confidence = float(top.get("confidence", checked_confidence, 0.0))
        self.horizons = self._swept(
            top, "horizon", lambda each: whole("horizon", each, least=1, most=MOST_ROUNDS)
        )
        self.epsilons = (
            self._swept(top, "epsilon", lambda each: positive("epsilon", each))
            if "epsilon" in top
            else ()
        )

    def study(self) -> Study:
        top = self.top
        environments = read_environments(self.environment, self._swept)
        curves = []
        names: list[str] = []
        entries = top.tables("policies", None)
        if not entries:
            raise top.refuse("policies", "a study needs at least one [[policies]]")
        for entry in entries:
            name, variants, runs = self._policy(entry)
            if name in names:
                raise entry.refuse("name", f"{name!r} is there already; give this one a name")
            names.append(name)
            for (at_env, env), horizon in itertools.product(environments, self.horizons):
                at_time: Place = (("horizon", horizon),) if len(self.horizons) > 1 else ()
                points = self._points(horizon)
                for at_policy, policy in variants:
                    place = (*at_policy, *at_env, *at_time)
                    filled = policy.with_horizon(horizon)
                    curve = Curve(
                        name, filled, env, horizon, runs, points, place, self.exact,
                        confidence=self.confidence,
                    )  # fmt: skip
                    if self.exact:
                        with located(entry.where):
                            require_exact(curve)
                    curves.append(curve)
        baseline = top.get("baseline", text, "")
        if baseline and baseline not in names:
            raise top.refuse("baseline", str(unknown_name("policy of this study", baseline, names)))
        study = Study(
            name=self.name,
            title=top.get("title", text, self.name),
            about=top.get("about", text, ""),
            seed=top.get("seed", lambda each: whole("seed", each, least=0), 2024),
            axes=tuple(sorted(self.axes.items(), key=lambda axis: axis[0] not in FIRST)),
            curves=tuple(curves),
            baseline=baseline,
            relative_to=top.get("relative_to", lambda each: _yardsticks(each, curves), ()),
        )
        plots = read_plots(top, study)
        claims = read_claims(top, study)
        published = read_published(top, study)
        return replace(study, plots=plots, claims=claims, published=published)

    def _runs(self, table: Table) -> int:
        """Return how many runs there are: one stands for all where regret is exact."""
        if self.exact:
            if "runs" in table:
                raise table.refuse("runs", "exact regret is computed: there are no runs")
            return 1
        return int(table.get("runs", lambda each: whole("runs", each, least=1)))

    def _swept(self, table: Table, key: str, check: Callable[[Any], Any]) -> tuple[Any, ...]:
        """Return a key's values; more than one make it an axis."""
        values = table.get(key, lambda given: tuple(check(each) for each in one_or_more(given)))
        return self._axis(table, key, values)

    def _axis(self, table: Table, key: str, values: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(values)) < len(values):
            raise table.refuse(key, "the same value stands there twice")
        if len(values) > 1:
            known = self.axes.get(key, ())
            self.axes[key] = (*known, *(each for each in values if each not in known))
        return tuple(values)

    def _policy(self, entry: Table) -> tuple[str, list[tuple[Place, Policy]], int]:
        cls = entry.get("policy", lambda each: policy_named(text(each)))
        given = {key: value for key, value in entry.values.items() if key not in RESERVED}
        known = [each.name for each in fields(cls) if each.init]
        for key in given:
            with located(entry.at(key)):
                cls.check_names([key])
        lists = {key: self._values(entry, cls, key) for key in given}
        if "epsilon" in known and not {"epsilon", "rho"} & set(given):
            if not self.epsilons:
                raise entry.refuse("epsilon", f"{cls.__name__} needs one, here or for the study")
            lists["epsilon"] = self.epsilons
        variants = []
        for chosen in itertools.product(*lists.values()):
            parameters = dict(zip(lists, chosen, strict=True))
            place = tuple((key, parameters[key]) for key in lists if len(lists[key]) > 1)
            with located(entry.where):
                variants.append((place, cls.from_parameters(parameters)))
        runs = self._runs(entry) if "runs" in entry else self.runs
        return entry.get("name", text, cls.__name__), variants, runs

    def _values(self, entry: Table, cls: type[Policy], key: str) -> tuple[Any, ...]:
        """Return a parameter's values: a list sweeps it, unless its values are lists themselves."""
        value = entry.values[key]
        default = next(each.default for each in fields(cls) if each.name == key)
        listed = default is not MISSING and isinstance(default, tuple)
        if not isinstance(value, list) or (listed and not isinstance(value[0], list)):
            return (tuple(value) if isinstance(value, list) else value,)
        values = tuple(tuple(v) if isinstance(v, list) else v for v in several(value))
        return self._axis(entry, key, values)

    def _points(self, horizon: int) -> tuple[int, ...]:
        given = self.top.values.get("checkpoints", 60)
        where = self.top.at("checkpoints")
        with located(where):
            if given == "final":
                points = {horizon}
            elif isinstance(given, list):
                points = {whole("a checkpoint", each, least=1) for each in several(given)}
            else:
                count = whole("checkpoints", given, least=2, most=10_000)
                points = set(default_checkpoints(horizon, count).tolist())
        points |= self._claimed()
        return tuple(sorted({each for each in points if each < horizon} | {horizon}))

    def _claimed(self) -> set[int]:
        """Return the rounds that claims look at."""
        found: set[int] = set()
        for claim in self.top.tables("claims", None):
            for key in ("rounds", "since"):
                if key in claim:
                    with located(claim.at(key)):
                        given = one_or_more(claim.values[key])
                        found |= {whole("a round", each, least=1) for each in given}
        return found

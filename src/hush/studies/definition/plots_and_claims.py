"""The plots and claims of a study's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hush.errors import ParameterError, choice, positive, whole
from hush.studies.definition.study import Claim, Plot, Study
from hush.studies.definition.toml_table import Table, number, several, text, truth

__all__ = ["read_claims", "read_plots"]

PLOT = ("kind", "title", "against", "panels", "scales", "policies", "where", "relative_to")
GROWTHS = ("power", "log", "x log x", "x - 1")
SIDES = ("both", "at most", "at least")
KINDS = ("time", "sweep", "dots")
TESTS: dict[str, tuple[str, ...]] = {
    "less": ("than", "since", "minus"),
    "close": ("to", "factor", "since", "minus"),
    "bounded": ("relative_to", "factor"),
    "rate": (
        "against", "growth", "exponent", "within", "side", "rounds", "since", "minus", "relative_to"
    ),
}  # fmt: skip
CLAIM = ("text", "family", "source", "because", "test", "policy", "where", "opposite")


def read_plots(top: Table, study: Study) -> tuple[Plot, ...]:
    """Return the plots; left out, one against each swept value, or else against time."""
    tables = top.tables("plots", PLOT)
    if not tables:
        time = Plot("time", title=study.title, policies=study.policies)
        sweeps = [
            replace(time, kind="sweep", against=axis, scales=("log", "log"))
            for axis, _ in study.axes
        ]
        return tuple(sweeps) or (time,)
    return tuple(_plot(each, study) for each in tables)


def _plot(table: Table, study: Study) -> Plot:
    kind = table.get("kind", lambda each: choice("kind of plot", each, KINDS))
    axes = [axis for axis, _ in study.axes]
    for key in ("against", "relative_to"):
        if kind != "sweep" and key in table:
            raise table.refuse(key, 'goes with kind = "sweep"')

    def axis(value: object) -> str:
        return choice("swept parameter", value, axes)

    default = ("log", "log") if kind == "sweep" else ("linear", "log")
    scales = table.get("scales", lambda each: tuple(_scale(s) for s in several(each)), default)
    if kind == "sweep" and len(scales) != 2:
        raise table.refuse("scales", "a sweep has two: of the parameter and of regret")
    return Plot(
        kind=kind,
        title=table.get("title", text, study.title),
        against=table.get("against", axis) if kind == "sweep" else "",
        panels=table.get("panels", axis, ""),
        scales=scales,
        policies=table.get(
            "policies", lambda each: tuple(_policy(n, study) for n in several(each)), study.policies
        ),
        where=table.get("where", study.place, ()),
        relative_to=table.get("relative_to", lambda each: _yardstick(each, study), ""),
    )


def _scale(value: object) -> str:
    return choice("scale", value, ["linear", "log"])


def _policy(value: object, study: Study) -> str:
    return choice("policy of this study", value, study.policies)


def _yardstick(value: object, study: Study) -> str:
    return choice("yardstick of the study's relative_to", value, study.relative_to)


def read_claims(top: Table, study: Study) -> tuple[Claim, ...]:
    """Return the claims."""
    every = [*CLAIM, *{key for keys in TESTS.values() for key in keys}]
    return tuple(_claim(each, study) for each in top.tables("claims", every))


def _claim(table: Table, study: Study) -> Claim:
    test = table.get("test", lambda each: choice("test", each, TESTS))
    for key in table.values:
        if key not in (*CLAIM, *TESTS[test]):
            users = [name for name, keys in TESTS.items() if key in keys]
            raise table.refuse(key, f"goes with test = {' or '.join(map(repr, users))}")
    values: dict[str, Any] = {
        "text": table.get("text", text),
        "family": table.get("family", text, study.title),
        "source": table.get("source", text, ""),
        "because": table.get("because", text, ""),
        "test": test,
        "policy": table.get("policy", lambda each: _policy(each, study)),
        "where": table.get("where", study.place, ()),
        "minus": table.get("minus", study.place, ()),
        "opposite": table.get("opposite", truth, False),
        "since": table.get("since", lambda each: _round(each, study), 0),
    }
    if test == "bounded" or "relative_to" in table:
        values["relative_to"] = table.get("relative_to", lambda each: _yardstick(each, study))
    return Claim(**values, **TERMS[test](table, study))


def _growth(table: Table, study: Study) -> dict[str, Any]:
    """Return what regret is claimed to grow with, and how."""
    known = ["round", *(axis for axis, _ in study.axes)]
    terms: dict[str, Any] = {
        "against": table.get("against", lambda each: choice("parameter", each, known)),
        "growth": table.get("growth", lambda each: choice("growth", each, GROWTHS), "power"),
        "exponent": table.get("exponent", number, 1.0),
        "within": table.get("within", lambda each: positive("within", each), 0.25),
        "side": table.get("side", lambda each: choice("side", each, SIDES), "both"),
    }
    if terms["against"] == "round":
        if "relative_to" in table:
            raise table.refuse("relative_to", "goes with a swept parameter, not with rounds")
        terms["rounds"] = table.get(
            "rounds", lambda each: tuple(_round(point, study) for point in several(each))
        )
        if len(terms["rounds"]) < 2:
            raise table.refuse("rounds", "needs two rounds at least")
    return terms


def _less(table: Table, study: Study) -> dict[str, Any]:
    return {"other": table.get("than", lambda each: _policy(each, study))}


def _close(table: Table, study: Study) -> dict[str, Any]:
    other = table.get("to", lambda each: _policy(each, study))
    factor = table.get("factor", lambda each: positive("factor", each), 1.25)
    if factor <= 1.0:
        raise table.refuse("factor", "must be above 1")
    return {"other": other, "factor": factor}


def _bounded(table: Table, _study: Study) -> dict[str, Any]:
    return {"factor": table.get("factor", lambda each: positive("factor", each))}


TERMS: dict[str, Callable[[Table, Study], dict[str, Any]]] = {
    "less": _less,
    "close": _close,
    "bounded": _bounded,
    "rate": _growth,
}


def _round(value: Any, study: Study) -> int:  # noqa: ANN401
    """Return a round that is a checkpoint of every curve."""
    found = whole("a round", value, least=1)
    horizon = min(curve.horizon for curve in study.curves)
    if found > horizon:
        raise ParameterError(f"round {found} is beyond the horizon {horizon}")
    return found

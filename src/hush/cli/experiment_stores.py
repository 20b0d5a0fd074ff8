"""Stores of live experiments as words on a command line, and what is printed of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from hush import live
from hush.cli.terminal_rows import print_rows
from hush.errors import ParameterError, StoreError
from hush.live.terms import Terms
from hush.output.numbers import counted

__all__ = [
    "By",
    "ExperimentName",
    "experiment_document",
    "list_document",
    "opened",
    "per_day",
    "print_experiment",
    "print_list",
    "promised",
]

ExperimentName = Annotated[str, typer.Argument(metavar="NAME", help="The experiment.")]
By = Annotated[str, typer.Option("--by", help="Who does it, for the public log.")]

PERIODS = {"minute": 1_440.0, "hour": 24.0, "day": 1.0, "week": 1 / 7, "month": 12 / 365.25}


def opened(
    store: str, private: str | None, secret: Path | None, *, new: bool = False
) -> live.Store:
    """Open a store; only ``create`` may make one, so that a misspelt path is noticed."""
    if not new and "://" not in store and not Path(store).exists():
        raise StoreError(f"there is no store {store}; hush experiment create makes one")
    return live.open(store, private=private, secret=secret)


def per_day(text: str) -> float:
    """Read traffic: ``5000/day``, ``200/hour``, or a number a day.

    >>> per_day("200/hour"), per_day("5000")
    (4800.0, 5000.0)
    """
    found = re.fullmatch(r"\s*([0-9][0-9_,.]*(?:e[0-9]+)?)\s*(?:/\s*([a-z]+))?\s*", text)
    period = found[2] or "day" if found else ""
    if found is None or period not in PERIODS:
        raise ParameterError(f"--traffic must be such as 5000/day or 200/hour; got {text!r}")
    try:
        return float(found[1].replace(",", "")) * PERIODS[period]
    except ValueError:
        raise ParameterError(f"--traffic must be such as 5000/day; got {text!r}") from None


def promised(terms: Terms) -> str:
    """Return the promise in a few words."""
    each = (
        "one decision learnt from"
        if terms.person_bound == 1
        else f"{terms.epsilon:g} for each of up to {terms.person_bound:,} decisions"
    )
    return f"epsilon {terms.person_epsilon:g} for every person, {each}"


def list_document(store: live.Store) -> dict[str, Any]:
    """Return every experiment of a store in short."""
    return {"experiments": [_short(store.experiment(name)) for name in store.names]}


def _short(exp: live.Experiment) -> dict[str, Any]:
    served, learnt = _totals(exp.tallies)
    return {
        "experiment": exp.name,
        "state": exp.state,
        "policy": exp.terms.policy["policy"],
        "arms": len(exp.arms) - len(exp.retired),
        "person_epsilon": exp.guarantee.under("replace"),
        "decisions": served,
        "learnt": learnt,
        "release_count": len(exp.releases),
    }


def experiment_document(store: live.Store, exp: live.Experiment) -> dict[str, Any]:
    """Return what anyone may know of an experiment."""
    promise = exp.guarantee
    return {
        **_short(exp),
        "terms": exp.terms.to_dict(),
        "guarantee": {
            "epsilon": promise.epsilon,
            "neighbours": promise.neighbours,
            "unit": promise.unit,
            "reason": promise.reason,
        },
        "plans": exp.plans,
        "tallies": exp.tallies,
        "releases": [asdict(each) for each in exp.releases],
        "ledger": store.ledger(exp.terms.population),
        "held": store.held,
    }


def print_list(experiments: Iterable[dict[str, Any]]) -> None:
    """Print every experiment of :func:`list_document` in a line."""
    rows = [
        (
            each["experiment"],
            each["state"],
            each["policy"],
            str(each["arms"]),
            f"{each['person_epsilon']:g}",
            f"{each['decisions']:,}",
            _unlearnt(each["decisions"], each["learnt"]),
            str(each["release_count"]),
        )
        for each in experiments
    ]
    columns = (
        "experiment",
        "state",
        "policy",
        "arms",
        "person epsilon",
        "decisions",
        "unlearnt",
        "releases",
    )
    print_rows(counted(len(rows), "experiment", "experiments"), columns, rows)


def print_experiment(store: live.Store, exp: live.Experiment) -> None:
    """Print what anyone may know of an experiment."""
    terms = exp.terms
    typer.echo(f"{exp.name} is {exp.state}: {terms.policy['policy']}, {promised(terms)}")
    tallies = {(each["segment"], each["arm"]): each for each in exp.tallies}
    for segment, plan in exp.plans.items():
        print_rows(
            f"segment {segment}" if segment else "",
            ("arm", "chance", "decisions", "learnt", "released", "noisy mean"),
            [_arm_row(arm, tallies.get((segment, arm["name"])), exp) for arm in plan["arms"]],
        )
    _print_standing(store, exp)
    typer.echo(f"Promise: {exp.guarantee.reason}")


def _arm_row(arm: dict[str, Any], tally: dict[str, Any] | None, exp: live.Experiment) -> list[str]:
    low, high = exp.terms.reward_range
    count = arm["count"]
    mean = low + (high - low) * arm["noisy_sum"] / count if count else None
    return [
        arm["name"] + (" (retired)" if arm["retired"] else ""),
        f"{arm['chance']:.1%}",
        f"{tally['served']:,}" if tally else "0",
        f"{tally['learnt']:,}" if tally else "0",
        f"{count:,.0f}",
        "" if mean is None else f"{mean:.4g}",
    ]


def _print_standing(store: live.Store, exp: live.Experiment) -> None:
    releases = exp.releases
    if releases:
        last = releases[-1]
        typer.echo(
            f"{len(releases):,} releases; the last, {last.name} over {last.count:,} decisions, "
            f"appeared at {last.at:%Y-%m-%d %H:%M} UTC."
        )
    else:
        typer.echo("Nothing is released yet.")
    served, learnt = _totals(exp.tallies)
    if served:
        typer.echo(
            f"Unlearnt: {_unlearnt(served, learnt)} of {served:,} decisions as of the last "
            "settlement, beyond the bound of their person."
        )
    ledger = store.ledger(exp.terms.population)
    limit = "no limit" if ledger["limit"] is None else f"a limit of {ledger['limit']:g}"
    typer.echo(
        f"Ledger: population {ledger['population']!r} was promised {ledger['total']:g} in all, "
        f"with {limit}."
    )
    if store.held is not None:
        typer.echo(f"Settlement is held: {store.held}.")


def _totals(tallies: Iterable[dict[str, Any]]) -> tuple[int, int]:
    rows = list(tallies)
    return sum(each["served"] for each in rows), sum(each["learnt"] for each in rows)


def _unlearnt(served: int, learnt: int) -> str:
    return f"{1.0 - learnt / served:.1%}" if served else ""

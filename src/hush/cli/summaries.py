"""Results of simulations as documents, and in files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hush.output.files import replaced
from hush.simulation import Identification, Result
from hush.studies import Outcome

__all__ = ["SUFFIXES", "identification_document", "outcome_document", "result_document", "saved"]

SUFFIXES = (".svg", ".png", ".pdf", ".csv", ".npz")


def saved(result: Result | Identification, paths: Iterable[Path]) -> list[Path]:
    """Write a result to files, each as its suffix says, and return them."""
    files = list(paths)
    for path in files:
        if path.suffix.lower() == ".npz":
            result.save(path)
        elif path.suffix.lower() == ".csv":
            with replaced(path) as temporary:
                result.to_pandas().to_csv(temporary, index=False)
        else:
            result.plot(path)
    return files


def _policies(result: Result | Identification, figure: str) -> list[dict[str, Any]]:
    """Return what is known of each policy; the columns of its summary stand under the figure."""
    rows = result.summary().to_dict("records")
    return [
        {
            "policy": label,
            "parameters": parameters,
            "engine": row.pop("engine"),
            figure: row,
        }
        for label, parameters, row in zip(result.policies, result.parameters, rows, strict=True)
    ]


def result_document(result: Result) -> dict[str, Any]:
    """Return what ``hush simulate --json`` prints."""
    return {
        "horizon": result.horizon,
        "runs": result.runs,
        "seed": result.seed,
        "delay": result.delay,
        "discrete": result.discrete,
        "environment": result.environment,
        "policies": _policies(result, "regret"),
    }


def identification_document(found: Identification) -> dict[str, Any]:
    """Return what ``hush identify --json`` prints."""
    return {
        "confidence": found.confidence,
        "most": found.most,
        "runs": found.runs,
        "seed": found.seed,
        "discrete": found.discrete,
        "environment": found.environment,
        "policies": _policies(found, "samples"),
    }


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    """Return a study and its figures at the horizon, for ``compare``, ``run`` and ``reproduce``."""
    study = outcome.study
    return {
        "study": study.name,
        "title": study.title,
        "seed": study.seed,
        "baseline": study.baseline or None,
        "sha256": outcome.digest,
        "regret": outcome.summary_rows(final=True),
        "differences": outcome.difference_rows(),
    }

"""``hush policies``: what there is."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from hush.cli.answering import Answer
from hush.cli.terminal_tables import print_rows
from hush.policies import REGISTERED, Policy

__all__ = ["policies"]


def policies() -> Answer:
    """List every policy: feedback, parameters with their defaults, and what it is."""
    known = sorted(REGISTERED, key=lambda each: each.__name__.lower())
    document = {
        "policies": [
            {
                "policy": cls.__name__,
                "feedback": cls.feedback,
                "private": not cls.non_private,
                "parameters": {
                    each.name: None if each.default is MISSING else each.default
                    for each in fields(cls)
                    if each.init
                },
                "required": [f.name for f in fields(cls) if f.init and f.default is MISSING],
                "summary": cls.summary,
                "reference": cls.reference,
            }
            for cls in known
        ]
    }
    rows = [(cls.__name__, cls.feedback, parameters(cls), cls.summary) for cls in known]
    columns = ("policy", "feedback", "parameters", "what it is")
    title = f"{len(rows)} policies"
    return Answer(document, lambda: print_rows(title, columns, rows, numbers=False))


def parameters(cls: type[Policy]) -> str:
    """Return a policy's parameters with their defaults, as one line."""
    return ", ".join(_parameter(each) for each in fields(cls) if each.init) or "none"


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}={field.default_factory()}"
    return field.name if field.default is MISSING else f"{field.name}={field.default!r}"

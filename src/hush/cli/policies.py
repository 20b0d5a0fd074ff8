"""``hush policies``: what there is."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

from hush.cli.terminal_tables import print_rows
from hush.policies import REGISTERED, Policy

__all__ = ["policies"]


def policies() -> None:
    """List every policy: feedback, parameters with their defaults, and what it is."""
    rows = [
        (cls.__name__, cls.feedback, parameters(cls), cls.summary)
        for cls in sorted(REGISTERED, key=lambda each: each.__name__.lower())
    ]
    columns = ("policy", "feedback", "parameters", "what it is")
    print_rows(f"{len(rows)} policies", columns, rows, numbers=False)


def parameters(cls: type[Policy]) -> str:
    """Return a policy's parameters with their defaults, as one line."""
    return ", ".join(_parameter(each) for each in fields(cls) if each.init) or "none"


def _parameter(field: Field[Any]) -> str:
    if field.default_factory is not MISSING:
        return f"{field.name}={field.default_factory()}"
    return field.name if field.default is MISSING else f"{field.name}={field.default!r}"

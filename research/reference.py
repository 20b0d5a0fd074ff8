"""The reference: which names are public, and whether the pages in ``docs/api`` have them all."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import griffe

from hush.policies import REGISTERED
from research.pages import DOCS, Page

__all__ = ["MODULES", "PAGE", "ComputedExports", "faults", "listed"]

# Modules whose ``__all__`` people may rely on.
MODULES = (
    "hush",
    "hush.adapters",
    "hush.auditing",
    "hush.client",
    "hush.environments",
    "hush.errors",
    "hush.forecasting",
    "hush.live",
    "hush.mechanisms",
    "hush.noise",
    "hush.policies",
    "hush.privacy",
    "hush.service",
    "hush.simulation",
    "hush.studies",
    "hush.testing",
    "hush.theory",
)


def _policies() -> str:
    return "\n\n".join(f"::: hush.{policy.__name__}" for policy in REGISTERED)


PAGE = Page("api/policies", {"policies": lambda _tables: _policies()})


def listed() -> list[str]:
    """Return every name that the pages of the reference show, as often as they do."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "api").glob("*.md"))]
    return [name for text in texts for name in re.findall(r"^::: ([\w.]+)", text, re.MULTILINE)]


def faults() -> list[str]:
    """Return a line for each public name that is on no page, on several, or says nothing."""
    package = _package()
    shown: dict[str, str] = {}
    found = []
    for name in listed():
        try:
            thing = package[name[5:]]
        except KeyError:
            found.append(f"{name} is in docs/api, and not in the code")
            continue
        if thing.canonical_path in shown:
            found.append(f"{name} is in the reference already, as {shown[thing.canonical_path]}")
        shown[thing.canonical_path] = name
        if not thing.has_docstring:
            found.append(f"{name} has no docstring")
    missing = [name for name in _public() if package[name[5:]].canonical_path not in shown]
    return [*found, *(f"{name} is public, and on no page of docs/api" for name in missing)]


@cache
def _package() -> griffe.Module:
    found = griffe.load("hush", extensions=griffe.load_extensions(ComputedExports))
    assert isinstance(found, griffe.Module)  # noqa: S101  what a package is read as
    return found


class ComputedExports(griffe.Extension):
    """Tells Griffe, which reads code and runs none, what a computed ``__all__`` is."""

    def on_module_members(self, *, mod: griffe.Module, **_: Any) -> None:  # noqa: ANN401
        """Ask the running module where its own code does not say it."""
        if mod.exports == []:
            mod.exports = list(importlib.import_module(mod.path).__all__)


def _public() -> Iterator[str]:
    for module in MODULES:
        for name in importlib.import_module(module).__all__:
            if name != "__version__":
                yield f"{module}.{name}"

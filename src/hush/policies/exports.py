"""What a package exports: the classes and functions in its namespace, in order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

__all__ = ["in_order", "public_names"]


def public_names(namespace: Mapping[str, Any], room: str) -> list[str]:
    """Return the names of a package's own classes and functions: constants, classes, functions.

    >>> public_names({"in_order": in_order, "_hidden": in_order, "x": 1}, "hush.policies")
    ['in_order']
    """
    found = [
        name
        for name, value in namespace.items()
        if not name.startswith("_") and str(getattr(value, "__module__", "")).startswith(room)
    ]
    return in_order(found)


def in_order(names: Iterable[str]) -> list[str]:
    """Return names sorted as ``__all__`` lists them.

    >>> in_order(["audit", "UCB1", "Policy"])
    ['UCB1', 'Policy', 'audit']
    """
    return sorted(names, key=lambda name: (not name.isupper(), not name[0].isupper(), name))

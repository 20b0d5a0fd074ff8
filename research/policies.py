"""The list of policies: computed from the registry, nothing is stored."""

from __future__ import annotations

from hush.policies.listing import policies_table
from research.pages import Page

__all__ = ["PAGE"]

PAGE = Page("policies", {"policies": lambda _tables: policies_table()})

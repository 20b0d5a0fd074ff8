"""The page about what is wrong in the paper: all its figures are printed by its examples."""

from __future__ import annotations

from research.printed import PrintedPage

__all__ = ["PAGE"]

PAGE = PrintedPage("errata", {})

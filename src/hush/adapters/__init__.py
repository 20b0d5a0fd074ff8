"""Hush where people already are: river, MABWiser and Gymnasium, in both directions.

Each needs the other package, which is imported when its name is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hush.extras import require

if TYPE_CHECKING:
    from hush.adapters.gymnasium_environments import from_gymnasium as from_gymnasium
    from hush.adapters.hush_in_gymnasium import to_gymnasium as to_gymnasium
    from hush.adapters.hush_in_river import to_river as to_river
    from hush.adapters.mabwiser_policies import from_mabwiser as from_mabwiser
    from hush.adapters.river_policies import from_river as from_river

__all__ = ["from_gymnasium", "from_mabwiser", "from_river", "to_gymnasium", "to_river"]

# Where each is, and what it needs.
_MODULES = {
    "from_gymnasium": ("gymnasium_environments", "gymnasium"),
    "from_mabwiser": ("mabwiser_policies", "mabwiser"),
    "from_river": ("river_policies", "river"),
    "to_gymnasium": ("hush_in_gymnasium", "gymnasium"),
    "to_river": ("hush_in_river", "river"),
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        from importlib import import_module

        if name not in _MODULES:
            raise AttributeError(f"module 'hush.adapters' has no attribute {name!r}")
        module, package = _MODULES[name]
        require(f"an adapter of {package}")
        return getattr(import_module(f"hush.adapters.{module}"), name)

"""Live experiments over HTTP: ``hush serve`` runs it, :class:`hush.Client` asks it.

Its names are loaded when they are first used: a client reads the messages, and needs no server.

Examples
--------
>>> import hush.live, hush.service
>>> store = hush.live.open(":memory:")
>>> app = hush.service.App(lambda: hush.service.Core(store))  # for any ASGI server
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hush.extras import require

if TYPE_CHECKING:
    from hush.service.application import App as App
    from hush.service.core import Core as Core
    from hush.service.core import Settings as Settings
    from hush.service.openapi import document as document
    from hush.service.operations import OPERATIONS as OPERATIONS
    from hush.service.serving import Place as Place
    from hush.service.serving import serve as serve

__all__ = ["OPERATIONS", "App", "Core", "Place", "Settings", "document", "serve"]

_PLACES = {
    "App": "application",
    "Core": "core",
    "Settings": "core",
    "document": "openapi",
    "Place": "serving",
    "serve": "serving",
}

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        if name in __all__:
            require("hush.service")
        if name == "OPERATIONS":
            import_module("hush.service.application")  # routes enter themselves
            return import_module("hush.service.operations").OPERATIONS
        if name in _PLACES:
            return getattr(import_module(f"hush.service.{_PLACES[name]}"), name)
        raise AttributeError(f"module 'hush.service' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted(__all__)

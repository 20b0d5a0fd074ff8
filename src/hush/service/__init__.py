"""Live experiments over HTTP: ``hush serve`` runs it, :class:`hush.Client` asks it.

Examples
--------
>>> import hush.live, hush.service
>>> store = hush.live.open(":memory:")
>>> app = hush.service.App(lambda: hush.service.Core(store))  # for any ASGI server
"""

from hush.service.application import App as App
from hush.service.core import Core as Core
from hush.service.core import Settings as Settings
from hush.service.openapi import document as document
from hush.service.operations import OPERATIONS as OPERATIONS
from hush.service.serving import Place as Place
from hush.service.serving import serve as serve

__all__ = ["OPERATIONS", "App", "Core", "Place", "Settings", "document", "serve"]

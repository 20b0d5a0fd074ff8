"""Clients of a service of live experiments, which ``hush serve`` runs.

They need httpx and msgspec: ``pip install 'hush-dp[client]'``. :class:`Client` blocks,
:class:`AsyncClient` is awaited; both have the methods of a store in this process, and
:mod:`hush.client.in_process` connects them to one, for tests.

Examples
--------
>>> import hush.live
>>> from hush.client.in_process import connected
>>> connected(hush.live.open(":memory:")).names
[]
"""

from hush.extras import require as _require

_require("hush.client")

from hush.client.async_client import AsyncClient as AsyncClient
from hush.client.async_client import AsyncRemoteExperiment as AsyncRemoteExperiment
from hush.client.sync_client import Client as Client
from hush.client.sync_client import RemoteExperiment as RemoteExperiment

__all__ = ["AsyncClient", "AsyncRemoteExperiment", "Client", "RemoteExperiment"]

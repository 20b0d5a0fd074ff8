"""A client that blocks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from hush.client.calls import Failed, Heard, Reply, Send, Steps, Talk, Wait
from hush.client.client_methods import ClientMethods
from hush.client.either_way import Blocks
from hush.client.remote_deciding import RemoteDeciding

__all__ = ["UNSENT", "Client", "RemoteExperiment"]

Found = TypeVar("Found")
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Client(Blocks, ClientMethods["RemoteExperiment", httpx.BaseTransport]):
    """Live experiments of a service that runs elsewhere, with the methods of a store in here.

    Any number of threads may use a client; a forked process makes its own. Close it, or use it in
    a ``with`` statement: rewards that wait are sent then.

    Parameters
    ----------
    url
        Where the service is, such as ``"https://experiments.example.org"``.
    token
        Made by ``hush token create``.
    timeout
        Seconds for a call in all, tries and pauses together.
    tries
        How often a call is tried at most.
    flush
        Seconds between flushes of rewards; left out, each reward is sent at once.
    keep
        For how many seconds a reward that could not be sent is tried again.
    transport
        How requests travel: one of httpx's, where the usual one will not do.

    Examples
    --------
    >>> import hush.live
    >>> from hush.client.in_process import connected
    >>> with connected(hush.live.open(":memory:")) as client:  # hush.Client(url, token)
    ...     exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                         person_epsilon=1.0, person_bound=4, window="1d")
    ...     exp.start()
    ...     decision = exp.decide("u17")
    ...     exp.reward(decision, 1)
    ...     client
    <client of http://in-process>
    """

    _sleep: Callable[[float], None] = staticmethod(time.sleep)
    _wait: Callable[[threading.Event, float], bool] = staticmethod(threading.Event.wait)

    def _begin(self, transport: httpx.BaseTransport | None) -> None:
        self._transport = httpx.HTTPTransport() if transport is None else transport
        self._flushing, self._closing = threading.Lock(), threading.Event()
        if self._session.buffer is not None:
            due = self._session.buffer.due
            threading.Thread(target=self._tick, args=(due,), name="hush-flush", daemon=True).start()

    def _named(self, name: str) -> RemoteExperiment:
        return RemoteExperiment(self, name)

    def _run(self, steps: Steps[Found]) -> Found:
        self._check()
        talk, heard = Talk(steps), None
        while (step := talk.next(heard)) is not None:
            heard = self._do(step)
        return talk.found

    def _do(self, step: Send | Wait) -> Heard:
        if isinstance(step, Send):
            return self._send(step)
        self._sleep(step.seconds)
        return None

    def _send(self, step: Send) -> Heard:
        request = self._request(step)
        request.extensions["timeout"] = _TimeLeft(self._clock, step.seconds)
        try:
            response = self._transport.handle_request(request)
            try:
                return Reply(response.status_code, response.headers, response.read())
            finally:
                response.close()
        except httpx.RequestError as error:
            late = isinstance(error, httpx.TimeoutException)
            return Failed(sent=not isinstance(error, UNSENT), late=late)

    def _tick(self, due: Callable[[], float]) -> None:
        while not self._wait(self._closing, due()):
            with suppress(Exception):  # whatever it is: they wait, and are tried again
                self.flush()

    def flush(self) -> None:
        """Send the rewards that wait, now; those that the service cannot take now wait on.

        Where that is so it raises, a :class:`~hush.StoreError` for instance.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"), flush=60.0)
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.reward(exp.decide("u17"), 1)
        >>> client.flush()
        """
        with self._flushing:
            self._run(self._session.flush())

    def close(self) -> None:
        """Send the rewards that wait, and end all connections.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.close()
        >>> client.ready()
        Traceback (most recent call last):
        ...
        hush.errors.MisuseError: this client is closed; make a new one
        """
        if self._process is None:
            return
        self._check()
        self._closing.set()
        try:
            self.flush()
        finally:
            self._process = None
            self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class RemoteExperiment(Blocks, RemoteDeciding):
    """An experiment of a service. Made by :meth:`Client.create` and :meth:`Client.experiment`.

    Examples
    --------
    >>> import hush.live
    >>> from hush.client.in_process import connected
    >>> client = connected(hush.live.open(":memory:"))
    >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                     person_epsilon=1.0)
    >>> exp.start()
    >>> exp.reward(exp.decide("u17"), 1)
    >>> exp.state, exp.arms
    ('running', ('old', 'new'))
    >>> exp
    <experiment checkout of http://in-process>
    """

    def __init__(self, client: Client, name: str) -> None:
        self._client, self._session, self.name = client, client._session, name

    def _run(self, steps: Steps[Found]) -> Found:
        return self._client._run(steps)

    def __repr__(self) -> str:
        return f"<experiment {self.name} of {self._client._place}>"


class _TimeLeft(Mapping[str, Any]):
    """What is left of a request's time, whenever a part of it begins.

    httpx limits connecting, writing and reading one by one, each by the same number; asked for it
    anew, that number is what the parts before have left.
    """

    def __init__(self, clock: Callable[[], float], seconds: float) -> None:
        self._clock, self._end = clock, clock() + seconds

    def __getitem__(self, part: str) -> float:
        if part not in PARTS:
            raise KeyError(part)
        return max(self._end - self._clock(), 0.001)

    def __iter__(self) -> Iterator[str]:
        return iter(PARTS)

    def __len__(self) -> int:
        return len(PARTS)


PARTS = ("connect", "pool", "read", "write")

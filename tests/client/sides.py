"""Both clients as one, services in this process, and services that are made up."""

import asyncio
import inspect
import random
from contextlib import contextmanager

import httpx
import msgspec
from tests.live import scenes

import hush
from hush.client.async_client import AsyncRemoteExperiment
from hush.client.either_way import Reads
from hush.client.in_process import InProcess
from hush.live.granting import SCOPES

TOKEN = f"hush_0123456789ab_{'5e' * 32}"
URL = "http://hush.test/some/where"
CHECKOUT = {
    "policy": "LazyDPTS",
    "arms": ["old", "new"],
    "person_epsilon": 1.0,
    "person_bound": 4,
    "window": "1h",
}


def twin(seed=7):
    """Return a store whose every random byte is that of any other with the same seed."""
    clock = hush.live.ManualClock()
    store = scenes.in_memory(clock, entropy=random.Random(seed).randbytes)
    return store, clock, store.tokens.create(SCOPES)


class Awaited:
    """An awaited client or experiment as if it blocked, so that one test does for both."""

    def __init__(self, loop, thing):
        self._loop, self._thing = loop, thing

    def __getattr__(self, name):
        found = getattr(self._thing, name)
        if isinstance(inspect.getattr_static(self._thing, name), Reads):
            return self._wait(found())
        if name.startswith("_") or not callable(found):
            return found
        return lambda *args, **given: self._wait(found(*args, **given))

    def _wait(self, found):
        if inspect.isawaitable(found):
            found = self._loop.run_until_complete(found)
        return Awaited(self._loop, found) if isinstance(found, AsyncRemoteExperiment) else found

    def __repr__(self):
        return repr(self._thing)


class Time:
    """A clock that goes on when somebody sleeps, and draws that are always the same."""

    def __init__(self, chance=0.5):
        self.now, self.chance, self.slept = 1_000.0, chance, []

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds

    async def sleep_softly(self, seconds):
        self.sleep(seconds)
        await asyncio.sleep(0)

    def of(self, kind):
        """Return a class of clients on this clock."""
        sleep = self.sleep if kind is hush.Client else self.sleep_softly
        parts = {"_clock": lambda: self.now, "_chance": lambda: self.chance, "_sleep": sleep}
        return type(kind.__name__, (kind,), {k: staticmethod(v) for k, v in parts.items()})


class Made(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """A service that is made up: answers in turn, the last one for ever.

    An answer is a response, an exception, or a function of the request that returns one of them.
    """

    def __init__(self, *answers, time=None):
        self._answers, self._time = list(answers), time
        self.requests, self.at, self.limits = [], [], []

    def handle_request(self, request):
        self.requests.append(request)
        self.at.append(self._time and self._time.now)
        self.limits.append(dict(request.extensions.get("timeout", {})).get("read"))
        answer = self._answers[0] if len(self._answers) == 1 else self._answers.pop(0)
        if not isinstance(answer, httpx.Response | Exception):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer.status_code, headers=answer.headers, content=answer.content)

    async def handle_async_request(self, request):
        return self.handle_request(request)

    @property
    def bodies(self):
        return [json(each) for each in self.requests]


def json(request):
    """Return what a request says."""
    if request.headers.get("content-type") == "application/x-ndjson":
        return [msgspec.json.decode(line) for line in request.content.splitlines()]
    return msgspec.json.decode(request.content) if request.content else None


def decided(name="first", plan=3, status=201, **given):
    """Return a decision as a service answers it."""
    body = {"decision": name, "arm": "old", "number": 0, "plan": plan, "propensity": 0.5}
    body |= {"expires": "2026-01-02T00:00:00Z", **given}
    return httpx.Response(status, content=msgspec.json.encode(body))


def changed():
    """Return an experiment, as an act is answered."""
    body = {"name": "a", "state": "draft", "version": 1, "releases": 0, "arms": [], "control": "a"}
    body |= {"control_share": 0.0, "floor": 0.0, "terms": {}}
    return httpx.Response(200, content=msgspec.json.encode(body))


def problem(kind, status, **given):
    """Return a problem as a service answers it."""
    body = {"type": f"urn:hush:problem:{kind}", "title": "Oh", "status": status, **given}
    headers = {"content-type": "application/problem+json"}
    return httpx.Response(status, content=msgspec.json.encode(body), headers=headers)


def lines(*statuses):
    """Return the answer to a batch of rewards."""
    rows = [{"status": each} if each < 300 else _line(each) for each in statuses]
    return httpx.Response(200, content=msgspec.json.Encoder().encode_lines(rows))


def _line(status):
    kinds = {404: "no-decision", 410: "expired", 422: "malformed", 429: "too-many"}
    kind = kinds.get(status, "not-ready")
    return {"type": f"urn:hush:problem:{kind}", "title": "Oh", "status": status}


def all_taken(request):
    """Take every reward."""
    return lines(*[204] * len(json(request)))


class Side:
    """One of the two clients."""

    def __init__(self, kind):
        self.kind = kind
        self._loop = asyncio.new_event_loop()
        self._open = []

    def client(self, transport, *, time=None, token=TOKEN, url=URL, **given):
        """Make a client, and close it at the end."""
        kind = self.kind if time is None else time.of(self.kind)
        made = kind(url, token, transport=transport, **given)
        if self.kind is hush.AsyncClient:
            made = Awaited(self._loop, made)
        self._open.append(made)
        return made

    def connected(self, store, token=None, **given):
        """Make a client of a store in this process."""
        token = store.tokens.create(SCOPES) if token is None else token
        return self.client(InProcess(store), token=token, url="http://in-process", **given)

    def close(self):
        for each in self._open:
            if each._process is not None:
                buffer = each._session.buffer
                if buffer is not None:  # what a test left there is of no interest
                    buffer._waiting.clear()
                each.close()
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()


@contextmanager
def opened(kind):
    """Make clients of a kind for a while."""
    made = Side(kind)
    try:
        yield made
    finally:
        made.close()

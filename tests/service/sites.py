"""A service without a network: requests go straight to the application."""

import asyncio
import json
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.live import scenes

import hush.live
from hush.service import App, Core, Settings

EVERYTHING = ("decide", "reward", "read", "admin")
SETTINGS = Settings(tick=None, decisions=None)
CHECKOUT = {
    "name": "checkout",
    "policy": "NoiseAwareTS",
    "arms": ["old", "new"],
    "person_epsilon": 1.0,
    "person_bound": 4,
    "window": "1d",
}


@dataclass
class Heard:
    """An answer."""

    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def kind(self):
        """The kind of a problem, without the prefix that all have."""
        return self.json["type"].rpartition(":")[2]


class Site:
    """A store, its service, and a token for everything."""

    def __init__(self, store=None, settings=SETTINGS, **given):
        self.clock = hush.live.ManualClock()
        self.store = scenes.in_memory(self.clock) if store is None else store
        self.token = self.store.tokens.create(EVERYTHING)
        self.app = App(lambda: Core(self.store, settings, entropy=bytes, **given))
        self.core = self.app.begin()
        self.loop = asyncio.new_event_loop()

    def close(self):
        self.core.close()
        self.loop.close()

    def grant(self, *scopes, **given):
        """Make a token that the service knows at once."""
        made = self.store.tokens.create(scopes, **given)
        self.core.learn_tokens()
        return made

    def ask(self, method, path, body=None, *, token="", **headers):
        """Ask for something; a body that is not bytes is sent as JSON."""
        return self.loop.run_until_complete(self.asked(method, path, body, token=token, **headers))

    async def asked(self, method, path, body=None, *, token="", **headers):
        raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if raw is not None:
            given.setdefault("content-type", "application/json")
        if token is not None:
            given.setdefault("authorization", f"Bearer {token or self.token}")
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "query_string": query.encode(),
            "headers": [(k.lower().encode(), v.encode("latin-1")) for k, v in given.items()],
        }
        heard = Heard(0)
        parts = [{"type": "http.request", "body": raw or b"", "more_body": False}]

        async def receive():
            return parts.pop() if parts else {"type": "http.disconnect"}

        async def send(message):
            if message["type"] == "http.response.start":
                heard.status = message["status"]
                heard.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            else:
                heard.body += message.get("body", b"")

        await self.app(scope, receive, send)
        return heard

    def lines(self, path, messages, **given):
        """Post a message on every line."""
        raw = b"".join(
            each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n"
            for each in messages
        )
        return self.ask("POST", path, raw, content_type="application/x-ndjson", **given)

    def begun(self, **given):
        """Make an experiment and start it."""
        terms = {**CHECKOUT, **given}
        assert self.ask("POST", "/v1/experiments", terms).status == 201
        assert self.ask("POST", f"/v1/experiments/{terms['name']}/start", {}).status == 200
        return self.store.experiment(terms["name"])

    def decide(self, person="u17", name="checkout", **given):
        body = {k: given.pop(k) for k in ("segment", "defer", "seen") if k in given}
        path = f"/v1/experiments/{name}/decisions"
        return self.ask("POST", path, {"person": person, **body}, **given)

    def reward(self, decision, value=1, **given):
        return self.ask("PUT", f"/v1/decisions/{decision}/reward", {"value": value}, **given)


@contextmanager
def opened(**given):
    """Open a site for a while."""
    made = Site(**given)
    try:
        yield made
    finally:
        made.close()

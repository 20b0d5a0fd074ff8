"""Malformed requests by seeded mutation of good ones; each holds a sentinel where a value goes.

A private sentinel stands where a person, a reward, a key, an id or a token goes, and must never be
seen again. A public one stands where operators name things: it may be seen where the request was
accepted, and nowhere else.
"""

import json
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from tests.service.worlds import NAMES, RUNNING, SEGMENTS, SPARE

TEXT, PUBLIC_TEXT = "Zqxjkv", "Wkpvqz"
DIGITS, PUBLIC_DIGITS = "7318529", "4291763"
JSON, LINES = b"application/json", b"application/x-ndjson"
ACTS = ("start", "pause", "resume", "stop", "continue", "rehearse")


@dataclass
class Sent:
    """A request, as bytes; ``pairs`` are the members of its body, or of each of its lines."""

    operation: str
    method: str
    target: bytes
    headers: list[tuple[bytes, bytes]]
    body: bytes = b""
    pairs: list[list[tuple[bytes, bytes]]] = field(default_factory=list)
    public: bool = False

    def joined(self):
        """Return it with the members of its body written out."""
        if not self.pairs:
            return self
        end = b"\n" if self.operation.endswith("_many") else b""
        return replace(self, body=b"".join(b"{" + _members(row) + b"}" + end for row in self.pairs))


def _members(row):
    return b", ".join(key + b": " + value for key, value in row)


class Good:
    """Makes requests that can be accepted, in a world.

    Parameters
    ----------
    rng
        Python's generator, seeded.
    """

    def __init__(self, world, rng):
        self.world, self.rng = world, rng

    def text(self, public=False):
        return f"{PUBLIC_TEXT if public else TEXT}{self.rng.getrandbits(40):010x}"

    def number(self, public=False):
        return f"0.{PUBLIC_DIGITS if public else DIGITS}{self.rng.randrange(1000)}"

    def request(self):
        """Return a request of any operation; those that are asked for by many come often."""
        kind = self.rng.choices(KINDS, WEIGHTS)[0]
        return getattr(self, f"_{kind}")()

    def _sent(self, operation, method, path, *rows, lines=False, public=False):
        token = self.world.tokens["everything"]
        headers = [(b"authorization", f"Bearer {token}".encode())]
        if rows:
            headers.append((b"content-type", LINES if lines else JSON))
        pairs = [[(json.dumps(k).encode(), _raw(v)) for k, v in row.items()] for row in rows]
        return Sent(operation, method, path.encode(), headers, b"", pairs, public)

    def _decide(self):
        rng, name = self.rng, self.rng.choice(NAMES if self.rng.random() < 0.2 else RUNNING)
        body = {"person": self.text()}
        if name == "segmented" or rng.random() < 0.05:
            body["segment"] = rng.choice(SEGMENTS)
        if rng.random() < 0.1:
            body["seen"] = rng.choice([*self.world.decisions, self.text()])
        if rng.random() < 0.1:
            body["defer"] = True
        sent = self._sent("decide", "POST", f"/v1/experiments/{name}/decisions", body)
        if rng.random() < 0.3:
            sent.headers.append((b"idempotency-key", self.text().encode()))
        return sent

    def _activate(self):
        decision, person = self.rng.choice(self.world.deferred)
        body = {"decision": decision, "person": person}
        return self._sent("activate", "POST", "/v1/activations", body)

    def _reward(self):
        name = self.rng.choice([*self.world.decisions, self.world.late])
        body = {"value": Raw(self.number())}
        return self._sent("reward", "PUT", f"/v1/decisions/{name}/reward", body)

    def _decide_many(self):
        rows = []
        for _ in range(self.rng.randint(1, 6)):
            name = self.rng.choice(NAMES)
            rows.append({"experiment": name, "person": self.text()})
            if name == "segmented":
                rows[-1]["segment"] = self.rng.choice(SEGMENTS)
            if self.rng.random() < 0.3:
                rows[-1]["key"] = self.text()
        return self._sent("decide_many", "POST", "/v1/batch/decisions", *rows, lines=True)

    def _reward_many(self):
        ids = [*self.world.decisions, self.world.late]
        rows = [
            {"decision": self.rng.choice(ids), "value": Raw(self.number())}
            for _ in range(self.rng.randint(1, 6))
        ]
        return self._sent("reward_many", "POST", "/v1/batch/rewards", *rows, lines=True)

    def _create(self):
        body = {
            "name": self.text(public=True),
            "policy": self.rng.choice(["NoiseAwareTS", "LazyDPTS", "AnytimeLazyUCB"]),
            "arms": [self.text(public=True), "other"],
            "person_epsilon": Raw(self.number(public=True)),
        }
        extras = {
            "person_bound": 3,
            "window": "1h",
            "default": 0.5,
            "reward_range": [0, 1],
            "population": self.text(public=True),
            "segments": ["a", "b"],
            "control": "other",
            "control_share": Raw(self.number(public=True)),
            "floor": 0.01,
            "max_age": None,
            "tick": 60,
            "grace": "5s",
            "parameters": {},
            "start": True,
            "by": self.text(public=True),
        }
        body |= {k: v for k, v in extras.items() if self.rng.random() < 0.3}
        return self._sent("create", "POST", "/v1/experiments", body, public=True)

    def _act(self):
        return self._operator(self.rng.choice(ACTS), {"by": self.text(public=True)})

    def _operator(self, act, body, operation=None):
        # What many requests are about stays as it is.
        path = f"/v1/experiments/{self.rng.choice((*SPARE, 'draft', 'paused', 'trial'))}/{act}"
        return self._sent(operation or act, "POST", path, body, public=True)

    def _add_arm(self):
        return self._operator("arms", {"name": self.text(public=True)}, "add_arm")

    def _retire_arm(self):
        return self._operator("arms/retire", {"name": "new"}, "retire_arm")

    def _adjust(self):
        body = {"control": "old", "floor": Raw(self.number(public=True))}
        return self._operator("adjust", body)

    def _advance(self):
        body = {"length": self.rng.choice(["1h", 60, "3650d"])}
        path = "/v1/experiments/trial/rehearsal/advance"
        return self._sent("advance", "POST", path, body, public=True)

    def _limit(self):
        path = f"/v1/populations/{self.text(public=True)}"
        return self._sent("limit", "PUT", path, {"limit": Raw("4291763.5")}, public=True)

    def _erase(self):
        body = {"person": self.text(), "population": "default"}
        return self._sent("erase", "POST", "/v1/people/erase", body)

    def _confirm_clock(self):
        body = {"by": self.text(public=True)}
        return self._sent("confirm_clock", "POST", "/v1/clock/confirm", body, public=True)

    def _read(self):
        rng, name = self.rng, self.rng.choice(NAMES)
        what = rng.choice(PAGES)
        path = f"/v1/experiments/{name}/{what}" if what else f"/v1/experiments/{name}"
        if rng.random() < 0.1:
            path = rng.choice(["/v1/experiments", "/metrics", "/healthz", "/readyz"])
        if what == "releases":
            path += f"?after={rng.choice(['0', PUBLIC_DIGITS, self.text()])}"
        sent = self._sent("read", "GET", path)
        if what == "plan":
            sent.headers.append((b"if-none-match", quote(self.text()).encode()))
        return sent


class Raw(str):
    """A value that is written as it is."""

    __slots__ = ()


def _raw(value):
    return value.encode() if isinstance(value, Raw) else json.dumps(value).encode()


PAGES = (
    *("", "plan", "releases", "acts", "ledger", "guarantee", "insight", "rehearsal", "export.csv"),
)
OFTEN = {
    "decide": 20,
    "activate": 8,
    "reward": 20,
    "decide_many": 10,
    "reward_many": 10,
    "create": 10,
    "act": 6,
    "add_arm": 2,
    "retire_arm": 2,
    "adjust": 4,
    "advance": 2,
    "limit": 2,
    "erase": 4,
    "confirm_clock": 1,
    "read": 3,
}
KINDS, WEIGHTS = list(OFTEN), list(OFTEN.values())

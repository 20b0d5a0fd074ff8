"""Recognisable people, keys, rewards and secrets, and a search for them in all that is served."""

from __future__ import annotations

import base64
import io
from itertools import product

import pyarrow.parquet as pq
from tests.live.places import SECRET, FrozenOutcomes
from tests.live.test_sentinel import encodings
from tests.service.sites import SETTINGS, Site

import hush.live
from hush.service.operations import OPERATIONS

RANGE = (0.0, 500.0)
VALUES = (417.3318529, 83.2718387, 291.9182736)
PEOPLE = [f"Persephone-{n}-Quillfeather" for n in range(8)]
KEYS = [f"request-Zyxwvut-{n}" for n in range(8)]
NAMES = ("checkout", "split", "trial", "draft")
TERMS = {
    "policy": "AnytimeLazyUCB",
    "arms": ["old", "new"],
    "person_epsilon": 1.0,
    "person_bound": 3,
    "window": "1h",
    "reward_range": RANGE,
}
PLACES = (
    "",
    "?q=check",
    "?q=nothing&page=2",
    "?page=9",
    "/privacy",
    "/health",
    "/tokens",
    "/new",
    "/forecast",
    "/none",
    "/static/style.css",
    "/static/live.js",
    *(f"/experiments/{name}" for name in NAMES),
    *(
        f"/experiments/{name}/export{suffix}"
        for name, suffix in product(NAMES, (".csv", ".json", ".parquet"))
    ),
)


class FoundError(AssertionError):
    """Something private is served."""


class Filled:
    """A service that has met every sentinel, with what must not be served."""

    def __init__(self) -> None:
        self.clock = hush.live.ManualClock()
        given = {"clock": self.clock, "noise": FrozenOutcomes(), "secret": SECRET}
        self.site = Site(hush.live.open(":memory:", **given), SETTINGS)
        self.viewers = {
            "all": self.site.token,
            "reads": self.site.grant("read", note="a reader"),
            "one": self.site.grant("read", "admin", experiments=["split"]),
            "tests": self.site.grant("decide", "reward", test=True),
        }
        self.ids: list[str] = []
        self.hashes: set[bytes] = set()
        self._fill()

    def _fill(self) -> None:
        ask = self.site.ask
        self.site.begun(**TERMS)
        self.site.begun(**TERMS, name="split", segments=["de", "fr"])
        for name in ("trial", "draft"):
            ask("POST", "/v1/experiments", {**TERMS, "name": name})
        ask("POST", "/v1/experiments/trial/rehearse", {})
        for turn in range(3):
            self._visit(turn)
            self._note()
            self.clock.advance("50m")
            self.site.core.tick()
        ask("POST", "/v1/people/erase", {"person": PEOPLE[0]})
        self._visit(3)  # some of it is still waited for
        self._note()

    def _visit(self, turn: int) -> None:
        for n, (person, key) in enumerate(zip(PEOPLE, KEYS, strict=True)):
            name, more = (("checkout", {}), ("split", {"segment": "de"}))[n % 2]
            given = {"Idempotency_Key": f"{key}-{turn}"}
            made = self.site.decide(person, name, **more, **given).json["decision"]
            self.ids.append(made)
            good = VALUES[turn % len(VALUES)]
            for value, status in ((good, 204), (-good, 422), (person, 422)):
                assert self.site.reward(made, value).status == status

    def _note(self) -> None:
        """Note every hash that the private store has just now."""
        for table in ("people", "replies"):
            for row in self.site.store._private.run(f"SELECT * FROM {table}"):
                self.hashes |= {each for each in row if isinstance(each, bytes) and len(each) > 7}

    def sentinels(self) -> set[bytes]:
        """Return every byte string that tells something private."""
        texts = [*PEOPLE, *KEYS, "Quillfeather", "Zyxwvut", *self.ids]
        texts += [text.rpartition("_")[2] for text in self.viewers.values()]
        raw = self.hashes | {SECRET} | {each.encode() for each in texts}
        found = set().union(*(written(each) for each in raw))
        mapped = [value / RANGE[1] for value in VALUES]
        return found.union(*(encodings(value) for value in (*VALUES, *mapped)))

    def served(self):
        """Return all that is served: the address, and the bytes with their headers."""
        for (who, token), place in product(self.viewers.items(), PLACES):
            yield self._looked(f"{who} /dashboard{place}", f"/dashboard{place}", token)
        for (who, token), path in product(self.viewers.items(), addresses()):
            heard = self.site.ask("GET", path, token=token)
            yield f"{who} {path}", self._all(heard)
        for heard in self._refused():
            yield "a form", self._all(heard)

    def _looked(self, name: str, path: str, token: str) -> tuple[str, bytes]:
        heard = self.site.ask("GET", path, token=None, cookie=f"hush_token={token}")
        return name, self._all(heard)

    def _refused(self):
        """Send forms that cannot be used; what was typed into them is a secret or a person."""
        home = {"host": "h", "origin": "http://h", "cookie": f"hush_token={self.site.token}"}
        form = {"content_type": "application/x-www-form-urlencoded", "token": None, **home}
        for path in ("/sign-in", "/sign-out", "/experiments/checkout/start", "/none"):
            body = f"token=x{self.site.token}".encode()
            yield self.site.ask("POST", f"/dashboard{path}", body, **form)

    def _all(self, heard) -> bytes:
        body = heard.body
        if "parquet" in heard.headers.get("content-type", ""):  # what is packed is looked into
            body += repr(pq.read_table(io.BytesIO(body)).to_pylist()).encode()
        return body + repr(sorted(heard.headers.items())).encode()


def written(raw: bytes) -> set[bytes]:
    """Return bytes as they might be written somewhere, forwards and backwards."""
    found = set()
    for each in (raw, raw[::-1]):
        found |= {each, each.hex().encode(), each.hex().upper().encode()}
        for lead in range(3):  # base64 has three ways to write what is in the middle of something
            text = base64.b64encode(bytes(lead) + each)[4 if lead else 0 :]
            text = text.rstrip(b"=")[: -1 if (lead + len(each)) % 3 else None]
            found |= {text, text.translate(bytes.maketrans(b"+/", b"-_"))}
    return found


def addresses() -> list[str]:
    """Return every address of the interface that is read, with every query."""
    found = []
    for each in OPERATIONS:
        if each.method == "GET":
            queries = [f"?{name}={value}" for name in each.query for value in (0, 3, 10**6)]
            names = NAMES if "{name}" in each.path else ("",)
            found += [
                each.path.replace("{name}", name) + query
                for name, query in product(names, ["", *queries])
            ]
    return found


def search(filled: Filled) -> int:
    """Look at all that is served; return how many answers there were, or raise."""
    sentinels, many = filled.sentinels(), 0
    for name, data in filled.served():
        many += 1
        if any(each in data for each in sentinels):
            raise FoundError(f"{name} tells something private")
    return many

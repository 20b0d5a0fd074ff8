"""Fuzzing: spoilt requests are sent, and whatever comes of them is looked at."""

import json
import logging
import re
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from urllib.parse import unquote, unquote_to_bytes

from tests.live.twins import rows_of
from tests.service.malformed import TEXT
from tests.service.mutations import Mutant
from tests.service.sites import Heard
from tests.service.strict_reading import accepts
from tests.service.worlds import NAMES, World

from hush.live.schema import PRIVATE, PUBLIC
from hush.service import Settings

SETTINGS = Settings(tick=None, decisions=None, rewards=100)
# Of a number, the digits that are left when it is shown with six; a whole one, where ids are.
TOKENS = re.compile(rb"zqxjkv|7\.?3185|4\.?2917[0-9]*|wkpvqz[0-9a-f]*", re.IGNORECASE)
WORDS = re.compile(rb"4\.?2917[0-9]*|wkpvqz[0-9a-z]*", re.IGNORECASE)
PRIVATE_STARTS = (b"zq", b"7")
PRIVATE_ONES = re.compile(rb"zqxjkv|7\.?318529", re.IGNORECASE)
ESCAPED = re.compile(rb"\\u00([0-9a-fA-F]{2})")
REQUEST = re.compile(rb'"request":"[0-9a-f]{16}"')


class FuzzError(AssertionError):
    """Something came of a spoilt request that must not."""


def in_process(world):
    """Return what sends requests straight to a world's application, as uvicorn would."""
    app = world.site.app

    async def ask(sent):
        target, _, query = sent.target.partition(b"?")
        scope = {
            "type": "http",
            "method": sent.method,
            "path": unquote(target.decode("ascii")),
            "query_string": query,
            "headers": sent.headers,
        }
        heard, parts = Heard(0), [{"type": "http.request", "body": sent.body}]

        async def receive():
            return parts.pop()

        async def send(message):
            if message["type"] == "http.response.start":
                heard.status, heard.headers = message["status"], dict(message["headers"])
            else:
                heard.body += message["body"]

        await app(scope, receive, send)
        return heard

    return ask


def complaint(sent, heard, tokens):
    """Return what is wrong with an answer; None if nothing is."""
    if not 200 <= heard.status < 500:
        return f"status {heard.status}"
    shown = repr(sorted(heard.headers.items())).encode() + REQUEST.sub(b"", heard.body)
    good = heard.status < 300 or heard.status == 304
    if PRIVATE_ONES.search(plain(shown)) or (not good and echoes(shown, sent)):
        return "it shows what was sent"
    if good:
        allowed = accepts(sent, tokens)
        if not (_lines_fit(allowed, heard) if isinstance(allowed, list) else allowed):
            return "it should not have been accepted"
    return None


def echoes(shown, sent):
    """Tell whether a refusal shows a sentinel: a private one, or a public one that it was sent.

    Public ones that were accepted before may be shown: the names of arms, for one.
    """
    found = {each[0].lower() for each in TOKENS.finditer(plain(shown))}
    if any(each.startswith(PRIVATE_STARTS) for each in found):
        return True
    if not found:
        return False
    before = plain(b"".join((sent.target, repr(sent.headers).encode(), sent.body))).lower()
    words = {each[0].lower() for each in WORDS.finditer(plain(shown))}
    return any(each in before for each in found if len(each) >= 8) or any(
        each in before or (len(each) < 8 and each[:4] in before) for each in words
    )


def plain(shown):
    """Return bytes with what they say in other ways: percent-encoded, escaped as JSON does."""
    found = shown
    if b"%" in shown:
        found += unquote_to_bytes(shown)
    if b"\\u" in shown:
        found += re.sub(
            rb"\\u00([0-9a-fA-F]{2})", lambda match: bytes.fromhex(match[1].decode()), shown
        )
    return found


def _lines_fit(allowed, heard):
    """Tell whether there is a line for each, and none is accepted or shown that must not be."""
    lines = heard.body.splitlines()
    if len(lines) != len(allowed):
        return False
    for line, fine in zip(lines, allowed, strict=True):
        accepted = json.loads(line)["status"] < 300
        if (accepted and not fine) or (not accepted and TOKENS.search(line)):
            return False
    return True


def only_accepted(sent, heard):
    """Return the part of a request that was accepted; None if nothing was."""
    if not sent.operation.endswith("_many") or sent.method != "POST" or not heard.body:
        return sent if heard.status < 300 else None
    if heard.status != 200:
        return None
    lines = sent.body.split(b"\n")
    kept = [
        line
        for line, answer in zip(lines, heard.body.splitlines(), strict=False)
        if json.loads(answer)["status"] < 300
    ]
    return replace(sent, body=b"\n".join(kept)) if kept else None


@contextmanager
def listening():
    """Let every log record be looked at; yield how many there were."""
    heard, root = Counter(), logging.getLogger()

    class Listener(logging.Handler):
        def emit(self, record):
            said = f"{self.format(record)} {record.args!r} {record.name}"
            heard[record.name, record.levelname] += 1
            if TOKENS.search(plain(said.encode(errors="replace"))):
                heard["leaks", record.name] += 1

    listener, level = Listener(logging.NOTSET), root.level
    root.addHandler(listener)
    root.setLevel(logging.NOTSET)
    try:
        yield heard
    finally:
        root.removeHandler(listener)
        root.setLevel(level)
    if any(key[0] == "leaks" for key in heard):
        raise FuzzError(f"a log shows what was sent: {heard}")


def made_world():
    """Return a world whose people are private sentinels."""
    return World(private=f"{TEXT}person", settings=SETTINGS, clock=lambda: 0.0)


def play(seed, number):
    """Send so many spoilt requests to a world, and compare it with one that got the good ones."""
    world, other, seen = made_world(), made_world(), Counter()
    try:
        with listening():
            accepted = world.site.loop.run_until_complete(send_all(world, seed, number, seen))
        again = world.site.loop.run_until_complete(_again(other, accepted))
        if again != [True] * len(accepted):
            raise FuzzError(f"seed {seed}: what was accepted is not accepted by itself")
        for each in (world, other):
            _settle(each)
        _compare(seed, world, other)
    finally:
        world.close()
        other.close()
    return seen


async def send_all(world, seed, number, seen):
    """Send so many spoilt requests; return those that were accepted, or their good lines."""
    mutant, ask, accepted = Mutant(world, Random(seed)), in_process(world), []
    for place in range(number):
        sent = mutant.request()
        heard = await ask(sent)
        seen[heard.status] += 1
        wrong = complaint(sent, heard, world.tokens)
        if wrong is not None:
            raise FuzzError(
                f"seed {seed}, request {place}: {wrong}\n{replace(sent, pairs=[])}\n{heard}"
            )
        kept = only_accepted(sent, heard)
        if kept is not None and kept.method not in ("GET", "HEAD"):
            accepted.append(kept)
    return accepted


async def _again(world, accepted):
    ask = in_process(world)
    return [(await ask(each)).status < 300 for each in accepted]


def _settle(world):
    world.clock.advance("2d")
    for _ in range(2):
        world.clock.advance("2m")
        world.site.core.tick()


def _compare(seed, world, other):
    """Raise unless both have the same public rows, as many private ones, and show no sentinel."""
    stores = [each.site.store for each in (world, other)]
    for table in PUBLIC.tables:
        one, two = (rows_of(each._public, table) for each in stores)
        if one != two:
            raise FuzzError(f"seed {seed}: public {table} differs")
    for table in PRIVATE.tables:
        one, two = (each._private.run(f'SELECT count(*) FROM "{table}"') for each in stores)
        if one != two:
            raise FuzzError(f"seed {seed}: {table} has {one} rows, and {two} is right")
    kept = [stores[0]._public.connection.serialize(), stores[0]._private.connection.serialize()]
    pages = [world.site.ask("GET", path).body for path in public_pages()]
    if any(PRIVATE_ONES.search(each) for each in (*kept, *pages)):
        raise FuzzError(f"seed {seed}: a store or a page holds a private sentinel")


EXPORTS = ("/export.csv", "/export.json")


def public_pages():
    """Return the addresses of all that is public."""
    kinds = ("", "/plan", "/releases", "/acts", "/ledger", "/guarantee", "/insight")
    return [
        "/metrics",
        "/v1/experiments",
        *(f"/v1/experiments/{name}{kind}" for name in NAMES for kind in (*kinds, *EXPORTS)),
    ]

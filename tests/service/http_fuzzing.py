"""Fuzzing over HTTP: spoilt requests to a real ``hush serve``, and bytes that are no request."""

import asyncio
import json
import shutil
from collections import Counter
from contextlib import closing
from random import Random
from types import SimpleNamespace

from tests.service.fuzzing import (
    PRIVATE_ONES,
    TOKENS,
    FuzzError,
    complaint,
    in_process,
    only_accepted,
    plain,
)
from tests.service.malformed import DIGITS, TEXT, Sent
from tests.service.mutations import Mutant
from tests.service.raw_connections import Line, served
from tests.service.worlds import World

import hush.live
from hush.live.schema import PRIVATE, PUBLIC
from hush.service import App, Core, Settings

STATUSES_OF_CROOKED = (0, 400, 401, 404, 405, 413, 422)


def crooked(rng):
    """Return bytes that are no request, or only the beginning of one."""
    text = f"{TEXT}{rng.getrandbits(40):010x}".encode()
    start = b"PUT /v1/decisions/" + text + b"/reward HTTP/1.1\r\nhost: x\r\n"
    return rng.choice(
        (
            text + b"\r\n\r\n",
            b"GET /" + text + b"\r\n\r\n",
            b"GET " + text + b" HTTP/1.1\r\nhost: x\r\n\r\n",
            b"GET /" + text + b"\xff\xfe HTTP/1.1\r\nhost: x\r\n\r\n",
            b"GET /\xc3\xa9" + text + b" HTTP/1.1\r\nhost: x\r\n\r\n",
            b"GET / HTTP/9.9\r\nx: " + text + b"\r\n\r\n",
            start + text + b"\r\n\r\n",
            start + b"x y: " + text + b"\r\n\r\n",
            start + b"content-length: -1\r\n\r\n" + text,
            start + b"content-length: " + text + b"\r\n\r\n",
            start + b"content-length: 100\r\n\r\n" + text,
            start + b"transfer-encoding: chunked\r\n\r\n" + text + b"\r\n",
            start + b"transfer-encoding: chunked\r\n\r\n5\r\n" + text,
            start + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n" + text,
            start + b"x: \x00" + text + b"\r\n\r\n",
            start + b"x: " + text * 8_000 + b"\r\n\r\n",
            start + b"upgrade: websocket\r\nconnection: upgrade\r\n\r\n",
            start[:-2] + rng.randbytes(40) + DIGITS.encode() + b"\r\n\r\n",
        )
    )


def play_http(directory, seed, number):
    """Send so many spoilt requests to a process; compare its store with one of the good ones."""
    path = directory / "one" / "experiments.db"
    path.parent.mkdir()
    world = World(hush.live.open(path), private=f"{TEXT}person")
    world.close()
    shutil.copytree(path.parent, directory / "two")
    seen = Counter()
    with served(path, "--tick", "1h", "--decisions", "0") as at, closing(Line(at)) as line:
        accepted = _ask_all(line, Mutant(world, Random(seed)), number, seen)
        health = line.ask(Sent("read", "GET", b"/healthz", []))
        code, _ = at.stop()
        if health.status != 200 or code != 0:
            raise FuzzError(f"it is not well afterwards: {health.status}, {code}")
        if TOKENS.search(plain(at.printed.encode())) or "Traceback" in at.printed:
            raise FuzzError(f"it said {at.printed!r}")
    _compare(path, directory / "two" / path.name, accepted)
    return seen


def _ask_all(line, mutant, number, seen):
    accepted, rng = [], mutant.rng
    for place in range(number):
        if rng.random() < 0.05:
            raw = crooked(rng)
            heard = line.send(raw, ends=True)
            line.close()
            seen["crooked", heard.status] += 1
            if heard.status not in STATUSES_OF_CROOKED or TOKENS.search(plain(heard.body)):
                raise FuzzError(f"request {place}: {raw[:300]!r}\n{heard}")
            continue
        sent = mutant.request()
        heard = line.ask(sent)
        seen[heard.status] += 1
        # What is no HTTP at all is refused by the server before the application hears of it.
        wrong = None if heard.status == 400 else complaint(sent, heard, mutant.world.tokens)
        if wrong is not None or (heard.status == 400 and TOKENS.search(heard.body)):
            raise FuzzError(f"request {place}: {wrong}\n{sent}\n{heard}")
        kept = only_accepted(sent, heard)
        if kept is not None and kept.method not in ("GET", "HEAD"):
            accepted.append(kept)
    return accepted


def _compare(path, other, accepted):
    """Raise unless the store has as many rows as one that got only what was accepted."""
    settings = Settings(tick=None, decisions=None, rewards=10**9)
    app = App(lambda: Core(hush.live.open(other), settings))
    core, ask = app.begin(), in_process(SimpleNamespace(site=SimpleNamespace(app=app)))

    async def again():
        return [(await ask(each)).status for each in accepted]

    statuses = asyncio.run(again())
    core.close()
    if any(not 200 <= status < 300 for status in statuses):
        raise FuzzError("what was accepted is not accepted by itself")
    counts = [_rows(each) for each in (path, other)]
    if counts[0] != counts[1]:
        raise FuzzError(f"rows differ:\n{json.dumps(counts, indent=1)}")
    for each in path.parent.glob("*.db*"):
        if PRIVATE_ONES.search(each.read_bytes()):
            raise FuzzError(f"{each.name} holds a private sentinel")


def _rows(path):
    with hush.live.open(path) as store:
        return {
            name: {
                table: database.run(f'SELECT count(*) FROM "{table}"')[0][0]
                for table in tables
                if table != "batches"  # how many are full follows from arms, which are drawn
            }
            for name, database, tables in (
                ("private", store._private, PRIVATE.tables),
                ("public", store._public, PUBLIC.tables),
            )
        }

"""The journal: everything public that ever happened in a store, as a chain.

The private store's journal is the origin; the public store has a copy, and what follows from it.
So the public store can be refilled from the private one, and a private store that is older than
the public one is found out. An entry's hash covers the one before, so that none can be changed,
left out or put in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from hush.errors import StoreError
from hush.live.database import Database, Row

__all__ = ["GENESIS", "Entry", "Head", "Journal", "written"]

GENESIS = bytes(32)


def written(value: object) -> str:
    """Return plain values as text, always the same for the same values.

    >>> written({"b": 1, "a": [0.5]})
    '{"a":[0.5],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


@dataclass(frozen=True)
class Entry:
    """One thing that happened: when, what kind, to which experiment (0: to none), and what."""

    seq: int
    at: int
    kind: str
    experiment: int
    text: str
    hash: bytes

    @property
    def body(self) -> dict[str, Any]:
        """What happened, as plain values."""
        found: dict[str, Any] = json.loads(self.text)
        return found

    def follows(self, before: bytes) -> bool:
        """Tell whether its hash is right after the entry with the hash given."""
        return self.hash == _linked(
            before, self.seq, self.at, self.kind, self.experiment, self.text
        )

    @property
    def row(self) -> Row:
        """The entry as it is stored."""
        return self.seq, self.at, self.kind, self.experiment, self.text, self.hash


def _linked(before: bytes, seq: int, at: int, kind: str, experiment: int, text: str) -> bytes:
    return sha256(before + f"{seq}|{at}|{kind}|{experiment}|{text}".encode()).digest()


@dataclass(frozen=True)
class Head:
    """Where a journal ends."""

    seq: int
    hash: bytes


class Journal:
    """The journal of one store, with experiments, populations and tokens that follow from it."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def head(self, *, keep: bool = False) -> Head:
        """Return where it ends; ``keep`` keeps others from appending until the commit."""
        database = self._database
        lock = database.locking if keep else ""
        ((seq, digest),) = database.run(f"SELECT seq, hash FROM head{lock}")  # noqa: S608
        return Head(int(seq), bytes(digest))

    def begin(self) -> None:
        """Make an empty journal, where there is none."""
        self._database.run(
            "INSERT INTO head (one, seq, hash) VALUES (1, 0, ?) ON CONFLICT (one) DO NOTHING",
            (GENESIS,),
        )

    def append(self, at: int, kind: str, experiment: int, body: Mapping[str, Any]) -> Entry:
        """Add an entry at the end; inside a transaction."""
        head, text = self.head(keep=True), written(body)
        seq = head.seq + 1
        entry = Entry(
            seq, at, kind, experiment, text, _linked(head.hash, seq, at, kind, experiment, text)
        )
        self.copy(entry)
        return entry

    def copy(self, entry: Entry) -> None:
        """Add an entry of another store's journal, and let follow what follows from it."""
        run = self._database.run
        run("INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?)", entry.row)
        run("UPDATE head SET seq = ?, hash = ?", (entry.seq, entry.hash))
        self._apply(entry)

    def _apply(self, entry: Entry) -> None:
        run, body = self._database.run, entry.body
        if entry.kind == "release":
            run(
                "UPDATE experiments SET version = ?, released = released + 1 WHERE id = ?",
                (entry.seq, entry.experiment),
            )
        elif entry.kind == "population":
            run(
                "INSERT INTO populations (name, most, total) VALUES (?, ?, 0) "
                "ON CONFLICT (name) DO UPDATE SET most = excluded.most",
                (body["name"], body["most"]),
            )
        elif entry.kind == "create":
            run(
                "INSERT INTO experiments VALUES (?, ?, 'draft', ?, ?, ?, ?, 0, 0)",
                (
                    entry.experiment,
                    body["name"],
                    entry.seq,
                    written(body["arms"]),
                    written(body["knobs"]),
                    written(body["terms"]),
                ),
            )
        elif entry.kind == "act":
            self._change(entry, body["set"])
            if "charge" in body:
                run(
                    "UPDATE populations SET total = ? WHERE name = ?",
                    (body["total"], body["population"]),
                )
        elif entry.kind in ("token", "revoke"):
            self._change_tokens(entry, body)
        elif entry.kind != "note":
            raise StoreError(f"the journal has an entry of a kind unknown here: {entry.kind}")

    def _change(self, entry: Entry, changes: Mapping[str, Any]) -> None:
        run = self._database.run
        run("UPDATE experiments SET version = ? WHERE id = ?", (entry.seq, entry.experiment))
        for column, value in changes.items():
            if column not in CHANGEABLE:
                raise StoreError("the journal changes what cannot be changed")
            shown = value if column in PLAIN else written(value)
            run(f"UPDATE experiments SET {column} = ? WHERE id = ?", (shown, entry.experiment))  # noqa: S608

    def _change_tokens(self, entry: Entry, body: Mapping[str, Any]) -> None:
        """Let a token be made or revoked; ``version`` is the last entry that changed it."""
        if entry.kind == "revoke":
            self._database.run(
                "UPDATE tokens SET revoked = ?, version = ? WHERE id = ? AND revoked IS NULL",
                (entry.at, entry.seq, body["id"]),
            )
            return
        self._database.run(
            "INSERT INTO tokens (id, digest, scopes, experiments, test, expires, made, note, seq, "
            "version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                body["id"],
                bytes.fromhex(body["digest"]),
                written(body["scopes"]),
                written(body["experiments"]),
                int(body["test"]),
                body["expires"],
                entry.at,
                body["note"],
                entry.seq,
                entry.seq,
            ),
        )

    def after(self, seq: int, most: int | None = None) -> list[Entry]:
        """Return the entries after one, in order."""
        return self._read("seq > ?", (seq,), most)

    def of(self, experiment: int, kinds: tuple[str, ...], after: int = 0) -> list[Entry]:
        """Return an experiment's entries of some kinds, in order."""
        marks = ", ".join("?" * len(kinds))
        where = f"experiment = ? AND seq > ? AND kind IN ({marks})"
        return self._read(where, (experiment, after, *kinds), None)

    def acts(self) -> list[Entry]:
        """Return what operators did to any experiment, in order."""
        return self._read("kind = ?", ("act",), None)

    def all(self) -> Iterator[Entry]:
        """Return every entry, in order."""
        seq = -1
        while entries := self.after(seq, most=1_000):
            yield from entries
            seq = entries[-1].seq

    def _read(self, where: str, values: tuple[Any, ...], most: int | None) -> list[Entry]:
        limit = "" if most is None else f" LIMIT {most}"
        rows = self._database.run(
            "SELECT seq, at, kind, experiment, body, hash FROM journal "  # noqa: S608
            f"WHERE {where} ORDER BY seq{limit}",
            values,
        )
        return [
            Entry(seq, at, kind, experiment, text, bytes(digest))
            for seq, at, kind, experiment, text, digest in rows
        ]


CHANGEABLE = ("state", "arms", "knobs", "charges")
PLAIN = ("state", "charges")

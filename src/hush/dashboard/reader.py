"""What pages are made of: the public store, opened for reading and nothing else."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from hush.live.clock import moment
from hush.live.connecting import connect_existing
from hush.live.database import Database
from hush.live.insight import Insight
from hush.live.journal import GENESIS, Journal
from hush.live.knowing import Insights
from hush.live.migrating import check_schema
from hush.live.promise import promise
from hush.live.reading import Records
from hush.live.schema import PUBLIC
from hush.live.segments import Known
from hush.privacy import Guarantee

__all__ = ["Chain", "Reader", "Row", "TokenRow"]

LOST = ("quarantine", "continue")


@dataclass(frozen=True)
class Row:
    """An experiment in a list."""

    number: int
    name: str
    state: str
    arms: int
    served: int
    learnt: int
    releases: int
    last: datetime | None


@dataclass(frozen=True)
class Chain:
    """Whether the journal is whole: how many entries were looked at, and the first bad one."""

    entries: int
    broken: int | None


@dataclass(frozen=True)
class TokenRow:
    """A token, without what could be used to guess it."""

    id: str
    scopes: str
    experiments: str
    test: bool
    made: datetime
    expires: datetime | None
    revoked: datetime | None
    note: str


class Reader:
    """The public store of live experiments; it cannot write, and knows of no other store.

    Examples
    --------
    >>> import tempfile, hush.live
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = hush.live.open(f"{folder}/experiments.db")
    ...     _ = store.create("checkout", policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1)
    ...     store.settle()
    ...     store.close()
    ...     reader = Reader.open(f"{folder}/experiments.db")
    ...     [(each.name, each.state) for each in reader.rows(reader.names()[:50])]
    [('checkout', 'draft')]
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self.records = Records(database)
        self._insights = Insights(self.records)
        self._journal = Journal(self._database)
        self._checked = (0, GENESIS)
        self._broken: int | None = None

    @classmethod
    def open(cls, address: str | Path) -> Reader:
        """Return a reader of the public store at an address."""
        database = connect_existing(address, reading=True)
        check_schema(database, PUBLIC)
        return cls(database)

    def names(self) -> list[tuple[int, str]]:
        """Return the number and the name of every experiment, newest first."""
        return self.records.names()[::-1]

    def rows(self, wanted: list[tuple[int, str]]) -> list[Row]:
        """Return some experiments in short."""
        return [self._row(number) for number, _ in wanted]

    def _row(self, number: int) -> Row:
        known, run = self.records.known(number), self._database.run
        ((served, learnt),) = run(
            "SELECT COALESCE(sum(served), 0), COALESCE(sum(learnt), 0) FROM tallies "
            "WHERE experiment = ?",
            (number,),
        )
        last = run(
            "SELECT at FROM journal WHERE experiment = ? AND kind = 'release' "
            "ORDER BY seq DESC LIMIT 1",
            (number,),
        )
        return Row(
            number,
            known.name,
            known.state,
            len(known.arms.active),
            int(served),
            int(learnt),
            known.released,
            moment(last[0][0]) if last else None,
        )

    def insight(self, number: int, now: datetime) -> dict[str, Insight]:
        """Return what is known of an experiment, by segment."""
        return self._insights.of(number, now=int(now.timestamp() * 1_000))

    def guarantee(self, known: Known) -> Guarantee:
        """Return what is promised to every person."""
        return promise(known, secure=True, total=self.records.total(known.terms.population))

    def losses(self, number: int) -> list[dict[str, object]]:
        """Return when the private store was lost or set back, and what came of it."""
        return [each for each in self.records.acts(number) if each["act"] in LOST]

    def chain(self) -> Chain:
        """Check the journal's chain; what was checked before is not looked at again."""
        seq, before = self._checked
        while self._broken is None and (entries := self._journal.after(seq, most=1_000)):
            for entry in entries:
                if not entry.follows(before):
                    self._broken = entry.seq
                    break
                seq, before = entry.seq, entry.hash
        self._checked = (seq, before)
        return Chain(seq, self._broken)

    def last_entry(self) -> datetime | None:
        """Return when something public happened last."""
        rows = self._database.run("SELECT at FROM journal ORDER BY seq DESC LIMIT 1")
        return moment(rows[0][0]) if rows else None

    def tokens(self) -> list[TokenRow]:
        """Return the tokens, newest first; neither secrets nor their digests."""
        rows = self._database.run(
            "SELECT id, scopes, experiments, test, made, expires, revoked, note FROM tokens "
            "ORDER BY seq DESC"
        )
        return [
            TokenRow(
                id=row[0],
                scopes=_listed(row[1]),
                experiments=_listed(row[2]),
                test=bool(row[3]),
                made=moment(row[4]),
                expires=None if row[5] is None else moment(row[5]),
                revoked=None if row[6] is None else moment(row[6]),
                note=row[7],
            )
            for row in rows
        ]

    def close(self) -> None:
        """Let go of the store."""
        self._database.close()


def _listed(text: str) -> str:
    words = ", ".join(json.loads(text))
    return "all" if words == "*" else words

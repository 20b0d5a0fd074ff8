"""Exports: what is public of an experiment, as a file for others."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from hush.errors import ParameterError
from hush.extras import require
from hush.live.promise import promise
from hush.live.reading import Records
from hush.output.files import replaced

__all__ = ["SUFFIXES", "export", "exported"]

COLUMNS = (
    "experiment",
    "segment",
    "arm",
    "epoch",
    "count",
    "noisy_sum",
    "epsilon",
    "mechanism",
    "published_at",
)


def export(records: Records, number: int, path: Path, *, secure: bool) -> None:
    """Write an experiment to a file whose suffix says how; it is whole or not there.

    Parameters
    ----------
    records
        The public store.
    secure
        Whether its noise protects anybody, which the guarantee says.
    """
    if path.suffix.lower() not in WRITERS:
        raise ParameterError(
            f"an export's suffix must be one of {' '.join(SUFFIXES)}; got {path.name!r}"
        )
    body = exported(records, number, path.suffix.lower(), secure=secure)
    with replaced(path) as temporary:
        temporary.write_bytes(body)


def exported(records: Records, number: int, suffix: str, *, secure: bool) -> bytes:
    """Return what is public of an experiment as the bytes of a file, all as of one moment."""
    write = WRITERS[suffix]
    before, body = records.head(), write(records, number, secure)
    while (after := records.head()) != before:  # published meanwhile: its parts may not agree
        before, body = after, write(records, number, secure)
    return body


def _rows(records: Records, number: int) -> list[tuple[Any, ...]]:
    name = records.known(number).name
    return [
        (
            name,
            release.segment,
            release.name,
            release.epoch,
            release.count,
            release.value,
            release.epsilon,
            release.mechanism,
            release.at,
        )
        for release in records.releases(number)
    ]


def _csv(records: Records, number: int, secure: bool) -> bytes:  # noqa: ARG001
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*row[:-1], row[-1].isoformat()) for row in _rows(records, number))
    return text.getvalue().encode()


def _json(records: Records, number: int, secure: bool) -> bytes:
    known = records.known(number)
    guarantee = promise(known, secure, records.total(known.terms.population))
    body = {
        "experiment": known.name,
        "state": known.state,
        "version": known.version,
        "terms": known.terms.to_dict(),
        "guarantee": {
            "epsilon": guarantee.epsilon,
            "neighbours": guarantee.neighbours,
            "unit": guarantee.unit,
            "sentence": guarantee.reason,
        },
        "arms": [
            {"name": name, "retired": arm in known.arms.retired}
            for arm, name in enumerate(known.arms.names)
        ],
        "knobs": {**vars(known.knobs), "control": known.arms.names[known.knobs.control]},
        "plans": records.plans(number),
        "releases": [
            dict(zip(COLUMNS[1:], (*row[1:-1], row[-1].isoformat()), strict=True))
            for row in _rows(records, number)
        ],
        "tallies": records.tallies(number),
        "acts": records.acts(number),
        "ledger": records.ledger(known.terms.population),
    }
    return (json.dumps(body, indent=1, allow_nan=False) + "\n").encode()


def _parquet(records: Records, number: int, secure: bool) -> bytes:  # noqa: ARG001
    require("a Parquet file")
    arrow: Any = import_module("pyarrow")
    parquet: Any = import_module("pyarrow.parquet")
    kinds = (
        arrow.string(),
        arrow.string(),
        arrow.string(),
        arrow.int64(),
        arrow.int64(),
        arrow.float64(),
        arrow.float64(),
        arrow.string(),
        arrow.timestamp("ms", tz="UTC"),
    )
    schema = arrow.schema(list(zip(COLUMNS, kinds, strict=True)))
    rows = _rows(records, number)
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(COLUMNS)
    arrays = [arrow.array(values, type=kind) for values, kind in zip(columns, kinds, strict=True)]
    sink = io.BytesIO()
    parquet.write_table(arrow.Table.from_arrays(arrays, schema=schema), sink)
    return sink.getvalue()


WRITERS: dict[str, Callable[[Records, int, bool], bytes]] = {
    ".csv": _csv,
    ".json": _json,
    ".parquet": _parquet,
}
SUFFIXES = tuple(WRITERS)

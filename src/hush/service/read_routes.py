"""Reading over HTTP: all of it from the public store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from hush.live.exporting import exported
from hush.live.promise import promise
from hush.service.answers import (
    Acts,
    ArmOf,
    Experiment,
    Experiments,
    GuaranteeAnswer,
    InsightAnswer,
    Ledger,
    PlanAnswer,
    Released,
    Releases,
)
from hush.service.core import Core
from hush.service.operations import Answer, Call, operation
from hush.service.problems import Refused

__all__ = ["described"]

MEDIA = {
    ".csv": "text/csv; charset=utf-8",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
}


def described(core: Core, number: int) -> Experiment:
    """Return an experiment as readers see it."""
    known = core.records.known(number)
    knobs, names = known.knobs, known.arms.names
    return Experiment(
        known.name,
        known.state,
        known.version,
        known.released,
        [ArmOf(name, arm in known.arms.retired) for arm, name in enumerate(names)],
        names[knobs.control],
        knobs.control_share,
        knobs.floor,
        known.terms.to_dict(),
    )


@operation("GET", "/v1/experiments", "read", "body", answers={200: Experiments})
async def list_experiments(call: Call) -> Answer:
    """List the experiments that the token may read."""
    core = call.core

    def run() -> Experiments:
        rows = core.records.names()
        mine = [number for number, name in rows if call.access.allows("read", name)]
        return Experiments([described(core, number) for number in mine])

    return Answer(200, await core.aside(run))


async def _read(call: Call, run: Callable[[int], Any]) -> Answer:
    number = call.experiment
    return Answer(200, await call.core.aside(run, number))


@operation(
    "GET",
    "/v1/experiments/{name}",
    "read",
    "path",
    answers={200: Experiment},
    problems=("unknown-name",),
)
async def show(call: Call) -> Answer:
    """Show an experiment: its state, arms and terms."""
    return await _read(call, lambda number: described(call.core, number))


@operation(
    "GET",
    "/v1/experiments/{name}/plan",
    "read",
    "path",
    answers={200: PlanAnswer, 304: None},
    problems=("unknown-name",),
    headers={"If-None-Match": "The ETag of an earlier answer: 304 if the plan is still that one."},
)
async def plan(call: Call) -> Answer:
    """Show the plan of every segment: each arm's chance, and what was released of it.

    An ETag from a time that the store has forgotten tells that it was set back, and puts it into
    quarantine.
    """
    core, number = call.core, call.experiment
    known = call.headers.get(b"if-none-match", b"").decode("latin-1").strip('"')

    def run() -> Answer:
        if known:
            core.front.witness_plan(number, known)
        found = core.records.known(number)
        tag = core.front.plan_tag(number, found.version)
        headers = {"etag": f'"{tag}"', "cache-control": "private, no-cache"}
        if tag == known:
            return Answer(304, headers=headers)
        plans = core.records.plans(number)
        body = msgspec.convert(
            {"experiment": found.name, "state": found.state, "plans": plans}, PlanAnswer
        )
        return Answer(200, body, headers=headers)

    return await core.aside(run)


@operation(
    "GET",
    "/v1/experiments/{name}/releases",
    "read",
    "path",
    answers={200: Releases},
    problems=("unknown-name",),
    query={"after": "Releases after this place in the journal; 0 for all."},
)
async def releases(call: Call) -> Answer:
    """List what was released, oldest first."""
    after = _whole(call.query.get("after", "0"))

    def run(number: int) -> Releases:
        found = call.core.records.releases(number, after)
        rows = [
            Released(
                each.seq,
                each.segment,
                each.name,
                each.arm,
                each.epoch,
                each.count,
                each.value,
                each.mechanism,
                each.epsilon,
                each.at,
            )
            for each in found
        ]
        return Releases(rows, rows[-1].seq if rows else after)

    return await _read(call, run)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Refused("malformed", "after must be a whole number")
    return int(text)


@operation(
    "GET",
    "/v1/experiments/{name}/acts",
    "read",
    "path",
    answers={200: Acts},
    problems=("unknown-name",),
)
async def acts(call: Call) -> Answer:
    """List what operators did, oldest first."""
    return await _read(call, lambda number: Acts(call.core.records.acts(number)))


@operation(
    "GET",
    "/v1/experiments/{name}/ledger",
    "read",
    "path",
    answers={200: Ledger},
    problems=("unknown-name",),
)
async def ledger(call: Call) -> Answer:
    """Show what was promised to the people of the experiment's population."""
    records = call.core.records

    def run(number: int) -> dict[str, Any]:
        return records.ledger(records.known(number).terms.population)

    return await _read(call, run)


@operation(
    "GET",
    "/v1/experiments/{name}/guarantee",
    "read",
    "path",
    answers={200: GuaranteeAnswer},
    problems=("unknown-name",),
)
async def guarantee(call: Call) -> Answer:
    """State the promise to every person, in one sentence with its numbers."""
    core = call.core

    def run(number: int) -> GuaranteeAnswer:
        known = core.records.known(number)
        total = core.records.total(known.terms.population)
        found = promise(known, core.store.secure, total)
        return GuaranteeAnswer(found.under("replace"), found.neighbours, found.unit, found.reason)

    return await _read(call, run)


@operation(
    "GET",
    "/v1/experiments/{name}/insight",
    "read",
    "path",
    answers={200: InsightAnswer},
    problems=("unknown-name",),
)
async def insight(call: Call) -> Answer:
    """Show what is known: each arm's mean, who leads, since or by when, and the sample ratio.

    There is a decision where the leader's chance is at least 1 - delta, and a mismatch where the
    p-value of the ratio is below 0.01.
    """
    core = call.core

    def run(number: int) -> InsightAnswer:
        known = core.records.known(number)
        found = core.store._insights.of(number, now=core.store._clock.read())
        return InsightAnswer(known.name, known.state, found)

    return await _read(call, run)


@operation(
    "GET",
    "/v1/experiments/{name}/rehearsal",
    "read",
    "path",
    answers={200: dict[str, Any]},
    problems=("unknown-name", "wrong-state"),
)
async def rehearsal(call: Call) -> Answer:
    """Show everything of a rehearsal, the raw bits among it: they are nobody's."""
    found = call.core.rehearsal(call.experiment)

    def run() -> dict[str, Any]:
        return {"pending": found.pending, "batches": found.batches, "released": found.released}

    return Answer(200, await call.core.aside(run))


def _enter(suffix: str, text: str) -> None:
    """Enter an export."""

    async def handler(call: Call) -> Answer:
        core, number = call.core, call.experiment
        body = await core.aside(exported, core.records, number, suffix, secure=core.store.secure)
        name = f'attachment; filename="{call.path["name"]}{suffix}"'
        return Answer(200, body, MEDIA[suffix], {"content-disposition": name})

    handler.__name__, handler.__doc__ = f"export_{suffix[1:]}", text
    operation(
        "GET",
        f"/v1/experiments/{{name}}/export{suffix}",
        "read",
        "path",
        answers={200: MEDIA[suffix]},
        problems=("unknown-name",),
    )(handler)


_enter(".csv", "Export the releases as CSV.")
_enter(".json", "Export all that is public of the experiment as JSON.")
_enter(".parquet", "Export the releases as Parquet.")

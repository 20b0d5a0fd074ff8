"""What operators do, over HTTP."""

from __future__ import annotations

from typing import Any

import msgspec

from hush.live import Experiment
from hush.service.answers import Clock
from hush.service.answers import Experiment as ExperimentAnswer
from hush.service.messages import (
    Adjustment,
    Advance,
    ArmName,
    ErasureRequest,
    Limit,
    NewExperiment,
    Operator,
)
from hush.service.operations import Answer, Call, operation
from hush.service.read_routes import described

__all__: list[str] = []

STATES = ("unknown-name", "wrong-state")


@operation(
    "POST",
    "/v1/experiments",
    "admin",
    "body",
    asks=NewExperiment,
    answers={201: ExperimentAnswer},
    problems=("wrong-state", "budget-exceeded"),
)
async def create(call: Call) -> Answer:
    """Make a draft of an experiment, and start it if so said.

    Where the start is refused, the draft is there all the same.
    """
    given = msgspec.structs.asdict(call.body)
    name, start = given.pop("name"), given.pop("start")
    call.allow(name)

    def run() -> ExperimentAnswer:
        made = call.core.store.create(name, **given)
        if start:
            made.start(by=given["by"])
        return described(call.core, made._id)

    found = await call.core.aside(run)
    return Answer(201, found, headers={"location": f"/v1/experiments/{name}"})


async def _act(call: Call, act: str, *what: Any, **given: Any) -> Answer:  # noqa: ANN401
    number = call.experiment
    experiment = Experiment(call.core.store, number, call.path["name"])

    def run() -> ExperimentAnswer:
        getattr(experiment, act)(*what, **given)
        return described(call.core, number)

    return Answer(200, await call.core.aside(run))


def _enter(act: str, text: str, problems: tuple[str, ...]) -> None:
    """Enter an act that needs nothing but who does it."""

    async def handler(call: Call) -> Answer:
        return await _act(call, act, by=call.body.by)

    handler.__name__, handler.__doc__ = act, text
    operation(
        "POST",
        f"/v1/experiments/{{name}}/{act.rstrip('_')}",
        "admin",
        "path",
        asks=Operator,
        answers={200: ExperimentAnswer},
        problems=problems,
    )(handler)


CHARGED = (*STATES, "budget-exceeded")
_enter("start", "Reserve the promise in the population's ledger, and begin to learn.", CHARGED)
_enter("pause", "Show the control arm and learn nothing new; what waits settles.", STATES)
_enter("resume", "Go on after a pause.", STATES)
_enter("stop", "Close all batches; when the last is shown, it has stopped.", STATES)
_enter("continue_", "Go on after a quarantine: the promise is charged once more.", CHARGED)


@operation(
    "POST",
    "/v1/experiments/{name}/arms",
    "admin",
    "path",
    asks=ArmName,
    answers={200: ExperimentAnswer},
    problems=STATES,
)
async def add_arm(call: Call) -> Answer:
    """Add an arm; it begins without releases."""
    return await _act(call, "add_arm", call.body.name, by=call.body.by)


@operation(
    "POST",
    "/v1/experiments/{name}/arms/retire",
    "admin",
    "path",
    asks=ArmName,
    answers={200: ExperimentAnswer},
    problems=STATES,
)
async def retire_arm(call: Call) -> Answer:
    """Show an arm no more; what was decided for it is learnt from all the same."""
    return await _act(call, "retire_arm", call.body.name, by=call.body.by)


@operation(
    "POST",
    "/v1/experiments/{name}/adjust",
    "admin",
    "path",
    asks=Adjustment,
    answers={200: ExperimentAnswer},
    problems=STATES,
)
async def adjust(call: Call) -> Answer:
    """Change what is shown whatever is learnt: control arm, its share, least chance of an arm."""
    return await _act(call, "adjust", **msgspec.structs.asdict(call.body))


@operation(
    "POST",
    "/v1/experiments/{name}/rehearse",
    "admin",
    "path",
    asks=Operator,
    answers={200: ExperimentAnswer},
    problems=STATES,
)
async def rehearse(call: Call) -> Answer:
    """Try the draft out, on made-up people with test tokens; everything raw is shown.

    It lives in the memory of one process, so it needs a service of one worker.
    """
    if call.core.settings.workers > 1:
        call.core.rehearsal(call.experiment)
    return await _act(call, "rehearse", by=call.body.by)


@operation(
    "POST",
    "/v1/experiments/{name}/rehearsal/advance",
    "admin",
    "path",
    asks=Advance,
    answers={204: None},
    problems=STATES,
)
async def advance(call: Call) -> Answer:
    """Let time pass in a rehearsal, and settle it."""
    rehearsal = call.core.rehearsal(call.experiment)
    await call.core.aside(rehearsal.advance, call.body.length)
    return Answer(204)


@operation(
    "PUT",
    "/v1/populations/{population}",
    "admin",
    "all",
    asks=Limit,
    answers={204: None},
    problems=("budget-exceeded",),
)
async def limit(call: Call) -> Answer:
    """Set the most that a population's people may be promised in all; null is no limit."""
    store = call.core.store
    await call.core.aside(lambda: store.population(call.path["population"], limit=call.body.limit))
    return Answer(204)


@operation("POST", "/v1/people/erase", "admin", "all", asks=ErasureRequest, answers={204: None})
async def erase(call: Call) -> Answer:
    """Forget a person: what is pending counts as the default, and nothing more is learnt.

    204 whether she is known or not.
    """
    store, body = call.core.store, call.body
    await call.core.aside(lambda: store.erase(body.person, population=body.population))
    return Answer(204)


@operation(
    "POST",
    "/v1/clock/confirm",
    "admin",
    "all",
    asks=Operator,
    answers={200: Clock},
    problems=("clock",),
)
async def confirm_clock(call: Call) -> Answer:
    """Believe the clock after it jumped, or after a long time out of use.

    Every process has its own opinion of the clock: with several workers, ask until none is held.
    """
    store = call.core.store

    def run() -> Clock:
        if store.held is not None:  # asked for first: it is what notices a jump
            store.confirm_clock(by=call.body.by)
        return Clock(store.held)

    return Answer(200, await call.core.aside(run))

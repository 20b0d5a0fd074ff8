"""Deciding over HTTP: one decision, many, and those that were deferred."""

from __future__ import annotations

from typing import Any

import msgspec

from hush.errors import HushError, NoDecisionError
from hush.live.clock import moment
from hush.live.front import Front
from hush.live.replies import Made, Request
from hush.service.answers import Decided, Problem
from hush.service.messages import DecisionLine, DecisionRequest, Shown
from hush.service.operations import LINES, Answer, Call, operation
from hush.service.problems import KINDS, Refused, refused

__all__ = ["DecidedLine", "ProblemLine", "lines", "problem_line"]

ENCODE_LINES = msgspec.json.Encoder().encode_lines
LONGEST_KEY = 255


class DecidedLine(Decided, frozen=True, kw_only=True, omit_defaults=True):
    """A decision on a line of a batch's answer."""

    status: int


class ProblemLine(Problem, frozen=True, omit_defaults=True):
    """A problem on a line of a batch's answer."""


@operation(
    "POST",
    "/v1/experiments/{name}/decisions",
    "decide",
    "path",
    asks=DecisionRequest,
    answers={201: Decided, 200: Decided},
    problems=("unknown-name", "wrong-state", "key-reused", "too-many", "no-decision"),
    headers={"Idempotency-Key": "A retry with the same key, of the same token, is answered alike."},
)
async def decide(call: Call) -> Answer:
    """Decide what to show a person.

    201 for a new decision. With an Idempotency-Key, which is the token's own, a retry is answered
    by 200 and the same body. A deferred decision is registered by an activation and not before.
    """
    core, body = call.core, call.body
    core.admit(call.access, 1)
    front, number = core.front_of(call.access, call.experiment)
    key = _key(call)
    request = front.request(number, body.person, key=_own(call, key), segment=body.segment)
    if body.seen is not None:
        await core.aside(front.witness, number, body.seen)
    if body.defer:
        if key is not None:
            raise Refused("malformed", "a deferred decision has no key: activate it as often")
        made = await core.aside(front.deferred, request)
        decided = Decided(
            made.id, made.name, made.arm, made.plan, made.propensity, made.expires, True
        )
        return Answer(201, decided)
    return await _registered(call, front, request)


@operation(
    "POST",
    "/v1/activations",
    "decide",
    "body",
    asks=Shown,
    answers={201: Decided, 200: Decided},
    problems=("no-decision", "expired", "wrong-state", "too-many"),
)
async def activate(call: Call) -> Answer:
    """Register a deferred decision, now that its arm was shown.

    The answer has the id that the reward is sent with. Again gives the same one. A deferred
    decision that is never activated is not learnt from, and nothing of it is stored.
    """
    core, body = call.core, call.body
    core.admit(call.access, 1)
    for front in core.fronts(call.access):
        try:
            request = front.activation(None, body.decision, body.person)
        except NoDecisionError:
            continue
        call.allow(front.name_of(request.experiment))
        return await _registered(call, front, request)
    raise Refused("no-decision")


async def _registered(call: Call, front: Front, request: Request) -> Answer:
    desk = call.core.decisions
    if front is call.core.front:
        (made,) = await desk.answer([request])
    else:
        (made,) = await call.core.aside(front.register, [request])
    if isinstance(made, HushError):
        raise made
    return Answer(200 if made.again else 201, _decided(front, made))


@operation(
    "POST",
    "/v1/batch/decisions",
    "decide",
    "body",
    asks=DecisionLine,
    lines=True,
    answers={200: [DecidedLine, ProblemLine]},
    problems=("too-many", "too-large"),
)
async def decide_many(call: Call) -> Answer:
    """Decide for up to 1,000 people, a request on every line.

    Every line is answered by one, in the same order, with a status of its own: 201, 200 for a key
    that was used before, or that of a problem. Lines do not share a fate.
    """
    core = call.core
    core.admit(call.access, len(call.body))
    requests = [_of_line(call, each) for each in call.body]
    asked = [each for each in requests if isinstance(each, Request)]
    found = iter(await core.decisions.answer(asked) if asked else ())
    answers = [next(found) if isinstance(each, Request) else each for each in requests]
    said = [_line(call, *each) for each in zip(call.body, answers, strict=True)]
    return Answer(200, lines(said), LINES)


def _of_line(call: Call, line: Any) -> Request | Exception:  # noqa: ANN401
    try:
        if isinstance(line, Refused):
            return line
        call.allow(line.experiment)
        if call.access.test:
            raise Refused("not-allowed", "rehearsals take single requests")
        number = call.core.number_of(line.experiment)
        key = _own(call, line.key)
        return call.core.front.request(number, line.person, key=key, segment=line.segment)
    except (HushError, Refused) as error:
        return refused(error, line)


def _line(call: Call, line: object, answer: Made | Exception) -> DecidedLine | ProblemLine:
    if isinstance(answer, Exception):
        return problem_line(refused(answer, line))
    name = call.core.front.arm_name(answer)
    return DecidedLine(
        answer.id,
        name,
        answer.arm,
        answer.plan,
        answer.propensity,
        moment(answer.expires),
        status=200 if answer.again else 201,
    )


def problem_line(found: Refused) -> ProblemLine:
    """Return a problem as a line of a batch's answer."""
    kind = KINDS[found.kind]
    return ProblemLine(kind.type, kind.title, kind.status, found.detail or None)


def lines(messages: list[Any]) -> bytes:
    """Return messages, one on every line."""
    return ENCODE_LINES(messages)


def _decided(front: Front, made: Made) -> Decided:
    name, expires = front.arm_name(made), moment(made.expires)
    return Decided(made.id, name, made.arm, made.plan, made.propensity, expires)


def _own(call: Call, key: str | None) -> str | None:
    """Return a key that is the token's own."""
    return None if key is None else f"{call.access.id}:{key}"


def _key(call: Call) -> str | None:
    raw = call.headers.get(b"idempotency-key")
    if raw is None:
        return None
    if not 1 <= len(raw) <= LONGEST_KEY or not raw.isascii():
        raise Refused("malformed", f"an Idempotency-Key has 1 to {LONGEST_KEY} ASCII characters")
    return raw.decode()

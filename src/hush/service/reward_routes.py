"""Rewards over HTTP. What is answered follows from the token, the clock and the bytes alone."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from hush.errors import HushError, NoDecisionError
from hush.live.front import Front
from hush.live.rewarding import Posted
from hush.service.decision_routes import ProblemLine, lines, problem_line
from hush.service.messages import RewardLine, RewardValue
from hush.service.operations import LINES, Answer, Call, operation
from hush.service.problems import Refused, refused

__all__ = ["TakenLine"]


class TakenLine(Struct, frozen=True):
    """A reward that was taken, on a line of a batch's answer."""

    status: Literal[204]


TAKEN = TakenLine(204)


@operation(
    "PUT",
    "/v1/decisions/{id}/reward",
    "reward",
    "body",
    asks=RewardValue,
    answers={204: None},
    problems=("no-decision", "expired", "too-many"),
)
async def reward(call: Call) -> Answer:
    """Say what came of a decision; the last value within its window counts.

    204 within the window, 410 after it, 404 for what is not the id of a decision, 422 for a value
    that cannot be used. Nothing tells whether it counts, or whether there was one before.
    """
    front, posted = _posted(call, call.path["id"], call.body.value)
    core = call.core
    if front is core.front:
        (answer,) = await core.rewards.answer([posted])
    else:
        (answer,) = await core.aside(front.take, [posted])
    if answer is not None:
        raise answer
    return Answer(204)


@operation(
    "POST",
    "/v1/batch/rewards",
    "reward",
    "body",
    asks=RewardLine,
    lines=True,
    answers={200: [TakenLine, ProblemLine]},
    problems=("too-large",),
)
async def reward_many(call: Call) -> Answer:
    """Say what came of up to 1,000 decisions, one on every line.

    Every line is answered by one, in the same order, with the status that it would have had by
    itself.
    """
    posted = [_of_line(call, each) for each in call.body]
    answers = await _taken(call, posted)
    said = [TAKEN if each is None else problem_line(refused(each)) for each in answers]
    return Answer(200, lines(said), LINES)


def _posted(call: Call, decision: str, value: float) -> tuple[Front, Posted]:
    """Return a reward, and who takes it: a rehearsal, for tokens that are for tests."""
    for front in call.core.fronts(call.access):
        try:
            posted = front.posted(decision, value, None)
        except NoDecisionError:
            continue
        call.allow(front.name_of(posted.decision.experiment))
        call.core.admit_reward(posted)
        return front, posted
    raise Refused("no-decision")


def _of_line(call: Call, line: Any) -> tuple[Front, Posted] | Exception:  # noqa: ANN401
    if isinstance(line, Refused):
        return line
    try:
        return _posted(call, line.decision, line.value)
    except (HushError, Refused) as error:
        return error


async def _taken(
    call: Call, posted: list[tuple[Front, Posted] | Exception]
) -> list[Exception | None]:
    """Take rewards; each that was refused before keeps its answer."""
    core = call.core
    usable = [each for each in posted if not isinstance(each, Exception)]
    if usable and usable[0][0] is not core.front:
        found = [(await core.aside(front.take, [one]))[0] for front, one in usable]
    else:
        found = await core.rewards.answer([one for _, one in usable]) if usable else []
    answers = iter(found)
    return [each if isinstance(each, Exception) else next(answers) for each in posted]

"""A session with a service: what a client knows, however its requests are sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from hush.client.calls import LINES, Call, Reply, Steps, encoded, pieces
from hush.client.remembered import Remembered
from hush.client.reward_buffer import RewardBuffer
from hush.client.trying import Trying, Unsent
from hush.client.understanding import Busy, lines, plain
from hush.errors import (
    AccessError,
    HushError,
    NoDecisionError,
    RewardError,
    is_finite,
    is_number,
)
from hush.live import Decision
from hush.service.messages import RewardLine

__all__ = ["Session"]

Found = TypeVar("Found")
REWARDS = "/v1/batch/rewards"
LONGEST_ID = 512


class Session:
    """What a client knows: how to try, which rewards wait, and what it was answered.

    Parameters
    ----------
    trying
        How calls are tried.
    buffer
        Where rewards wait; None, if each is sent at once.
    """

    def __init__(self, trying: Trying, buffer: RewardBuffer | None) -> None:
        self._trying, self.buffer = trying, buffer
        self._remembered: dict[str, Remembered] = {}

    def remembered(self, experiment: str) -> Remembered:
        """Return what is remembered of an experiment."""
        return self._remembered.setdefault(experiment, Remembered())

    def ask(self, call: Call[Found], within: float | None = None) -> Steps[Found]:
        """Ask for something, as often as it takes."""
        return self._trying.steps(call, within)

    def once(self, call: Call[Found]) -> Steps[Found]:
        """Ask for something, and be content with what comes."""
        return self._trying.once(call, self._trying.timeout)

    def batch(
        self, path: str, rows: Sequence[bytes], malformed: type[HushError]
    ) -> Steps[list[Reply | HushError]]:
        """Ask line by line, in as few requests as it takes; where one fails, its lines do."""
        found: list[Reply | HushError] = []
        for piece in pieces(rows):
            part = rows[piece]
            try:
                said = yield from self.ask(_batch(path, part, malformed))
            except HushError as error:
                said = [error] * len(part)
            found += [plain(each) if isinstance(each, HushError) else each for each in said]
        return found

    # -- rewards ----------------------------------------------------------------------------------

    def reward(self, decision: Decision | str, value: float) -> Steps[None]:
        """Say what came of a decision, now or when the rewards that wait are sent."""
        row = _row(decision, value)
        if row is None:
            return
        if self.buffer is not None:
            self.buffer.put(row.decision, row.value)
            return
        body = encoded(row)
        yield from self.ask(
            Call("POST", REWARDS, _taken, body, LINES, idempotent=True, malformed=RewardError)
        )

    def reward_many(
        self, rewards: Iterable[tuple[Decision | str, float]]
    ) -> Steps[list[HushError | None]]:
        """Say what came of many decisions; each is taken or refused by itself."""
        found: list[HushError | None] = []
        rows: dict[int, bytes] = {}
        for place, (decision, value) in enumerate(rewards):
            found.append(None)
            try:
                row = _row(decision, value)
                if row is not None and self.buffer is not None:
                    self.buffer.put(row.decision, row.value)
                elif row is not None:
                    rows[place] = encoded(row)
            except HushError as error:
                found[place] = error
        said = yield from self.batch(REWARDS, list(rows.values()), RewardError)
        for place, each in zip(rows, said, strict=True):
            found[place] = each if isinstance(each, HushError) else None
        return found

    def flush(self) -> Steps[None]:
        """Send the rewards that wait, each request once.

        What the service could not take now waits on; what it refuses is dropped.
        """
        if self.buffer is None:
            return
        waiting = self.buffer.all()
        rows = [encoded(RewardLine(each.decision, each.value)) for each in waiting]
        problem: HushError | None = None
        for piece in pieces(rows):
            try:
                said = yield from self.once(_batch(REWARDS, rows[piece], RewardError))
            except HushError as error:
                problem = plain(error)
                if isinstance(error, Unsent):
                    break
                continue
            for each, answer in zip(waiting[piece], said, strict=True):
                if not isinstance(answer, Busy):
                    self.buffer.drop(each)
        self.buffer.refusal = problem if isinstance(problem, AccessError) else None
        if problem is not None:
            raise problem


def _batch(
    path: str, rows: Sequence[bytes], malformed: type[HushError]
) -> Call[list[Reply | HushError]]:
    def read(reply: Reply) -> list[Reply | HushError]:
        return lines(reply, len(rows), malformed)

    return Call("POST", path, read, b"\n".join(rows), LINES, idempotent=True, malformed=malformed)


def _taken(reply: Reply) -> None:
    (said,) = lines(reply, 1, RewardError)
    if isinstance(said, HushError):
        raise said


def _row(decision: Decision | str, value: float) -> RewardLine | None:
    """Return a reward as it is sent; None for a fallback, which nothing is learnt from."""
    name = decision.id if isinstance(decision, Decision) else decision
    if not is_number(value):
        raise RewardError(f"a reward must be a real number, not {type(value).__name__}")
    if not is_finite(value):
        raise RewardError("a reward is NaN or infinite; leave it out or repair it")
    if not isinstance(name, str) or len(name) > LONGEST_ID or not name.isascii():
        raise NoDecisionError("this is not the id of a decision")
    return RewardLine(name, float(value)) if name else None

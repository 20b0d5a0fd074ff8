"""Histories of requests: could a store that does one thing at a time have answered so?

Requests of different keys, or about different decisions, do not meet, so each key and each decision
is looked at by itself. Of one key, the first request makes the decision, and all others hear of it.
Of one decision, the last reward stays. Whatever was not answered may have happened at any time
since it began, or not at all.
"""

from collections import defaultdict
from dataclasses import dataclass
from math import inf

SLACK = 0.25  # seconds by which a server that is asked for the time may be misheard


@dataclass(frozen=True)
class Op:
    """A request over the wire.

    Attributes
    ----------
    began, ended
        When it was sent, and when its answer was there.
    status
        0 where no answer was read.
    whole
        Whether all of it was sent.
    """

    began: float
    ended: float = inf
    status: int = 0
    body: bytes = b""
    whole: bool = True

    @property
    def open(self):
        """Whether nothing was said about what came of it."""
        return self.whole and (not self.status or self.status >= 500)


@dataclass(frozen=True, kw_only=True)
class Asked(Op):
    """A decision that was asked for."""

    key: str
    person: str


@dataclass(frozen=True, kw_only=True)
class Posted(Op):
    """A reward that was sent; deadline is the decision's."""

    decision: str
    value: int
    deadline: float = inf


def wrong_with_key(asked, *, restarts=False):
    """Return what is wrong with the answers to requests of one key.

    After a restart of the database a store may not know that it was the first, and say 200.
    """
    wrong = [
        f"status {each.status}"
        for each in asked
        if not each.open and each.whole and each.status not in (200, 201, 422, 429)
    ]
    wrong += ["half a request was answered" for each in asked if not each.whole and each.status]
    told = [each for each in asked if each.status in (200, 201, 422)]
    if len({each.body for each in told if each.status != 422}) > 1:
        wrong.append("differing replies to one key")
    if sum(each.status == 201 for each in told) > 1:
        wrong.append("more than one new decision for one key")
    says_new = (200, 201) if restarts else (201,)
    firsts = [each for each in asked if each.open or each.status in says_new]
    if told and not any(_explains(first, told) for first in firsts):
        wrong.append("no order of the requests explains the answers")
    return wrong


def _explains(first, told):
    """Tell whether everything is as answered if this request was the first."""
    return all(
        each is first
        or (
            each.ended >= first.began
            and each.status == (200 if each.person == first.person else 422)
        )
        for each in told
    )


def wrong_with_decision(posted):
    """Return what is wrong with the answers to rewards for one decision."""
    wrong = []
    for each in posted:
        if not each.whole and each.status:
            wrong.append("half a request was answered")
        elif each.status == 204:
            if each.began > each.deadline + SLACK:
                wrong.append("taken after the deadline")
        elif each.status == 410:
            if each.ended < each.deadline - SLACK:
                wrong.append("refused before the deadline")
        elif each.whole and not each.open and each.status != 429:
            wrong.append(f"status {each.status}")
    return wrong


def possible_bits(posted, default=0):
    """Return what a decision's bit may be after all of these."""
    taken = [each for each in posted if each.status == 204]
    found = {
        each.value
        for each in posted
        if (each.status == 204 or each.open or _late(each))
        and not any(later.began > each.ended for later in taken)
    }
    return found if taken else found | {default}


def _late(posted):
    """Tell whether a reward may have been written and answered too late."""
    return posted.status == 410 and posted.began <= posted.deadline + SLACK


def partitioned(ops, name):
    """Return requests by what they are about."""
    found = defaultdict(list)
    for each in ops:
        found[getattr(each, name)].append(each)
    return found


def wrong_answers(asked, posted, *, restarts=False):
    """Return everything that is wrong with the answers of a history."""
    wrong = []
    for key, mine in partitioned(asked, "key").items():
        wrong += [f"{key}: {each}" for each in wrong_with_key(mine, restarts=restarts)]
    for decision, mine in partitioned(posted, "decision").items():
        wrong += [f"{decision}: {each}" for each in wrong_with_decision(mine)]
    return wrong


def wrong_bits(posted, bits):
    """Return what is wrong with bits that were read after everything, by decision."""
    mine = partitioned(posted, "decision")
    return [
        f"{decision}: its bit is {bit}, not one of {possible}"
        for decision, bit in bits.items()
        if bit not in (possible := possible_bits(mine.get(decision, [])))
    ]

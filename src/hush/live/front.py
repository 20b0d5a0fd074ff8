"""Where requests come in: they are checked, hashed, put into groups, and answered."""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from hush.errors import ExpiredError, HushError, NoDecisionError, ParameterError
from hush.live.acts import Acts
from hush.live.clock import GuardedClock, moment
from hush.live.experiment import Decision
from hush.live.groups import Groups
from hush.live.ids import DecisionId, DeferredId
from hush.live.keys import Keys
from hush.live.registering import Registrar
from hush.live.replies import Made, Request
from hush.live.rewarding import Posted, Rewards
from hush.live.segments import Memory
from hush.live.terms import Terms

__all__ = ["Front", "checked_text"]

ASKED = {"person", "key", "segment"}
DEFERRED = 5 * 60_000
TEST = "hush_test_"
TAG = re.compile(r"([0-9]{1,15})\.([0-9]{1,15})\.([0-9a-f]{24})")
NOT_DEFERRED = "this is not a deferred decision of this experiment and person"
Answer = TypeVar("Answer")


class Front:
    """Decides and takes rewards, for one process.

    Parameters
    ----------
    rehearses
        Whether people are made up: then they must be named so, and otherwise must not.
    """

    def __init__(
        self,
        memory: Memory,
        registrar: Registrar,
        rewards: Rewards,
        acts: Acts,
        keys: Keys,
        clock: GuardedClock,
        *,
        rehearses: bool,
    ) -> None:
        self._memory, self._registrar, self._acts = memory, registrar, acts
        self._keys, self._clock = keys, clock
        self._rehearses = rehearses
        self._decisions: Groups[Request, Made] = Groups(
            lambda asked: registrar.register(asked, clock.now())
        )
        self._rewards: Groups[Posted, None] = Groups(rewards.write)
        self._terms: dict[int, Terms] = {}

    def terms(self, number: int) -> Terms:
        """Return the terms of an experiment, which never change."""
        found = self._terms.get(number)
        if found is None:
            found = self._terms[number] = self._memory.now(number).terms
        return found

    def name_of(self, number: int) -> str:
        """Return the name of an experiment."""
        return self._memory.last(number).name

    def decide(
        self, number: int, given: Mapping[str, Any], *, defer: bool, seen: str | None
    ) -> Decision:
        """Decide for one person."""
        request = self._requested(number, given)
        if defer and request.key is not None:
            raise ParameterError("a deferred decision has no key: activating it is idempotent")
        if seen is not None:
            self.witness(number, seen)
        if defer:
            return self.deferred(request)
        return self.decision(_only(self.register([request])))

    def decide_many(
        self, number: int, given: Sequence[Mapping[str, Any]]
    ) -> list[Decision | HushError]:
        """Decide for many people; each succeeds or fails by itself."""
        requests: list[Request | HushError] = []
        for each in given:
            try:
                requests.append(self._requested(number, each))
            except HushError as error:
                requests.append(error)
        found = iter(self.register(_usable(requests)))
        answers = [each if isinstance(each, HushError) else next(found) for each in requests]
        return [each if isinstance(each, HushError) else self.decision(each) for each in answers]

    def _requested(self, number: int, given: Mapping[str, Any]) -> Request:
        if not isinstance(given, Mapping) or not given.keys() <= ASKED:
            raise ParameterError("a request is a mapping with person, and perhaps key and segment")
        person, key, segment = given.get("person"), given.get("key"), given.get("segment")
        return self.request(number, person, key=key, segment=segment)

    def register(self, requests: list[Request]) -> list[Made | HushError]:
        """Answer requests, of any experiments, in a transaction that others may share."""
        return _known_errors(self._decisions.answer(requests))

    def activate(self, number: int, name: str, person: str) -> Decision:
        """Register a deferred decision."""
        return self.decision(_only(self.register([self.activation(number, name, person)])))

    def activation(self, number: int | None, name: str, person: str) -> Request:
        """Return what registers a deferred decision, of one experiment or any, if it still can be.

        Its id names the experiment, but only with the person it is about is it known to be genuine.
        """
        named = DeferredId.experiment_of(name)
        if named is None or number not in (None, named):
            raise NoDecisionError(NOT_DEFERRED)
        number = named
        who = self._person(self.terms(number), person)
        deferred = DeferredId.read(name, self._keys, who)
        if deferred is None:
            raise NoDecisionError(NOT_DEFERRED)
        if self._clock.now() > deferred.expires:
            raise ExpiredError("this deferred decision can no longer be activated")
        self._check_version(number, deferred.plan, deferred.expires - DEFERRED)
        once = f"{deferred.worker}:{deferred.ordinal}".encode()
        key = self._keys.request(number, "activation", once)
        return Request(number, deferred.segment, who, key, deferred)

    def reward_many(
        self, rewards: Sequence[tuple[object, object]], number: int | None
    ) -> list[HushError | None]:
        """Take rewards, of one experiment or of any; each is taken or refused by itself."""
        posted: list[Posted | HushError] = []
        for name, value in rewards:
            try:
                posted.append(self.posted(name, value, number))
            except HushError as error:
                posted.append(error)
        found = iter(self.take(_usable(posted)))
        return [each if isinstance(each, HushError) else next(found) for each in posted]

    def take(self, posted: list[Posted]) -> list[HushError | None]:
        """Take rewards in a transaction that others may share."""
        return _known_errors(self._rewards.answer(posted))

    def request(
        self, number: int, person: object, *, key: object = None, segment: object = None
    ) -> Request:
        """Return what asks for a decision, checked and hashed."""
        terms, hashed = self.terms(number), None
        if key is not None:
            hashed = self._keys.request(number, "key", checked_text("key", key).encode())
        place = terms.segment(segment)
        return Request(number, place, self._person(terms, person), hashed)

    def _person(self, terms: Terms, person: object) -> bytes:
        text = checked_text("person", person)
        if text.startswith(TEST) != self._rehearses:
            raise ParameterError(
                f"in a rehearsal people are made up: name them {TEST}..."
                if self._rehearses
                else f"people named {TEST}... are for rehearsals"
            )
        return self._keys.person(terms.population, text)

    def deferred(self, request: Request) -> Decision:
        """Decide and register nothing."""
        text, made = self._registrar.defer(request, self._clock.now(), DEFERRED)
        name = self._memory.now(request.experiment).arms.names[made.arm]
        expires = moment(made.expires)
        return Decision(text, made.arm, name, made.propensity, expires, made.plan, deferred=True)

    def decision(self, made: Made) -> Decision:
        """Return a decision as those see it who asked for it."""
        name = self.arm_name(made)
        return Decision(made.id, made.arm, name, made.propensity, moment(made.expires), made.plan)

    def arm_name(self, made: Made) -> str:
        """Return the name of a decision's arm."""
        known = self._memory.last(made.experiment)
        if made.arm >= len(known.arms.names):  # added by another process
            known = self._memory.now(made.experiment)
        return known.arms.names[made.arm]

    def witness(self, number: int, seen: str) -> None:
        """Look at the id of an earlier decision, which may tell that the store was set back."""
        found = DecisionId.read(seen, self._keys)
        if found is None or found.experiment != number:
            raise NoDecisionError("seen must be the id of an earlier decision of this experiment")
        self._check_version(number, found.plan, found.deadline - self.terms(number).window)

    def plan_tag(self, number: int, version: int) -> str:
        """Return a tag of a plan that is evidence of it: whoever has it was answered by it."""
        at = self._memory.moment_of(version)
        body = struct.pack(">IQQ", number, version, at)
        return f"{version}.{at}.{self._keys.seal(body).hex()}"

    def witness_plan(self, number: int, tag: str) -> None:
        """Look at the tag of an earlier plan, which may tell that the store was set back."""
        found = TAG.fullmatch(tag)
        if found is None:
            return
        version, at = int(found[1]), int(found[2])
        body = struct.pack(">IQQ", number, version, at)
        if self._keys.genuine(body, bytes.fromhex(found[3])):
            self._check_version(number, version, at)

    def _check_version(self, number: int, version: int, made: int) -> None:
        """Quarantine if somebody was answered by a newer plan than there is: all was set back."""
        if version > self._memory.now(number).version:
            self._acts.set_back(number, made, self._clock.now())

    def posted(self, name: object, value: object, number: int | None) -> Posted:
        """Return a reward that can be accepted if it comes in time."""
        made = DecisionId.read(name, self._keys)
        if made is None or (number is not None and made.experiment != number):
            raise NoDecisionError("this is not the id of a decision of this experiment")
        terms = self.terms(made.experiment)
        return Posted(made, terms.rewards.unit(value), terms)


def _usable(each: Sequence[Answer | HushError]) -> list[Answer]:
    return [one for one in each if not isinstance(one, HushError)]


def _known_errors(answers: list[Answer | Exception]) -> list[Answer | HushError]:
    for answer in answers:
        if isinstance(answer, Exception) and not isinstance(answer, HushError):
            raise answer
    return answers  # type: ignore[return-value]  # no other exceptions are left


def _only(answers: list[Answer | HushError]) -> Answer:
    (answer,) = answers
    if isinstance(answer, Exception):
        raise answer
    return answer


def checked_text(name: str, value: object) -> str:
    """Return a text that is neither empty nor long, or raise without showing it."""
    if not isinstance(value, str) or not 1 <= len(value) <= 512 or not _is_unicode(value):
        raise ParameterError(f"{name} must be a text of 1 to 512 characters")
    return value


def _is_unicode(text: str) -> bool:
    """Tell whether a text can be encoded: Python's own error would show it."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)

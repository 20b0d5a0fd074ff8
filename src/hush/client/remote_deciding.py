"""Deciding and rewarding over HTTP."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from typing import Any

from hush.client.calls import Call, Reply, Steps, encoded
from hush.client.either_way import Asks
from hush.client.remote_acts import RemoteActs
from hush.client.understanding import decided
from hush.errors import HushError, NoDecisionError, ParameterError, StoreError, positive
from hush.live import Decision
from hush.live.front import checked_text
from hush.service.messages import DecisionLine, DecisionRequest, Shown

__all__ = ["RemoteDeciding"]

KEY = re.compile(r"[!-~](?:[ -~]{0,253}[!-~])?")
ASKED = {"person", "key", "segment"}


class RemoteDeciding(RemoteActs):
    """An experiment of a service, as far as deciding goes."""

    @Asks
    def decide(
        self,
        person: str,
        *,
        key: str | None = None,
        segment: str | None = None,
        seen: str | None = None,
        defer: bool = False,
        within: float | None = None,
        fallback: str | None = None,
    ) -> Steps[Decision]:
        """Decide what to show a person.

        Parameters
        ----------
        person
            Who: one identifier per person, the same every time.
        key
            An idempotency key, of visible ASCII characters: a retry with the same key and token
            gets the same decision. Left out, the client makes one, for its own retries.
        segment
            Where the experiment has segments, which one.
        seen
            The id of an earlier decision: evidence of how far the store has been. Left out, the
            client sends one when it was answered by an older plan than before.
        defer
            Register nothing yet: :meth:`activate` does, once the arm was really shown.
        within
            How many seconds to wait for a deferred decision.
        fallback
            The arm to show where none came. It has an empty id, and nothing is learnt from it.

        Examples
        --------
        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.decide("u17", key="request-9") == exp.decide("u17", key="request-9")
        True
        >>> planned = exp.decide("u17", defer=True, within=1.0, fallback="old")
        >>> planned.name in exp.arms, planned.deferred
        (True, True)
        """
        asked = {"person": person, "key": key, "segment": segment}
        if defer and key is not None:
            raise ParameterError("a deferred decision has no key: activating it is idempotent")
        if not defer and (within is not None or fallback is not None):
            raise ParameterError(
                "within and fallback are for deferred decisions: any other may be registered, and "
                "learnt from as if its arm had been shown"
            )
        try:
            return (yield from self._decided(_checked(asked), defer, seen, within))
        except StoreError:
            if fallback is None:
                raise
        return self._remembered.fallback(checked_text("fallback", fallback))

    def _decided(
        self, asked: Mapping[str, Any], defer: bool, seen: str | None, within: float | None
    ) -> Steps[Decision]:
        known = self._remembered
        evidence = known.evidence if seen is None else None
        key = asked["key"] or secrets.token_hex(16)
        limit = None if within is None else positive("within", within)

        def steps(seen: str | None) -> Steps[Decision]:
            body = DecisionRequest(asked["person"], asked["segment"], defer, seen)
            headers = {} if defer else {"idempotency-key": key}
            path = f"/v1/experiments/{self.name}/decisions"
            call = Call("POST", path, self._noted, encoded(body), headers=headers, idempotent=True)
            return self._session.ask(call, limit)

        if evidence is None:
            return (yield from steps(seen))
        try:
            found = yield from steps(evidence)
        except StoreError:  # it may not have arrived
            raise
        except HushError as error:
            known.forget()
            if not isinstance(error, NoDecisionError):
                raise
        else:
            known.forget()
            known.note(found)
            return found
        return (yield from steps(None))  # another store has taken the place of that one

    def _noted(self, reply: Reply) -> Decision:
        found = decided(reply)
        self._remembered.note(found, old=reply.status != 201)
        return found

    @Asks
    def decide_many(
        self, requests: Iterable[Mapping[str, Any]]
    ) -> Steps[list[Decision | HushError]]:
        """Decide for many people, 1,000 in a request; each succeeds or fails by itself.

        A request has ``person`` and may have ``key`` and ``segment``.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> one, two = exp.decide_many([{"person": "u17"}, {"person": ""}])
        >>> one.name, str(two)
        ('old', 'person must be a text of 1 to 512 characters')
        """
        found: list[Decision | HushError | None] = []
        rows: dict[int, bytes] = {}
        for number, each in enumerate(requests):
            found.append(None)
            try:
                asked = _checked(each)
                key = asked["key"] or secrets.token_hex(16)
                line = DecisionLine(self.name, asked["person"], asked["segment"], key)
                rows[number] = encoded(line)
            except HushError as error:
                found[number] = error
        path = "/v1/batch/decisions"
        said = yield from self._session.batch(path, list(rows.values()), ParameterError)
        for number, answer in zip(rows, said, strict=True):
            found[number] = answer if isinstance(answer, HushError) else self._noted(answer)
        return [each for each in found if each is not None]

    @Asks
    def activate(self, decision: Decision | str, *, person: str) -> Steps[Decision]:
        """Register a deferred decision, now that its arm was shown; again gives the same one.

        A fallback is given back as it is.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> planned = exp.decide("u17", defer=True)
        >>> shown = exp.activate(planned, person="u17")
        >>> shown.arm == planned.arm, shown.deferred
        (True, False)
        >>> exp.reward(shown, 1)
        """
        if isinstance(decision, Decision) and not decision.id:
            return decision
        name = decision.id if isinstance(decision, Decision) else decision
        if not isinstance(name, str) or not name.isascii() or not name:
            raise NoDecisionError("this is not a deferred decision of this experiment and person")
        body = encoded(Shown(name, checked_text("person", person)))
        call = Call("POST", "/v1/activations", decided, body, idempotent=True)
        found = yield from self._session.ask(call)
        self._remembered.note(found, old=True)
        return found

    @Asks
    def reward(self, decision: Decision | str, value: float) -> Steps[None]:
        """Say what came of a decision: the last value within the window counts.

        Nothing tells whether it does. A reward after the window raises
        :class:`~hush.ExpiredError`, one for what is not an id :class:`~hush.NoDecisionError`; with
        ``flush`` neither is heard of. One of a fallback is nobody's, and goes nowhere.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> decision = exp.decide("u17")
        >>> exp.reward(decision, 0.5)
        >>> exp.reward(decision, 1)  # she changed her mind
        """
        return self._session.reward(decision, value)

    @Asks
    def reward_many(
        self, rewards: Iterable[tuple[Decision | str, float]]
    ) -> Steps[list[HushError | None]]:
        """Say what came of many decisions; each is taken or refused by itself.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> exp.reward_many([(exp.decide("u17"), 1), ("no id", 1)])
        [None, NoDecisionError('This is not the id of a decision...')]
        """
        return self._session.reward_many(rewards)


def _checked(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return a request that can be sent, or raise without showing it."""
    if not isinstance(given, Mapping) or not set(given) <= ASKED:
        raise ParameterError("a request is a mapping with person, and perhaps key and segment")
    key, segment = given.get("key"), given.get("segment")
    if key is not None and not (isinstance(key, str) and KEY.fullmatch(key)):
        raise ParameterError("key must have 1 to 255 visible ASCII characters")
    if segment is not None:
        checked_text("segment", segment)
    return {"person": checked_text("person", given.get("person")), "key": key, "segment": segment}

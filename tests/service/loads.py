"""A load of visits: decisions and rewards with faults of many kinds, and all that was answered."""

import asyncio
import itertools
import json
import random
from collections import Counter, defaultdict

from tests.live.fault_check import KEYS
from tests.service.calling import Caller, now
from tests.service.histories import Asked, Posted

from hush.live.ids import DecisionId

FAULTS = ("", "late", "parts", "half", "unread")
LINES = "application/x-ndjson"


def read(decision):
    """Return what an id says."""
    return DecisionId.read(decision, KEYS)


class Load:
    """Visits of people, many at a time.

    Parameters
    ----------
    share
        How many of the requests have a fault.
    tries
        How often a request is sent at most, until it is answered.
    """

    def __init__(self, service, *, seed, share=0.3, tries=6):
        self._draw = random.Random(seed)
        self._caller = Caller(service.address, service.token, self._draw)
        self._share, self._tries = share, tries
        self._numbers, self._later = itertools.count(), set()
        self.asked, self.posted, self.forged = [], [], []
        self.seen = defaultdict(set)
        self.sent, self.faults, self.most_tries, self.gave_up = 0, Counter(), 0, 0

    @property
    def answered(self):
        return self._caller.answered

    async def watch(self, goes_on):
        """Look at releases again and again; note every value that one was seen with."""
        path = "/v1/experiments/short/releases"
        while goes_on():
            told = await self._caller.ask("GET", path)
            for each in told.json["releases"] if told.status == 200 else ():
                self.seen[each["seq"]].add(json.dumps(each))
            await asyncio.sleep(0.1)

    async def run(self, goes_on, lanes=24):
        """Visit for as long as it is told."""

        async def lane():
            while goes_on():
                await self.visit()

        await asyncio.gather(*(lane() for _ in range(lanes)))
        await asyncio.gather(*self._later)
        await self._caller.close()

    async def visit(self):
        """Ask for a decision, perhaps several times at once, and send rewards."""
        draw, number = self._draw, next(self._numbers)
        name = "short" if draw.random() < 0.2 else "long"
        person = f"guest-{number}" if draw.random() < 0.97 else f"regular-{draw.randrange(7)}"
        key = f"key-{number}"
        requests = [(key, person)] * draw.choice((1, 1, 2, 3))
        if draw.random() < 0.05:
            requests.append((key, f"stranger-{number}"))
        told = await asyncio.gather(*(self._ask(name, *each) for each in requests))
        if draw.random() < 0.02 and not any(each.status for each in told):
            return  # nobody ever knows
        if not any(each.status in (200, 201, 422) for each in told):
            told = [
                await self._until_answered(lambda **given: self._ask(name, key, person, **given))
            ]
        ids = [each.json["decision"] for each in told if each.status in (200, 201)]
        if ids:
            await self._reward(ids[0])

    async def _reward(self, decision):
        draw, made = self._draw, read(decision)
        if draw.random() < 0.02:
            await self._forge(decision)
        for _ in range(draw.choice((0, 1, 1, 2, 2))):
            posts = (self._post(decision) for _ in range(draw.choice((1, 1, 1, 2))))
            await asyncio.gather(*posts)
        if draw.random() < 0.7:
            await self._until_answered(lambda **given: self._post(decision, value=1, **given))
        left = made.deadline / 1_000 - now()
        if left < 60 and draw.random() < 0.3:
            task = asyncio.create_task(self._post_late(decision, left + draw.uniform(-0.6, 0.6)))
            self._later.add(task)

    async def _post_late(self, decision, after):
        await asyncio.sleep(max(after, 0))
        await self._post(decision)

    async def _until_answered(self, send):
        """Send the same again, and again, until there is an answer."""
        for attempt in range(self._tries):
            told = await send(fault="" if attempt else None)
            if told.status and told.status < 500:
                self.most_tries = max(self.most_tries, attempt + 1)
                return told
            await asyncio.sleep(min(0.05 * 2**attempt, 1.0))
        self.gave_up += 1
        return told

    async def _send(self, *request, fault=None, **headers):
        if fault is None:
            chance = self._draw.random() < self._share
            fault = self._draw.choice(FAULTS[1:]) if chance else ""
        self.sent += 1
        self.faults[fault] += 1
        return await self._caller.ask(*request, fault=fault, **headers)

    async def _ask(self, name, key, person, fault=None):
        path, body = f"/v1/experiments/{name}/decisions", {"person": person}
        told = await self._send("POST", path, body, fault=fault, idempotency_key=key)
        self.asked.append(Asked(**told.times, key=key, person=person))
        return told

    async def _post(self, decision, value=None, fault=None):
        value = self._draw.randrange(2) if value is None else value
        if self._draw.random() < 0.1:
            told = await self._post_line(decision, value, fault)
        else:
            path = f"/v1/decisions/{decision}/reward"
            told = await self._send("PUT", path, {"value": value}, fault=fault)
        deadline = read(decision).deadline / 1_000
        self.posted.append(Posted(**told.times, decision=decision, value=value, deadline=deadline))
        return told

    async def _post_line(self, decision, value, fault):
        """Send a reward among others, of which some cannot be used."""
        lines = [{"decision": "none", "value": 1}, {"decision": decision, "value": value}]
        raw = "\n".join(json.dumps(each) for each in lines).encode() + b"\nnot JSON\n"
        told = await self._send("POST", "/v1/batch/rewards", raw, fault=fault, content_type=LINES)
        if told.status != 200:
            return told
        statuses = [json.loads(line)["status"] for line in told.body.splitlines()]
        assert statuses[::2] == [404, 422]
        return type(told)(told.began, told.ended, statuses[1], b"", told.whole)

    async def _forge(self, decision):
        place = self._draw.randrange(len(decision))
        other = "A" if decision[place] != "A" else "B"
        forged = decision[:place] + other + decision[place + 1 :]
        told = await self._send("PUT", f"/v1/decisions/{forged}/reward", {"value": 1}, fault="")
        self.forged.append(told.status)

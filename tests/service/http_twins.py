"""Twins over HTTP: a script is played through two services that differ in one person's rewards.

Everything that is answered to anybody but to her rewards is compared: status, headers and bytes;
and all that is public, with the logs. Answers to her own rewards are compared with what her bytes,
her ids, the clock and her own posts say.
"""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime
from functools import singledispatchmethod
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

from tests.live import scripts as s
from tests.live.records import WrongAnswerError, compare
from tests.live.twins import Made, Player
from tests.service.sites import Heard, Site

from hush.service import Settings

# A decision's reward is taken twice in ten seconds, and a token's decisions are limited.
MOST = 2
SETTINGS = Settings(tick=None, decisions=20.0, rewards=MOST)
EXPORTS = ("/export.csv", "/export.json", "/export.parquet")
PAGES = ("", "/plan", "/releases", "/acts", "/ledger", "/guarantee", "/insight", *EXPORTS)
BOARD = ("", "/privacy", "/health")
ACTS = {"add_arm": "arms", "retire_arm": "arms/retire", "control": "adjust"}
ACTS["continue_"] = "continue"


class HttpPlayer(Player):
    """Plays a script for one twin, all of it through the service's application.

    Parameters
    ----------
    leak
        What is done to a site after it was opened; nothing, if left out.
    """

    def __init__(self, script: s.Script, side: int, place, leak=None) -> None:
        super().__init__(script, side, place)
        self.site_leak = leak
        self.sites: list[Site] = []
        self.asked: Counter[bool] = Counter()
        self.name = ""
        self.posts: Counter[tuple[int, str, int]] = Counter()

    def play(self):
        """Play the script to its end."""
        try:
            return super().play()
        finally:
            self._shut()

    def _shut(self) -> None:
        for site in self.sites:
            site.core._desk.shutdown()
            site.core._aside.shutdown()
            site.loop.close()
        self.sites = []

    def _open(self) -> None:
        self._shut()
        self.posts.clear()  # a process's limits end with it
        super()._open()
        for store in self.stores:
            site = Site(store, SETTINGS, clock=lambda: self.clock.boot() / 1_000)
            site.core._entropy = self._bytes
            site.tokens = [site.grant("reward", experiments=[name]) for name in self.names]
            if self.site_leak is not None:
                self.site_leak(site)
            self.sites.append(site)
        self.place.unmark()  # tokens are durable

    def _bytes(self, size: int) -> bytes:
        """Return bytes that are random to everybody, and each request's own."""
        return blake2b(self.name.encode(), digest_size=size).digest()

    # -- asking -----------------------------------------------------------------------------------

    def _ask(self, method: str, path: str, body: Any = None, *, hers=False, site=None, **given):
        """Ask for something; all of the answer is noted, unless it is to a reward of hers."""
        self.asked[hers] += 1
        self.name = f"{hers} {self.asked[hers]}"
        heard = (site or self.sites[0]).ask(method, path, body, **given)
        if not hers:
            self._saw(path, heard)
        return heard

    def _saw(self, path: str, heard: Heard) -> None:
        self.record.public.append((path, heard.status, sorted(heard.headers.items()), heard.body))

    @singledispatchmethod
    def take(self, step) -> None:
        """Take a step."""
        super().take(step)

    @take.register
    def _(self, step: s.Begin) -> None:
        setup = next(self.setups, None)
        if setup is None:
            return
        name = f"e{len(self.names)}"
        body = {
            **vars(setup),
            "name": name,
            "arms": [f"arm{n}" for n in range(setup.arms)],
            "segments": [f"s{n}" for n in range(setup.segments)] or None,
        }
        self._ask("POST", "/v1/experiments", body)
        self.names.append(name)
        for site in self.sites:
            site.tokens.append(site.grant("reward", experiments=[name]))
        self._ask("POST", f"/v1/experiments/{name}/start", {})

    @take.register
    def _(self, step: s.Decide) -> None:
        number = step.experiment % len(self.names)
        experiment = self._experiment(number, step.elsewhere)
        site = self.sites[-1 if step.elsewhere else 0]
        asks = [ask for ask in step.asks if ask.person not in self.gone]
        requests = [self._request(experiment, ask) for ask in asks]
        if step.together and not step.defer:
            rows = [{"experiment": experiment.name, **each} for each in requests]
            raw = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
            heard = self._ask("POST", "/v1/batch/decisions", raw, site=site, content_type=NDJSON)
            answers = heard.lines if heard.status == 200 else []
        else:
            answers = [self._decided(experiment, each, step.defer, site) for each in requests]
        for ask, answer in zip(asks, answers, strict=False):
            self._keep(answer, ask.person, number)

    def _decided(self, experiment, request, defer: bool, site=None) -> dict[str, Any]:
        key = {"Idempotency_Key": request["key"]} if request["key"] and not defer else {}
        body = {"person": request["person"], "segment": request["segment"], "defer": defer}
        path = f"/v1/experiments/{experiment.name}/decisions"
        return self._ask("POST", path, body, site=site, **key).json

    def _keep(self, answer: dict[str, Any], person: int, number: int) -> None:
        if "decision" not in answer:
            return
        decision = SimpleNamespace(
            id=answer["decision"],
            expires=datetime.fromisoformat(answer["expires"]),
            deferred=answer.get("deferred", False),
        )
        made = Made(decision, person, number)
        if made not in self.made:
            self.made.append(made)
            if person == s.HER and not decision.deferred:
                self._note_hers(decision.id)

    @take.register
    def _(self, step: s.Activate) -> None:
        if not self.made or step.which < 0:
            return
        made = self.made[step.which % len(self.made)]
        person = made.person if step.person is None else step.person
        if made.person in self.gone or person in self.gone:
            return
        body = {"decision": made.decision.id, "person": f"person-{person}"}
        heard = self._ask("POST", "/v1/activations", body)
        self._keep(heard.json, person, made.experiment)

    @take.register
    def _(self, step: s.Erase) -> None:
        alone = step.alone and step.person == s.HER
        if alone:
            self.gone.add(s.HER)
        for name in sorted({each.population for each in self.script.setups[: len(self.names)]}):
            body = {"person": f"person-{step.person}", "population": name}
            if not (alone and self.side):
                self._ask("POST", "/v1/people/erase", body, hers=alone)

    @take.register
    def _(self, step: s.Act) -> None:
        experiment = self._experiment(step.experiment)
        arms = experiment.arms
        arm = arms[step.number % len(arms)]
        body = {
            "add_arm": {"name": f"arm{len(arms)}", "by": "operator"},
            "retire_arm": {"name": arm},
            "adjust": {"floor": step.number / 20},
            "control": {"control": arm, "control_share": step.number / 10},
        }.get(step.what, {})
        act = ACTS.get(step.what, step.what)
        self._ask("POST", f"/v1/experiments/{experiment.name}/{act}", body)

    @take.register
    def _(self, step: s.Limit) -> None:
        self._ask("PUT", f"/v1/populations/{step.population}", {"limit": step.most})

    @take.register
    def _(self, step: s.Confirm) -> None:
        for site in self.sites:
            self._ask("POST", "/v1/clock/confirm", {}, site=site)

    @take.register
    def _(self, step: s.Settle) -> None:
        for site in self.sites:
            site.core.tick()
        self._read_some()
        self._look()

    # -- rewards ----------------------------------------------------------------------------------

    def _post(self, store, posts: list[Any], way: str) -> None:
        site = self.sites[self.stores.index(store)]
        number = (posts[0][0][2] + (way == "other")) % len(self.names)
        token = site.token if way == "store" else site.tokens[number]
        sent = []
        for (name, person, _), line in posts:
            code = line.second if person == s.HER and self.side else line.first
            if code is not None:
                sent.append((name, VALUES[code], person))
        if not sent:
            return
        single, allowed = len(posts) == 1, None if way == "store" else number
        wanted = [self._right(site, *each[:2], single, allowed) for each in sent]
        hers = any(target[1] == s.HER for target, _ in posts)  # in one twin she may post nothing
        given = {"hers": hers, "site": site, "token": token}
        if single:
            path, body = f"/v1/decisions/{sent[0][0]}/reward", b'{"value": ' + sent[0][1] + b"}"
            answers = [self._ask("PUT", path, body, **given).status]
        else:
            answers = self._batch(sent, given)
        if answers != wanted:
            raise WrongAnswerError(f"answered {answers}, and {wanted} is right")

    def _batch(self, sent: list[Any], given: dict[str, Any]) -> list[int]:
        raw = b"".join(
            b'{"decision": ' + json.dumps(name).encode() + b', "value": ' + value + b"}\n"
            for name, value, _ in sent
        )
        heard = self._ask("POST", "/v1/batch/rewards", raw, content_type=NDJSON, **given)
        lines = heard.body.splitlines()
        if heard.status != 200 or len(lines) != len(sent):
            raise WrongAnswerError(f"{heard.status} with {len(lines)} answers to {len(sent)} lines")
        others = [line for line, each in zip(lines, sent, strict=True) if each[2] != s.HER]
        self.record.public += others
        return [json.loads(line)["status"] for line in lines]

    def _right(self, site: Site, name: Any, value: bytes, single: bool, number: int | None) -> int:
        """Return the right answer, by the id, the clock, the posted bytes and its own posts."""
        nowhere = single and name == ""  # there is no such address
        if not nowhere and (value not in NUMBERS or (not single and name in ("", 7))):
            return 422
        known = [m for m in self.made if m.decision.id == name and not m.decision.deferred]
        if not known:
            return 404
        if value not in NUMBERS[:GOOD]:
            return 422
        return self._of_good(site, known[0], number)

    def _of_good(self, site: Site, made: Made, number: int | None) -> int:
        """Return the right answer to a value that can be used, of a decision that there is."""
        if number is not None and made.experiment != number:
            return 403
        own = self.sites.index(site), made.decision.id, self.clock.boot() // 10_000
        self.posts[own] += 1
        if self.posts[own] > MOST:
            return 429
        late = site.store._clock.read() > round(made.decision.expires.timestamp() * 1_000)
        return 410 if late else 204

    # -- what can be seen -------------------------------------------------------------------------

    def _read_some(self) -> None:
        """Note what readers get most often."""
        for path in ("/metrics", "/v1/experiments", "/healthz", "/readyz"):
            self._ask("GET", path)
        for name in self.names:
            self._ask("GET", f"/v1/experiments/{name}/plan")

    def _read_all(self) -> None:
        """Note every page, from every process."""
        super()._read_all()
        for site in self.sites:
            for name in self.names:
                for page in PAGES:
                    self._ask("GET", f"/v1/experiments/{name}{page}", site=site)
            for page in (*BOARD, *(f"/experiments/{name}" for name in self.names)):
                self._ask("GET", f"/dashboard{page}", site=site, cookie=f"hush_token={site.token}")
        self._read_some()


NDJSON = "application/x-ndjson"
# The values of scripts, as bytes; the first of the numbers can be used, the others cannot.
GOOD = s.GOOD
NUMBERS = [json.dumps(value).encode() for value in (*s.VALUES[:GOOD], 1.5, -1)]
VALUES = [b"b'1'" if isinstance(value, bytes) else json.dumps(value).encode() for value in s.VALUES]


def play_http_twins(script: s.Script, place, leak=None):
    """Play both twins, each in a place of its own, and compare them."""
    return compare(*(HttpPlayer(script, side, place(), leak).play() for side in (0, 1)))

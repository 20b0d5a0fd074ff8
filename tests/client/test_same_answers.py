"""A client answers as a store in this process does: the same script, the same answers."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.client.sides import CHECKOUT, InProcess, opened, twin

import hush
from hush.errors import HushError
from hush.service import OPERATIONS

# Asked by machines, and a reward by itself: the client sends it as a batch, for its address would
# have the id.
UNASKED = {"healthz", "openapi", "metrics", "reward"}


class Noted(InProcess):
    """Notes what is asked."""

    def __init__(self, store):
        super().__init__(store)
        self.asked = set()

    async def _answer(self, request):
        self.asked.add((request.method, request.url.path))
        return await super()._answer(request)


def plainly(value):
    """Return a value that can be compared: an error is its class."""
    if isinstance(value, HushError):
        return type(value)
    if isinstance(value, hush.live.Decision):  # a client's own keys may cost an ordinal
        return replace(value, id=len(value.id))
    if isinstance(value, list | tuple):
        return [plainly(each) for each in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


class Script:
    """Does things to a store or to a client, and writes down what came of each."""

    def __init__(self, side, store, clock, folder):
        self.side, self.store, self.clock, self.folder = side, store, clock, folder
        self.said = []

    def note(self, run):
        try:
            found = run()
        except HushError as error:
            found = error
        self.said.append(plainly(found))
        return found

    def read(self, exp):
        for name in ("state", "terms", "arms", "retired", "plans", "releases", "acts"):
            self.note(lambda name=name: getattr(exp, name))
        for name in ("guarantee", "insight"):
            self.note(lambda name=name: getattr(exp, name))
        self.note(lambda: exp.plan)
        self.note(lambda: exp.ledger)
        for suffix in (".csv", ".json", ".parquet", ".txt"):
            path = self.folder / f"export{suffix}"
            self.note(lambda path=path: exp.export(path))
            self.note(lambda path=path: path.read_bytes() if path.exists() else None)

    def life(self):
        """Live through everything once."""
        side, note, clock = self.side, self.note, self.clock
        note(lambda: side.population("customers", limit=2.5))
        exp = side.create("checkout", **CHECKOUT, population="customers", by="Ada")
        note(lambda: side.names)
        note(lambda: side.create("checkout", **CHECKOUT))
        note(lambda: side.create("other", **{**CHECKOUT, "arms": ["a", "a"]}))
        note(lambda: exp.decide("u1"))
        note(exp.pause)
        exp.start(by="Ada")
        first = note(lambda: exp.decide("u1", key="one"))
        note(lambda: exp.decide("u1", key="one"))
        note(lambda: exp.decide("u2", key="one"))
        note(lambda: exp.decide("u2", segment="none"))
        note(lambda: exp.decide("hush_test_1"))
        note(lambda: exp.decide("u2", defer=True, key="no"))
        note(lambda: exp.decide("u2", seen="no id"))
        note(lambda: exp.decide("u2", seen=first.id))
        note(lambda: exp.reward(first, 1))
        note(lambda: side.reward(first.id, 0.25))
        for value in (2, "1", None, float("nan"), float("inf"), 10**400):
            note(lambda value=value: exp.reward(first, value))
        note(lambda: exp.reward("no id", 1))
        asked = [{"person": "u3"}, {"person": ""}, {"person": "u4", "key": "one"}, {"who": "u5"}]
        asked += [{"person": "u5", "segment": "x"}, {"person": "u6", "key": "two"}, "u7"]
        several = note(lambda: exp.decide_many(asked))
        note(lambda: exp.reward_many([(several[0], 1), ("no id", 1), (several[5].id, 7)]))
        note(lambda: exp.reward_many([]))
        note(lambda: exp.decide_many([]))
        planned = note(lambda: exp.decide("u8", defer=True))
        note(lambda: exp.activate(planned, person="u9"))
        shown = note(lambda: exp.activate(planned, person="u8"))
        note(lambda: exp.activate(planned.id, person="u8"))
        note(lambda: exp.activate("no id", person="u8"))
        note(lambda: exp.reward(shown, 1))
        late = note(lambda: exp.decide("u9", defer=True))
        clock.advance("10m")
        note(lambda: exp.activate(late, person="u9"))
        self.read(exp)
        clock.advance("2h")
        note(lambda: exp.reward(first, 1))
        self.store.settle()
        self.acts(exp)

    def acts(self, exp):
        """Do what operators do."""
        note, side = self.note, self.side
        note(lambda: exp.pause(by="Bo"))
        note(lambda: exp.decide("u10"))
        note(exp.resume)
        note(lambda: exp.add_arm("newer"))
        note(lambda: exp.add_arm("newer"))
        note(lambda: exp.retire_arm("new"))
        note(lambda: exp.retire_arm("old"))
        note(lambda: exp.adjust(floor=0.1, control_share=0.2))
        note(lambda: exp.adjust(control="newer", by="Bo"))
        note(lambda: exp.adjust(floor=7))
        note(lambda: [exp.decide(f"v{n}") for n in range(20)])
        note(exp.continue_)
        note(lambda: side.erase("v1", population="customers"))
        self.read(exp)
        big = side.create("big", **{**CHECKOUT, "person_epsilon": 2.0, "population": "customers"})
        note(big.start)
        parts = side.create("parts", **CHECKOUT, segments=["phone", "desktop"])
        note(parts.start)
        note(lambda: parts.decide("u1"))
        note(lambda: parts.decide("u1", segment="phone"))
        note(lambda: parts.decide_many([{"person": "u1", "segment": "desktop"}]))
        self.read(parts)
        note(exp.stop)
        self.clock.advance("2h")
        self.store.settle()
        self.read(exp)
        note(lambda: side.names)


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    store, clock, _ = twin()
    script = Script(store, store, clock, tmp_path_factory.mktemp("expected"))
    script.life()
    assert len(script.said) > 100
    return script.said


@pytest.mark.parametrize("kind", ["Client", "AsyncClient"])
def test_the_same_script_has_the_same_answers(kind, expected, tmp_path):
    store, clock, token = twin()
    with opened(getattr(hush, kind)) as side:
        script = Script(side.connected(store, token), store, clock, tmp_path)
        script.life()
    assert len(script.said) == len(expected)
    for number, (here, there) in enumerate(zip(expected, script.said, strict=True)):
        assert there == here, number


def test_unknown_names_are_found_out_when_something_is_asked(side):
    store, _, _ = twin()
    client = side.connected(store)
    exp = client.experiment("nobody")
    for ask in (lambda: exp.state, lambda: exp.decide("u1"), exp.start, lambda: exp.releases):
        with pytest.raises(hush.UnknownNameError, match="nothing of this name"):
            ask()
    (error,) = exp.decide_many([{"person": "u1"}])
    assert isinstance(error, hush.UnknownNameError)
    for name in ("", ".", "..", 7, "a\ud800", "a/b", "a?b"):
        with pytest.raises(hush.UnknownNameError):
            client.experiment(name)
        with pytest.raises(hush.ParameterError):
            client.population(name, limit=1.0)


def test_rehearsals_are_for_test_tokens(side):
    store, _, _ = twin()
    client = side.connected(store)
    exp = client.create("checkout", **CHECKOUT)
    exp.rehearse(by="Ada")
    tester = side.connected(store, store.tokens.create(["decide", "reward"], test=True))
    trial = tester.experiment("checkout")
    decision = trial.decide("hush_test_1")
    trial.reward(decision, 1)
    planned = trial.decide("hush_test_2", defer=True)
    assert trial.activate(planned, person="hush_test_2").arm == planned.arm
    assert len(exp.rehearsal["pending"]) == 2
    exp.advance("2h")
    assert [each["true_sum"] for each in exp.rehearsal["released"]]
    (refused,) = trial.decide_many([{"person": "hush_test_3"}])
    assert isinstance(refused, hush.AccessError)


def test_the_clock_is_confirmed(side):
    store, clock, _ = twin()
    client = side.connected(store)
    assert client.confirm_clock() is None
    clock.jump(3_600_000)
    assert store.held
    assert client.confirm_clock(by="Ada") is None
    assert store.held is None


def test_everything_that_is_served_is_asked(side, tmp_path):
    store, clock, token = twin()
    transport = Noted(store)
    client = side.client(transport, token=token, url="http://in-process")
    script = Script(client, store, clock, tmp_path)
    script.life()
    trial = client.create("trial", **{**CHECKOUT, "window": timedelta(minutes=90)})
    trial.rehearse()
    trial.advance(timedelta(hours=1))
    assert trial.rehearsal["pending"] == []
    assert trial.terms["window"] == 90 * 60_000
    client.confirm_clock()
    assert client.ready()
    patterns = {
        each.name: (each.method, re.sub(r"\{\w+\}", "[^/]+", each.path.replace(".", r"\.")))
        for each in OPERATIONS
    }
    unasked = {
        name
        for name, (method, pattern) in patterns.items()
        if not any(m == method and re.fullmatch(pattern, p) for m, p in transport.asked)
    }
    assert unasked == UNASKED


def test_times_have_a_zone(side):
    store, _, _ = twin()
    exp = side.connected(store).create("checkout", **CHECKOUT)
    exp.start()
    assert exp.decide("u1").expires.utcoffset() == timedelta(0)

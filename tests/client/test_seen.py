"""A client that was answered by a newer plan before tells the store that it was set back."""

import httpx
import pytest
from tests.client.sides import CHECKOUT, Made, decided, problem
from tests.live import scenes

import hush
import hush.live


def seen(service):
    return [body.get("seen") for body in service.bodies]


def test_an_older_plan_is_answered_by_the_id_of_the_newest(side):
    service = Made(decided("a", 3), decided("b", 5), decided("c", 5), decided("d", 4),
                   decided("e", 4), decided("f", 4))  # fmt: skip
    exp = side.client(service).experiment("checkout")
    for n in range(6):
        exp.decide(f"u{n}")
    assert seen(service) == [None, None, None, None, "c", None]


def test_each_experiment_is_remembered_for_itself(side):
    service = Made(decided("a", 9), decided("b", 2), decided("c", 3), decided("d", 9))
    client = side.client(service)
    one, two = client.experiment("one"), client.experiment("two")
    one.decide("u1")
    two.decide("u1")
    client.experiment("two").decide("u1")
    client.experiment("one").decide("u1")
    assert seen(service) == [None] * 4


def test_what_a_caller_saw_is_sent_as_it_is(side):
    service = Made(decided("a", 5), decided("b", 4), decided("c", 4))
    exp = side.client(service).experiment("checkout")
    exp.decide("u1")
    exp.decide("u1")
    exp.decide("u1", seen="mine")
    assert seen(service) == [None, None, "mine"]


def test_answers_that_may_be_old_are_no_evidence(side):
    service = Made(decided("a", 5), decided("b", 4, status=200), decided("c", 4), decided("d", 5))
    exp = side.client(service).experiment("checkout")
    exp.decide("u1")
    exp.decide("u1", key="again")
    exp.activate("a deferred one", person="u1")
    exp.decide("u1")
    assert [body.get("seen") for body in service.bodies] == [None] * 4


def test_deferred_decisions_show_an_older_plan_and_are_no_evidence_themselves(side):
    service = Made(decided("a", 5), decided("b", 7, deferred=True), decided("c", 6, deferred=True),
                   decided("d", 4, deferred=True), decided("e", 4))  # fmt: skip
    exp = side.client(service).experiment("checkout")
    exp.decide("u1")
    for _ in range(3):
        exp.decide("u1", defer=True)
    exp.decide("u1")
    assert seen(service) == [None, None, None, None, "a"]


def test_evidence_of_another_store_is_forgotten(side):
    service = Made(decided("a", 5), decided("b", 4), problem("no-decision", 404), decided("c", 4),
                   decided("d", 4))  # fmt: skip
    exp = side.client(service).experiment("checkout")
    for _ in range(2):
        exp.decide("u1")
    assert exp.decide("u1").id == "c"
    exp.decide("u1")
    assert seen(service) == [None, None, "a", None, None]
    keys = [each.headers["idempotency-key"] for each in service.requests]
    assert keys[2] == keys[3]


def test_evidence_that_may_not_have_arrived_is_sent_again(side, time):
    service = Made(decided("a", 5), decided("b", 4), problem("unexpected", 500),
                   problem("wrong-state", 409), decided("c", 4))  # fmt: skip
    exp = side.client(service, time=time).experiment("checkout")
    for _ in range(2):
        exp.decide("u1")
    for error in (hush.StoreError, hush.LifecycleError):
        with pytest.raises(error):
            exp.decide("u1")
    exp.decide("u1")
    assert seen(service) == [None, None, "a", "a", None]


def test_batches_are_remembered_too(side):
    rows = [decided(name, plan).content[:-1] for name, plan in (("a", 5), ("b", 4))]
    body = b"".join(each + b',"status":201}\n' for each in rows)
    service = Made(httpx.Response(200, content=body), decided("c", 5))
    exp = side.client(service).experiment("checkout")
    exp.decide_many([{"person": "u1"}, {"person": "u2"}])
    exp.decide("u1")
    assert service.bodies[-1]["seen"] == "a"


def test_a_store_that_was_set_back_is_found_out(side, tmp_path):
    """Both stores are copied, live on, and are put back; the client has seen more."""
    clock = hush.live.ManualClock()
    folder, copy = tmp_path / "now", tmp_path / "before"
    folder.mkdir()
    store = scenes.opened(folder / "store.db", clock)
    token = store.tokens.create(["decide", "reward", "read", "admin"])
    client = side.connected(store, token)
    exp = client.create("checkout", **CHECKOUT)
    exp.start()
    exp.decide("u1")
    store.close()
    copy_of(folder, copy)

    store = scenes.opened(folder / "store.db", clock)
    service = side.connected(store, token)
    exp = service.experiment("checkout")
    exp.adjust(floor=0.1)
    exp.adjust(floor=0.2)
    newest = exp.decide("u2")
    store.close()
    copy_of(copy, folder)

    store = scenes.opened(folder / "store.db", clock)
    later = side.connected(store, token)
    later._session._remembered.update(service._session._remembered)
    exp = later.experiment("checkout")
    assert exp.decide("u3").plan < newest.plan
    assert store.experiment("checkout").state == "running"
    exp.decide("u4")
    assert store.experiment("checkout").state == "quarantined"
    store.settle()  # readers see it at the next tick
    assert exp.state == "quarantined"


def copy_of(source, target):
    target.mkdir(exist_ok=True)
    for each in target.iterdir():
        each.unlink()
    for each in source.iterdir():
        (target / each.name).write_bytes(each.read_bytes())

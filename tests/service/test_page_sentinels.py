"""No page, export, metric or answer tells a person, a key, a reward or a secret."""

import base64

import pytest
from tests.live.places import SECRET
from tests.service.page_sentinels import PEOPLE, VALUES, Filled, FoundError, addresses, search

from hush.dashboard.pages import Pages
from hush.service import read_routes, system_routes


@pytest.fixture
def filled():
    made = Filled()
    yield made
    made.site.close()


def test_nothing_that_is_served_tells_anything_private(filled):
    assert search(filled) > 200
    assert len(filled.hashes) > 20


def test_every_kind_of_answer_is_looked_at(filled):
    """Whoever adds a route or a page adds it to the search."""
    asked = {path: filled.site.ask("GET", path).status for path in addresses()}
    assert {path for path, status in asked.items() if status == 409} == {
        f"/v1/experiments/{name}/rehearsal" for name in ("checkout", "split", "draft")
    }
    assert set(asked.values()) == {200, 409}
    shown = dict(filled.served())
    assert b"Allocation over time" in shown["all /dashboard/experiments/checkout"]
    assert b"made up" in shown["all /dashboard/experiments/trial"]
    assert b"<h1>Sign in</h1>" in shown["tests /dashboard/privacy"]
    assert b"noisy_sum" in shown["one /dashboard/experiments/split/export.parquet"]


def test_the_search_finds_what_the_private_store_holds(filled):
    data = filled.site.store._private.connection.serialize()
    assert sum(each in data for each in filled.hashes) >= len(PEOPLE)


def hash_of(filled):
    return filled.site.store._keys.person("default", PEOPLE[1])


TOLD = {
    "a person": lambda filled: PEOPLE[2].encode(),
    "a person as UTF-16's bytes in hexadecimal": lambda filled: PEOPLE[2].encode().hex().encode(),
    "a hash": hash_of,
    "a hash in hexadecimal": lambda filled: hash_of(filled).hex().encode(),
    "a hash backwards": lambda filled: hash_of(filled)[::-1],
    "a hash in base64": lambda filled: base64.b64encode(hash_of(filled)),
    "a hash in the middle of base64": lambda filled: base64.urlsafe_b64encode(
        b"x" + hash_of(filled) + b"yz"
    ),
    "a reward": lambda filled: f"{VALUES[1]}".encode(),
    "a mapped reward": lambda filled: f"{VALUES[0] / 500:.6f}".encode(),
    "an id": lambda filled: filled.ids[-1].encode(),
    "the secret": lambda filled: base64.b64encode(SECRET),
    "a token": lambda filled: filled.site.token.encode(),
}
PLACES = {
    "an export": (Pages, "export"),
    "the list": (Pages, "experiments"),
    "the metrics": (system_routes, "rendered"),
    "an export of the interface": (read_routes, "exported"),
}


@pytest.mark.parametrize("what", TOLD)
def test_whatever_is_told_is_found(filled, monkeypatch, what):
    """A leak is planted: one page holds one thing that it must not."""
    told, health = TOLD[what](filled), Pages.health
    monkeypatch.setattr(Pages, "health", lambda *given: health(*given) + told)
    with pytest.raises(FoundError, match="all /dashboard/health"):
        search(filled)


@pytest.mark.parametrize("where", PLACES)
def test_wherever_it_is_told_it_is_found(filled, monkeypatch, where):
    kind, name = PLACES[where]
    make = getattr(kind, name)
    told = PEOPLE[0].encode()
    monkeypatch.setattr(kind, name, lambda *given, **more: make(*given, **more) + told)
    with pytest.raises(FoundError):
        search(filled)

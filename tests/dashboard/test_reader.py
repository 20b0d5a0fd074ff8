import sqlite3

import pytest
from tests.dashboard.boards import filled

import hush.live
from hush.dashboard.reader import Reader
from hush.errors import StoreError


@pytest.fixture
def place(tmp_path):
    filled(tmp_path / "s.db")
    return tmp_path / "s.db"


def test_it_works_without_the_private_store_and_the_secret(place):
    for each in place.parent.iterdir():
        if each.name not in ("s.db", "s.db-wal", "s.db-shm"):
            each.unlink()
    reader = Reader.open(place)
    rows = reader.rows(reader.names())
    assert [(row.name, row.state) for row in rows] == [
        ("ideas", "draft"),
        ("mail", "paused"),
        ("checkout", "running"),
    ]
    assert rows[2].served == 900
    assert rows[2].last is not None
    reader.close()


def test_it_cannot_write(place):
    reader = Reader.open(place)
    with pytest.raises(StoreError):
        reader._database.run("DELETE FROM journal")
    reader.close()


@pytest.mark.parametrize("wrong", ["s.private.db", "none.db"])
def test_it_opens_nothing_but_a_public_store(place, wrong):
    with pytest.raises(StoreError):
        Reader.open(place.with_name(wrong))
    assert not place.with_name("none.db").exists()


def test_it_sees_what_is_published_meanwhile(place):
    clock = hush.live.ManualClock()
    clock.advance("100h")
    reader = Reader.open(place)
    store = hush.live.open(place, clock=clock)
    store.confirm_clock()
    store.create("later", policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1.0)
    store.settle()
    assert reader.names()[0][1] == "later"
    store.close()
    reader.close()


def test_a_changed_entry_is_found(place):
    reader = Reader.open(place)
    whole = reader.chain()
    assert whole.broken is None
    assert whole.entries > 20
    reader.close()
    with sqlite3.connect(place) as connection:
        connection.execute("UPDATE journal SET at = at + 1 WHERE seq = 5")
    connection.close()
    reader = Reader.open(place)
    assert reader.chain().broken == 5
    reader.close()


def test_the_chain_is_looked_at_once(place):
    reader = Reader.open(place)
    looked = []
    reader._database.probe = looked.append
    reader.chain()
    first = len(looked)
    reader.chain()
    assert len(looked) == first + 1
    reader.close()


def test_tokens_are_shown_without_their_digests(place):
    reader = Reader.open(place)
    (token,) = reader.tokens()
    assert (token.scopes, token.experiments) == ("read, admin", "all")
    assert not any(isinstance(each, bytes) for each in vars(token).values())
    reader.close()

import json
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

import hush.live
from hush.errors import StoreError
from hush.live.connecting import connect

SECRET = bytes(32)


def opened(pair, clock=None):
    return hush.live.open(pair[0], private=pair[1], secret=SECRET, clock=clock or CLOCK())


def CLOCK():
    return hush.live.ManualClock()


def checked(pair):
    return hush.live.check(pair[0], private=pair[1], secret=SECRET)


def rows_in(database, table):
    return database.run(f"SELECT * FROM {table} ORDER BY 1, 2")


def busy(pair):
    """Fill a store: releases, one that is sealed and not shown, closed and open batches."""
    clock = CLOCK()
    with opened(pair, clock) as store:
        store.population("eu", limit=5.0)
        exp = store.create(
            "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0,
            person_bound=3, window="1h", max_age="10m", tick="10m", population="eu",
            segments=["a", "b"],
        )  # fmt: skip
        exp.start()
        for step in range(4):
            for person in range(12 * step, 12 * step + 16):
                decision = exp.decide(person=f"u{person}", segment="ab"[person % 2])
                exp.reward(decision.id, person % 2)
            clock.advance("20m")
            store.settle()
            if step == 3:
                exp.adjust(floor=0.1)
        for _ in range(12):
            clock.advance("10m")
            store.settle()
            if store._private.run("SELECT batch FROM sealed"):
                break
        exp.decide(person="u99", segment="a")
        store.create(
            "draft", policy="LazyDPTS", arms=["x", "y"], person_epsilon=0.5, window="1h"
        )  # fmt: skip
        counts = {
            table: len(rows_in(store._private, table))
            for table in ("sealed", "batches", "pending", "people", "lanes")
        }
        assert all(counts.values()), counts
        for note in ("web shop", "dashboard"):
            store.tokens.create(["read"], expires="90d", note=note)
        store.tokens.revoke(store.tokens.all()[0].id)
        assert exp.releases
        store.settle()


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("filled")
    pair = [str(folder / "experiments.db"), str(folder / "experiments.private.db")]
    busy(pair)
    return folder


@pytest.fixture
def copied(filled, tmp_path):
    """A filled store of one's own."""
    for file in filled.iterdir():
        shutil.copy(file, tmp_path)
    return [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]


def test_a_store_at_work_is_in_order(pair):
    busy(pair)
    assert checked(pair) == []


def test_a_new_store_is_in_order(tmp_path):
    pair = [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
    opened(pair).close()
    assert checked(pair) == []


def test_a_store_that_was_lost_continued_erased_and_stopped_is_in_order(copied, tmp_path):
    clock = hush.live.ManualClock(1_767_225_600_000 + 4 * 3_600_000)
    for ending in ("", "-wal", "-shm"):
        Path(copied[1] + ending).unlink(missing_ok=True)
    with opened(copied, clock) as store:
        exp = store.experiment("checkout")
        assert exp.state == "quarantined"
        assert checked(copied) == []
        exp.continue_()
        for person in range(9):
            exp.decide(person=f"u{person}", segment="a")
        store.erase("u3", population="eu")
        store.settle()
        assert checked(copied) == []
        clock.advance("2h")
        store.settle()
        exp.stop()
        clock.advance("2h")
        store.settle()
        clock.advance("2h")
        store.settle()
        assert exp.state == "stopped"
    assert checked(copied) == []


PUBLIC, PRIVATE = 0, 1
ONE = "WHERE lane = (SELECT min(lane) FROM lanes WHERE learnt > 0)"
DAMAGES = {
    "entry changed": (
        PRIVATE, "UPDATE journal SET body = '{\"act\":\"x\",\"set\":{}}' WHERE seq = 3",
        "private journal's chain is broken at entry 3",
    ),
    "entry gone": (PUBLIC, "DELETE FROM journal WHERE seq = 2", "public journal's chain is broken"),
    "end cut": (
        PRIVATE, "DELETE FROM journal WHERE seq = (SELECT max(seq) FROM journal)",
        "private store's head is not the end",
    ),
    "head moved": (PUBLIC, "UPDATE head SET seq = seq + 1", "public store's head is not the end"),
    "state": (
        PRIVATE, "UPDATE experiments SET state = 'paused' WHERE name = 'checkout'",
        "private store's table of experiments is not what its journal says (checkout)",
    ),
    "experiment gone": (
        PUBLIC, "DELETE FROM experiments WHERE name = 'draft'", "table of experiments is not",
    ),
    "total": (
        PUBLIC, "UPDATE populations SET total = 0 WHERE name = 'eu'",
        "public store's table of populations is not what its journal says (eu)",
    ),
    "token valid again": (
        PRIVATE, "UPDATE tokens SET revoked = NULL WHERE revoked IS NOT NULL",
        "private store's table of tokens is not what its journal says",
    ),
    "token of more": (
        PUBLIC, "UPDATE tokens SET scopes = '[\"admin\"]' WHERE note = 'dashboard'",
        "public store's table of tokens is not what its journal says",
    ),
    "token of another secret": (
        PRIVATE, "UPDATE tokens SET digest = x'00' WHERE note = 'dashboard'", "table of tokens is",
    ),
    "token gone": (PUBLIC, "DELETE FROM tokens WHERE note = 'web shop'", "table of tokens is not"),
    "token slipped in": (
        PRIVATE, "INSERT INTO tokens SELECT '0123456789ab', digest, scopes, experiments, test, "
        "expires, made, NULL, note, seq, version FROM tokens WHERE note = 'web shop'",
        "table of tokens is not what its journal says (0123456789ab)",
    ),
    "plan": (PUBLIC, "UPDATE plans SET version = 1", "plan of checkout is not of its last"),
    "tally": (PUBLIC, "UPDATE tallies SET learnt = learnt + 100", "tally of checkout"),
    "secret": (
        PRIVATE, "UPDATE about SET value = 'x' WHERE name = 'check'",
        "private store has another master secret",
    ),
    "other store": (
        PUBLIC, "UPDATE about SET value = 'x' WHERE name = 'store'", "do not belong together",
    ),
    "learnt": (
        PRIVATE, "UPDATE lanes SET learnt = learnt - 1, served = served + 9 " + ONE,
        "do not add up to its releases and batches",
    ),
    "open batch": (
        PRIVATE, 'UPDATE lanes SET "count" = "count" + 1 WHERE "count" > 0',
        "do not add up to its releases and batches",
    ),
    "closed batch lost": (PRIVATE, "DELETE FROM batches", "do not add up to its releases"),
    "sealed lost": (PRIVATE, "DELETE FROM sealed", "do not add up to its releases"),
    "passed": (
        PRIVATE, "UPDATE lanes SET passed = passed + 1 " + ONE,
        "do not add up to those that wait and those that do not",
    ),
    "pending lost": (
        PRIVATE, "DELETE FROM pending WHERE ordinal = (SELECT max(ordinal) FROM pending)",
        "do not add up to those that wait",
    ),
    "pending astray": (
        PRIVATE, "UPDATE pending SET batch = batch + 1000 WHERE ordinal = "
        "(SELECT max(ordinal) FROM pending)",
        "1 pending rows belong to no batch",
    ),
    "bound": (PRIVATE, "UPDATE people SET given = 4", "somebody's count in checkout is beyond"),
    "uncounted": (
        PRIVATE, "UPDATE people SET given = 1",
        "checkout learnt from more decisions than people were counted for",
    ),
    "a person uncounted": (
        PRIVATE, "DELETE FROM people WHERE person IN (SELECT person FROM pending)",
        "people have more pending decisions in checkout than they were counted for",
    ),
    "nobody's people": (PRIVATE, "UPDATE people SET experiment = 77", "no known experiment"),
    "sum": (PRIVATE, 'UPDATE batches SET "sum" = "count" + 1', "a sum that its decisions cannot"),
    "drawn twice": (
        PRIVATE, "INSERT INTO sealed SELECT batch + 9999, experiment, shown, body FROM sealed",
        "is there more than once",
    ),
    "epsilon": (
        PRIVATE, "UPDATE sealed SET body = replace(body, '\"epsilon\":', '\"epsilon\":9')",
        "at another epsilon than checkout promises",
    ),
    "unreadable": (PRIVATE, "UPDATE sealed SET body = '{'", "holds what cannot be read"),
    "served": (PRIVATE, "UPDATE lanes SET served = 0", "learnt from more decisions than it made"),
    "lane gone": (
        PRIVATE, "DELETE FROM lanes WHERE learnt = 0 OR lane = 1", "lacks lanes for its arms",
    ),
    "epoch": (PRIVATE, "UPDATE lanes SET epoch = 0", "a batch that is not behind its open one"),
    "newer": (
        PUBLIC, "UPDATE alembic_version SET version_num = 'public_0999'", "newer schema",
    ),
}  # fmt: skip


def damage(address, statement):
    with closing(connect(address)) as database, database.transaction():
        database.run(statement)


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_named(kind, copied):
    where, statement, words = DAMAGES[kind]
    damage(copied[where], statement)
    found = checked(copied)
    assert any(words in each for each in found), found


def test_damage_is_named_on_postgres(postgres_pair):
    busy(postgres_pair)
    assert checked(postgres_pair) == []
    damage(postgres_pair[PRIVATE], "UPDATE people SET given = 4")
    damage(postgres_pair[PUBLIC], "DELETE FROM journal WHERE seq = 2")
    damage(postgres_pair[PRIVATE], "UPDATE tokens SET revoked = NULL")
    found = checked(postgres_pair)
    assert any("private store's table of tokens is not" in each for each in found), found
    assert any("beyond the bound" in each for each in found), found
    assert any("chain is broken" in each for each in found), found


def test_findings_hold_nothing_raw(copied):
    with closing(connect(copied[PRIVATE])) as private:
        persons = [bytes(row[0]).hex() for row in private.run("SELECT person FROM people")]
        bodies = [json.loads(row[0])["value"] for row in private.run("SELECT body FROM sealed")]
    for where, statement, _ in DAMAGES.values():
        if "alembic" not in statement and "body" not in statement:
            damage(copied[where], statement)
    text = "\n".join(checked(copied))
    assert text
    assert not any(each in text for each in persons)
    assert not any(str(each) in text for each in bodies if abs(each) > 99)


def test_a_chain_of_wrong_totals_is_found(tmp_path, monkeypatch):
    pair = [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
    monkeypatch.setattr("hush.live.acts.Acts._charged", lambda *_: 0.25)
    with opened(pair) as store:
        exp = store.create(
            "checkout", policy="LazyDPTS", arms=["x", "y"], person_epsilon=0.5, window="1h"
        )
        exp.start()
    assert any("a wrong total of population default" in each for each in checked(pair))


def test_another_secret_and_a_missing_one_are_named(copied, monkeypatch):
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    found = hush.live.check(copied[0], secret=bytes(31) + b"x")
    assert len([each for each in found if "another master secret" in each]) == 2
    assert "is missing" in hush.live.check(copied[0])[0]


def test_a_store_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(StoreError, match=r"no store at experiments\.db"):
        hush.live.check(tmp_path / "experiments.db", secret=SECRET)
    assert list(tmp_path.iterdir()) == []


def test_an_older_private_store_is_named_and_left_alone(copied, tmp_path):
    older = tmp_path / "older"
    older.mkdir()
    for ending in ("", "-wal"):
        if Path(copied[1] + ending).exists():
            shutil.copy(copied[1] + ending, older)
    with opened(copied) as store:
        store.population("us", limit=1.0)
    found = checked([copied[0], str(older / "experiments.private.db")])
    assert found == ["the private store is older than the public one: opening it quarantines"]


# -- backups ------------------------------------------------------------------------------------


def test_a_backup_is_of_the_public_store_and_can_be_restored(pair, tmp_path):
    busy(pair)
    copy = hush.live.backup(pair[0], tmp_path / "monday.db")
    before = rows_of(connect(pair[0]))
    assert rows_of(connect(copy)) == before
    clock = hush.live.ManualClock(1_767_225_600_000 + 5 * 3_600_000)
    with opened(pair, clock) as store:
        store.experiment("checkout").adjust(floor=0.2)
        store.settle()
    after = rows_of(connect(pair[0]))
    assert after != before
    restored = [str(copy), pair[1]]
    assert checked(restored) == []  # older, and that is no fault
    opened(restored, clock).close()
    with opened(restored, clock) as store:
        store.settle()
        assert store.experiment("checkout").state == "running"
    assert checked(restored) == []
    assert rows_of(connect(copy))["journal"] == after["journal"]
    assert rows_of(connect(copy))["tallies"] == after["tallies"]


def rows_of(database):
    with closing(database):
        return {
            table: rows_in(database, table)
            for table in ("about", "journal", "head", "experiments", "plans", "tallies")
        }


def test_a_backup_overwrites_nothing_and_is_never_of_a_private_store(copied, tmp_path):
    there = tmp_path / "there.db"
    there.write_text("mine")
    with pytest.raises(StoreError, match="overwrites nothing"):
        hush.live.backup(copied[0], there)
    assert there.read_text() == "mine"
    before = sorted(tmp_path.iterdir())
    with pytest.raises(StoreError, match="a private store, and a public one is wanted"):
        hush.live.backup(copied[1], tmp_path / "never.db")
    with pytest.raises(StoreError, match="cannot be written"):
        hush.live.backup(copied[0], tmp_path / "nowhere" / "never.db")
    with pytest.raises(StoreError, match="no store at"):
        hush.live.backup(tmp_path / "none.db", tmp_path / "never.db")
    assert sorted(tmp_path.iterdir()) == before


def test_a_postgres_backup_of_a_private_store_is_refused(postgres_pair, tmp_path):
    with pytest.raises(StoreError, match="a private store, and a public one is wanted"):
        hush.live.backup(postgres_pair[1], tmp_path / "never.db")
    assert list(tmp_path.iterdir()) == []


def test_a_backup_is_of_one_moment_while_others_write(pair, tmp_path):
    with opened(pair) as store:
        store.population("eu")
        stop = threading.Event()

        def write():
            number = 0
            while not stop.is_set():
                number += 1
                store.population(f"p{number}")

        writer = threading.Thread(target=write)
        writer.start()
        try:
            copies = [hush.live.backup(pair[0], tmp_path / f"{n}.db") for n in range(5)]
        finally:
            stop.set()
            writer.join()
    sizes = []
    for copy in copies:
        assert checked([str(copy), pair[1]]) == []
        with closing(sqlite3.connect(copy)) as found:
            sizes.append(found.execute("SELECT count(*) FROM journal").fetchone()[0])
    assert sizes == sorted(sizes)

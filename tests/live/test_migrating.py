import multiprocessing
import os
import sqlite3
from contextlib import closing

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Column, Integer, Table, inspect

import hush.live
from hush.errors import StoreError
from hush.live import migrating
from hush.live.connecting import connect
from hush.live.migrating import check_schema, create_or_check, migrate
from hush.live.schema import PRIVATE, PUBLIC
from hush.live.sqlite import SQLite
from hush.live.tokens import parse

SECRET = bytes(32)
NOW = {each.info["name"]: each.info["revision"] for each in (PRIVATE, PUBLIC)}
STORES = pytest.mark.parametrize("metadata", [PRIVATE, PUBLIC], ids=["private", "public"])


def opened(pair):
    return hush.live.open(pair[0], private=pair[1], secret=SECRET, clock=hush.live.ManualClock())


def draft(store):
    return store.create(
        "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0, window="1h"
    )


def differences(database, metadata):
    with database.engine().begin() as connection:
        options = {"compare_type": True, "compare_server_default": True}
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)


@pytest.fixture
def next_revision(tmp_path, monkeypatch):
    """One more revision of the private store, which adds a column and fills it."""
    folder = tmp_path / "versions"
    folder.mkdir()
    (folder / "private_next.py").write_text(
        "from alembic import op\n"
        "import sqlalchemy as sa\n"
        f"revision, down_revision = 'private_next', '{NOW['private']}'\n"
        "def upgrade():\n"
        "    op.add_column('lanes', sa.Column('seen', sa.Integer, nullable=True))\n"
        "    op.execute('UPDATE lanes SET seen = arm + 40')\n"
        "    op.execute(BREAKS)\n".replace("BREAKS", "'SELECT 1'")
    )

    def come():
        monkeypatch.setitem(PRIVATE.info, "revision", "private_next")
        monkeypatch.setitem(PRIVATE.info, "versions", [*PRIVATE.info["versions"], folder])

    come.file = folder / "private_next.py"
    return come


@STORES
def test_the_newest_revision_is_the_one_that_the_tables_are_of(metadata):
    scripts = ScriptDirectory(".", version_locations=map(str, metadata.info["versions"]))
    assert scripts.get_heads() == [metadata.info["revision"]]


def columns(database):
    """Return every table's columns in their order: some rows are written without names."""
    with database.engine().begin() as connection:
        names = sorted(database.tables())
        return {n: [each["name"] for each in inspect(connection).get_columns(n)] for n in names}


@pytest.mark.parametrize("make", [create_or_check, migrating._run], ids=["made", "migrated"])
@STORES
def test_new_tables_and_migrated_ones_are_those_that_the_code_knows(metadata, make, empty_pair):
    database = connect(empty_pair[0])
    make(database, metadata)
    assert differences(database, metadata) == []
    found = columns(database)
    assert found.pop("alembic_version") == ["version_num"]
    assert found == {table.name: table.columns.keys() for table in metadata.sorted_tables}
    assert database.run("SELECT version_num FROM alembic_version") == [
        (NOW[metadata.info["name"]],)
    ]
    with database.engine().begin() as connection:
        Table("more", other := type(metadata)(), Column("x", Integer))
        other.create_all(connection)
    assert differences(database, metadata)  # it can tell
    database.close()


def test_a_second_opening_changes_nothing(empty_pair):
    with opened(empty_pair) as store:
        draft(store)
    with opened(empty_pair) as store:
        assert store.names == ["checkout"]


def test_an_older_schema_is_refused_and_migrates_with_its_data(pair, next_revision):
    with opened(pair) as store:
        draft(store).start()
    next_revision()
    with pytest.raises(StoreError, match=rf"older schema \({NOW['private']}\).*hush store migrate"):
        opened(pair)
    private = connect(pair[1])
    assert migrate(pair[1]) == (NOW["private"], "private_next")
    assert private.run("SELECT seen FROM lanes ORDER BY lane") == [(40,), (41,)]
    assert migrate(pair[1]) == ("private_next", "private_next")
    private.close()
    with opened(pair) as store:
        decision = store.experiment("checkout").decide(person="u17")
        store.reward(decision.id, 1)
    public = connect(pair[0])
    assert migrate(pair[0]) == (NOW["public"], NOW["public"])
    public.close()


def played(store, clock):
    """Let an experiment have releases, open batches and people."""
    exp = draft(store)
    exp.start(by="Ada")
    for n in range(8):
        exp.reward(exp.decide(person=f"u{n}"), n % 2)
    clock.advance("2h")
    store.settle()
    for n in range(8, 12):
        exp.decide(person=f"u{n}")
    store.settle()
    assert exp.releases


def made_by(revision, metadata, address, source, monkeypatch):
    """Make a store of an older revision, with the rows of another as far as it had columns."""
    with monkeypatch.context() as patched, closing(connect(address)) as database:
        patched.setitem(metadata.info, "revision", f"{metadata.info['name']}_{revision}")
        migrating._run(database, metadata)
        with database.engine().begin() as connection:
            there = {
                table: [each["name"] for each in inspect(connection).get_columns(table)]
                for table in database.tables() - {"alembic_version"}
            }
        for table, columns in there.items():
            names = ", ".join(f'"{name}"' for name in columns)
            database.run(f"DELETE FROM {table}")
            rows = source.run(f"SELECT {names} FROM {table}")
            marks = ", ".join("?" * len(columns))
            database.many(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)


@pytest.fixture
def old_pair(empty_pair, monkeypatch):
    """Return what makes a store of a revision that knew less, with data."""

    def make(revision):
        clock = hush.live.ManualClock()
        with hush.live.open(":memory:", secret=SECRET, clock=clock) as store:
            played(store, clock)
            made_by(revision, PUBLIC, empty_pair[0], store._public, monkeypatch)
            made_by(revision, PRIVATE, empty_pair[1], store._private, monkeypatch)
        return empty_pair

    return make


@pytest.fixture
def first_pair(old_pair):
    """A store of the first revisions, with data: they did not know of tokens."""
    pair = old_pair("0001")
    for address in pair:
        with closing(connect(address)) as database:
            assert "tokens" not in database.tables()
    return pair


NEW = {"firsts", "expected", "spread"}


def rows_of(address):
    with closing(connect(address)) as database:
        tables = sorted(database.tables() - {"alembic_version", "tokens"})
        with database.engine().begin() as connection:
            columns = {
                name: [each["name"] for each in inspect(connection).get_columns(name)]
                for name in tables
            }
        shown = {
            name: ", ".join(f'"{each}"' for each in found if each not in NEW)
            for name, found in columns.items()
        }
        return {n: database.run(f"SELECT {shown[n]} FROM {n} ORDER BY 1, 2") for n in tables}


def test_a_store_of_the_first_revision_is_refused_until_it_is_migrated(first_pair):
    before = [rows_of(address) for address in first_pair]
    with pytest.raises(StoreError, match=r"older schema \(private_0001\).*hush store migrate"):
        opened(first_pair)
    found = hush.live.check(first_pair[0], private=first_pair[1], secret=SECRET)
    assert ["older schema" in each for each in found] == [True, True]
    assert migrate(first_pair[1]) == ("private_0001", NOW["private"])
    with pytest.raises(StoreError, match=r"older schema \(public_0001\)"):
        opened(first_pair)
    assert migrate(first_pair[0]) == ("public_0001", NOW["public"])
    assert [rows_of(address) for address in first_pair] == before
    for address, metadata in zip(first_pair, (PUBLIC, PRIVATE), strict=True):
        with closing(connect(address)) as database:
            assert differences(database, metadata) == []
    assert hush.live.check(first_pair[0], private=first_pair[1], secret=SECRET) == []


def test_a_migrated_store_takes_tokens(first_pair):
    for address in first_pair:
        migrate(address)
    with opened(first_pair) as store:
        text = store.tokens.create(["decide"], experiments=["checkout"])
        assert store.tokens.all()[0].id == parse(text)[0]
        store.experiment("checkout").decide("u18")
        store.tokens.revoke(parse(text)[0])
        assert store.tokens.all()[0].revoked is not None
    assert hush.live.check(first_pair[0], private=first_pair[1], secret=SECRET) == []


def test_a_store_from_before_the_sample_ratio_test_begins_it_with_the_next_people(old_pair):
    pair = old_pair("0002")
    for address, half in zip(pair, ("public", "private"), strict=True):
        before = rows_of(address)
        assert migrate(address) == (f"{half}_0002", NOW[half])
        assert rows_of(address) == before
    for address, table in zip(pair, ("tallies", "lanes"), strict=True):
        with closing(connect(address)) as database:
            found = database.run(f"SELECT firsts, expected, spread FROM {table}")
            assert found
            assert set(found) == {(0, 0.0, 0.0)}
    clock = hush.live.ManualClock()
    clock.advance("3h")
    with hush.live.open(pair[0], private=pair[1], secret=SECRET, clock=clock) as store:
        exp = store.experiment("checkout")
        for n in range(40):
            exp.decide(person=f"u{n}")  # the first twelve are known already
        store.settle()
        tallies = exp.tallies
        firsts = sum(each["firsts"] for each in tallies)
        assert 0 < firsts <= 28
        assert sum(each["expected"] for each in tallies) == pytest.approx(firsts)
    assert hush.live.check(pair[0], private=pair[1], secret=SECRET) == []


def test_a_migration_that_fails_changes_nothing(pair, next_revision):
    with opened(pair) as store:
        draft(store).start()
    file = next_revision.file
    file.write_text(file.read_text().replace("SELECT 1", "INSERT INTO nowhere VALUES (1)"))
    before = PRIVATE.info["revision"]
    next_revision()
    private = connect(pair[1])
    with pytest.raises(StoreError, match="is as it was"):
        migrate(pair[1])
    assert private.run("SELECT version_num FROM alembic_version") == [(before,)]
    with pytest.raises(StoreError):
        private.run("SELECT seen FROM lanes")
    private.close()


def test_a_newer_schema_is_refused_and_not_touched(pair):
    opened(pair).close()
    private = connect(pair[1])
    private.run("UPDATE alembic_version SET version_num = 'private_0999'")
    with pytest.raises(StoreError, match=r"newer schema \(private_0999\).*nothing was changed"):
        opened(pair)
    with pytest.raises(StoreError, match="newer schema"):
        migrate(pair[1])
    assert private.run("SELECT version_num FROM alembic_version") == [("private_0999",)]
    private.close()


def test_other_databases_are_refused_and_not_touched(empty_pair):
    public, private = map(connect, empty_pair)
    private.run("CREATE TABLE theirs (x INTEGER)")
    with pytest.raises(StoreError, match="no store of Hush, and a private one is wanted"):
        opened(empty_pair)
    assert private.tables() == {"theirs"}
    with pytest.raises(StoreError, match="nothing to migrate"):
        migrate(empty_pair[1])
    create_or_check(public, PRIVATE)
    with pytest.raises(StoreError, match="a private store, and a public one is wanted"):
        check_schema(public, PUBLIC)
    public.close()
    private.close()


def test_two_stores_in_one_database_are_refused(postgres_pair):
    with pytest.raises(StoreError, match="wanted"):
        opened([postgres_pair[0], postgres_pair[0]])


def _open_at_once(pair, ready, done):
    ready.wait()
    try:
        with hush.live.open(pair[0], private=pair[1], secret=SECRET_FOR[pair[0][:4]]) as store:
            done.put(store._public.run("SELECT value FROM about WHERE name = 'store'")[0][0])
    except Exception as error:  # noqa: BLE001  the test shows it
        done.put(error)


SECRET_FOR = {"post": SECRET}
PROCESSES = 3


def test_processes_that_open_a_new_store_at_once_open_the_same(empty_pair):
    context = multiprocessing.get_context("fork")
    ready, done = context.Barrier(PROCESSES), context.Queue()
    SECRET_FOR.setdefault(empty_pair[0][:4], None)  # a file's secret is made by the first
    workers = [
        context.Process(target=_open_at_once, args=(empty_pair, ready, done))
        for _ in range(PROCESSES)
    ]
    for worker in workers:
        worker.start()
    names = [done.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join()
    assert len(set(names)) == 1, names
    assert len(names[0]) == 32


class _Death(BaseException):
    pass


def _dying(monkeypatch, after):
    """Let the process die before the n-th statement of any SQLite database."""
    seen = []

    def probe(statement):
        seen.append(statement)
        if len(seen) == after:
            os._exit(9)

    class Dying(SQLite):
        def __init__(self, path, **given):
            super().__init__(path, **given)
            self.probe = probe

    monkeypatch.setattr("hush.live.connecting.SQLite", Dying)
    return seen


def _half_made(tmp_path, monkeypatch, stride):
    steps = _dying(monkeypatch, 0)
    hush.live.open(tmp_path / "whole.db").close()
    assert len(steps) > 50
    for step in range(1, len(steps) + 1, stride):
        path = tmp_path / f"{step}.db"
        child = os.fork()
        if child == 0:
            _dying(monkeypatch, step)
            hush.live.open(path)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        _dying(monkeypatch, 0)
        with hush.live.open(path) as store:
            draft(store).start()
            assert store.names == ["checkout"]


def test_a_store_that_was_half_made_opens(tmp_path, monkeypatch):
    _half_made(tmp_path, monkeypatch, stride=29)


@pytest.mark.slow
def test_a_store_that_was_half_made_opens_wherever_it_stopped(tmp_path, monkeypatch):
    _half_made(tmp_path, monkeypatch, stride=1)


def test_a_secret_appears_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    def die(_):
        raise _Death

    monkeypatch.setattr("hush.live.keys.os.fsync", die)
    with pytest.raises(_Death):
        hush.live.open(tmp_path / "experiments.db")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.undo()
    hush.live.open(tmp_path / "experiments.db").close()
    assert (tmp_path / "experiments.key").stat().st_mode & 0o777 == 0o600


def test_no_store_is_made_of_a_file_that_is_none(tmp_path):
    path = tmp_path / "experiments.db"
    with sqlite3.connect(path) as theirs:
        theirs.execute("CREATE TABLE theirs (x)")
    theirs.close()
    with pytest.raises(StoreError, match="no store of Hush"):
        hush.live.open(path, secret=SECRET)

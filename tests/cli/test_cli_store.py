import pytest
from typer.testing import CliRunner

import hush.live
from hush.cli.app import app
from hush.live.connecting import connect

runner = CliRunner()


def call(*words):
    return runner.invoke(app, ["store", *(str(word) for word in words)])


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    path = tmp_path / "experiments.db"
    hush.live.open(path).close()
    return path


def test_every_second_word_is_in_the_help():
    shown = call("--help").output
    for word in ("check", "backup", "migrate"):
        assert word in shown
        assert "Example: hush store" in call(word, "--help").output
    assert "store" in runner.invoke(app, ["--help"]).output


def test_a_word_that_is_none_is_refused(store):
    assert call("burn", store).exit_code == 2


def test_check_says_that_all_is_well_or_what_is_not(store):
    shown = call("check", store)
    assert (shown.exit_code, "in order" in shown.output) == (0, True)
    database = connect(store)
    database.run("UPDATE head SET seq = 7")
    database.close()
    shown = call("check", store)
    assert shown.exit_code == 1
    assert shown.output == "the public store's head is not the end of its journal\n"


def test_check_takes_the_private_store_and_the_secret(store, tmp_path):
    hidden = (tmp_path / "experiments.private.db").rename(tmp_path / "hidden.db")
    secret = (tmp_path / "experiments.key").rename(tmp_path / "elsewhere.key")
    shown = call("check", store, "--private", hidden, "--secret", secret)
    assert shown.exit_code == 0, shown.output
    shown = call("check", store, "--private", hidden)
    assert shown.exit_code == 1
    assert "experiments.key is missing" in shown.output


def test_check_reads_the_secret_from_the_environment(store, tmp_path, monkeypatch):
    text = (tmp_path / "experiments.key").read_text()
    monkeypatch.setenv("HUSH_MASTER_SECRET", text)
    (tmp_path / "experiments.key").unlink()
    assert call("check", store).exit_code == 0


def test_backup_copies_and_refuses(store, tmp_path):
    shown = call("backup", store, tmp_path / "monday.db")
    assert shown.exit_code == 0
    assert "monday.db" in shown.output
    again = call("backup", store, tmp_path / "monday.db")
    assert again.exit_code == 2
    assert "overwrites nothing" in again.output
    private = call("backup", tmp_path / "experiments.private.db", tmp_path / "never.db")
    assert private.exit_code == 2
    assert "a private store" in private.output


def test_migrate_says_what_it_did(store, tmp_path):
    shown = call("migrate", store)
    assert shown.exit_code == 0
    assert shown.output == "the private store is up to date\nthe public store is up to date\n"
    database = connect(store)
    database.run("UPDATE alembic_version SET version_num = 'public_0999'")
    database.close()
    shown = call("migrate", store)
    assert shown.exit_code == 2
    assert "newer schema (public_0999)" in shown.output
    assert call("migrate", tmp_path / "none.db").exit_code == 2

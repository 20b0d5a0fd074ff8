"""``hush token``: made and shown once, listed without its secret, revoked."""

import re

import pytest
from typer.testing import CliRunner

import hush.live
from hush.cli.app import app
from hush.live.tokens import digest_of, parse


def call(*words, code=0, width=200):
    shown = CliRunner().invoke(app, ["token", *map(str, words)], env={"COLUMNS": str(width)})
    assert shown.exit_code == code, shown.output
    return shown


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    hush.live.open(tmp_path / "experiments.db").close()
    return tmp_path / "experiments.db"


def tokens(path):
    with hush.live.open(path) as store:
        return store.tokens.all()


def test_every_second_word_is_in_the_help():
    shown = call("--help").output
    for word in ("create", "list", "revoke"):
        assert word in shown
        assert "Example: hush token" in call(word, "--help").output
    assert "token" in CliRunner().invoke(app, ["--help"]).output


def test_create_prints_the_token_once(path):
    shown = call(
        "create", path, "--scope", "reward", "--scope", "decide", "--experiment", "checkout",
        "--experiment", "search", "--expires", "90d", "--note", "web shop", "--test", "--by", "Ada",
    )  # fmt: skip
    text = shown.stdout.strip()  # alone, for a script that keeps it
    name, secret, test = parse(text)
    assert test
    assert "the only time" in shown.stderr
    assert shown.stderr.count("\n") == 1
    assert shown.output.count(text) == 1
    (token,) = tokens(path)
    assert (token.id, token.digest) == (name, digest_of(secret))
    assert token.scopes == ("decide", "reward")
    assert token.experiments == ("checkout", "search")
    assert (token.test, token.note) == (True, "web shop")
    assert (token.expires - token.made).days == 90
    with hush.live.open(path) as store:
        (entry,) = hush.live.journal.Journal(store._public).all()
    assert entry.body["by"] == "Ada"


def test_what_is_left_out_is_all_experiments_and_no_end(path):
    assert parse(call("create", path, "--scope", "read").stdout.strip())[2] is False
    (token,) = tokens(path)
    assert (token.experiments, token.expires, token.note) == (("*",), None, "")


def test_list_shows_all_but_secrets(path):
    clock = hush.live.ManualClock(hush.live.SystemClock().wall() - 7_200_000)
    with hush.live.open(path, clock=clock) as store:
        given = [
            {"scopes": ["admin"], "note": "by hand [b]"},
            {"scopes": ["read"], "expires": "1h", "note": "a page", "experiments": ["checkout"]},
            {"scopes": ["decide", "reward"], "expires": "90d", "note": "shop", "test": True},
        ]
        texts = [store.tokens.create(**each) for each in given]
        store.tokens.revoke(parse(texts[0])[0])
        expires = store.tokens.all()[2].expires
    shown = call("list", path).output
    assert "3 tokens" in shown
    lines = [re.split(r"\s{2,}", line.strip()) for line in shown.splitlines() if "_" not in line]
    ids = [parse(text)[0] for text in texts]
    found = {line[0]: line[1:] for line in lines if line[0] in ids}
    assert list(found) == ids
    assert found[ids[0]] == ["admin", "*", "never", "revoked", "by hand [b]"]
    assert found[ids[1]][:2] == ["read", "checkout"]
    assert found[ids[1]][3:] == ["expired", "a page"]
    ends = f"{expires:%Y-%m-%d %H:%M} UTC"
    assert found[ids[2]] == ["decide, reward", "*", "test", ends, "valid", "shop"]
    narrow = call("list", path, width=40).output
    for text in texts:
        _, secret, _ = parse(text)
        for output in (shown, narrow):
            assert secret.hex()[:12] not in output
            assert digest_of(secret).hex()[:12] not in output
        assert parse(text)[0] in narrow


def test_an_empty_list(path):
    assert "0 tokens" in call("list", path).output


def test_revoke_is_for_good(path):
    name = parse(call("create", path, "--scope", "read").stdout.strip())[0]
    for _ in range(2):
        assert call("revoke", path, name, "--by", "Ada").output == f"{name} is revoked\n"
    assert tokens(path)[0].revoked is not None
    assert "revoked" in call("list", path).output


WHOLE = f"hush_0123456789ab_{'0f' * 32}"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["create", "missing.db", "--scope", "read"], "there is no store missing.db"),
        (["list", "missing.db"], "there is no store missing.db"),
        (["create", "experiments.db", "--scope", "write"], "out of decide, reward, read, admin"),
        (["create", "experiments.db", "--scope", "read", "--expires", "0d"], "longer than nothing"),
        (["create", "experiments.db", "--scope", "read", "--expires", "soon"], "a length of time"),
        (["create", "experiments.db", "--scope", "read", "--experiment", "a b"], "must be a name"),
        (["create", "experiments.db", "--scope", "read", "--note", "x" * 129], "at most 128"),
        (["revoke", "experiments.db", "0123456789ab"], "there is no token of that id"),
        (["revoke", "experiments.db", WHOLE], "there is no token of that id"),
    ],
)
def test_errors_are_one_line(path, words, message):
    text = call(*words, code=2).output
    assert message in text
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert "0f0f" not in text
    assert tokens(path) == []
    assert not (path.parent / "missing.db").exists()


def test_a_token_without_a_scope_is_refused(path):
    assert "--scope" in call("create", path, code=2).output
    assert tokens(path) == []


def test_the_private_store_and_the_secret_may_lie_elsewhere(path):
    hidden = (path.parent / "experiments.private.db").rename(path.parent / "hidden.db")
    secret = (path.parent / "experiments.key").rename(path.parent / "elsewhere.key")
    where = ["--private", hidden, "--secret", secret]
    name = parse(call("create", path, "--scope", "read", *where).stdout.strip())[0]
    assert name in call("list", path, *where).output
    call("revoke", path, name, *where)
    assert "is missing" in call("list", path, "--private", hidden, code=2).output

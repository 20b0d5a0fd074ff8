"""Access tokens: made once, shown once, revoked for ever."""

import json
import multiprocessing
import re
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.live import scenes

import hush.live
from hush.errors import LiveError, ParameterError, StoreError, UnknownNameError
from hush.live.connecting import connect
from hush.live.granting import SCOPES
from hush.live.journal import Journal
from hush.live.tokens import digest_of, parse

START = datetime(2026, 1, 1, tzinfo=UTC)
TABLE = "SELECT * FROM tokens ORDER BY id"


def opened(pair, clock=None, **given):
    clock = hush.live.ManualClock() if clock is None else clock
    return hush.live.open(pair[0], private=pair[1], secret=scenes.SECRET, clock=clock, **given)


def checked(pair):
    return hush.live.check(pair[0], private=pair[1], secret=scenes.SECRET)


def table(address):
    with closing(connect(address)) as database:
        return database.run(TABLE)


@pytest.fixture
def store():
    with scenes.in_memory() as store:
        yield store


def test_the_life_of_a_token(pair):
    clock = hush.live.ManualClock()
    with opened(pair, clock) as store:
        assert store.tokens.all() == []
        assert store.tokens.version() == 0
        text = store.tokens.create(
            ["reward", "decide", "reward"], experiments=["checkout", "search"], expires="90d",
            note="web shop", by="Ada",
        )  # fmt: skip
        name, secret, test = parse(text)
        assert text == f"hush_{name}_{secret.hex()}"
        (token,) = store.tokens.all()
        assert token == hush.live.Token(
            id=name,
            scopes=("decide", "reward"),
            experiments=("checkout", "search"),
            test=test,
            expires=START + timedelta(days=90),
            made=START,
            revoked=None,
            note="web shop",
            digest=sha256(secret).digest(),
        )
        assert test is False
        assert store.tokens.state(token) == "valid"
        clock.advance("1h")
        store.tokens.revoke(name, by="Bob")
        (token,) = store.tokens.all()
        assert token.revoked == START + timedelta(hours=1)
        assert store.tokens.state(token) == "revoked"
        bodies = [(e.kind, e.experiment, e.body["by"]) for e in Journal(store._public).all()]
        assert bodies == [("token", 0, "Ada"), ("revoke", 0, "Bob")]
    assert table(pair[0]) == table(pair[1])
    assert checked(pair) == []
    with opened(pair, clock) as store:
        assert store.tokens.all() == [token]


def test_what_is_left_out_is_all_experiments_and_no_end(store):
    text = store.tokens.create(SCOPES, test=True)
    (token,) = store.tokens.all()
    assert text.startswith(f"hush_test_{token.id}_")
    assert (token.scopes, token.experiments, token.expires) == (SCOPES, ("*",), None)
    assert token.test is True
    assert parse(text)[2] is True
    assert (token.note, token.made) == ("", START)


def test_tokens_are_listed_oldest_first_and_expire_by_the_stores_time(store):
    clock = store._clock._clock
    for hours in (3, 2, 1):
        store.tokens.create(["read"], expires=f"{hours}h", note=str(hours))
    assert [token.note for token in store.tokens.all()] == ["3", "2", "1"]
    store.tokens.revoke(store.tokens.all()[0].id)
    assert [token.note for token in store.tokens.all()] == ["3", "2", "1"]
    clock.advance(3_599.999)
    assert states(store) == ["revoked", "valid", "valid"]
    clock.advance("1ms")
    assert states(store) == ["revoked", "valid", "expired"]
    assert repr(store.tokens) == "<3 tokens>"


def states(store):
    return [store.tokens.state(token) for token in store.tokens.all()]


def test_to_ask_for_a_state_holds_no_clock(store):
    store.tokens.create(["read"], expires="1h")
    store._clock._clock.jump(7_200_000)
    assert states(store) == ["valid"]  # nobody believes that two hours have passed
    assert store._clock.held is None


def test_a_second_revocation_changes_nothing(store):
    store.tokens.create(["read"])
    (token,) = store.tokens.all()
    store.tokens.revoke(token.id)
    before = scenes.dump(store)
    store._clock._clock.advance("1m")
    store.tokens.revoke(token.id, by="Bob")
    assert scenes.dump(store) == before


def test_the_version_grows_with_every_change_and_with_nothing_else(pair):
    with opened(pair) as store, opened(pair) as other:
        seen = [other.tokens.version()]
        for _ in range(2):
            store.tokens.create(["read"])
            seen.append(other.tokens.version())
        store.tokens.revoke(store.tokens.all()[0].id)
        seen.append(other.tokens.version())
        assert seen == sorted(set(seen))
        store.tokens.revoke(store.tokens.all()[0].id)
        scenes.made(store)
        assert other.tokens.version() == store.tokens.version() == seen[-1]
        assert [token.revoked is None for token in other.tokens.all()] == [False, True]


ROW = "INSERT INTO tokens VALUES (?, ?, '[]', '[]', 0, NULL, 0, NULL, '', ?, ?)"


def test_the_version_is_a_look_into_an_index(pair):
    with opened(pair) as store:
        private = store._private
        with private.transaction():
            private.many(ROW, [(f"{n:012x}", b"x", n, n) for n in range(3_000)])
        private.run("ANALYZE tokens")
        asked = []
        private.probe = asked.append
        assert store.tokens.version() == 2_999
        private.probe = None
        (statement,) = asked
        postgres = pair[0].startswith("postgresql")
        explain = "EXPLAIN" if postgres else "EXPLAIN QUERY PLAN"
        plan = " ".join(str(row[-1]) for row in private.run(f"{explain} {statement}"))
        wanted = "Index Only Scan Backward using" if postgres else "SEARCH tokens USING COVERING"
        assert wanted in plan
        assert "tokens_by_version" in plan
        assert "Seq Scan" not in plan


def _make(pair, ready, done):
    with opened(pair) as store:
        ready.wait()
        done.put([store.tokens.create(["read"]) for _ in range(5)])


def test_processes_that_make_tokens_at_once(pair):
    opened(pair).close()
    context = multiprocessing.get_context("fork")
    ready, done = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_make, args=(pair, ready, done)) for _ in range(3)]
    for worker in workers:
        worker.start()
    texts = [text for _ in workers for text in done.get(timeout=60)]
    for worker in workers:
        worker.join()
    with opened(pair) as store:
        found = {token.id: token.digest for token in store.tokens.all()}
    assert found == {parse(text)[0]: digest_of(parse(text)[1]) for text in texts}
    assert len(found) == 15
    assert checked(pair) == []


def test_an_id_that_is_taken_is_refused(store):
    store._entropy = bytes
    assert store.tokens.create(["read"]) == f"hush_{'0' * 12}_{'0' * 64}"
    before = scenes.dump(store)
    with pytest.raises(StoreError, match="is there already; try again"):
        store.tokens.create(["admin"])
    assert scenes.dump(store) == before


def test_random_bytes_come_from_the_stores_entropy(tmp_path):
    pair = [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
    with opened(pair, entropy=lambda count: b"\xab" * count) as store:
        assert store.tokens.create(["read"]) == f"hush_{'ab' * 6}_{'ab' * 32}"


# -- what is lost and restored --------------------------------------------------------------------


def test_an_old_backup_of_the_public_store_undoes_no_revocation(pair, tmp_path):
    with opened(pair) as store:
        store.tokens.create(["admin"], note="first")
        (token,) = store.tokens.all()
        copy = hush.live.backup(pair[0], tmp_path / "monday.db")
        store.tokens.revoke(token.id)
        store.tokens.create(["read"], note="second")
        wanted = store.tokens.all()
    restored = [str(copy), pair[1]]
    assert table(copy)[0][7] is None
    assert checked(restored) == []
    with opened(restored) as store:
        assert store.tokens.all() == wanted
    assert table(copy) == table(pair[1])
    assert checked(restored) == []


def test_a_lost_private_store_takes_tokens_over_from_the_public_one(tmp_path):
    pair = [str(tmp_path / "experiments.db"), str(tmp_path / "experiments.private.db")]
    with opened(pair) as store:
        for note in ("first", "second"):
            store.tokens.create(["admin"], note=note)
        store.tokens.revoke(store.tokens.all()[0].id)
        wanted, version = store.tokens.all(), store.tokens.version()
    (tmp_path / "experiments.private.db").unlink()
    with opened(pair) as store:
        assert (store.tokens.all(), store.tokens.version()) == (wanted, version)
    assert checked(pair) == []


def test_what_was_not_published_is_published_next(store, monkeypatch):
    def broken():
        raise StoreError("planted")

    with monkeypatch.context() as patched:
        patched.setattr(store._publisher, "publish", broken)
        with pytest.raises(StoreError, match="planted"):
            store.tokens.create(["read"])
    (token,) = store.tokens.all()
    assert store._public.run(TABLE) == []
    with monkeypatch.context() as patched:
        patched.setattr(store._publisher, "publish", broken)
        with pytest.raises(StoreError, match="planted"):
            store.tokens.revoke(token.id)
    store.tokens.revoke(token.id)
    assert store._public.run(TABLE) == store._private.run(TABLE)
    assert states(store) == ["revoked"]


# -- what is refused ------------------------------------------------------------------------------


REFUSED = {
    "no scope": ({"scopes": []}, "one or more of decide, reward, read, admin"),
    "unknown scope": ({"scopes": ["read", "write"]}, "got 'write'"),
    "a text": ({"scopes": "read"}, "scopes must be a list"),
    "a scope of bytes": ({"scopes": [b"read"]}, "scopes must be out of"),
    "no experiments": ({"experiments": []}, "experiments must be 1 to 1,000 different names"),
    "one name": ({"experiments": "checkout"}, "experiments must be a list of names"),
    "a star": ({"experiments": "*"}, "experiments must be a list of names"),
    "a star and more": ({"experiments": ["*", "checkout"]}, "must be a name of 1 to 64"),
    "a name": ({"experiments": ["a/b"]}, "must be a name of 1 to 64"),
    "very many": ({"experiments": [f"x{n}" for n in range(1_001)]}, "1 to 1,000 different"),
    "twice": ({"experiments": ["a", "a"]}, "different names"),
    "no time": ({"expires": "0d"}, "expires must be longer than nothing"),
    "next to no time": ({"expires": 0.0001}, "expires must be longer than nothing"),
    "a time back": ({"expires": -5}, "expires must be a length of time"),
    "soon": ({"expires": "soon"}, "expires must be a length of time"),
    "too far": ({"expires": "100000w"}, "expires must be a length of time"),
    "a test": ({"test": 1}, "test must be True or False"),
    "a long note": ({"note": "x" * 129}, "at most 128 characters"),
    "a note of lines": ({"note": "a\nb"}, "that can be printed"),
    "half a character": ({"note": "\ud800"}, "that can be printed"),
    "no note": ({"note": None}, "note must be a text"),
    "by": ({"by": "x" * 129}, "by must be a text"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_used_is_refused_and_changes_nothing(kind, store):
    given, words = REFUSED[kind]
    before = scenes.dump(store)
    with pytest.raises(ParameterError, match=re.escape(words)):
        store.tokens.create(**{"scopes": ["read"], **given})
    assert scenes.dump(store) == before


@pytest.mark.parametrize("note", ["x" * 128, "Ångström 店 🦔", 'it\'s 100% "fine"; --', "\\"])
def test_notes_as_people_write_them(note, pair):
    with opened(pair) as store:
        store.tokens.create(["read"], note=note)
        assert store.tokens.all()[0].note == note
    assert checked(pair) == []


@pytest.mark.parametrize("name", ["0" * 12, "", "x", "\ud800", "0" * 12 + "\n", None, 7, b"0" * 12])
def test_an_unknown_id_is_refused_and_changes_nothing(name, store):
    store.tokens.create(["read"])
    before = scenes.dump(store)
    with pytest.raises(UnknownNameError, match="no token of that id"):
        store.tokens.revoke(name)
    with pytest.raises(ParameterError, match="by must be"):
        store.tokens.revoke(store.tokens.all()[0].id, by=None)
    assert scenes.dump(store) == before


JUNK = st.none() | st.integers() | st.floats() | st.binary() | st.text() | st.lists(st.text())
BAD = {
    "scopes": JUNK.filter(
        lambda given: not (isinstance(given, list) and given and set(given) <= set(SCOPES))
    ),
    "experiments": st.none() | st.integers() | st.binary() | st.text() | st.just([])
    | st.lists(st.sampled_from(["*", "a b", "", ".a", "x" * 65, "é", "a\n"]), min_size=2),
    "expires": st.floats(max_value=0.0) | st.just(float("nan")) | st.binary() | st.booleans()
    | st.text(alphabet="0.- dhx\n", max_size=3) | st.integers(min_value=10**13),
    "test": JUNK,
    "note": st.none() | st.integers() | st.binary() | st.text(min_size=129)
    | st.text(alphabet=st.characters(categories=["Cc", "Cs"]), min_size=1),
    "by": st.none() | st.integers() | st.binary() | st.text(min_size=129),
}  # fmt: skip


@pytest.fixture(scope="module")
def kept():
    with scenes.in_memory() as store:
        store.tokens.create(["read"])
        yield store


@pytest.mark.untraced
@given(data=st.data())
def test_bad_input_is_refused_and_changes_nothing(kept, data):
    before = scenes.dump(kept)
    name = data.draw(st.sampled_from(sorted(BAD)))
    value = data.draw(BAD[name])
    with pytest.raises(ParameterError):
        kept.tokens.create(**{"scopes": ["read"], name: value})
    assert scenes.dump(kept) == before


# -- texts ----------------------------------------------------------------------------------------

EXACT = re.compile(r"hush_(test_)?([0-9a-f]{12})_([0-9a-f]{64})\Z")
WHOLE = f"hush_0123456789ab_{'0f' * 32}"


@given(st.text() | st.from_regex(r"hush_(test_)?[0-9a-fA-F]{11,13}_[0-9a-fA-F]{63,65}\n?"))
@example(WHOLE + "\n")
@example(WHOLE.upper())
@example(" " + WHOLE)
@example(WHOLE.replace("0", "\u0660"))
@example(WHOLE[:-1])
@example(WHOLE + "0")
@example("\ud800")
def test_only_exact_texts_are_tokens(text):
    found, wanted = parse(text), EXACT.match(text)
    assert (found is None) == (wanted is None)
    if found is not None:
        name, secret, test = found
        assert f"hush_{'test_' if test else ''}{name}_{secret.hex()}" == text


@given(st.binary(min_size=6, max_size=6), st.binary(min_size=32, max_size=32), st.booleans())
def test_every_token_is_read(name, secret, test):
    text = f"hush_{'test_' if test else ''}{name.hex()}_{secret.hex()}"
    assert parse(text) == (name.hex(), secret, test)
    assert len(digest_of(secret)) == 32


@pytest.mark.parametrize("text", [None, 7, WHOLE.encode(), [WHOLE], object(), float("nan")])
def test_what_is_no_text_is_no_token(text):
    assert parse(text) is None


# -- the secret -----------------------------------------------------------------------------------


def forms(secret):
    return (secret, secret.hex().encode(), secret.hex().upper().encode())


def test_the_secret_is_nowhere(tmp_path, capfd, caplog):
    caplog.set_level("DEBUG")
    path, said = tmp_path / "experiments.db", []
    with scenes.opened(path, hush.live.ManualClock()) as store:
        exp = scenes.made(store)
        text = store.tokens.create(["admin"], experiments=["checkout"], note="shop", by="Ada")
        name, secret, _ = parse(text)
        for attempt in (
            lambda: store.tokens.revoke(text),
            lambda: store.tokens.revoke(secret.hex()),
        ):
            try:
                attempt()
            except (LiveError, UnknownNameError) as error:
                said += [str(error), repr(error), repr(error.__context__)]
        assert len(said) == 6
        said += [repr(store), repr(store.tokens), repr(store.tokens.all()), repr(vars(store))]
        said += [entry.text for entry in Journal(store._private).all()]
        for suffix in ("json", "csv"):
            exp.export(tmp_path / f"x.{suffix}")
        hush.live.backup(path, tmp_path / "backup.db")
        open_files = sorted(tmp_path.iterdir())
        assert len(open_files) > 6
        for each in open_files:
            assert not any(form in each.read_bytes() for form in forms(secret)), each.name
        store.tokens.revoke(name)
    for each in sorted(tmp_path.iterdir()):
        assert not any(form in each.read_bytes() for form in forms(secret)), each.name
    said += [caplog.text, *capfd.readouterr()]
    assert secret.hex() not in "\n".join(said)
    # The search is no empty one.
    assert digest_of(secret) in path.read_bytes()
    assert digest_of(secret).hex() in "\n".join(said)
    assert digest_of(secret).hex().encode() in (tmp_path / "backup.db").read_bytes()


def plain(rows):
    """Return rows as text, bytes in hexadecimal digits."""
    return repr([[v.hex() if isinstance(v, bytes) else v for v in row] for row in rows])


def test_a_server_does_not_hold_the_secret(postgres_pair):
    with opened(postgres_pair) as store:
        _, secret, _ = parse(store.tokens.create(["admin"]))
        for database in (store._private, store._public):
            names = sorted(database.tables())
            held = "".join(plain(database.run(f"SELECT * FROM {name}")) for name in names)
            assert secret.hex() not in held
            assert held.count(digest_of(secret).hex()) == 2  # in the journal and in its table


def test_a_record_shows_no_digest(store):
    text = store.tokens.create(["read"])
    shown = repr(store.tokens.all())
    digest = digest_of(parse(text)[1])
    assert digest.hex() not in shown
    assert repr(digest)[2:-1] not in shown
    assert json.loads(list(Journal(store._private).all())[-1].text)["digest"] == digest.hex()

"""Recognisable rewards, people and keys are looked for wherever they must not be."""

import json
import logging
import struct
from functools import partial

import pytest
from tests.live.places import SECRET, FrozenOutcomes, running_server
from tests.live.twins import rows_of

import hush
import hush.live
from hush.errors import StoreError
from hush.live.ids import DecisionId
from hush.live.keys import Keys
from hush.live.schema import PUBLIC

VALUES = [0.7318529, 0.2718387, 1, 0.9182736]
PEOPLE = [f"Persephone-{n}-Quillfeather" for n in range(6)]
KEYS = [f"request-Zyxwvut-{n}" for n in range(6)]
SURROGATE = "Persephone-\ud800-Quillfeather"


def encodings(value):
    """Return a number or a text as it might be written somewhere."""
    if isinstance(value, str):
        plain = value.encode(errors="surrogatepass")
        return {plain, plain.hex().encode(), value.encode("utf-16-le", "surrogatepass")}
    texts = {repr(value), f"{value:.6f}", f"{value:.7g}", json.dumps(value)}
    found = {text.encode() for text in texts if len(text) > 4}
    return found | {struct.pack(f"{end}d", value) for end in "<>"} | {struct.pack("<f", value)}


def sentinels():
    """Return every byte string that tells a reward, a person or a key."""
    keys = Keys(SECRET)
    hashes = {keys.person("default", person) for person in (*PEOPLE, "erased")}
    hashes |= {keys.request(1, "key", key.encode()) for key in KEYS}
    texts = [*PEOPLE, *KEYS, "Quillfeather", "Zyxwvut"]
    found = set().union(*(encodings(each) for each in [*VALUES[:2], VALUES[3], *texts]))
    return found | hashes | {each.hex().encode() for each in hashes}


def assert_clean(data, where):
    told = [each for each in sentinels() if each in data]
    assert not told, f"{where} tells {len(told)} of what is private"


def use(store, clock):
    """Use a store in every way; return what it said, and the ids of decisions."""
    experiment = store.create(
        "checkout", policy="AnytimeLazyUCB", arms=["old", "new"], person_epsilon=1.0,
        person_bound=3, window="1h",
    )  # fmt: skip
    experiment.start()
    said, ids = [repr(store), repr(experiment)], []
    for turn in range(4):
        for person, key in zip(PEOPLE, KEYS, strict=True):
            made = experiment.decide(person=person, key=key if not turn else None)
            said.append(repr((made.arm, made.propensity, made.expires, made.plan)))
            ids.append(made.id)
            experiment.reward(made, VALUES[turn])
            said += errors(experiment, made, person)
        clock.advance("10m")
        store.settle()
    store.erase("erased")
    said += [repr(each) for each in inner(store)]
    return said, ids


def errors(experiment, made, person):
    """Return the words and shapes of all errors that a request can meet."""
    store = experiment._store
    attempts = [
        partial(experiment.reward, made, 40.7318529),
        partial(experiment.reward, made, "0.7318529"),
        partial(experiment.reward, made.id[:-2] + "AA", 0.7318529),
        partial(experiment.decide, person=person, key=KEYS[0], segment="Quillfeather"),
        partial(experiment.decide, person=PEOPLE[1], key=KEYS[0]),
        partial(experiment.decide, person=person * 100),
        partial(experiment.decide, person=SURROGATE),
        partial(experiment.decide, person=person, key=SURROGATE),
        partial(experiment.activate, made, person=person),
        partial(store.erase, SURROGATE),
    ]
    said = []
    for attempt in attempts:
        try:
            attempt()
        except hush.HushError as error:
            said += [str(error), repr(error), repr(error.args), repr(error.__cause__)]
            # What is shown of an error includes what was being handled when it was raised.
            hidden = error.__context__ is None or error.__suppress_context__
            said += [] if hidden else [repr(error.__context__)]
    return said


def inner(store):
    """Return objects whose repr() might end up in a log."""
    front, known = store._front, store._memory.now(1)
    made = front.posted(_last_id(store), VALUES[0], 1)
    return [store._keys, store._clock, front, front._registrar, store._settlement, made,
            store._private, known, *known.segments[0].lanes]  # fmt: skip


def _last_id(store):
    return store.experiment("checkout").decide(person=PEOPLE[0]).id


@pytest.fixture
def logged(caplog):
    caplog.set_level(logging.DEBUG)
    return caplog


def test_nothing_public_tells_a_reward_a_person_or_a_key(tmp_path, logged, capfd):
    clock, path = hush.live.ManualClock(), tmp_path / "store.db"
    store = hush.live.open(path, clock=clock, noise=FrozenOutcomes(), secret=SECRET)
    said, _ = use(store, clock)
    assert len([each for each in said if "Error" in each]) > 200
    for each in (path, tmp_path / "store.db-wal"):
        assert_clean(each.read_bytes(), each.name)
    store._public.run(f"VACUUM INTO '{tmp_path / 'backup.db'}'")
    assert_clean((tmp_path / "backup.db").read_bytes(), "the backup")
    assert_clean("\n".join(said).encode(errors="surrogatepass"), "what was said")
    assert_clean(logged.text.encode(), "the log")
    assert_clean("".join(capfd.readouterr()).encode(), "the output")
    store.close()
    assert_clean(path.read_bytes(), "the public store, closed")


def test_the_search_finds_what_is_there(tmp_path):
    """The private store holds people's hashes: the search is no empty one."""
    clock, path = hush.live.ManualClock(), tmp_path / "store.db"
    with hush.live.open(path, clock=clock, noise=FrozenOutcomes(), secret=SECRET) as store:
        use(store, clock)
    data = (tmp_path / "store.private.db").read_bytes()
    assert sum(each in data for each in sentinels()) >= len(PEOPLE)
    for value in VALUES[:2]:  # a reward itself is not even there: only its bit is
        assert not any(each in data for each in encodings(value))


def raw(store, made):
    """Return the bytes that tell a pending row: SQLite writes whole numbers big-endian."""
    read = DecisionId.read(made.id, store._keys)
    deadline = struct.pack(">q", read.deadline)[2:]
    return struct.pack(">q", read.worker), deadline, store._keys.person("default", PEOPLE[0])


def test_after_a_release_the_private_store_holds_none_of_its_bits(tmp_path):
    clock, path = hush.live.ManualClock(), tmp_path / "store.db"
    store = hush.live.open(path, clock=clock, noise=FrozenOutcomes(), secret=SECRET)
    experiment = store.create(
        "checkout", policy="AnytimeLazyUCB", arms=["old", "new"], person_epsilon=1.0,
        person_bound=50, window="1m",
    )  # fmt: skip
    experiment.start()
    made = [experiment.decide(person=PEOPLE[0]) for _ in range(30)]
    experiment.reward_many([(each, 1) for each in made])
    experiment.stop()
    worker, deadline, person = raw(store, made[0])

    def held():
        files = sorted(tmp_path.glob("store.private.db*"))
        return [sum(path.read_bytes().count(each) for path in files)
                for each in (worker, deadline, person)]  # fmt: skip

    before = held()
    assert min(before) >= 30
    clock.advance("5m")
    store.settle()
    assert store._private.run("SELECT count(*) FROM pending") == [(0,)]
    # Her hash stays with her count, in one place; when the batches were due stays in none.
    assert held() == [0, 0, 1]
    store.close()
    assert held() == [0, 0, 1]


def refused(store):
    """Return what is said of a row that is there already: a server's own words would show it."""
    row = (1, store._keys.person("default", PEOPLE[0]), 1)
    said = []
    for run in (store._private.run, lambda text, values: store._private.many(text, [values])):
        with pytest.raises(StoreError) as caught:
            run("INSERT INTO people VALUES (?, ?, ?)", row)
        said += [str(caught.value), repr(caught.value), repr(caught.value.__cause__)]
        assert caught.value.__suppress_context__
    return said


@pytest.mark.slow
def test_a_server_holds_nothing_public_that_tells(logged):
    with running_server() as server:
        public, private = server.create("public"), server.create("private")
        clock = hush.live.ManualClock()
        given = {"clock": clock, "noise": FrozenOutcomes(), "secret": SECRET}
        with hush.live.open(public, private=private, **given) as store:
            said, _ = use(store, clock)
            said += refused(store)
            rows = [rows_of(store._public, name) for name in PUBLIC.tables]
        assert_clean(repr(rows).encode(), "the public store")
        bytes_too = b"".join(
            bytes(value) for table in rows for row in table for value in row
            if isinstance(value, bytes | memoryview)
        )  # fmt: skip
        assert_clean(bytes_too, "the public store")
        assert_clean("\n".join(said).encode(errors="surrogatepass"), "what was said")
        assert_clean(logged.text.encode(), "the log")

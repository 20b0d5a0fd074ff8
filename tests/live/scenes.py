"""Stores, clocks and experiments for the tests of this room."""

import hush
import hush.live
from hush.live.ids import DecisionId

SECRET = bytes(range(32))


def opened(path, clock, *, seed=1, **given):
    """Open a store on files; with the same path and clock, what another process would have."""
    given = {"secret": SECRET, "noise": hush.SeededNoise(seed), **given}
    return hush.live.open(path, clock=clock, **given)


def in_memory(clock=None, **given):
    """Open a store without files."""
    return opened(":memory:", hush.live.ManualClock() if clock is None else clock, **given)


def made(store, name="checkout", **given):
    """Make an experiment of two arms, a window of an hour and a tick of a minute, and start it."""
    terms = {
        "policy": hush.NoiseAwareTS,
        "arms": ["old", "new"],
        "person_epsilon": 1.0,
        "person_bound": 4,
        "window": "1h",
    }
    starts = given.pop("starts", True)
    experiment = store.create(name, **{**terms, **given})
    if starts:
        experiment.start()
    return experiment


def visits(experiment, people, **given):
    """Return one decision for each of so many people."""
    return [experiment.decide(f"u{n}", **given) for n in range(people)]


def read(store, decision):
    """Return what the id of a decision says."""
    return DecisionId.read(getattr(decision, "id", decision), store._keys)


def rows(store, statement, *values):
    """Return rows of the private store."""
    return store._private.run(statement, values)


def bits(store):
    """Return every pending bit, by worker and ordinal."""
    found = rows(store, "SELECT worker, ordinal, bit FROM pending")
    return {(worker, ordinal): bit for worker, ordinal, bit in found}


def bit_of(store, decision):
    """Return the pending bit of a decision; None where there is none."""
    made_id = read(store, decision)
    return bits(store).get((made_id.worker, made_id.ordinal))


def learnt(store):
    """Return how many decisions are pending."""
    return len(bits(store))


def dump(store):
    """Return every row of every table of both stores."""
    return [_tables(database) for database in (store._private, store._public)]


def _tables(database):
    names = database.run("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return {name: database.run(f"SELECT * FROM {name} ORDER BY 1") for (name,) in names}


def pass_by(store, clock, length, step="1m"):
    """Let time pass, settling at every step."""
    left = hush.live.durations.milliseconds("length", length)
    stride = hush.live.durations.milliseconds("step", step)
    while left > 0:
        clock.advance(min(left, stride) / 1_000)
        left -= stride
        store.settle()


def files_of(path):
    """Return the bytes of a SQLite store as they lie on the disk, with its log."""
    return b"".join(each.read_bytes() for each in sorted(path.parent.glob(f"{path.name}*")))

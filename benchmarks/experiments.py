"""Live experiments: pairs of decision and reward beside other stores, and how costs grow."""

from __future__ import annotations

import os
import sqlite3
import struct
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from itertools import count
from pathlib import Path

import hush
import hush.live
from benchmarks.measure import interleave, processor_seconds, seconds
from benchmarks.report import Row, Table
from hush.live.registering import MEET, REGISTER

__all__ = ["run"]

ARMS = ["a", "b", "c", "d", "e"]
DAY = 86_400_000


def run(quick: bool) -> list[Table]:
    """Measure pairs a second, and the cost of a decision as stores grow."""
    return [_pairs(quick), _growing_experiments(quick), _growing_decisions(quick)]


def _store(folder: str, name: str = "hush") -> hush.live.Store:
    return hush.live.open(Path(folder) / f"{name}.db")


def _experiment(store: hush.live.Store, name: str = "checkout") -> hush.live.Experiment:
    experiment = store.create(
        name,
        policy=hush.NoiseAwareTS,
        arms=ARMS,
        person_epsilon=1.0,
        person_bound=4,
        window="1d",
    )
    experiment.start()
    return experiment


def _pairs(quick: bool) -> Table:
    """Compare stores: everybody decides, stores it, and stores what came of it."""
    repeats, size = (1, 200) if quick else (5, 4_000)
    slow = 5 if quick else 40
    table = Table(
        "A decision and its reward, stored: pairs a second in one process",
        notes=(
            f"Median of {repeats} interleaved repeats, by the clock on the wall.",
            "Bare inserts: the rows that Hush stores, by the same statements, nothing else.",
            "Optuna: ask, suggest one of five, tell; it promises that each is on disk.",
        ),
    )
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        tasks: dict[str, Callable[[], float]] = {
            "hush, one by one": _hush_task(folder, size, 1),
            "hush, 100 at a time": _hush_task(folder, 10 * size, 100),
            "bare inserts, one by one": _bare_task(folder, size, 1),
            "bare inserts, 100 at a time": _bare_task(folder, 10 * size, 100),
        }
        failed = {}
        for name, make in {
            "optuna, SQLite": _optuna_sqlite,
            "optuna, journal": _optuna_journal,
        }.items():
            try:
                tasks[name] = make(folder, slow)
            except ImportError as error:
                failed[name] = str(error)
        rates = {
            name: each.median
            for name, each in interleave(tasks, repeats, failed).items()
            if each.failure is None
        }
        table.rows = [_pair_row(name, rates) for name in rates]
    return table


def _pair_row(name: str, rates: dict[str, float]) -> Row:
    row: Row = {"store": name, "pairs a second": rates[name]}
    for other in ("optuna, SQLite", "optuna, journal"):
        if other in rates:
            row[f"times {other}"] = rates[name] / rates[other]
    how = name.partition(", ")[2]
    limit = rates.get(f"bare inserts, {how}")
    row["of bare inserts"] = rates[name] / limit if limit else None
    return row


def _hush_task(folder: str, size: int, group: int) -> Callable[[], float]:
    experiment = _experiment(_store(folder, f"hush-{group}"))
    people = (f"person-{number}" for number in count())

    def one_by_one() -> None:
        for _ in range(size):
            experiment.reward(experiment.decide(next(people)), 1)

    def in_groups() -> None:
        for _ in range(size // group):
            asked = [{"person": next(people)} for _ in range(group)]
            made = experiment.decide_many(asked)
            # Nobody is refused here, so all are decisions.
            experiment.reward_many([(each, 1.0) for each in made])  # type: ignore[misc]

    work = one_by_one if group == 1 else in_groups
    return lambda: size / seconds(work)


def _bare_task(folder: str, size: int, group: int) -> Callable[[], float]:
    store = _store(folder, f"bare-{group}")  # the same tables and settings
    _experiment(store)
    store.close()
    connection = sqlite3.connect(
        Path(folder) / f"bare-{group}.private.db", isolation_level=None, cached_statements=512
    )
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("PRAGMA cache_size=-131072")
    connection.execute("PRAGMA synchronous=NORMAL")
    execute, many, numbers = connection.execute, connection.executemany, count()
    worker = struct.unpack(">q", os.urandom(8))[0]
    change = (
        "UPDATE lanes SET wanted = 9, count = ?, last = 9, learnt = ?, served = ? WHERE lane = 1"
    )
    set_bit = "UPDATE pending SET bit = ? WHERE batch = ? AND worker = ? AND ordinal = ?"

    def work() -> None:
        for _ in range(size // group):
            made = [next(numbers) for _ in range(group)]
            execute("BEGIN IMMEDIATE")
            for _ in made:
                execute(MEET, (1, os.urandom(16)))
            many(REGISTER, [(1, worker, number, 0, DAY, os.urandom(16)) for number in made])
            execute(change, (made[-1],) * 3)
            execute("COMMIT")
            execute("BEGIN IMMEDIATE")
            many(set_bit, [(1, 1, worker, number) for number in made])
            execute("COMMIT")

    return lambda: size / seconds(work)


def _optuna_sqlite(folder: str, size: int) -> Callable[[], float]:
    return _optuna_task(f"sqlite:///{folder}/optuna.db", size)


def _optuna_journal(folder: str, size: int) -> Callable[[], float]:
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    return _optuna_task(JournalStorage(JournalFileBackend(f"{folder}/optuna.log")), size)


def _optuna_task(storage: object, size: int) -> Callable[[], float]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(storage=storage, sampler=optuna.samplers.RandomSampler(seed=1))

    def work() -> None:
        for _ in range(size):
            trial = study.ask()
            trial.suggest_categorical("arm", ARMS)
            study.tell(trial, 1.0)

    return lambda: size / seconds(work)


def _growing_experiments(quick: bool) -> Table:
    """Measure a whole decision among few and many experiments."""
    repeats, size = (1, 200) if quick else (5, 4_000)
    sizes = (10, 100) if quick else (10, 100_000)
    table = Table(
        "A whole decision, by the number of running experiments: microseconds",
        notes=(
            f"Median of {repeats} interleaved repeats of {size:,} decisions, processor time; each",
            "for a new person in the next of 100 experiments, spread over all there are.",
        ),
    )
    with tempfile.TemporaryDirectory() as folder:
        tasks = {str(number): _spread_task(folder, number, size) for number in sizes}
        return _growth_table(table, "experiments", tasks, repeats)


def _spread_task(folder: str, number: int, size: int) -> Callable[[], float]:
    with _store(folder, f"many-{number}") as store:
        _fill_experiments(store, number)
    store = _store(folder, f"many-{number}")  # as after a restart: filling left a long log
    names = [f"e{place * number // min(number, 100)}" for place in range(min(number, 100))]
    experiments = [store.experiment(name) for name in names]
    people = (f"person-{place}" for place in count())

    def work() -> None:
        for place in range(size):
            experiments[place % len(experiments)].decide(next(people))

    return lambda: 1e6 * processor_seconds(work) / size


def _fill_experiments(store: hush.live.Store, number: int) -> None:
    """Make many running experiments: one by the front door, copies of it by the back door."""
    _experiment(store, "e0")
    private = store._private
    with private.transaction():
        private.many(
            "INSERT INTO experiments SELECT ?, ?, state, version, arms, knobs, terms, charges, "
            "released FROM experiments WHERE id = 1",
            ((place + 1, f"e{place}") for place in range(1, number)),
        )
        private.many(
            "INSERT INTO lanes SELECT lane + ?, ?, segment, arm, epoch, wanted, count, sum, last, "
            "closes, folds, learnt, passed, served, firsts, expected, spread FROM lanes "
            "WHERE experiment = 1",
            ((len(ARMS) * place, place + 1) for place in range(1, number)),
        )


def _growing_decisions(quick: bool) -> Table:
    """Measure a whole decision with few and many stored ones, each of another person."""
    repeats, size = (1, 200) if quick else (5, 4_000)
    sizes = (1_000, 10_000) if quick else (1_000, 10_000_000)
    table = Table(
        "A whole decision, by the number of stored decisions: microseconds",
        notes=(f"Median of {repeats} interleaved repeats of {size:,} decisions, processor time.",),
    )
    with tempfile.TemporaryDirectory() as folder:
        tasks = {str(number): _stored_task(folder, number, size) for number in sizes}
        return _growth_table(table, "stored decisions", tasks, repeats)


def _stored_task(folder: str, number: int, size: int) -> Callable[[], float]:
    with _store(folder, f"stored-{number}") as store:
        _experiment(store)
        _fill_decisions(store, number)
    experiment = _store(folder, f"stored-{number}").experiment("checkout")
    newcomers = (f"person-{place}" for place in count())

    def work() -> None:
        for _ in range(size):
            experiment.decide(next(newcomers))

    return lambda: 1e6 * processor_seconds(work) / size


def _fill_decisions(store: hush.live.Store, number: int) -> None:
    """Store many decisions by the back door."""
    private = store._private
    people = sorted(os.urandom(16) for _ in range(number))
    with private.transaction():
        private.many("INSERT INTO people VALUES (1, ?, 1)", ((each,) for each in people))
    worker = struct.unpack(">q", os.urandom(8))[0]
    with private.transaction():
        batch = 2**24  # the open batch of the first lane
        rows = ((batch, worker, place, 0, 2**50, each) for place, each in enumerate(people))
        private.many(REGISTER, rows)


def _growth_table(
    table: Table, what: str, tasks: dict[str, Callable[[], float]], repeats: int
) -> Table:
    for task in tasks.values():
        task()  # what is met for the first time is not part of it
    first = None
    for name, each in interleave(tasks, repeats).items():
        if each.failure is not None:
            table.rows.append({what: name, "failed": each.failure})
            continue
        first = first or each.median
        table.rows.append(
            {what: int(name), "a decision": each.median, "times the first": each.median / first}
        )
    return table

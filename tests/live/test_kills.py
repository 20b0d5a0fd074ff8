"""Workers that are killed, at every point that has a name and at any time."""

import random
import sqlite3
from contextlib import closing

import pytest
from tests.live.fault_check import observe
from tests.live.fault_cluster import cluster, needs_postgres
from tests.live.worker import Workers

__all__ = ["cluster"]

SEED, STEPS = 7, 90


@pytest.fixture(scope="module")
def workers():
    made = Workers()
    yield made
    made.close()


class Stores:
    """Makes places for stores, each new."""

    def __init__(self, folder, server=None):
        self._folder, self._server, self._made = folder, server, 0

    def new(self):
        self._made += 1
        side = self._folder / str(self._made)
        side.mkdir()
        place = {"side": str(side)}
        if self._server is not None:
            return {**place, **self._server.place()}
        return {**place, "public": str(side / "s.db"), "private": str(side / "s.private.db")}


@pytest.fixture
def on_sqlite(tmp_path):
    return Stores(tmp_path)


@pytest.fixture
def on_postgres(tmp_path, cluster):
    return Stores(tmp_path, cluster)


def all_points(workers, stores):
    """Return every named point with its number of visits, in a script that nobody disturbs."""
    place = stores.new()
    visits = workers(place, seed=SEED, steps=STEPS)
    assert workers(place, seed=SEED, steps=STEPS, finish=True) == []
    return visits


def killed_at(workers, stores, point, visit):
    """Kill a worker at a point, let another go on, and return what is wrong afterwards."""
    place = stores.new()
    died = workers(place, seed=SEED, steps=STEPS, trap=[point, visit]) is None
    wrong = workers(place, seed=SEED, steps=STEPS, finish=True)
    return [f"{point} ({visit}): {each}" for each in wrong], died


def thrice(visits):
    return sorted({1, (visits + 1) // 2, visits})


def kill_at_all(workers, stores, keep=lambda place: True):
    visits = all_points(workers, stores)
    kills, wrong = 0, []
    cases = [(point, visit) for point in sorted(visits) for visit in thrice(visits[point])]
    for place, (point, visit) in enumerate(cases):
        if keep(place):
            found, died = killed_at(workers, stores, point, visit)
            wrong += found
            kills += died
    print(f"{len(visits)} points, {len(cases)} cases, {kills} kills, {len(wrong)} wrong")  # noqa: T201
    assert wrong == []
    return len(visits), kills


def test_a_sample_of_points_on_sqlite(workers, on_sqlite):
    points, kills = kill_at_all(workers, on_sqlite, lambda place: place % 16 == 0)
    assert points > 60
    assert kills > 10


@pytest.mark.slow
@needs_postgres
def test_a_few_points_on_postgres(workers, on_postgres):
    points, kills = kill_at_all(workers, on_postgres, lambda place: place % 80 == 0)
    assert points > 60
    assert kills > 2


@pytest.mark.slow
def test_every_point_on_sqlite(workers, on_sqlite):
    kill_at_all(workers, on_sqlite)


@pytest.mark.slow
@needs_postgres
def test_every_point_on_postgres(workers, on_postgres):
    kill_at_all(workers, on_postgres)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["on_sqlite", pytest.param("on_postgres", marks=needs_postgres)])
def test_kills_at_random_times(workers, kind, request):
    """Five hundred: scripts of several seeds, each killed up to three times before it ends."""
    stores, draw = request.getfixturevalue(kind), random.Random(11)
    kills, wrong = 0, []
    while kills < 500:
        place, seed = stores.new(), draw.randrange(20)
        for _ in range(3):
            after = draw.uniform(0.0, 0.4)
            kills += workers(place, seed=seed, steps=STEPS, after=after) is None
        wrong += workers(place, seed=seed, steps=STEPS, finish=True)
    print(f"{kills} kills, {len(wrong)} wrong")  # noqa: T201
    assert wrong == []


@pytest.mark.slow
def test_kills_while_a_new_store_is_made(workers, on_sqlite):
    kills = 0
    for statement in range(1, 90, 8):
        place = on_sqlite.new()
        kills += workers(place, seed=SEED, steps=6, traps_opening=statement) is None
        assert workers(place, seed=SEED, steps=6, finish=True) == []
    assert kills > 5


TAMPERED = {
    "a reward lost": "UPDATE pending SET bit = 1 - bit",
    "a decision lost": "DELETE FROM people WHERE given = 1",
    "a batch counted wrongly": 'UPDATE lanes SET "count" = "count" - 1 WHERE "count" > 1',
    "a release changed": "UPDATE sealed SET body = replace(body, '\"count\":', '\"count\":1')",
}


@pytest.mark.parametrize("fault", TAMPERED)
def test_the_check_finds_faults(workers, on_sqlite, fault):
    place = on_sqlite.new()
    values = "(batch, experiment, shown, body) VALUES (?, ?, ?, ?)"
    point, visit = f"private: INSERT INTO sealed {values}", 4
    if "release" in fault:
        point, visit = "private: DELETE FROM sealed WHERE batch = ?", 1
    assert workers(place, seed=SEED, steps=STEPS, trap=[point, visit]) is None
    if "release" in fault:
        observe(place)
    with closing(sqlite3.connect(place["private"])) as connection:
        assert connection.execute(TAMPERED[fault]).rowcount
        connection.commit()
    assert workers(place, seed=SEED, steps=STEPS, finish=True) != []

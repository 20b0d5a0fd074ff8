"""What must be true of a store whatever happened to those who used it."""

import json
import sqlite3
from collections import Counter, defaultdict
from pathlib import Path

import psycopg
from tests.live.fault_script import EXPERIMENTS, START, Log

from hush.live.durations import milliseconds
from hush.live.ids import DecisionId
from hush.live.journal import GENESIS, Entry
from hush.live.keys import Keys
from hush.live.terms import MOST_EPOCHS


class Reader(Keys):
    """Reads the ids of any store with the secret."""

    def genuine(self, body, code):
        return len(code) == 12


KEYS = Reader(bytes(32))
GRACE = 5_000


def rows(address, query):
    """Read a database without Hush; nothing where there are no tables yet."""
    if "://" in address:
        with psycopg.connect(address) as connection:
            try:
                return connection.execute(query).fetchall()
            except psycopg.errors.UndefinedTable:
                return []
    if not Path(address).exists():
        return []
    connection = sqlite3.connect(address)
    try:
        return connection.execute(query).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        return []
    finally:
        connection.close()


RELEASES = "SELECT experiment, body FROM journal WHERE kind = 'release' ORDER BY seq"
SEALED = "SELECT experiment, body FROM sealed ORDER BY batch"


def released(address, query=RELEASES):
    """Return what was released, by batch, each as often as it is there."""
    found = defaultdict(list)
    for experiment, text in rows(address, query):
        body = json.loads(text)
        key = f"{experiment}/{body['segment']}/{body['arm']}/{body['epoch']}"
        found[key].append([body["count"], body["value"]])
    return dict(found)


def observe(place):
    """Note down everything that can be seen, or was drawn and will be."""
    seen = [released(place[half]) for half in ("public", "private")]
    seen.append(released(place["private"], SEALED))
    Log(Path(place["side"]) / "seen")(seen=seen)


def second_values(place, *, sealed=True):
    """Return the batches that were seen with two values, or twice; perhaps but for sealed ones."""
    values = defaultdict(set)
    wrong = []
    for line in Log.read(Path(place["side"]) / "seen"):
        for found in line["seen"][: 3 if sealed else 2]:
            for key, pairs in found.items():
                values[key] |= {tuple(pair) for pair in pairs}
                if len(pairs) > 1:
                    wrong.append(f"batch {key} is released {len(pairs)} times")
    return wrong + [f"batch {key} has values {v}" for key, v in values.items() if len(v) > 1]


def chain(address):
    """Return the journal's entries, checked link by link."""
    query = "SELECT seq, at, kind, experiment, body, hash FROM journal ORDER BY seq"
    before, found = GENESIS, []
    for row in rows(address, query):
        entry = Entry(*row[:5], bytes(row[5]))
        assert entry.follows(before), "the chain is broken"
        assert entry.seq == len(found) + 1
        before = entry.hash
        found.append(entry)
    return found


class Expected:
    """What a script's acknowledged steps must lead to."""

    def __init__(self, place, steps):
        self.given, self.batches = Counter(), defaultdict(dict)
        self._at, self._settled = START, {}
        lines = Log.read(Path(place["side"]) / "log")
        done = [(steps[line["done"]], line["result"]) for line in lines if "done" in line]
        self.made = {step["key"]: step for step, _ in done if "key" in step}
        self.ids = {step["key"]: result for step, result in done if step["op"] == "decide"}
        self.states, self.retired = defaultdict(lambda: "running"), set()
        for step, result in done:
            self._at = step["at"]
            getattr(self, "_" + step["op"], self._other)(step, result)

    def _other(self, step, result):
        pass

    def _pause(self, step, result):
        self.states[step["name"]] = "paused"

    def _resume(self, step, result):
        self.states[step["name"]] = "running"

    def _decide(self, step, result, id_=None):
        who = step["name"], step["person"]
        bound = EXPERIMENTS[step["name"]]["person_bound"]
        if self.states[step["name"]] == "running" and self.given[who] < bound:
            self.given[who] += 1
            found = DecisionId.read(result, KEYS)
            self.batches[found.batch][result] = [0, 0, found.deadline, step["person"]]

    def _activate(self, step, result):
        if result in ("not deferred", "expired"):
            return
        if all(result not in batch for batch in self.batches.values()):
            self._decide(self.made[step["of"]], result)

    def _reward(self, step, result):
        name = self.ids.get(step["of"])
        if name is not None and result != "expired":
            found = self.batches[DecisionId.read(name, KEYS).batch].get(name)
            if found:
                found[:2] = [step["value"]] * 2

    def _erase(self, step, result):
        for name, terms in EXPERIMENTS.items():
            self.given[name, step["person"]] = terms["person_bound"]
        for batch in self.batches.values():
            for bits in batch.values():
                if bits[3] == step["person"]:
                    # After its deadline a row may be summed already, or not yet.
                    bits[0] = 0
                    bits[1] = 0 if bits[2] >= self._at else bits[1]


def complaints(place, steps):
    """Return everything that is wrong after a script was played to its end and all has settled."""
    wrong = second_values(place)
    one, two = chain(place["private"]), chain(place["public"])
    if one != two:
        wrong.append("the journals differ")
    expected = Expected(place, steps)
    wrong += _releases(place, expected)
    names = dict(rows(place["private"], "SELECT id, name FROM experiments"))
    for half in ("public", "private"):
        states = rows(place[half], "SELECT name, state FROM experiments")
        wrong += [f"{name} is {state} ({half})" for name, state in states if state != "stopped"]
    for table in ("pending", "batches", "sealed"):
        left = rows(place["private"], f"SELECT count(*) FROM {table}")[0][0]
        if left:
            wrong.append(f"{left} rows are left in {table}")
    wrong += _people(place, expected, names)
    told = rows(place["public"], "SELECT experiment, segment, arm, served, learnt FROM tallies")
    kept = rows(
        place["private"], "SELECT experiment, segment, arm, served, learnt, expected FROM lanes"
    )
    if sorted(told) != sorted(row[:5] for row in kept if row[3] or row[5]):
        wrong.append("the tallies are not those of the lanes")
    return wrong


def _releases(place, expected):
    wrong = []
    query = "SELECT lane, experiment, segment, arm FROM lanes"
    lanes = {row[0]: "/".join(map(str, row[1:])) for row in rows(place["private"], query)}
    draws = {line["value"]: line["total"] for line in Log.read(Path(place["side"]) / "draws")}
    found = released(place["public"])
    wanted = {
        f"{lanes[batch // MOST_EPOCHS]}/{batch % MOST_EPOCHS}": list(bits.values())
        for batch, bits in expected.batches.items()
        if bits
    }
    if set(wanted) != set(found):
        wrong.append(f"batches {set(wanted) ^ set(found)} are decided or released, not both")
    for key, bits in wanted.items():
        for count, value in found.get(key, []):
            low, high = (sum(bit[i] for bit in bits) for i in range(2))
            if value not in draws:
                wrong.append(f"batch {key} has a value that was never drawn")
            elif count != len(bits) or not low <= draws[value] <= high:
                wrong.append(f"batch {key}: {draws[value]} of {count}, not {low} of {len(bits)}")
    return wrong


def _people(place, expected, names):
    query = "SELECT experiment, person, given FROM people"
    given = {(names[row[0]], bytes(row[1])): row[2] for row in rows(place["private"], query)}
    wanted = {
        (name, KEYS.person("default", person)): count
        for (name, person), count in expected.given.items()
        if count
    }
    return [] if given == wanted else ["people are counted wrongly"]


def window_of(name):
    """Return an experiment's window, in milliseconds."""
    return milliseconds("window", EXPERIMENTS[name]["window"])

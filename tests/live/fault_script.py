"""A script of requests, acts and clock steps, drawn from a seed, and a player that can be killed.

Every step is logged before it is made and after it was answered, so that whoever comes after a
kill knows what was acknowledged and which call was under way.
"""

import json
import os
import random
import re
from pathlib import Path

import hush
import hush.live
from hush.errors import ExpiredError, LifecycleError, ParameterError

START = 1_767_225_600_000
MINUTE = 60_000
PEOPLE = 8
FINAL = 3 * 86_400_000
EXPERIMENTS = {
    "wide": {
        "policy": "NoiseAwareTS", "arms": ["a", "b"], "person_epsilon": 8.0, "person_bound": 40,
        "window": "10m", "segments": ["x", "y"], "max_age": "25m",
    },
    "tight": {
        "policy": "AnytimeLazyUCB", "arms": ["a", "b", "c"], "person_epsilon": 4.0,
        "person_bound": 2, "window": "3m",
    },
}  # fmt: skip


def script(seed, steps=90):
    """Return a list of steps, each with the time at which it is made."""
    draw = random.Random(seed)
    made, at, open_names = [], START, []

    def add(op, **given):
        made.append({"op": op, "at": at, **given})

    add("population", limit=100.0)
    for name in EXPERIMENTS:
        add("create", name=name)
        add("start", name=name)
    for number in range(steps):
        at += draw.choice((0, 100, 5_000, MINUTE // 2))
        kind = draw.choices(
            ("decide", "reward", "settle", "defer", "activate", "erase"), (40, 30, 16, 4, 4, 1)
        )[0]
        if kind in ("decide", "defer"):
            name = draw.choice(("wide", "wide", "tight"))
            open_names.append(f"k{number}")
            segment = draw.choice(("x", "y")) if name == "wide" else None
            person = f"p{draw.randrange(PEOPLE)}"
            add(kind, name=name, key=f"k{number}", person=person, segment=segment)
        elif kind in ("reward", "activate") and open_names:
            add(kind, of=draw.choice(open_names[-12:]), value=draw.randrange(2))
        elif kind == "settle":
            at += draw.choice((MINUTE, 2 * MINUTE, 6 * MINUTE))
            add("settle")
        elif kind == "erase":
            add("erase", person=f"p{draw.randrange(PEOPLE)}")
        if number in (steps // 5, 3 * steps // 5):
            add("defer", name="wide", key=f"d{number}", person=f"p{number}", segment="x")
            add("activate", of=f"d{number}")
            add("erase", person="p1")
        if number in (steps // 3, steps // 3 + 4):
            add("pause" if number == steps // 3 else "resume", name="tight")
        if number == steps // 2:
            add("add_arm", name="tight", arm="d")
            add("retire_arm", name="wide", arm="b")
        if number == 2 * steps // 3:
            add("adjust", name="wide", floor=0.1)
    for name in EXPERIMENTS:
        add("stop", name=name)
    for _ in range(3):
        at += 20 * MINUTE
        add("settle")
    return made


class RecordedNoise(hush.SeededNoise):
    """Fresh noise, of which every outcome is on the disk before anybody has it."""

    def __init__(self, path):
        super().__init__(int.from_bytes(os.urandom(8), "big"))
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def laplace_ahead(self, *, epsilon, sensitivity=1):
        """Draw the noise now, and note what comes of it."""
        drawn = super().add_laplace(0, epsilon=epsilon, sensitivity=sensitivity)

        def add(total):
            value = total + drawn
            line = json.dumps({"total": total, "value": value}) + "\n"
            os.write(self._file, line.encode())
            os.fsync(self._file)
            return value

        return add


class Log:
    """Lines on a file; one that was written survives the death of the process."""

    def __init__(self, path):
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def __call__(self, **line):
        os.write(self._file, (json.dumps(line) + "\n").encode())

    @staticmethod
    def read(path):
        """Return all lines."""
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class Points:
    """Names of what is about to happen in the databases, and a trap at one of them."""

    def __init__(self, trap):
        self.visits, self._trap, self._last = {}, trap, {}

    def watch(self, store):
        """Be told of every statement of both databases."""
        for which, database in (("private", store._private), ("public", store._public)):
            database.probe = lambda statement, which=which: self._meet(which, statement)

    def _meet(self, which, statement):
        text = re.sub(r"\s+", " ", statement)[:90]
        if text in ("COMMIT", "COMMITTED"):
            text = f"{text} after {self._last.get(which, '')[:40]}"
        else:
            self._last[which] = text
        point = f"{which}: {text}"
        self.visits[point] = visit = self.visits.get(point, 0) + 1
        if self._trap == [point, visit]:
            self.spring()

    def spring(self):
        """Die at once."""
        os.kill(os.getpid(), 9)


class Player:
    """Plays a script on a store; what it needs to go on is in the log."""

    def __init__(self, place, steps, trap=None):
        self.place, self.steps = place, steps
        self.side = Path(place["side"])
        self.log = Log(self.side / "log")
        self.points = Points(trap)
        self.clock = hush.live.ManualClock(START)
        self.store = None

    def open(self):
        """Open the store, and watch it from there on."""
        self.store = hush.live.open(
            self.place["public"], private=self.place["private"], secret=bytes(32),
            clock=self.clock, noise=RecordedNoise(self.side / "draws"),
        )  # fmt: skip
        self.points.watch(self.store)

    def play(self):
        """Play what is not played yet; the call that was under way is made once more."""
        lines = Log.read(self.side / "log")
        done = {line["done"]: line for line in lines if "done" in line}
        begun = {line["do"] for line in lines if "do" in line}
        ids = {i: line["result"] for i, line in done.items() if line["result"]}
        self.named = {self.steps[i]["key"]: r for i, r in ids.items() if "key" in self.steps[i]}
        todo = [place for place in range(len(self.steps)) if place not in done]
        self._move(self.steps[todo[0] if todo else -1]["at"])
        if self.store is None:
            self.open()
        for place in todo:
            step = self.steps[place]
            self._move(step["at"])
            self.log(do=place)
            self.log(done=place, result=self._make(step, again=place in begun))

    def _move(self, at):
        self.clock.advance(max(at - self.clock.wall(), 0) / 1_000)

    def _make(self, step, again):
        try:
            result = getattr(self, "_" + step["op"])(step)
        except ExpiredError:
            return "expired"
        except (LifecycleError, ParameterError):
            if not again:
                raise
            return None  # it was done already
        if isinstance(result, hush.live.Decision):
            if "key" in step:
                self.named[step["key"]] = result.id
            return result.id
        return result

    def _population(self, step):
        self.store.population(limit=step["limit"])

    def _create(self, step):
        self.store.create(step["name"], **EXPERIMENTS[step["name"]])

    def _decide(self, step):
        given = {name: step[name] for name in ("person", "key", "segment")}
        return self._of(step).decide(**given)

    def _defer(self, step):
        return self._of(step).decide(step["person"], segment=step["segment"], defer=True)

    def _activate(self, step):
        found = next(each for each in self.steps if each.get("key") == step["of"])
        if found["op"] != "defer":
            return "not deferred"
        return self._of(found).activate(self.named[step["of"]], person=found["person"])

    def _reward(self, step):
        found = next(each for each in self.steps if each.get("key") == step["of"])
        if found["op"] == "decide":
            self.store.reward(self.named[step["of"]], step["value"])

    def _settle(self, step):
        self.store.settle()

    def _erase(self, step):
        self.store.erase(step["person"])

    def _add_arm(self, step):
        self._of(step).add_arm(step["arm"])

    def _retire_arm(self, step):
        self._of(step).retire_arm(step["arm"])

    def _adjust(self, step):
        self._of(step).adjust(floor=step["floor"])

    def _of(self, step):
        return self.store.experiment(step["name"])

    def _plain(self, step):
        getattr(self._of(step), step["op"])()

    _start = _stop = _pause = _resume = _plain

    def finish(self):
        """Let all deadlines pass, and settle what is left."""
        self.clock.advance("40m")
        self.store.settle()

"""A process that forks workers: each opens a store, plays a script, and dies where it is told to.

``python -m tests.live.worker`` reads tasks as lines and answers each with how its worker ended.
To start Python with Hush takes a second; to fork takes none.
"""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

from tests.live.fault_check import complaints, observe
from tests.live.fault_script import Player, script


def run(task):
    """Play a script, to its end or to its trap; say which points were visited."""
    place = task["place"]
    observe(place)
    player = Player(place, script(task["seed"], task["steps"]), task.get("trap"))
    if task.get("traps_opening"):
        trap_opening(task["traps_opening"])
    player.play()
    if task.get("finish"):
        player.finish()
        observe(place)
        player.store.close()
        return complaints(place, player.steps)
    player.store.close()
    return player.points.visits


def trap_opening(statement):
    """Die at the n-th statement that SQLite runs, of whoever."""
    import sqlite3

    from hush.live import sqlite

    left = [statement]

    def met(_):
        left[0] -= 1
        if not left[0]:
            os.kill(os.getpid(), 9)

    class Watched(sqlite3.Connection):
        def __init__(self, *given, **options):
            super().__init__(*given, **options)
            self.set_trace_callback(met)

    plain = sqlite3.connect
    sqlite.sqlite3.connect = lambda *a, **o: plain(*a, factory=Watched, **o)


def child(task):
    """Do a task and leave its outcome in a file."""
    outcome = Path(task["place"]["side"]) / "outcome"
    try:
        outcome.write_text(json.dumps({"result": run(task)}))
    except BaseException:  # noqa: BLE001  the other side shows it
        outcome.write_text(json.dumps({"error": traceback.format_exc()}))


def serve():
    """Answer tasks until there are none."""
    for line in sys.stdin:
        task = json.loads(line)
        pid = os.fork()
        if not pid:
            child(task)
            os._exit(0)
        if task.get("after") is not None:
            time.sleep(task["after"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        killed = os.WIFSIGNALED(status)
        print(json.dumps({"killed": killed}), flush=True)  # noqa: T201


class Workers:
    """The other side of it: starts the process, and hands it tasks."""

    def __init__(self):
        root = Path(__file__).parent.parent.parent
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.live.worker"], cwd=root, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, place, **task):
        """Do a task; return what it returned, or None where its worker was killed."""
        outcome = Path(place["side"]) / "outcome"
        outcome.unlink(missing_ok=True)
        self._process.stdin.write(json.dumps({"place": place, **task}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if answer["killed"]:
            return None
        found = json.loads(outcome.read_text())
        assert "error" not in found, found["error"]
        return found["result"]

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


if __name__ == "__main__":
    serve()

"""The forecast as a page: sliders for what is not known yet, and a child process that simulates.

A service needs no simulation and loads none: ``hush forecast`` is asked, at a low priority, and
what it says is drawn.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hush.dashboard.charts import Axis, Chart, Line, lines
from hush.dashboard.svg_parts import number, percent

__all__ = ["ASKED", "Forecaster", "Slider", "charts_of", "sliders"]

MOST_KEPT = 64
GENTLE = 10
LONGEST = 180.0
TOO_LONG = "This takes longer than three minutes: ask for fewer days, or on the command line."
COMMAND = [sys.executable, "-m", "hush", "forecast", "--json"]


@dataclass(frozen=True)
class Slider:
    """A number that is chosen: from where to where, and in which steps."""

    name: str
    text: str
    low: float
    high: float
    step: float
    value: str


ASKED = {
    "rates": "0.030, 0.036, 0.033",
    "per_day": "20000",
    "person_epsilon": "1",
    "person_bound": "4",
    "window": "1d",
    "days": "14",
}
RANGES = (
    ("per_day", "Decisions a day", 100.0, 100_000.0, 100.0),
    ("person_epsilon", "ε promised to every person", 0.1, 10.0, 0.1),
    ("person_bound", "Decisions learnt per person", 1.0, 20.0, 1.0),
    ("days", "Days", 1.0, 90.0, 1.0),
)


def sliders(given: Mapping[str, str]) -> list[Slider]:
    """Return the sliders, at what was given."""
    return [Slider(*each, value=given[each[0]]) for each in RANGES]


def _wrong(given: Mapping[str, str]) -> str | None:
    """Return what is wrong with what was typed, as far as numbers go."""
    for name, *_ in RANGES:
        try:
            fine = math.isfinite(float(given[name]))
        except ValueError:
            fine = False
        if not fine:
            return f"{name} must be a number"
    return None


class Forecaster:
    """Asks one question at a time, and remembers the answers."""

    def __init__(self, command: list[str] | None = None) -> None:
        self._command = COMMAND if command is None else command
        self._kept: OrderedDict[str, dict[str, Any] | str] = OrderedDict()
        self._one = threading.Lock()
        self._child: subprocess.Popen[str] | None = None

    def ask(self, given: Mapping[str, str]) -> dict[str, Any] | str:
        """Return a forecast, or why there is none."""
        key = repr(sorted(given.items()))
        with self._one:
            if key not in self._kept:
                self._kept[key] = _wrong(given) or self._made(given)
                if len(self._kept) > MOST_KEPT:
                    self._kept.popitem(last=False)
            return self._kept[key]

    def _made(self, given: Mapping[str, str]) -> dict[str, Any] | str:
        whole = {key: f"{float(given[key]):g}" for key in ("person_bound", "days")}
        options = {**given, **whole, "seed": "0"}
        words = [f"--{key.replace('_', '-')}={value}" for key, value in options.items()]
        self._child = subprocess.Popen(  # noqa: S603  a list of words: no shell reads them
            [*self._command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        os.setpriority(os.PRIO_PROCESS, self._child.pid, GENTLE)
        try:
            said, complaint = self._child.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            self.close()
            return TOO_LONG
        if self._child.returncode:
            said = complaint.strip()  # what is not meant for readers is not shown to them
            return said[7:] if said.startswith("error: ") else "The forecast failed."
        found: dict[str, Any] = json.loads(said)
        return found

    def close(self) -> None:
        """End what is under way."""
        if self._child is not None and self._child.poll() is None:
            self._child.kill()
            self._child.communicate()


def charts_of(found: Mapping[str, Any]) -> list[Chart]:
    """Return what is lost by each promise, and when the best arm is found."""
    courses = {(each["policy"], each["person_epsilon"]): each for each in found["courses"]}
    policies = list(dict.fromkeys(policy for policy, _ in courses))
    epsilons = sorted({epsilon for _, epsilon in courses})
    split, asked = found["lost_by_fixed_split"], found["person_epsilon"]
    losses = [
        Line(policy, tuple(courses[policy, each]["lost"]["mean"] for each in epsilons))
        for policy in policies
    ]
    most = max(split, *(value for line in losses for value in line.values))
    charts = [
        lines(
            "Lost successes by promise",
            f"Successes lost against the best arm in {found['days']} days; a fixed split loses "
            f"{number(split)}.",
            list(range(len(epsilons))),
            [*losses, Line("fixed split", (split,) * len(epsilons))],
            along=Axis("promise", lambda at: f"ε {number(epsilons[round(at)])}"),
            said=number,
            top=most or 1.0,
        )
    ]
    if len(found["looked"]) > 1:
        marked = frozenset(range(len(found["looked"])))
        chances = [
            Line(policy, tuple(each["mean"] for each in courses[policy, asked]["found"]), marked)
            for policy in policies
        ]
        charts.append(
            lines(
                "Chance to have found the best",
                f"For the promise asked for, ε {number(asked)}, by day.",
                [float(day) for day in found["looked"]],
                chances,
                along=Axis("by", lambda day: f"day {day:.0f}"),
                said=percent,
            )
        )
    return charts

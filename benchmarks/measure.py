"""Timing: interleaved repeats, medians, and failures that are told rather than raised."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

__all__ = ["Measured", "attempt", "interleave", "processor_seconds", "seconds"]

T = TypeVar("T")


@dataclass
class Measured:
    """The values of one contender's repeats, or why there are none."""

    values: list[float] = field(default_factory=list)
    failure: str | None = None

    @property
    def median(self) -> float:
        """The middle value."""
        return statistics.median(self.values)

    @property
    def low(self) -> float:
        """The smallest value."""
        return min(self.values)

    @property
    def high(self) -> float:
        """The largest value."""
        return max(self.values)


def seconds(work: Callable[[], object]) -> float:
    """Return how long ``work`` takes."""
    gc.collect()  # nobody pays for what the contender before left behind
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def processor_seconds(work: Callable[[], object]) -> float:
    """Return how much processor time ``work`` takes, whatever else runs on the machine."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def attempt(task: Callable[[], T]) -> tuple[T | None, str | None]:
    """Return the task's value, or None and why it failed."""
    try:
        return task(), None
    except Exception as error:  # noqa: BLE001  another library may fail in any way it likes
        return None, f"{type(error).__name__}: {error}"


def interleave(
    tasks: Mapping[str, Callable[[], float]], repeats: int, failed: Mapping[str, str] | None = None
) -> dict[str, Measured]:
    """Run every task once per repeat and collect the numbers they return.

    The order is rotated from repeat to repeat, so that a slow moment of the machine, or a place
    in the row, does not always meet the same task. A task that fails is not tried again.
    """
    found = {name: Measured() for name in tasks}
    found.update((name, Measured(failure=why)) for name, why in (failed or {}).items())
    names = list(tasks)
    for repeat in range(repeats):
        shift = repeat % len(names) if names else 0
        for name in names[shift:] + names[:shift]:
            if found[name].failure is None:
                value, found[name].failure = attempt(tasks[name])
                if value is not None:
                    found[name].values.append(value)
    return found

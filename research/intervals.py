"""How often printed intervals hold: their coverage on the laws of all policies."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hush.environments import PAPER_SETTINGS
from hush.output.document import TableOf
from hush.policies import LazyDPTS, NoiseAwareTS, Policy
from hush.simulation import simulate
from hush.simulation.summary import LEVEL, mean_interval, median_interval, tells
from research.comparison import COMPARED, make_policy, private
from research.pages import Page, Tables, stored, wrapped
from research.resumable import run_parts
from research.some_policies import Classes, about_some, among

__all__ = ["PAGE", "measure"]

STRICT = 0.999  # what tests of claims ask of one interval among many
SLOW = (LazyDPTS, NoiseAwareTS)  # they leap, but with many events
Floats = NDArray[np.float64]
Row = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    horizon: int = 10**6
    far_horizon: int = 10**12
    law: int = 20_000
    slow_law: int = 4000
    rounds_law: int = 200
    trials: int = 2000
    trials_of_many: int = 500
    runs: tuple[int, ...] = (10, 20, 100, 1000, 10_000)

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(400, 1000, 40, 30, 20, 20, 10, (10, 100))


@dataclass(frozen=True)
class Setting:
    """A policy's law: where it plays, and for how long."""

    policy: Policy
    instance: str
    horizon: int
    engine: str

    def draw(self, scale: Scale, seed: int) -> tuple[Floats, float]:
        """Return the regret of many runs, which stand for the law, and the most it can be."""
        law = scale.law if self.engine == "leap" else scale.rounds_law
        if isinstance(self.policy, SLOW):
            law = scale.slow_law
        result = simulate(
            self.policy, PAPER_SETTINGS[self.instance](), horizon=self.horizon, runs=law, seed=seed,
            checkpoints=[self.horizon], progress=False,
        )  # fmt: skip
        return result.regret[0, :, -1], result.largest_gap * self.horizon


def measure(
    folder: Path, *, quick: bool, seed: int, policies: Classes = None
) -> tuple[dict[str, TableOf], None]:
    """Measure how often intervals hold on the laws of policies; return the tables to show."""
    scale = Scale.quick() if quick else Scale()
    settings = [each for cls in among(policies, COMPARED) for each in _settings(cls, scale)]
    parts = {"coverage": partial(_coverage, settings, scale, seed)}
    about = {"seed": seed, **asdict(scale)}
    total = {"coverage": len(settings) * len(scale.runs)}
    rows = run_parts(folder, parts, total, {**about, **about_some(policies)})
    data = rows["coverage"]
    sizes = {key: str(value) for key, value in about.items() if key != "runs"}
    return {
        "coverage": _table(data, "printed"),
        "strict": _table(data, "strict"),
        "student": _table(data, "student"),
        "sizes": TableOf(tuple(sizes), (tuple(sizes.values()),), numbers=False),
    }, None


def _settings(cls: type[Policy], scale: Scale) -> Iterator[Setting]:
    """Return the laws that are looked at: the paper's settings, little epsilon, a far horizon."""
    first = make_policy(cls, 1.0)
    tried = simulate(first, PAPER_SETTINGS["S1"](), horizon=10, runs=1, progress=False)
    engine = tried.engines[0]
    for instance in PAPER_SETTINGS:
        for epsilon in (0.25, 1.0) if private(cls) else (1.0,):
            yield Setting(make_policy(cls, epsilon), instance, scale.horizon, engine)
    if private(cls) and engine == "leap":
        yield Setting(make_policy(cls, 0.02), "S1", scale.horizon, engine)
        yield Setting(make_policy(cls, 0.25), "S1", scale.far_horizon, engine)


def _coverage(settings: list[Setting], scale: Scale, seed: int) -> Iterator[Row]:
    for setting in settings:
        law, most = setting.draw(scale, seed)
        generator = np.random.default_rng(seed)
        for runs in scale.runs:
            trials = scale.trials if runs <= 1000 else scale.trials_of_many
            yield {
                "policy": type(setting.policy).__name__,
                "setting": setting.instance,
                "horizon": setting.horizon,
                "runs": runs,
                "engine": setting.engine,
                **_covered(law, most, runs, trials, generator),
            }


def _covered(
    law: Floats, most: float, runs: int, trials: int, generator: np.random.Generator
) -> Row:
    """Return how often intervals of runs drawn from a law cover what they are said to cover."""
    held = {"printed": 0, "strict": 0, "student": 0, "means": 0}
    mean, median = float(law.mean()), float(np.median(law))
    done = 0
    while done < trials:
        some = min(trials - done, max(1, 10**6 // runs))
        values = law[generator.integers(law.size, size=(some, runs))]
        telling = tells(*mean_interval(values, most))
        for name, level in (("printed", LEVEL), ("strict", STRICT)):
            good = np.where(
                telling,
                _inside(mean_interval(values, most, level), mean),
                _inside(median_interval(values, level), median),
            )
            held[name] += int(good.sum())
        held["student"] += int(_inside(mean_interval(values, most, guarded=False), mean).sum())
        held["means"] += int(telling.sum())
        done += some
    return {name: count / trials for name, count in held.items()}


def _inside(interval: tuple[Floats, Floats, Floats], truth: float) -> NDArray[np.bool_]:
    """Say where an interval holds; one that is unknown claims nothing."""
    _, low, high = interval
    slack = 1e-9 * abs(truth)  # equal but for the order of a sum
    return ~((low > truth + slack) | (high < truth - slack))


def _table(data: pd.DataFrame, column: str) -> TableOf:
    """Return the least coverage over a policy's laws, a column for each number of runs."""
    counts = sorted(set(data["runs"]))
    rows = []
    for name, found in data.groupby("policy", sort=False):
        cells = []
        for runs in counts:
            part = found[found["runs"] == runs]
            least = float(part[column].min())
            means = part["means"].mean()
            kind = "" if column == "student" else f" ({means:.0%} means)" if means else ""
            cells.append(f"{math.floor(1000 * least + 1e-6) / 10:.1f} %{kind}")
        rows.append((f"`{name}`", *cells))
    return TableOf(("policy", *(f"{runs:,} runs" for runs in counts)), tuple(rows), numbers=False)


SIZES = """
A policy's law is that of {law:,} runs ({slow_law:,} for `LazyDPTS` and `NoiseAwareTS`,
{rounds_law:,} for policies that learn every round), in each of these places: the paper's two
settings after {horizon:,} rounds with epsilon .25 and 1, and, for those that leap, S1 with epsilon
.02, and with .25 after {far_horizon:,} rounds. From it, {trials:,} times (for more than 1,000 runs
{trials_of_many:,} times), so many runs are drawn as a report has, and the intervals made from these
are held against the law's own mean and median. The seed is {seed}. The least over all places is
shown.
"""


def _sizes(tables: Tables) -> str:
    table = tables["sizes"]
    sizes = {name: int(value) for name, value in zip(table.columns, table.rows[0], strict=True)}
    return wrapped(SIZES.format(**sizes))


PAGE = Page(
    "intervals",
    {
        "sizes": _sizes,
        "coverage": stored("coverage"),
        "strict": stored("strict"),
        "student": stored("student"),
    },
)

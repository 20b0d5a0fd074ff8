"""How often learners' intervals of means hold, at all times, and how wide they are.

Runs are played by Hush's own loops, round by round. These keep no releases; but the streams of
random numbers are known, and which arm each round played, so that all releases are recovered. A
test holds them against those of live learners with the same seeds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hush.environments import Bernoulli
from hush.noise import children
from hush.numerics.given_releases import posterior_of
from hush.numerics.prior import UNIFORM
from hush.output.document import TableOf
from hush.policies import DPKLUCB, AnytimeLazyUCB, BanditPolicy, LazyDPTS, NoiseAwareTS
from hush.policies.core.intervals import ExactEvidence, interval_of
from hush.simulation.engines import engine_of
from hush.simulation.engines.base import Task
from hush.simulation.engines.run_seeds import run_seed
from research.confidence_tables import (
    LEVEL,
    clopper_pearson,
    coverage_table,
    draw_widths,
    policies_table,
    widths_table,
)
from research.pages import Page, Tables, stored, wrapped
from research.resumable import run_parts

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "Scale", "measure", "played"]

POLICIES: tuple[Callable[[float], BanditPolicy], ...] = (
    AnytimeLazyUCB,
    LazyDPTS,
    DPKLUCB,
    NoiseAwareTS,
)
EPSILONS = (1.0, 0.5, 0.1)
MEANS = (0.5, 0.05)
Floats = NDArray[np.float64]
Row = dict[str, Any]


@dataclass(frozen=True)
class Scale:
    """How much is measured."""

    runs: int = 10_000
    least_rounds: int = 1000
    most_rounds: int = 20_000
    width_runs: int = 200
    curve_runs: int = 50
    doublings: int = 20

    @classmethod
    def quick(cls) -> Scale:
        """Return a small one, to see that it runs."""
        return cls(6, 50, 200, 2, 2, 6)


class Instance(NamedTuple):
    """A random problem."""

    means: Floats
    epsilon: float
    horizon: int
    discrete: bool


class Released(NamedTuple):
    """Releases of one arm, oldest first: how many rewards, their sums, and what was released."""

    counts: Floats
    sums: Floats
    values: Floats


def instance(scale: Scale, seed: int, run: int) -> Instance:
    """Return the problem of a run, the same for every policy."""
    generator = np.random.default_rng([seed, run])
    n_arms = int(generator.integers(2, 9))
    ends = np.log([scale.least_rounds, scale.most_rounds])
    return Instance(
        generator.beta(0.5, 0.5, n_arms),
        float(np.exp(generator.uniform(math.log(0.05), math.log(2.0)))),
        round(float(np.exp(generator.uniform(*ends)))),
        run % 2 == 1,
    )


def played(policy: BanditPolicy, problem: Instance, seed: int, run: int) -> list[Released]:
    """Play one run; return what was released of each arm."""
    env = Bernoulli(problem.means.tolist())
    task = Task(policy, env, np.array([problem.horizon]), discrete=problem.discrete)
    segments = engine_of(policy).play(task, "rounds", seed, run, 1, segments=True).segments[0]
    arms = np.repeat(segments[:, 2], segments[:, 1])
    # What the loop drew is drawn again: one number a round, and noise for each release in turn.
    environment, source = children(run_seed(seed, policy, run), 2)
    noise = _generator(children(source, 1)[0])
    heads = _generator(environment).random(problem.horizon) < problem.means[arms]
    lengths = policy.schedule.lengths(problem.horizon)
    found = []
    for arm in range(problem.means.size):
        rounds = np.flatnonzero(arms == arm)
        ends = np.cumsum(lengths)
        ends = ends[ends <= rounds.size]
        totals = np.concatenate(([0], np.cumsum(heads[rounds])))[ends]
        sums = np.diff(totals, prepend=0).astype(float)
        found.append((rounds[ends - 1], lengths[: ends.size].astype(float), sums))
    times = np.concatenate([each[0] for each in found])
    drawn = np.empty(times.size)
    drawn[np.argsort(times)] = _noise(times.size, 1.0 / problem.epsilon, problem.discrete, noise)
    parts = np.split(drawn, np.cumsum([each[0].size for each in found])[:-1])
    return [
        Released(counts, sums, sums + noises)
        for (_, counts, sums), noises in zip(found, parts, strict=True)
    ]


def _generator(seed: np.random.SeedSequence) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def _noise(size: int, scale: float, discrete: bool, source: np.random.Generator) -> Floats:
    if not discrete:
        return source.laplace(0.0, scale, size)
    pairs = np.floor(scale * source.standard_exponential((size, 2)))
    return pairs[:, 0] - pairs[:, 1]


def least_evidence(releases: Released, mean: float, epsilon: float) -> float:
    """Return the least ``ln R`` of the true mean over all releases: an interval misses it below."""
    from hush.numerics.compiled.evidence import log_ratio
    from hush.numerics.compiled.posterior import Releases, blank_posteriors, extend

    posteriors, least = blank_posteriors(1), 0.0
    for size in range(1, releases.counts.size + 1):
        known = Releases(releases.counts[:size], releases.values[:size], epsilon)
        extend(posteriors, 0, known, UNIFORM)
        least = min(least, log_ratio(posteriors, 0, mean, 0.0))
    return least


def widths(releases: Released, epsilon: float) -> tuple[float, float]:
    """Return how wide the interval is at the end, and how wide without noise."""
    told = tuple(zip(releases.counts.astype(int).tolist(), releases.values.tolist(), strict=True))
    exact = ExactEvidence(int(releases.counts.sum()), int(releases.sums.sum()))
    log_miss = math.log1p(-LEVEL)
    noisy = interval_of(posterior_of(epsilon, UNIFORM, told), log_miss)
    plain = interval_of(exact, log_miss)
    return noisy[1] - noisy[0], plain[1] - plain[0]


def _coverage(scale: Scale, seed: int) -> Iterator[Row]:
    for make in POLICIES:
        for run in range(scale.runs):
            problem = instance(scale, seed, run)
            policy = make(problem.epsilon)
            releases = played(policy, problem, seed, run)
            least = [
                least_evidence(each, mean, problem.epsilon)
                for each, mean in zip(releases, problem.means, strict=True)
            ]
            best = int(problem.means.argmax())
            row = {
                "policy": type(policy).__name__,
                "arms": problem.means.size,
                "epsilon": problem.epsilon,
                "rounds": problem.horizon,
                "discrete": problem.discrete,
                "releases": sum(each.counts.size for each in releases),
                "best": least[best],
                "last": least[-1],
                "all": min(least) + math.log(problem.means.size),
                "width": math.nan,
                "plain": math.nan,
            }
            if run < scale.width_runs:
                row["width"], row["plain"] = widths(releases[best], problem.epsilon)
            yield row


def _curves(scale: Scale, seed: int) -> Iterator[Row]:
    """Yield how wide intervals of one arm are after releases of 1, 2, 4, ... rewards."""
    generator = np.random.default_rng(seed)
    counts: Floats = np.exp2(np.arange(scale.doublings, dtype=np.float64))
    for mean in MEANS:
        for run in range(scale.curve_runs):
            sums = generator.binomial(counts.astype(int), mean).astype(float)
            for epsilon in EPSILONS:
                values = sums + generator.laplace(0.0, 1.0 / epsilon, sums.size)
                for size in range(1, sums.size + 1):
                    some = Released(counts[:size], sums[:size], values[:size])
                    noisy, plain = widths(some, epsilon)
                    total, heads = int(some.counts.sum()), int(some.sums.sum())
                    low, high = clopper_pearson(heads, total, 1.0 - LEVEL)
                    yield {
                        "mean": mean, "run": run, "epsilon": epsilon, "rewards": total,
                        "width": noisy, "plain": plain, "once": high - low,
                    }  # fmt: skip


def measure(folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:
    """Measure coverage and widths; return the tables to show, and a picture of the widths."""
    scale = Scale.quick() if quick else Scale()
    parts = {
        "coverage": partial(_coverage, scale, seed),
        "curves": partial(_curves, scale, seed),
    }
    curves = len(MEANS) * len(EPSILONS) * scale.curve_runs * scale.doublings
    totals = {"coverage": len(POLICIES) * scale.runs, "curves": curves}
    about = {"seed": seed, **asdict(scale)}
    rows = run_parts(folder, parts, totals, about)
    sizes = {key: str(value) for key, value in about.items()}
    return {
        "coverage": coverage_table(rows["coverage"]),
        "policies": policies_table(rows["coverage"]),
        "widths": widths_table(rows["curves"]),
        "sizes": TableOf(tuple(sizes), (tuple(sizes.values()),), numbers=False),
    }, draw_widths(rows["curves"])


SIZES = """
{runs:,} runs of each policy, each on a random instance of 2 to 8 arms: means from Beta(.5, .5),
which has many near 0 and 1, epsilon from .05 to 2 and {least_rounds:,} to {most_rounds:,} rounds,
both uniform on a logarithmic scale; the noise is continuous in one half of them and discrete in the
other. The seed is {seed}. The widths further down are medians of the first {width_runs:,} of these
runs, and of {curve_runs:,} runs of a single arm.
"""


def _sizes(tables: Tables) -> str:
    table = tables["sizes"]
    sizes = {name: int(value) for name, value in zip(table.columns, table.rows[0], strict=True)}
    return wrapped(SIZES.format(**sizes))


PAGE = Page(
    "confidence",
    {
        "sizes": _sizes,
        "coverage": stored("coverage"),
        "policies": stored("policies"),
        "widths": stored("widths"),
    },
    picture="confidence",
)

"""Whether insight into live experiments is calibrated: means from the prior, delayed rewards.

``python -m research.calibration`` prints the tables of ``docs/insight.md``. The simulation plays
what NoiseAwareTS plays, with its chances compiled, and draws only the sums of batches and their
noise: in law exactly what a store does, without the store. Intervals and chances are then computed
as insight does. Some runs are played on a store.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

import hush
import hush.live
from hush.numerics.compiled import posterior as compiled
from hush.numerics.compiled.posterior_chances import blank_grid
from hush.numerics.compiled.posterior_chances import win_chances as compiled_chances
from hush.numerics.posterior import Posterior
from hush.numerics.posterior_chances import win_chances
from hush.numerics.posterior_draws import inverse
from hush.policies.core.first_releases import FirstReleases
from hush.policies.core.statistics import Floats

__all__ = ["Runs", "live_runs", "simulated_runs", "table"]

N_ARMS, ROUNDS, DELAY = 3, 400, 52
POLICY = hush.NoiseAwareTS(epsilon=1.0, growth=2.0)
TAILS = np.array([0.025, 0.975])


@dataclass(frozen=True)
class Runs:
    """What came of runs: an arm's mean, its interval, its chance to be the best, if it was.

    Each is an array with a row a run and a column an arm; ``counts`` has the released decisions.
    """

    means: Floats
    lows: Floats
    highs: Floats
    chances: Floats
    counts: Floats

    @property
    def covered(self) -> NDArray[np.bool_]:
        """Which intervals hold their mean."""
        return (self.lows <= self.means) & (self.means <= self.highs)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which arms are the best of their run."""
        found: NDArray[np.bool_] = self.means == self.means.max(axis=1, keepdims=True)
        return found

    def deciles(self) -> list[tuple[float, int, float, float, float]]:
        """Return, by tenths of the chance: where it begins, how many, what was said, true, z."""
        said, true = self.chances.ravel(), self.best.ravel()
        places = np.minimum((10.0 * said).astype(int), 9)
        rows = []
        for place in range(10):
            here = places == place
            if not here.any():
                continue
            spread = float(np.sqrt((said[here] * (1.0 - said[here])).sum()))
            off = float(true[here].sum() - said[here].sum())
            z = off / spread if spread else 0.0
            rows.append(
                (place / 10, int(here.sum()), float(said[here].mean()), float(true[here].mean()), z)
            )
        return rows


def drawn_means(generator: np.random.Generator) -> Floats:
    """Return means from the prior of NoiseAwareTS."""
    flat = generator.random(N_ARMS) < POLICY.flat
    return np.where(flat, generator.random(N_ARMS), generator.beta(*POLICY.prior, N_ARMS))


def simulated_runs(runs: int, seed: int) -> Runs:
    """Play runs without a store."""
    generator = np.random.default_rng(seed)
    return _stacked([_simulated(generator) for _ in range(runs)])


class _Rule:
    """What NoiseAwareTS chooses, with its chances compiled."""

    def __init__(self) -> None:
        self._first: FirstReleases | None = FirstReleases(N_ARMS, POLICY.schedule.length(0))
        self._posteriors = compiled.blank_posteriors(N_ARMS)
        self._grid = blank_grid()
        self._chances = np.zeros(N_ARMS)
        self._reach = np.zeros(N_ARMS)
        self.released: list[list[tuple[int, float]]] = [[] for _ in range(N_ARMS)]

    def choose(self, generator: np.random.Generator) -> int:
        """Return the next arm, decided."""
        first = self._first
        if first is None:
            place = np.searchsorted(self._reach, generator.random(), "right")
            return min(int(place), N_ARMS - 1)
        arm = first.next()
        if arm is None:
            there = first.with_release()
            chances = win_chances([known(tuple(self.released[each])) for each in there])
            arm = there[int(generator.choice(len(there), p=chances))]
        first.decided(arm)
        return arm

    def settled(self, arm: int) -> None:
        """Take note that a decision waits for no reward any longer."""
        if self._first is not None:
            self._first.settled(arm)

    def absorb(self, arm: int, size: int, value: float) -> None:
        """Take note of a release."""
        self.released[arm].append((size, value))
        told = np.array(self.released[arm])
        releases = compiled.Releases(told[:, 0].copy(), told[:, 1].copy(), POLICY.declared_epsilon)
        compiled.extend(self._posteriors, arm, releases, POLICY.belief)
        if self._first is not None:
            self._first.released(arm)
            self._first = self._first if self._first.left else None
        if self._first is None:
            self._grid = compiled_chances(
                self._posteriors, POLICY.belief, arm, self._grid, self._chances
            )
            self._reach = np.cumsum(self._chances)


BEFORE = Posterior.before(epsilon=POLICY.declared_epsilon, prior=POLICY.belief)


@lru_cache(maxsize=4096)
def known(releases: tuple[tuple[int, float], ...]) -> Posterior:
    """Return an arm's posterior as insight has it."""
    return BEFORE.given_all(releases) if releases else BEFORE


def _simulated(generator: np.random.Generator) -> tuple[Floats, ...]:
    means, rule, schedule = drawn_means(generator), _Rule(), POLICY.schedule
    decided, sizes = [0] * N_ARMS, [0] * N_ARMS
    wanted = [schedule.after(0)] * N_ARMS
    settled: deque[tuple[int, int]] = deque()  # when a decision's reward counts, and its arm
    waiting: deque[tuple[int, int, int]] = deque()  # when a batch is released, arm, size
    for t in range(1, ROUNDS + 1):
        while settled and settled[0][0] <= t:
            rule.settled(settled.popleft()[1])
        while waiting and waiting[0][0] <= t:
            _, arm, size = waiting.popleft()
            noise = generator.geometric(-np.expm1(-POLICY.declared_epsilon), 2)
            total = generator.binomial(size, means[arm])
            rule.absorb(arm, size, float(total + noise[0] - noise[1]))
        arm = rule.choose(generator)
        settled.append((t + DELAY, arm))
        decided[arm] += 1
        sizes[arm] += 1
        if sizes[arm] == wanted[arm]:
            waiting.append((t + DELAY, arm, sizes[arm]))
            sizes[arm], wanted[arm] = 0, schedule.after(decided[arm])
    ends = [known(tuple(each)) for each in rule.released]
    sides = np.array([inverse([each, each], TAILS) for each in ends])
    counts = np.array([sum(size for size, _ in each) for each in rule.released], dtype=np.float64)
    return means, sides[:, 0], sides[:, 1], win_chances(ends), counts


def live_runs(runs: int, seed: int) -> Runs:
    """Play runs on a store: a decision a minute, and its reward at once."""
    generator = np.random.default_rng(seed)
    clock = hush.live.ManualClock()
    store = hush.live.open(":memory:", clock=clock, noise=hush.SeededNoise(seed, discrete=True))
    with store:
        means = [drawn_means(generator) for _ in range(runs)]
        experiments = [
            store.create(
                f"run{number}",
                policy="NoiseAwareTS",
                arms=[f"arm{arm}" for arm in range(N_ARMS)],
                person_epsilon=POLICY.declared_epsilon,
                window=f"{DELAY - 2}m",
                tick="1m",
                grace="0s",
                parameters={"growth": POLICY.growth},
            )
            for number in range(runs)
        ]
        for each in experiments:
            each.start()
        for t in range(ROUNDS):
            for mean, each in zip(means, experiments, strict=True):
                made = each.decide(f"u{t}")
                each.reward(made, int(generator.random() < mean[made.arm]))
            if t + 1 < ROUNDS:
                clock.advance("1m")
                store.settle()
        found = [each.insight[""].arms for each in experiments]
    return _stacked(
        [
            (
                mean,
                np.array([arm.interval[0] for arm in arms]),
                np.array([arm.interval[1] for arm in arms]),
                np.array([arm.best or 0.0 for arm in arms]),
                np.array([float(arm.counted) for arm in arms]),
            )
            for mean, arms in zip(means, found, strict=True)
        ]
    )


def _stacked(found: Sequence[tuple[Floats, ...]]) -> Runs:
    return Runs(*(np.array(each) for each in zip(*found, strict=True)))


def table(simulated: Runs, live: Runs) -> str:
    """Return what was found, as Markdown."""
    lines = ["| chance said | arms | said, mean | best, share | z |", "|---|--:|--:|--:|--:|"]
    lines += [
        f"| {start:.1f} to {start + 0.1:.1f} | {size:,} | {said:.4f} | {true:.4f} | {z:+.2f} |"
        for start, size, said, true, z in simulated.deciles()
    ]
    lines += ["", "| | simulated | live |", "|---|--:|--:|"]
    for name, values in (
        ("runs", [f"{len(each.means):,}" for each in (simulated, live)]),
        ("95 % intervals that hold", [f"{each.covered.mean():.2%}" for each in (simulated, live)]),
        (
            "chance said of the best arm",
            [_average(each.chances[each.best]) for each in (simulated, live)],
        ),
        (
            "released decisions of the best arm",
            [_average(each.counts[each.best]) for each in (simulated, live)],
        ),
        (
            "length of an interval",
            [_average((each.highs - each.lows).mean(axis=1)) for each in (simulated, live)],
        ),
    ):
        lines.append(f"| {name} | {values[0]} | {values[1]} |")
    return "\n".join(lines)


def _average(values: Floats) -> str:
    return f"{values.mean():.4g} ± {values.std() / np.sqrt(values.size):.2g}"


def main() -> None:
    """Print the tables."""
    print(table(simulated_runs(25_000, seed=20261118), live_runs(200, seed=7)))  # noqa: T201


if __name__ == "__main__":
    main()

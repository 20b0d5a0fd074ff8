"""NoiseAwareUCB as it is defined, on a grid of means, next to its regret bound.

    python -m benchmarks.noise_aware_ucb [runs]

Prints the figures of docs/theory/noise_aware_ucb.md. "exact integrals" is the bound with the
affinities of releases by quadrature in place of Hoelder's inequality. "slack" is the least of
``ln C - Lambda - ln R(best mean)`` over all releases of worse arms: below 0 it would refute the
proof.
"""

from __future__ import annotations

import math
import sys
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hush.mechanisms.schedules import GrowingTotal
from hush.numerics.bound import Setting
from hush.numerics.compiled.noisy_sums import lower_sums
from hush.numerics.likelihood import log_likelihood
from hush.numerics.panels import cell_rule, panel_rule
from hush.policies.core import noise_aware_bounds
from hush.policies.core.noise_aware_bounds import ORDERS, density_caps, noise_aware_ucb_bounds

Floats = NDArray[np.float64]

MEANS = (0.75, 0.625, 0.5, 0.375, 0.25)
HORIZON = 10**6
GROWTH = 1.5
GRID = np.concatenate(
    [np.linspace(0.0, 0.02, 200)[1:], np.linspace(0.02, 0.98, 4000), np.linspace(0.98, 1.0, 200)]
)
GRID = np.unique(GRID[GRID < 1.0])
CELLS = np.gradient(GRID)


def play(epsilon: float, power: float, rng: np.random.Generator) -> tuple[float, float]:
    """Return the regret of one run, and the least slack."""
    means, n_arms = np.array(MEANS), len(MEANS)
    schedule = GrowingTotal(GROWTH, first=math.ceil(4.0 / epsilon))
    held, ratio = np.zeros((n_arms, GRID.size)), np.zeros((n_arms, GRID.size))
    epochs, totals, apart = [0] * n_arms, np.zeros(n_arms), np.zeros(n_arms)
    t, steps, slack = 0, 0, math.inf
    while t < HORIZON:
        arm = steps if steps < n_arms else _chosen(ratio, t, power)
        steps += 1
        count = schedule.length(epochs[arm])
        played = min(count, HORIZON - t)
        t, totals[arm], epochs[arm] = t + played, totals[arm] + played, epochs[arm] + 1
        if played < count:
            break
        value = rng.binomial(count, means[arm]) + rng.laplace(0.0, 1.0 / epsilon)
        held[arm] += log_likelihood(GRID, 1.0 - GRID, float(count), value, epsilon)
        top = held[arm].max()
        ratio[arm] = held[arm] - top - math.log(float(np.exp(held[arm] - top) @ CELLS))
        if means[arm] < means[0]:
            both = means[[arm, 0]]
            logs = log_likelihood(both, 1.0 - both, float(count), value, epsilon)
            apart[arm] += logs[0] - logs[1]
            cap = math.log(float(density_caps(totals[[arm]], means[arm])[0]))
            found = float(np.interp(means[0], GRID, ratio[arm]))
            slack = min(slack, cap - apart[arm] - found)
    return float(totals @ (means[0] - means)), slack


def _chosen(ratio: Floats, t: int, power: float) -> int:
    level = -math.log(t) - power * math.log1p(math.log(t))
    ends = []
    for row in ratio:
        last = int(np.flatnonzero(row >= level)[-1])
        if last + 1 == GRID.size:
            ends.append(1.0)
            continue
        share = (row[last] - level) / (row[last] - row[last + 1])
        ends.append(GRID[last] + share * (GRID[last + 1] - GRID[last]))
    return int(np.argmax(ends))


@lru_cache(maxsize=4096)
def _integral(mean: float, best: float, count: float, epsilon: float) -> Floats:
    """Return the logarithms of the affinities of two releases of ``count`` tosses."""
    far = 40.0 / epsilon + 9.0 * math.sqrt(count)
    low = math.floor(max(-40.0 / epsilon, count * mean - far))
    high = math.ceil(min(count + 40.0 / epsilon, count * best + far))
    step = max(12, int(min(1.0 / epsilon, 0.5 * math.sqrt(count * mean * (1.0 - best)))))
    edges = sorted({*range(low, high, step), high, *({0, int(count)} & set(range(low, high)))})
    points, weights = panel_rule(edges)
    inside, inner = cell_rule(1.0 / epsilon)
    places = np.stack([points, count - points])
    sums = lower_sums(np.array([mean, best]), places, np.array([epsilon]), epsilon)
    below, above = sums[..., :1], sums[..., 1:]
    density = 0.5 * (below * np.exp(-epsilon * inside) + above * np.exp(epsilon * (inside - 1.0)))
    logs = np.log(np.maximum(density.reshape(2, -1), 1e-300))
    grid = (weights[:, None] * inner * epsilon).ravel()
    found = [grid @ np.exp((1.0 - s) * logs[0] + s * logs[1]) for s in ORDERS]
    return np.log(np.minimum(np.array(found) + 1e-15, 1.0))


def _integrals(mean: float, best: float, counts: Floats, epsilon: float) -> Floats:
    """Return what ``affinities`` bounds, for counts up to 20,000; beyond, 0 will do."""
    found = [_integral(mean, best, n, epsilon) for n in counts[counts <= 2e4].tolist()]
    return np.concatenate([np.array(found), np.zeros((int((counts > 2e4).sum()), ORDERS.size))])


def _bound(epsilon: float, power: float) -> float:
    setting = Setting(MEANS, HORIZON, epsilon)
    found = noise_aware_ucb_bounds(
        setting,
        epsilon=epsilon,
        growth=GROWTH,
        first_batch=math.ceil(4.0 / epsilon),
        power=power,
    )
    return next(bound.value for bound in found if bound.name == "epochs")


def main() -> None:
    """Print a line for each power and epsilon."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    by_inequality = noise_aware_bounds.affinities
    print("f(t)             epsilon    bound  exact integrals  simulated     worst  slack")
    for power in (2.0, 1.0, 0.0):
        for epsilon in (0.25, 0.5, 1.0):
            bound = _bound(epsilon, power)
            # For one line: the same bound with exact integrals in place of inequalities.
            noise_aware_bounds.affinities = _integrals  # type: ignore[assignment]
            exact = _bound(epsilon, power)
            noise_aware_bounds.affinities = by_inequality
            rng = np.random.default_rng(5)
            regret, slack = np.array([play(epsilon, power, rng) for _ in range(runs)]).T
            error = regret.std(ddof=1) / math.sqrt(runs)
            print(
                f"t (1 + ln t)^{power:g}  {epsilon:8g} {bound:8.1f} {exact:16.1f} "
                f"{regret.mean():8.1f} +- {error:.1f} {regret.max():7.1f} {slack.min():6.3f}",
                flush=True,
            )


if __name__ == "__main__":
    main()

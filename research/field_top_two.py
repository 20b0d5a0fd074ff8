"""Ways to read DP-TT, to find the one that its published numbers of samples were made with."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hush.numerics import transport

__all__ = ["READINGS", "TopTwoReading", "play_top_two"]

Floats = NDArray[np.float64]
transport_cost = njit(error_model="numpy")(transport.transport_cost)
KEPT, ONE, LAST, NONE = range(4)  # which noise an arm's mean has: of all its batches, one draw, ...


@dataclass(frozen=True)
class TopTwoReading:
    """What may be read in another way; the defaults are those of ``hush.DPTT``, heuristic.

    An arm is named at ``ln(1/delta) + first ln(1 + ln n) + pair (ln(1 + ln n_B) + ln(1 + ln
    n_a))``. Batches multiply an arm's pulls by ``growth``, from ``start`` pulls on.
    """

    name: str
    noise: int = KEPT
    first: float = 1.0
    pair: float = 0.0
    start: int = 1
    growth: float = 2.0

    @property
    def numbers(self) -> tuple[int, float, float, int, float]:
        """All but the name."""
        return self.noise, self.first, self.pair, self.start, self.growth


READINGS = (
    TopTwoReading("as the text has it, with ln((1 + ln n)/delta)"),
    TopTwoReading("threshold ln(1/delta)", first=0.0),
    TopTwoReading("threshold of the authors' earlier code", first=0.0, pair=1.0),
    TopTwoReading("100 pulls of each arm first", start=100),
    TopTwoReading("batches that grow by 1.2", growth=1.2),
    TopTwoReading("one draw of noise on all of an arm's rewards", noise=ONE),
    TopTwoReading("the last batch alone", noise=LAST),
    TopTwoReading("one draw of noise, threshold ln(1/delta)", noise=ONE, first=0.0),
    TopTwoReading("one draw, ln(1/delta), batches by 1.2", noise=ONE, first=0.0, growth=1.2),
    TopTwoReading("no noise", noise=NONE),
    TopTwoReading("no noise, threshold ln(1/delta)", noise=NONE, first=0.0),
    TopTwoReading("no noise, ln(1/delta), batches by 1.2", noise=NONE, first=0.0, growth=1.2),
)


@njit(error_model="numpy")
def _mean(noise: int, batch: float, size: float, total: Floats, counted: float) -> float:
    """Return an arm's clipped mean; ``total`` has its rewards, those and noise, the last noise."""
    value = total[0] / counted
    if noise == KEPT:
        value = total[1] / counted
    elif noise == LAST:
        value = batch / size
    elif noise == ONE:
        value = (total[0] + total[2]) / counted
    return float(min(max(value, 0.0), 1.0))


@njit(error_model="numpy")
def _named(
    mean: Floats, count: Floats, epsilon: float, base: float, first: float, pair: float
) -> bool:
    """Tell whether the arm of the largest mean is held better than every other."""
    best = int(np.argmax(mean))
    base += first * math.log1p(math.log(count.sum()))
    for j in range(mean.size):
        needed = base
        if pair:
            needed += math.log1p(math.log(count[best])) + math.log1p(math.log(count[j]))
        if j != best and not (
            transport_cost(mean[best], mean[j], count[best], count[j], epsilon) > needed
        ):
            return False
    return True


@njit(error_model="numpy")
def _challenger(mean: Floats, pulls: Floats, leader: int, epsilon: float) -> int:
    found, least = -1, np.inf
    for j in range(mean.size):
        if j != leader:
            value = transport_cost(mean[leader], mean[j], pulls[leader], pulls[j], epsilon)
            value += math.log(pulls[j])
            if found < 0 or value < least:
                found, least = j, value
    return found


@njit(error_model="numpy")
def play_top_two(
    means: Floats,
    epsilon: float,
    delta: float,
    most: int,
    reading: tuple[int, float, float, int, float],
    source: np.random.Generator,
) -> tuple[int, int]:
    """Return the arm that is named, or -1, and after how many samples."""
    noise, first, pair, start, growth = reading
    arms = means.size
    pulls, count, mean = np.zeros(arms), np.zeros(arms), np.zeros(arms)
    led, kept, end = np.zeros(arms), np.zeros(arms), np.full(arms, float(start))
    totals = np.zeros((arms, 3))
    base, leader = -math.log(delta), 0
    for done in range(1, most + 1):
        arm = leader
        if done <= arms * start:
            arm = (done - 1) % arms
        else:
            led[leader] += 1.0
            if kept[leader] > 0.5 * led[leader]:
                arm = _challenger(mean, pulls, leader, epsilon)
            kept[leader] += arm == leader
        pulls[arm] += 1.0
        if pulls[arm] < end[arm]:
            continue
        size = pulls[arm] - count[arm]
        batch, drawn = source.binomial(int(size), means[arm]), source.laplace(0.0, 1.0 / epsilon)
        count[arm] = pulls[arm]
        end[arm] = max(pulls[arm] + 1.0, math.ceil(growth * pulls[arm]))
        totals[arm, 0] += batch
        totals[arm, 1] += batch + drawn
        totals[arm, 2] = drawn
        mean[arm] = _mean(noise, batch + drawn, size, totals[arm], count[arm])
        if done >= arms * start:
            leader = int(np.argmax(mean))
            if _named(mean, count, epsilon, base, first, pair):
                return leader, done
    return -1, most

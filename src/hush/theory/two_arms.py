"""The exact law of two arms under a policy that decides by released statistics.

Given the arms played so far, all that is unknown about a learner is the last (or total) released
sum of either arm: a pair of whole numbers. Their joint weights are a matrix. A decision splits it,
a release replaces a row or a column by fresh values. The matrix is followed for every arm sequence
and for all sums that rewards of 0 and 1 can have, which covers every reward table at once.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeGuard, cast

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import convolve1d

from hush.errors import ParameterError, whole
from hush.policies import BanditPolicy, Policy

__all__ = ["Arms", "TwoArmLaw", "fits", "laplace_masses", "two_arm_law"]

Arms = tuple[int, ...]
Matrix = NDArray[np.float64]
HOOKS = ("_new_learner", "_private_side", "_mechanism", "_public_side", "_choose", "learner")
NEGLIGIBLE = 1e-14
LEFT_OUT = 1e-9  # of every Laplace draw


@lru_cache(maxsize=256)
def laplace_masses(scale: float) -> tuple[float, ...]:
    """Return the masses of discrete Laplace noise around 0, all but ``LEFT_OUT`` of them.

    >>> masses = laplace_masses(1.0)
    >>> len(masses), round(sum(masses), 6)
    (45, 1.0)
    """
    ratio = math.exp(-1.0 / scale)
    reach = math.ceil(-scale * math.log(LEFT_OUT * (1.0 + ratio) / 2.0))
    steps = np.abs(np.arange(-reach, reach + 1))
    return tuple(((1.0 - ratio) / (1.0 + ratio) * ratio**steps).tolist())


@dataclass(frozen=True)
class TwoArmLaw:
    """Probabilities of arm sequences, for all rewards of 0 and 1.

    Attributes
    ----------
    chances
        For each arm sequence, the probability given the sums of the releases in it.
    released
        For each arm sequence, which rounds (from 0) entered which release.
    left_out
        A bound on the probability that any of these lacks.
    """

    chances: dict[Arms, dict[Arms, float]]
    released: dict[Arms, tuple[Arms, ...]]
    left_out: float

    def worst(self, rewards: int = 1) -> tuple[float, Arms, Arms, Arms] | None:
        """Return the worst proven loss, its arm sequence, and the two neighbouring sums.

        Neighbours differ in so many rewards at most. ``None`` where no reward decides anything.
        """
        best: tuple[float, Arms, Arms, Arms] | None = None
        for arms, by_sums in self.chances.items():
            for sums, other in _neighbouring(by_sums, rewards):
                loss = math.log(by_sums[sums] / (by_sums[other] + self.left_out))
                if loss > (best[0] if best else 0.0):
                    best = loss, arms, sums, other
        return best

    def telling(
        self, *, samples: int, most: int = 8, rewards: int = 1
    ) -> list[tuple[Arms, Arms, Arms]]:
        """Return arm sequences and neighbouring sums that samples tell apart best, best first."""
        found = []
        for arms, by_sums in self.chances.items():
            for sums, other in _neighbouring(by_sums, rewards):
                first, second = by_sums[sums], by_sums[other] + self.left_out
                spread = math.sqrt((1.0 / first + 1.0 / second) / samples)
                found.append((math.log(first / second) - 2.6 * spread, arms, sums, other))
        found.sort(reverse=True)
        return [each[1:] for each in found[:most]]

    def table(self, arms: Arms, sums: Arms) -> NDArray[np.int8]:
        """Return a reward table whose played rewards have these sums, ones first."""
        table = np.zeros((len(arms), 2), np.int8)
        for rounds, total in zip(self.released[arms], sums, strict=True):
            for t in rounds[:total]:
                table[t, arms[t]] = 1
        return table


def _neighbouring(by_sums: Iterable[Arms], rewards: int) -> Iterator[tuple[Arms, Arms]]:
    """Yield all pairs of sums that so many rewards at most tell apart, both ways round."""
    if rewards > 1:
        for sums, other in itertools.permutations(by_sums, 2):
            if sum(abs(a - b) for a, b in zip(sums, other, strict=True)) <= rewards:
                yield sums, other
        return
    known = set(by_sums)
    for sums in by_sums:
        for place, step in itertools.product(range(len(sums)), (-1, 1)):
            other = (*sums[:place], sums[place] + step, *sums[place + 1 :])
            if other in known:
                yield sums, other


def fits(policy: Policy) -> TypeGuard[BanditPolicy]:
    """Tell whether a policy says who of two arms wins, with none of its insides changed.

    >>> import hush
    >>> fits(hush.AnytimeLazyUCB(1.0)), fits(hush.DPSE(1.0)), fits(hush.UCB1())
    (True, False, False)
    """
    if getattr(policy, "_first_wins", None) is None:
        return False
    arms = cast("BanditPolicy", policy)  # a method of bandit policies
    # Whatever is overridden below the class that knows its law may have another law.
    family = next(each for each in type(policy).__mro__ if "_first_wins" in vars(each))
    same = all(getattr(type(policy), hook, None) is getattr(family, hook, None) for hook in HOOKS)
    known = same and arms.counter is None and arms.explores_first
    return known and math.isfinite(arms.release_epsilon)


def two_arm_law(policy: BanditPolicy, rounds: int) -> TwoArmLaw:
    """Return the law of the first arms that a policy plays when there are two.

    Parameters
    ----------
    policy
        An index, relative-index or Thompson policy with noisy sums, such as ``AnytimeLazyUCB``.
    rounds
        How many decisions, up to 24; the time about doubles with each.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import two_arm_law
    >>> law = two_arm_law(hush.AnytimeLazyUCB(1.0), 3)
    >>> {arms: {s: round(p, 4) for s, p in sums.items()} for arms, sums in law.chances.items()}
    {(0, 1, 0): {(0, 0): 0.6402, (0, 1): 0.3598, (1, 0): 0.8219, (1, 1): 0.6402},
     (0, 1, 1): {(0, 0): 0.3598, (0, 1): 0.6402, (1, 0): 0.1781, (1, 1): 0.3598}}
    """
    if not fits(policy):
        raise ParameterError(f"the exact law of {policy} is not known")
    rounds = whole("rounds", rounds, least=1, most=24)
    walk = _Walk(policy.with_horizon(rounds), rounds)
    walk.go(_Node((), (0, 0), (0, 0), (0, 0), None, (), (), ((), ()), walk.first))
    return TwoArmLaw(
        {arms: dict(by_sums) for arms, by_sums in walk.chances.items()},
        walk.released,
        walk.left_out,
    )


@dataclass(frozen=True)
class _Node:
    arms: tuple[int, ...]
    counts: tuple[int, int]  # that the statistics rest on
    epochs: tuple[int, int]
    pending: tuple[int, int]
    committed: int | None
    sums: tuple[int, ...]
    released: tuple[tuple[int, ...], ...]
    open_rounds: tuple[tuple[int, ...], tuple[int, ...]]
    weights: Matrix


class _Walk:
    def __init__(self, policy: BanditPolicy, rounds: int) -> None:
        self.policy, self.rounds = policy, rounds
        masses = laplace_masses(1.0 / policy.release_epsilon)
        self.reach = len(masses) // 2
        self.masses = np.array(masses)
        spread = self.reach * (3 if policy.memory == "total" else 1)
        self.grid = np.arange(-spread, rounds + spread + 1.0)
        self.zero = spread
        self.first = np.zeros((self.grid.size, self.grid.size))
        self.first[self.zero, self.zero] = 1.0
        assert policy._first_wins is not None  # noqa: S101  it fits
        self.first_wins = policy._first_wins
        self.chances: dict[Arms, dict[Arms, float]] = defaultdict(dict)
        self.released: dict[Arms, tuple[Arms, ...]] = {}
        self.known: dict[tuple[int, tuple[int, int]], Matrix] = {}
        self.left_out = (rounds + 2) * (1.0 - float(self.masses.sum()) + NEGLIGIBLE)

    def go(self, node: _Node) -> None:
        if len(node.arms) == self.rounds:
            self.chances[node.arms][node.sums] = float(node.weights.sum())
            self.released[node.arms] = node.released
            return
        for arm, weights in self.split(node):
            if float(weights.sum()) > NEGLIGIBLE:
                self.after(node, arm, weights)

    def split(self, node: _Node) -> Iterator[tuple[int, Matrix]]:
        if not all(node.counts):  # an arm without a release comes first
            yield (1 if node.counts[0] else 0), node.weights
        elif node.committed is not None:
            yield node.committed, node.weights
        else:
            key = (len(node.arms), node.counts)
            if key not in self.known:
                self.known[key] = self.arm_zero(node)
            zero = self.known[key]
            yield 0, node.weights * zero
            yield 1, node.weights * (1.0 - zero)

    def after(self, node: _Node, arm: int, weights: Matrix) -> None:
        """Play the arm, and go on with every sum that a release may now have."""
        t = len(node.arms)
        length = self.policy.schedule.length(node.epochs[arm])
        count = node.pending[arm] + 1
        rounds = (*node.open_rounds[arm], t)
        played = replace(
            node,
            arms=(*node.arms, arm),
            pending=_with(node.pending, arm, count),
            open_rounds=_with(node.open_rounds, arm, rounds),
            committed=arm if self.policy.commits else None,
            weights=weights,
        )
        if count < length:
            self.go(played)
            return
        total = self.policy.memory == "total"
        known = node.counts[arm] * total + count
        last = t + 1 == self.rounds  # nothing can show this release any more
        for sums in range(1) if last else range(count + 1):
            self.go(
                replace(
                    played,
                    counts=_with(node.counts, arm, known),
                    epochs=_with(node.epochs, arm, node.epochs[arm] + 1),
                    pending=_with(node.pending, arm, 0),
                    open_rounds=_with(node.open_rounds, arm, ()),
                    committed=None,
                    sums=node.sums if last else (*node.sums, sums),
                    released=node.released if last else (*node.released, rounds),
                    weights=weights if last else self.fresh(weights, arm, sums, total=total),
                )
            )

    def fresh(self, weights: Matrix, arm: int, sums: int, *, total: bool) -> Matrix:
        """Return the weights after a release of this sum."""
        if arm == 1:
            return self.fresh(weights.T, 0, sums, total=total).T
        if not total:
            values = np.zeros(self.grid.size)
            start = self.zero + sums - self.reach
            values[start : start + self.masses.size] = self.masses
            outer: Matrix = values[:, None] * weights.sum(axis=0)
            return outer
        new: Matrix = convolve1d(weights, self.masses, axis=0, mode="constant")
        if sums:
            new = np.concatenate([np.zeros((sums, new.shape[1])), new[:-sums]])
        return new

    def arm_zero(self, node: _Node) -> Matrix:
        """Return the chance that round t plays arm 0, for all released sums."""
        first, second = (float(each) for each in node.counts)
        means = self.grid / first, self.grid / second
        return self.first_wins(means, (first, second), float(len(node.arms) + 1))


def _with(values: Any, place: int, value: Any) -> Any:  # noqa: ANN401  pairs of several things
    return (value, values[1]) if place == 0 else (values[0], value)

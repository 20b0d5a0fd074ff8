"""Running sums of all actions in one binary tree, and an action drawn from them every round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from hush.errors import StateError, is_number
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.sums import DAMAGED, NOTICE, wholes
from hush.mechanisms.weights import WeightRule, drawn
from hush.noise import NoiseSource
from hush.privacy import Release

__all__ = ["VectorTree", "levels_of"]

Row = list[int | float]


def levels_of(horizon: int) -> int:
    """Return how many levels a tree needs for the sums that decide so many rounds.

    The last round's rewards decide nothing any more. It is ``ceil(log2 T)``, and at least 1.

    >>> [levels_of(each) for each in (1, 2, 8, 9, 10**6)]
    [1, 1, 3, 4, 20]
    """
    return max(1, (horizon - 1).bit_length())


class VectorTree:
    """Holds the running sums of all actions in a binary tree, and names every round's action.

    A node of level ``j`` has the K sums of ``2**j`` successive rounds, each with Laplace noise of
    scale ``K levels / epsilon``, drawn once. A round's sums are one node for each 1 in the binary
    form of how many rounds there were, and noise alone for each 0, drawn once for the level: so
    the noise has the same law in every round, that of ``levels`` draws. The action is drawn from
    the weights that a rule gives to the noisy sums. When the tree is full the last one stays.

    A replaced reward vector moves K sums of one node a level, each by at most 1, and so loses
    ``levels K`` times the share of a node's sum: epsilon.

    Parameters
    ----------
    n_arms
        How many actions there are.
    levels
        How many levels the tree has: room for ``2**levels - 1`` rounds.
    epsilon
        The privacy loss of all actions together when one reward vector is replaced.
    rule
        Gives weights to noisy sums.
    rewards
        The declared range of rewards.
    noise
        Where noise, coins and draws come from.

    Examples
    --------
    >>> from hush import SeededNoise
    >>> from hush.mechanisms import ExponentialWeights
    >>> tree = VectorTree(2, levels=7, epsilon=1000.0, rule=ExponentialWeights(1.0),
    ...                   rewards=RewardRange(), noise=SeededNoise(7))
    >>> [tree.add([0.0, 1.0]).value for _ in range(9)][-1]
    1
    """

    name: ClassVar[str] = "vector-tree"

    def __init__(
        self,
        n_arms: int,
        *,
        levels: int,
        epsilon: float,
        rule: WeightRule,
        rewards: RewardRange,
        noise: NoiseSource,
    ) -> None:
        self._n_arms = n_arms
        self._levels = levels
        self._node_epsilon = epsilon / (n_arms * levels)
        self._rule = rule
        self._rewards = rewards
        self._noise = noise
        self._steps = 0
        self._raw = [[0] * n_arms for _ in range(levels)]
        self._noisy: list[Row] = [[0] * n_arms for _ in range(levels)]
        self._spare: list[Row] = []  # of levels that a round's sums do not use

    @property
    def epsilon(self) -> float:
        """The loss of all nodes that a reward vector is in."""
        return self._node_epsilon * self._n_arms * self._levels

    def check(self, rewards: object) -> list[float]:
        """Return the reward vector mapped to [0, 1], or raise."""
        return self._rewards.units(rewards, self._n_arms)

    def add(self, units: Sequence[float]) -> Release | None:
        """Add a checked reward vector; return the next action, unless the tree is full."""
        tosses = self._noise.coins.random(len(units)).tolist()
        step = self._steps + 1
        if step >= 1 << self._levels:
            return None
        level = (step & -step).bit_length() - 1
        sums = [int(c < u) for c, u in zip(tosses, units, strict=True)]
        for below in self._raw[:level]:
            sums = [total + each for total, each in zip(sums, below, strict=True)]
        spare = self._spare or [self._noised([0] * self._n_arms) for _ in range(self._levels)]
        node = self._noised(sums)
        raw = [*([0] * self._n_arms for _ in range(level)), sums, *self._raw[level + 1 :]]
        noisy = [*self._noisy[:level], node, *self._noisy[level + 1 :]]
        parts = [noisy[each] if step >> each & 1 else spare[each] for each in range(self._levels)]
        totals = [float(sum(column)) for column in zip(*parts, strict=True)]
        action = drawn(self._rule.weights(totals, step), self._noise.selection.random())
        self._raw, self._noisy, self._spare, self._steps = raw, noisy, spare, step
        return Release(None, step - 1, 1, action, self.name, self.epsilon)

    def _noised(self, sums: Sequence[int]) -> Row:
        return [self._noise.add_laplace(each, epsilon=self._node_epsilon) for each in sums]

    def state(self) -> dict[str, Any]:
        """Return the nodes on the path of the running step, raw: see the notice."""
        return {
            "notice": NOTICE,
            "steps": self._steps,
            "raw": [list(each) for each in self._raw],
            "noisy": [list(each) for each in self._noisy],
            "spare": [list(each) for each in self._spare],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take over the nodes of :meth:`state`, or raise."""
        steps = wholes({"steps": [state.get("steps")]}, "steps", 1)[0]
        rows = {key: state.get(key) for key in ("raw", "noisy", "spare")}
        sizes = {"raw": self._levels, "noisy": self._levels, "spare": self._levels if steps else 0}
        if steps >> self._levels:
            raise StateError(DAMAGED)
        for key, found in rows.items():
            if not isinstance(found, list) or len(found) != sizes[key]:
                raise StateError(DAMAGED)
            if not all(isinstance(row, list) and len(row) == self._n_arms for row in found):
                raise StateError(DAMAGED)
            if not all(is_number(each) for row in found for each in row):
                raise StateError(DAMAGED)
        raw = [wholes({"raw": row}, "raw", self._n_arms) for row in rows["raw"] or []]
        for level, row in enumerate(raw):
            if max(row) > (1 << level if steps >> level & 1 else 0):
                raise StateError(DAMAGED)
        self._steps, self._raw = steps, raw
        self._noisy, self._spare = ([list(r) for r in rows[k] or []] for k in ("noisy", "spare"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(<{self._n_arms} actions>)"

"""Public halves that look odd and see releases alone: what the honest policies stand on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from hush.policies import BanditPolicy
from hush.policies.core.public_side import RuleSide
from hush.policies.core.statistics import Floats, one_hot
from hush.privacy import Release

__all__ = ["AllReleases", "DrawnLengths", "ReleasedLengths"]


class ReleasedLengths(RuleSide):
    """Halves the epochs of arms whose last release was good."""

    sets_lengths: ClassVar[bool] = True

    def wants(self, arm: int) -> int:
        """Return how many rewards the arm's running epoch sums up."""
        full = super().wants(arm)
        return full - full // 2 if self.statistics.means[arm] > 0.5 else full


class DrawnLengths(RuleSide):
    """Draws a number each round; the one at a release says how long the arm's next epoch is."""

    sets_lengths: ClassVar[bool] = True

    def __init__(self, policy: BanditPolicy, n_arms: int) -> None:
        self._shares = [1.0] * (n_arms + 1)  # of each arm, and the one just drawn
        super().__init__(policy, n_arms)

    def choose(self, t: int, generator: np.random.Generator) -> int:
        """Return the arm of round ``t``."""
        self._shares[-1] = float(generator.random())
        return super().choose(t, generator)

    def wants(self, arm: int) -> int:
        """Return how many rewards the arm's running epoch sums up."""
        return max(1, round(self._shares[arm] * super().wants(arm)))

    def absorb(self, release: Release) -> None:
        """Take note of a release."""
        super().absorb(release)
        self._shares[release.arm or 0] = self._shares[-1]

    def state(self) -> dict[str, Any]:
        """Return what was drawn, too."""
        return {**super().state(), "shares": list(self._shares)}

    def restore(self, state: Mapping[str, Any], releases: Iterable[Release]) -> None:
        """Take over a :meth:`state`."""
        super().restore(state, releases)
        self._shares = [float(each) for each in state["shares"]]


class AllReleases(RuleSide):
    """Keeps all releases of every arm, and plays by their medians."""

    def __init__(self, policy: BanditPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._all: list[list[Release]] = [[] for _ in range(n_arms)]

    def _note(self, release: Release, arm: int) -> None:
        self._all[arm].append(release)

    def _pick(self, t: int, generator: np.random.Generator) -> int:  # noqa: ARG002
        return self._best(t)

    def _chances(self, t: int) -> Floats:
        return one_hot(self._best(t), self._n_arms)

    def _best(self, t: int) -> int:
        """Take arms by the median of all their releases, each arm in turn now and then."""
        medians = [float(np.median([r.value / r.count for r in each])) for each in self._all]
        return t // 9 % self._n_arms if t % 9 == 0 else int(np.argmax(medians))

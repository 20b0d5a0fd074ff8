"""Thompson sampling: a Beta draw per arm, and the largest is played."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.policies.core.bandit import BanditPolicy, Pair
from hush.policies.core.public_side import Counts, PublicSide, RuleSide
from hush.policies.core.statistics import Floats, Statistics, not_a_number
from hush.privacy import Release

__all__ = ["ThompsonPolicy", "ThompsonSide"]


@dataclass(frozen=True)
class ThompsonPolicy(BanditPolicy):
    """Draws ``Beta(a n + 1, (1 - a) n + 1)`` for each arm and plays the largest draw.

    ``n`` is the arm's count and ``a`` the value of :meth:`center` in [0, 1], which must not fall
    as ``t`` grows while the statistics stand still.
    """

    @staticmethod
    @abstractmethod
    def center(mean: Any, count: Any, t: Any, parameters: Floats) -> Any:  # noqa: ANN401
        """Return ``a``: NumPy functions only, on a number or an array of arms alike.

        Where it takes an array of rounds as well, learners draw many rounds at once.
        """

    def _choose(self, t: int, statistics: Statistics, generator: np.random.Generator) -> int:
        if statistics.counts.size > FEW_ARMS:
            first, second = self._beta_parameters(float(t), statistics)
            if math.isnan(first.sum()):
                raise not_a_number("the centre", int(np.isnan(first).argmax()))
            return int(generator.beta(first, second).argmax())
        # The same draws one by one: for a few arms Python's numbers are faster than arrays.
        centers = self._centers(float(t), statistics).tolist()
        if math.isnan(sum(centers)):
            raise not_a_number("the centre", int(np.isnan(centers).argmax()))
        beta = generator.beta
        pairs = zip(centers, statistics.counts.tolist(), strict=True)
        draws = [beta(a * n + 1.0, (1.0 - a) * n + 1.0) for a, n in pairs]
        return draws.index(max(draws))

    def _chances(self, t: float, statistics: Statistics) -> Floats:
        from hush.numerics.beta import win_chances

        return win_chances(*self._beta_parameters(float(t), statistics))

    def _beta_parameters(self, t: float | Floats, statistics: Statistics) -> Pair:
        center, counts = self._centers(t, statistics), statistics.counts
        return center * counts + 1.0, (1.0 - center) * counts + 1.0

    def _centers(self, t: float | Floats, statistics: Statistics) -> Floats:
        parameters = self._parameter_array(statistics.n_arms)
        centers: Floats = self.center(statistics.means, statistics.counts, t, parameters)
        return centers

    def _first_wins(self, means: Pair, counts: tuple[float, float], t: float) -> Floats:
        from hush.numerics.beta import pair_win_chances

        rule, parameters = self.center, self._parameter_array(2)
        first, second = (rule(m, n, t, parameters) for m, n in zip(means, counts, strict=True))
        return pair_win_chances(first, second, counts)

    def _public_side(self, n_arms: int) -> PublicSide:
        own_rule = type(self)._choose is not ThompsonPolicy._choose
        if own_rule or self.commits or 2 * n_arms > MOST_DRAWS:
            return RuleSide(self, n_arms)
        return ThompsonSide(self, n_arms)


class ThompsonSide(RuleSide):
    """Draws the arms of several rounds at once, instead of round by round.

    While no release comes, only ``t`` changes from round to round, and that is known ahead. The
    number of rounds that are drawn doubles until a release comes. It makes what was drawn ahead
    void, unseen: the generator goes back to where drawing round by round would have left it. So
    the arms are the same, too.
    """

    _policy: ThompsonPolicy

    def __init__(self, policy: ThompsonPolicy, n_arms: int) -> None:
        super().__init__(policy, n_arms)
        self._beta_parameters = policy._beta_parameters
        self._ahead: list[int] = []  # the arms of rounds to come, the next one last
        self._block: _Block | None = None
        self._size = 1
        self._most = MOST_DRAWS // n_arms
        self._knots: dict[int, Floats] = {}
        self._between = UNKNOWN

    def choose(self, t: int, generator: np.random.Generator) -> int:
        """Return the arm of round ``t``; rounds come one after another."""
        if self._ahead:
            return self._ahead.pop()
        return super().choose(t, generator)

    def _pick(self, t: int, generator: np.random.Generator) -> int:
        if self._size > 1 and self._draw_ahead(t, generator):
            arm = self._ahead.pop()
        else:
            arm = super()._pick(t, generator)
        self._size = min(2 * self._size, self._most)
        return arm

    def _draw_ahead(self, t: int, generator: np.random.Generator) -> bool:
        """Draw the rounds from ``t`` on; return whether the rule takes several at once."""
        times = np.arange(t, t + self._size, dtype=np.float64)[:, None]
        try:
            first, second = self._beta_parameters(times, self.statistics)
            if math.isnan(first.sum()):
                return False
            block = _Block(generator, first, second, (self._size, self._n_arms))
        except Exception:  # noqa: BLE001  nothing is drawn; round by round it works or says why not
            self._most = 1
            return False
        self._block, self._ahead = block, block.arms
        return True

    def absorb(self, release: Release) -> None:
        """Take note of a release."""
        self._forget_ahead()
        self._size = 1
        self._knots.clear()
        self._between = UNKNOWN
        super().absorb(release)

    def odds(self, t: int) -> Floats:
        """Return the probability of every arm in round ``t``, within 1e-5.

        They take milliseconds to compute, and hardly change from round to round: between rounds
        that are 2 % apart they are interpolated.
        """
        if self.exploring or t < 1.0 / KNOTS:
            return super().odds(t)
        place = math.log(t) / KNOTS
        first = math.floor(place)
        if first != self._between[0]:
            low = self._knot(first)
            self._between = first, low, self._knot(first + 1) - low
        _, low, rise = self._between
        return low + (place - first) * rise

    def _knot(self, place: int) -> Floats:
        if place not in self._knots:
            if len(self._knots) > 8:
                self._knots.clear()
            self._knots[place] = self._policy._chances(math.exp(KNOTS * place), self.statistics)
        return self._knots[place]

    def catch_up(self, decided: Counts, passed: Counts, begun: Counts, lacking: Counts) -> None:
        """Take over decisions: rounds that others decided are not drawn here."""
        self._forget_ahead()
        super().catch_up(decided, passed, begun, lacking)

    def _forget_ahead(self) -> None:
        if self._ahead and self._block is not None:
            self._block.go_back(len(self._ahead))
        self._ahead, self._block = [], None

    def state(self) -> dict[str, Any]:
        """Return what cannot be computed from the releases alone, as plain values."""
        self._forget_ahead()  # it will be drawn again, the same
        return super().state()


class _Block:
    """Draws of some rounds, which can be taken back."""

    def __init__(
        self, generator: np.random.Generator, first: Floats, second: Floats, shape: tuple[int, int]
    ) -> None:
        self._generator = generator
        self._parameters = [np.broadcast_to(each, shape) for each in (first, second)]
        with generator.bit_generator.lock:
            self._start = generator.bit_generator.state
            draws = generator.beta(*self._parameters)
            self._end = generator.bit_generator.state
        self.arms: list[int] = draws.argmax(axis=1)[::-1].tolist()

    def go_back(self, rounds: int) -> None:
        """Put the generator to where it stood before the last rounds were drawn.

        Somebody who shares it may have gone on from there; then it stays.
        """
        bits = self._generator.bit_generator
        with bits.lock:
            if bits.state == self._end:
                bits.state = self._start
                self._generator.beta(*(each[:-rounds] for each in self._parameters))


FEW_ARMS = 16
KNOTS = 0.02
UNKNOWN = -1, np.empty(0), np.empty(0)  # between which knots the last round was
MOST_DRAWS = 1024  # ahead; what a release makes void costs little

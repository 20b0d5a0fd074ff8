"""Rewards that were fixed in advance: an oblivious adversary's."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hush.environments.base import Environment
from hush.errors import ParameterError

__all__ = ["RewardTable"]


class RewardTable(Environment):
    """A table of rewards, fixed before the first round: row ``t`` has every arm's in round t.

    An adversary who does not see what is played, an oblivious one, can do no more than that. There
    are no means. Regret is counted against the best fixed arm in hindsight: after t rounds it is
    the largest column sum of the first t rows less what was earned, and it can be negative. Every
    run meets the same table. Policies are played round by round, through their learner.

    Parameters
    ----------
    rewards
        Round x arm. A simulation has at most so many rounds.
    reward_range
        Declared ends of all rewards.

    Examples
    --------
    >>> import hush
    >>> env = hush.RewardTable([[0, 1], [1, 0], [1, 0]])
    >>> env.rounds, env.n_arms, env.best.tolist()
    (3, 2, [1.0, 1.0, 2.0])
    >>> result = hush.simulate(hush.FTL(), env, horizon=3, runs=1, seed=7)
    >>> result.regret[0, 0].tolist()  # it plays arms 0, 1, 0
    [1.0, 1.0, 1.0]
    """

    by_sample = True
    rounds: int

    def __init__(
        self, rewards: ArrayLike, *, reward_range: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        table = np.array(rewards, dtype=np.float64)
        low, high = map(float, reward_range)
        if table.ndim != 2 or not table.size:
            raise ParameterError("rewards must be a table, a row per round and a column per arm")
        if not low < high or not ((low <= table) & (table <= high)).all():
            raise ParameterError(f"rewards must lie in the declared range, [{low:g}, {high:g}]")
        table.flags.writeable = False
        self.rewards = table
        self.rounds = len(table)
        self.reward_range = (low, high)

    @property
    def means(self) -> NoReturn:  # type: ignore[override]
        """Raise: rewards that were fixed in advance have no means."""
        raise ParameterError(
            "a table of rewards has no means and no gaps: what needs them is known for rewards "
            "that are drawn, such as Bernoulli's"
        )

    @property
    def n_arms(self) -> int:
        """How many arms there are."""
        return int(self.rewards.shape[1])

    @cached_property
    def best(self) -> NDArray[np.float64]:
        """What the best fixed arm has earned after each round."""
        return np.asarray(self.rewards.cumsum(axis=0).max(axis=1))

    def sample(
        self,
        generator: np.random.Generator,  # noqa: ARG002
        arm: int | None = None,  # noqa: ARG002
    ) -> NoReturn:
        """Raise: a reward depends on the round."""
        raise ParameterError(
            "a table of rewards must be told the round: simulate plays it, or read env.rewards"
        )

    def sampler(
        self,
        generator: np.random.Generator,  # noqa: ARG002  nothing is drawn
    ) -> Callable[[int], Callable[[int | None], Any]]:
        """Return what gives, for a round from 0, the rewards of that row."""
        return lambda place: partial(self._of, place)

    def _of(self, place: int, arm: int | None) -> Any:  # noqa: ANN401  one, or all
        return self.rewards[place] if arm is None else float(self.rewards[place, arm])

    def regret(self, segments: NDArray[np.int64], points: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the regret in hindsight after so many rounds each, of rows (first, length, arm).

        >>> env = RewardTable([[0, 1], [1, 0], [1, 0]])
        >>> env.regret(np.array([[1, 2, 1], [3, 1, 0]]), np.array([1, 3]))
        array([0., 0.])
        """
        arms = np.repeat(segments[:, 2], segments[:, 1])
        earned = np.zeros(len(self.rewards))  # an interrupted run has fewer rounds, and is not used
        earned[: arms.size] = self.rewards[np.arange(arms.size), arms]
        return np.asarray((self.best - earned.cumsum())[points - 1])

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description: its size and a digest, not the rewards themselves."""
        return {
            "environment": "RewardTable",
            "arms": self.n_arms,
            "rounds": self.rounds,
            "reward_range": list(self.reward_range),
            "digest": hashlib.sha256(self.rewards.astype("<f8").tobytes()).hexdigest(),
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RewardTable):
            return False
        same = self.reward_range == other.reward_range
        return same and np.array_equal(self.rewards, other.rewards)

    def __hash__(self) -> int:
        return hash((self.rewards.shape, self.reward_range, float(self.best[-1])))

    def __repr__(self) -> str:
        return f"RewardTable(<{self.rounds} rounds, {self.n_arms} arms>)"

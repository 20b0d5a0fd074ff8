"""Another library's algorithm as a Hush policy: a comparison that promises nothing."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

import numpy as np

from hush.errors import MisuseError, NoDecisionError
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.policies import Learner, Policy
from hush.privacy import Guarantee, Release

__all__ = ["Agent", "ForeignLearner", "ForeignPolicy"]


class Agent(Protocol):
    """Another library's algorithm at work."""

    def choose(self) -> int:
        """Return the arm to play next."""

    def learn(self, arm: int, reward: float) -> None:
        """Take a reward in [0, 1]."""


@dataclass(frozen=True)
class ForeignPolicy(Policy):
    """A policy of another library, which is handed every reward as it is.

    It adds no noise, so its guarantee is none: it is there to be compared with. Simulations play it
    one round at a time, through its learner; rewards are mapped to [0, 1] before it sees them. Its
    randomness comes from the seed of the run.
    """

    template: Any

    feedback = "bandit"
    non_private = True

    @abstractmethod
    def _agent(self, n_arms: int, generator: np.random.Generator) -> Agent:
        """Put the algorithm to work."""

    @property
    def guarantee(self) -> Guarantee:
        """None: nothing is known of what another library does with rewards."""
        reason = "another library is handed every reward as it is"
        inf = float("inf")
        return Guarantee(inf, "replace", "one round's reward", reason, replace_epsilon=inf)

    def to_dict(self) -> dict[str, Any]:
        """Return the class and the label: the algorithm itself is not Hush's to describe."""
        return {"policy": type(self).__name__, "name": self.label}

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> Learner:
        return ForeignLearner(self, n_arms, noise, rewards)

    def __repr__(self) -> str:
        return self.label


class ForeignLearner(Learner):
    """Another library's algorithm as a learner: it decides and learns, and releases nothing."""

    _policy: ForeignPolicy

    def __init__(
        self, policy: ForeignPolicy, n_arms: int, noise: NoiseSource, rewards: RewardRange
    ) -> None:
        super().__init__(policy, n_arms, noise, rewards)
        self._agent = policy._agent(n_arms, noise.selection)
        self._waiting: Counter[int] = Counter()

    def select(self) -> int:
        """Decide one more round and return the arm to play."""
        with self._lock:
            arm = self._choose_arm()
            self._waiting[arm] += 1
            return arm

    def observe(self, arm: int, sample: Any) -> None:  # noqa: ANN401
        """Settle one outstanding decision of ``arm`` with the reward that ``sample(arm)`` gives."""
        self.update(arm, sample(arm))

    def update(self, arm: int, reward: float) -> None:
        """Settle one decision of ``arm`` that :meth:`select` made."""
        unit = self._rewards.unit(reward)
        with self._lock:
            if not self._waiting[arm]:
                raise NoDecisionError(f"no decision for arm {arm} is outstanding")
            self._waiting[arm] -= 1
            self._settle(arm, unit)

    def _choose_arm(self) -> int:
        self._line.round += 1
        return int(self._agent.choose())

    def _settle(self, arm: int, units: Any) -> Release | None:  # noqa: ANN401
        self._agent.learn(arm, units)
        return None

    def _drop(self, arm: int) -> None:
        """Nothing was kept of it."""

    def _default_units(self) -> float:
        return self._rewards.unit(self._default)

    @property
    def statistics(self) -> None:
        """None: what another library has learnt is not released."""
        return

    def _state(self) -> NoReturn:
        raise MisuseError("a policy of another library has no state that Hush could store")

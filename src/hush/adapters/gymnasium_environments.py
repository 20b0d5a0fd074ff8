"""Gymnasium's environments in Hush's simulations."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium
import numpy as np

from hush.environments import Environment
from hush.environments.base import checked_means
from hush.errors import ParameterError, whole
from hush.mechanisms import RewardRange

__all__ = ["SteppedEnvironment", "from_gymnasium"]

Make = str | Callable[[], gymnasium.Env[Any, Any]]


class SteppedEnvironment(Environment):
    """What :func:`from_gymnasium` returns; its attributes say where the means are from.

    Attributes
    ----------
    measured
        How many steps of each arm the means were measured with; 0 where they were given.
    errors
        Standard errors of the means; zeros where they were given.
    """

    by_sample = True

    def __init__(self, make: Make, rewards: RewardRange, seed: int | None) -> None:
        self._make = make
        self._seed = seed
        self._threads = threading.local()
        self.reward_range = (rewards.low, rewards.high)
        space = self._env.action_space
        if not isinstance(space, gymnasium.spaces.Discrete):
            raise ParameterError("the environment's actions must be a Discrete space: one per arm")
        self._first, self._count = int(space.start), int(space.n)
        self.measured = 0
        self.errors = np.zeros(self._count)

    @property
    def _env(self) -> gymnasium.Env[Any, Any]:
        """The environment of this thread: a step changes it."""
        if not hasattr(self._threads, "env"):
            make = self._make
            self._threads.env = gymnasium.make(make) if isinstance(make, str) else make()
        return self._threads.env  # type: ignore[no-any-return]

    def sample(self, generator: np.random.Generator, arm: int | None = None) -> Any:  # noqa: ANN401
        """Begin an episode and take one step; without ``arm``, one of each arm."""
        if arm is None:
            return np.array([self.sample(generator, each) for each in range(self._count)])
        env = self._env
        if self._seed is None:
            env.reset(seed=int(generator.integers(2**31)))
        else:
            env.reset(seed=self._seed)
            env.unwrapped.np_random = generator
        return float(env.step(self._first + arm)[1])

    def measure(self, steps: int, generator: np.random.Generator) -> None:
        """Take so many steps of each arm, and keep means and standard errors."""
        rewards = np.array([self.sample(generator) for _ in range(steps)])
        self.means = checked_means(rewards.mean(axis=0).tolist(), *self.reward_range)
        self.errors = rewards.std(axis=0, ddof=1) / np.sqrt(steps)
        self.measured = steps

    def to_dict(self) -> dict[str, Any]:
        """Return a JSON-able description: means and where they are from, not the law."""
        return {
            "environment": "Gymnasium",
            "means": self.means.tolist(),
            "reward_range": list(self.reward_range),
            "measured": self.measured,
        }

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_threads"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _threads=threading.local())

    def __repr__(self) -> str:
        known = f"measured with {self.measured:,} steps" if self.measured else "given"
        return f"<Gymnasium environment: {self.n_arms} arms, means {known}>"


def from_gymnasium(
    make: Make,
    *,
    reward_range: tuple[float, float],
    means: Sequence[float] | None = None,
    steps: int = 2_000,
    seed: int | None = None,
) -> SteppedEnvironment:
    """Return an environment for :func:`hush.simulate` that takes its rewards from Gymnasium's.

    Hush's rounds are independent of each other: each begins an episode, and takes one step. What an
    action does to later steps is not seen. The law of rewards is not known, so that every policy
    is played one round at a time. Nor are the means, against which regret is counted: give them
    if you know them; else they are measured, with standard errors in ``errors``, before anything
    is played, and regret is off by up to about two errors a round.

    Parameters
    ----------
    make
        Makes the environment, a ``gymnasium.Env`` of Discrete actions, or its registered name. It
        is called once per thread. A function of a module, or a name, can be sent to processes.
    reward_range
        Declared ends of the rewards.
    means
        The expected reward of each action, if known.
    steps
        Else with how many steps of each action they are measured.
    seed
        Left out, each round is ``reset`` with a seed of its own. Give one where ``reset`` draws the
        arms themselves, as testbeds do: every round is then reset with it, which leads to the same
        arms, and rewards are drawn from ``np_random``, as Gymnasium wants them to be.

    Examples
    --------
    >>> import hush
    >>> from hush.adapters import from_gymnasium, to_gymnasium
    >>> def make():
    ...     return to_gymnasium(hush.Bernoulli([0.9, 0.1]))
    >>> env = from_gymnasium(make, reward_range=(0, 1), means=[0.9, 0.1])
    >>> hush.simulate(hush.LazyDPTS(1.0), env, horizon=100, runs=2, seed=7).engines
    ('rounds (learner)',)
    """
    made = SteppedEnvironment(make, RewardRange.of(reward_range), seed)
    if means is None:
        steps = whole("steps", steps, least=2)
        made.measure(steps, np.random.default_rng(seed))
        return made
    made.means = checked_means(means, *made.reward_range)
    if made.n_arms != made._count:
        raise ParameterError(f"there are {made._count} actions, and {made.n_arms} means")
    return made

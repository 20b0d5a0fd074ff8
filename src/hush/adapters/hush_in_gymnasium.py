"""Hush's environments as Gymnasium's."""

from __future__ import annotations

from typing import Any

import gymnasium

from hush.environments import Environment
from hush.errors import ParameterError, whole

__all__ = ["BanditEnv", "to_gymnasium"]


class BanditEnv(gymnasium.Env[int, int]):
    """What :func:`to_gymnasium` returns: one state, an action per arm."""

    def __init__(self, env: Environment, horizon: int | None = None) -> None:
        self._law = env
        self._horizon = horizon
        self._left = horizon
        self.action_space = gymnasium.spaces.Discrete(env.n_arms)  # type: ignore[assignment]
        self.observation_space = gymnasium.spaces.Discrete(1)  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin again."""
        super().reset(seed=seed, options=options)
        self._left = self._horizon
        return 0, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Play an arm; ``info`` has its gap, what the round costs in regret."""
        reward = float(self._law.sample(self.np_random, int(action)))
        if self._left is not None:
            self._left -= 1
        gap = float(self._law.gaps[int(action)])
        return 0, reward, False, self._left == 0, {"gap": gap}


def to_gymnasium(env: Environment, *, horizon: int | None = None) -> BanditEnv:
    """Return an environment of Hush's for whatever plays Gymnasium's.

    Parameters
    ----------
    env
        Any environment of Hush's.
    horizon
        After how many steps an episode is truncated; left out, never.

    Examples
    --------
    >>> import hush
    >>> from hush.adapters import to_gymnasium
    >>> env = to_gymnasium(hush.Bernoulli([1.0, 0.0]), horizon=2)
    >>> _ = env.reset(seed=7)
    >>> env.step(0), env.step(1)[3:]
    ((0, 1.0, False, False, {'gap': 0.0}), (True, {'gap': 1.0}))
    """
    if not isinstance(env, Environment):
        raise ParameterError(f"env must be an environment, such as Bernoulli; got {env!r}")
    return BanditEnv(env, None if horizon is None else whole("horizon", horizon, least=1))

"""With which chance sequential halving recommends each arm: computed, not simulated."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from hush.environments import Environment
from hush.errors import ParameterError
from hush.numerics.kept_sets import Arms, kept_chances
from hush.numerics.noisy_sums import laplace_laws
from hush.numerics.panels import Floats
from hush.policies import PrivateSequentialHalving
from hush.policies.sequential_halving import halving_plan

__all__ = ["MOST_ARMS", "halving_chances", "halving_error"]

MOST_ARMS = 8


def halving_chances(policy: PrivateSequentialHalving, env: Environment) -> Floats:
    """Return the chance of each arm to be recommended, to about 12 decimals.

    A phase's sums are fresh, so that the set of survivors is a Markov chain; its steps come from
    the laws of noisy sums.

    Parameters
    ----------
    policy
        With its budget given.
    env
        Up to eight arms.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import halving_chances
    >>> policy = hush.PrivateSequentialHalving(epsilon=1.0, horizon=300)
    >>> halving_chances(policy, hush.Bernoulli([0.7, 0.5, 0.5, 0.3])).round(4).tolist()
    [0.9784, 0.0108, 0.0108, 0.0]
    """
    if policy.horizon is None:
        raise ParameterError("halving_chances needs a policy with its budget: give it horizon=")
    if env.n_arms > MOST_ARMS:
        raise ParameterError(
            f"chances are computed for up to {MOST_ARMS} arms; got {env.n_arms}; simulate more "
            "of them with hush.identify"
        )
    here: dict[Arms, float] = {tuple(range(env.n_arms)): 1.0}
    for _, pulls, kept in halving_plan(env.n_arms, policy.horizon):
        laws = list(laplace_laws(env.unit_means, pulls, 1.0 / policy.epsilon))
        after: dict[Arms, float] = defaultdict(float)
        for among, chance in here.items():
            for left, share in kept_chances(laws, among, kept).items():
                after[left] += chance * share
        here = after
    chances = np.zeros(env.n_arms)
    for (arm,), chance in here.items():
        chances[arm] = chance
    return chances


def halving_error(policy: PrivateSequentialHalving, env: Environment) -> float:
    """Return the chance that sequential halving recommends an arm that is none of the best.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import halving_error
    >>> policy = hush.PrivateSequentialHalving(epsilon=1.0, horizon=2000)
    >>> round(halving_error(policy, hush.paper_s1()), 6)
    0.000277
    """
    return float(halving_chances(policy, env)[env.gaps > 0.0].sum())

"""Expected regret of full-information policies, computed instead of simulated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hush.environments import Bernoulli
from hush.errors import ParameterError, whole
from hush.mechanisms import EveryRound
from hush.numerics.noisy_sums import win_chances
from hush.numerics.panels import Floats
from hush.numerics.running_sums import RunningSums
from hush.output.tabular import Tabular
from hush.policies import EpochPolicy, Policy
from hush.simulation.plan import default_checkpoints

__all__ = ["ExactRegret", "exact_regret"]

FARTHEST = 2**50
MOST_ARMS = 10_000


@dataclass(frozen=True, eq=False)
class ExactRegret(Tabular):
    """Expected regret of one policy on one environment.

    Attributes
    ----------
    policy
        The policy's label.
    checkpoints
        Rounds.
    regret
        Expected regret after each of them.
    lengths
        How long the epochs are; empty for a policy that decides anew every round.
    chances
        Epoch x action: with which chance each action is played in each epoch.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import exact_regret
    >>> policy = hush.RNMFTNL(epsilon=1.0)
    >>> found = exact_regret(policy, hush.paper_s1(), 1000, checkpoints=[10, 100])
    >>> found.regret.round(4).tolist()
    [1.8497, 8.2849, 11.4303]
    >>> list(found.to_pandas().columns)
    ['round', 'regret']
    """

    policy: str
    checkpoints: NDArray[np.int64]
    regret: Floats
    lengths: NDArray[np.int64] = field(repr=False)
    chances: Floats = field(repr=False)

    @property
    def final(self) -> float:
        """Expected regret after the last checkpoint."""
        return float(self.regret[-1])

    def to_columns(self) -> dict[str, Any]:
        """Return a row per checkpoint: round, regret."""
        return {"round": self.checkpoints, "regret": self.regret}

    def __repr__(self) -> str:
        return f"<exact regret of {self.policy}: {self.final:.6g} after {self.checkpoints[-1]:,}>"


def exact_regret(
    policy: EpochPolicy,
    env: Bernoulli,
    horizon: int,
    checkpoints: Iterable[int] | None = None,
) -> ExactRegret:
    """Compute the expected regret of a full-information policy, without simulation.

    The action of an epoch depends on the sums of one epoch before it, so its law is that of a noisy
    argmax of independent binomials. Its chances are found by quadrature with an error below
    1e-9 (see :mod:`hush.numerics.noisy_sums`), and expected regret is a sum over epochs. Policies
    that decide anew every round (FTL, DecreasingHedge) and those that sum a random prefix
    (RandomPrefixEM) need such chances for every number of rounds; these are smooth in it, and
    are taken at twelve numbers in each doubling.

    Parameters
    ----------
    policy
        An epoch policy: RNMFTNL with any noise, scale and growth, NaiveFTNL, RandomPrefixEM, FTL,
        DecreasingHedge, or your own with one of their mechanisms. Noise is continuous, as in
        simulations.
    env
        Independent coins.
    horizon
        How many rounds, up to 2^50.
    checkpoints
        Rounds at which to return it; the horizon is added. Left out, about 90.

    Examples
    --------
    >>> import hush
    >>> from hush.theory import exact_regret
    >>> policy = hush.RNMFTNL.as_printed(0.5)
    >>> round(exact_regret(policy, hush.packing(1000, 0.1), 2**40).final, 3)
    93.139
    """
    if not isinstance(policy, Policy) or policy.choice_law(2) is None:
        raise ParameterError(
            "exact regret is known for full-information policies that play by epochs, such as "
            "RNMFTNL, NaiveFTNL, RandomPrefixEM, FTL and DecreasingHedge, and whose mechanism says "
            f"by which law it chooses; got {policy!r}"
        )
    if not isinstance(env, Bernoulli):
        raise ParameterError(
            f"exact regret needs independent coins: a Bernoulli environment; got {env!r}"
        )
    horizon = whole("horizon", horizon, least=1, most=FARTHEST)
    if env.n_arms > MOST_ARMS:
        raise ParameterError(f"exact regret takes at most {MOST_ARMS} actions; got {env.n_arms}")
    points = (
        default_checkpoints(horizon)
        if checkpoints is None
        else np.array(
            sorted(
                {whole("a checkpoint", each, least=1, most=horizon) for each in checkpoints}
                | {horizon}
            ),
            dtype=np.int64,
        )
    )
    chooser = _Chooser(policy, env)
    if isinstance(policy.schedule, EveryRound):
        regret = _every_round(chooser, points)
        return ExactRegret(
            policy.label, points, regret, np.empty(0, np.int64), np.empty((0, env.n_arms))
        )
    lengths = policy.schedule.lengths(horizon)
    chances = _by_epoch(chooser, lengths)
    costs = chances @ env.gaps
    starts = np.concatenate([[0], np.cumsum(lengths[:-1])])
    played = np.clip(points[:, None] - starts, 0, lengths)
    return ExactRegret(policy.label, points, played @ costs, lengths, chances)


class _Chooser:
    """The law of a policy's next action, given how many rounds are summed."""

    def __init__(self, policy: EpochPolicy, env: Bernoulli) -> None:
        self.policy = policy
        self.env = env
        self._law = policy.choice_law(env.n_arms)

    @property
    def first(self) -> Floats:
        """The law of the very first action."""
        n_arms = self.env.n_arms
        if self.policy.starts_at_random:
            return np.full(n_arms, 1.0 / n_arms)
        return np.asarray(np.eye(n_arms)[0])

    def after(self, count: int) -> Floats:
        """Return the law of the action that ``count`` summed rounds lead to."""
        if self.env.n_arms == 1 or self._law is None:
            return np.ones(1)
        law, scale = self._law.after(count, self.env.n_arms)
        return win_chances(self.env.means, count, law, scale)


def _by_epoch(chooser: _Chooser, lengths: NDArray[np.int64]) -> Floats:
    """Return epoch x action: the law of each epoch's action."""
    policy = chooser.policy
    prefixes = RunningSums(chooser.after) if policy.sums_prefix else None
    found = [chooser.first]
    total = 0
    for length in lengths[:-1].tolist():
        total += length
        count = total if policy.keeps_sums else length
        found.append(chooser.after(count) if prefixes is None else prefixes.total(count) / count)
    return np.stack(found)


def _every_round(chooser: _Chooser, points: NDArray[np.int64]) -> Floats:
    """Return expected regret of a policy that decides anew every round."""
    gaps = chooser.env.gaps
    keeps = chooser.policy.keeps_sums
    sums = RunningSums(lambda count: np.array([chooser.after(count if keeps else 1) @ gaps]))
    first = float(chooser.first @ gaps)
    later = [float(sums.total(point - 1)[0]) if point > 1 else 0.0 for point in points.tolist()]
    return first + np.array(later)

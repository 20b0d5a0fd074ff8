"""Many policies and runs on one environment: the plan, its execution, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hush.environments import Environment
from hush.errors import ParameterError, choice, whole
from hush.extras import require
from hush.output.progress import Reporter
from hush.policies import Policy
from hush.simulation.executor import Execution, execute
from hush.simulation.plan import (
    MOST_PULLS,
    Block,
    Keeps,
    Wanted,
    blocks_of,
    checked_checkpoints,
)
from hush.simulation.result import Result

__all__ = ["MOST_ROUNDS", "fresh_seed", "simulate"]

MOST_ROUNDS = 10**18
SHARES = 8  # blocks per thread, so that none waits long for the last one


def simulate(
    policies: Policy | Sequence[Policy],
    env: Environment,
    *,
    horizon: int,
    runs: int = 20,
    seed: int | None = None,
    checkpoints: Iterable[int] | None = None,
    engine: str = "auto",
    discrete: bool = False,
    delay: int = 0,
    pulls: str = "checkpoints",
    segments: bool = False,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Result:
    """Simulate policies on an environment.

    Every run of every policy draws from a stream derived from the seed, the policy's parameters
    and the run's number: results do not depend on the number of workers, on which other policies
    take part, or on how many other runs there are.

    Parameters
    ----------
    policies
        One policy or several, Hush's or your own.
    env
        Where rewards come from.
    horizon
        How many rounds. A policy that needs the horizon and was made without gets this one.
    runs
        How many independent runs of each policy.
    seed
        A non-negative integer. Left out, one is drawn and kept in ``result.seed``.
    checkpoints
        Rounds at which to record; the horizon is added. Left out, about 60 evenly on a log scale
        and 30 evenly in time.
    engine
        ``"leap"``: many rounds in one step, exact in law; for lazy policies, up to 10^18 rounds
        (10^15 for Thompson policies). ``"rounds"``: one round at a time. ``"auto"``: leap where
        that is exact, else round by round.
    discrete
        Draw the discrete noise that :class:`~hush.SecureNoise` deploys, instead of the paper's
        continuous noise.
    delay
        How many rounds late rewards come, as in live experiments: the reward of round t is known
        just before the arm of round ``t + delay + 1`` is chosen. A batch is a set of an arm's
        decisions, in order, and is released when the reward of its last one comes. While it waits
        the arm's next batch opens and fills; several of an arm may be outstanding, and releases
        come in order. Before every arm has a release the learner's rule holds: fewest outstanding
        first, and an arm with enough outstanding decisions is left alone once others have a
        release. A learner whose ``settle`` comes that late does the same. With 0 every reward is
        known before the next round; from the horizon on nothing is ever known.
    pulls
        ``"checkpoints"`` records pulls at every checkpoint; ``"final"`` at the horizon only, for
        many arms.
    segments
        Also return which arm was played when, as ``result.segments``. Policies that draw from
        posteriors then go round by round; those and Thompson policies play other runs of the same
        law than without.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).

    Examples
    --------
    >>> import hush
    >>> result = hush.simulate(
    ...     [hush.AnytimeLazyUCB(epsilon=1.0), hush.RNMFTNL(epsilon=1.0)], hush.paper_s1(),
    ...     horizon=10**12, runs=5, seed=7)
    >>> result
    <Result: 2 policies x 5 runs, horizon 1000000000000, seed 7>
    """
    require("hush.simulate")
    chosen = [policies] if isinstance(policies, Policy) else list(policies)
    if not chosen or not all(isinstance(policy, Policy) for policy in chosen):
        raise ParameterError("policies must be one or more policies, such as LazyDPTS(epsilon=0.5)")
    if not isinstance(env, Environment):
        raise ParameterError(f"env must be an environment, such as Bernoulli; got {env!r}")
    horizon = whole("horizon", horizon, least=1, most=MOST_ROUNDS)
    runs = whole("runs", runs, least=1)
    delay = whole("delay", delay, least=0, most=MOST_ROUNDS)
    seed = fresh_seed() if seed is None else whole("seed", seed, least=0)
    execution = Execution(workers=workers, progress=progress)
    choice("engine", engine, ["auto", "leap", "rounds"])
    choice("pulls", pulls, ["checkpoints", "final"])
    points = checked_checkpoints(checkpoints, horizon)
    kept = points.size if pulls == "checkpoints" else 1
    if len(chosen) * runs * kept * env.n_arms > MOST_PULLS:
        raise ParameterError(
            "the pulls of so many arms, runs and checkpoints need too much memory; pass "
            'pulls="final", or fewer of them'
        )
    keeps: Keeps = "all pulls" if pulls == "checkpoints" else "final pulls"
    shares = SHARES * execution.threads
    wanted = Wanted(engine, bool(discrete), keeps, bool(segments), shares, delay)
    filled = [policy.with_horizon(horizon) for policy in chosen]
    plans = [blocks_of(each, env, tuple(points.tolist()), seed, runs, wanted) for each in filled]
    data = execute((block for plan in plans for block in plan), execution, share=_runs)
    return Result.of(chosen, plans, data)


def _runs(block: Block) -> int:
    return block.runs


def fresh_seed() -> int:
    """Draw a seed, to be kept with what was made from it."""
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])

"""Many policies and runs: seeds, blocks, threads, and the collected result."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.errors import ParameterError, choice, whole
from hush.policies import Policy
from hush.simulation.progress import Reporter, progress_bar
from hush.simulation.result import Result, describe_environment
from hush.simulation.rounds import RunTask, compiles, play_compiled, play_learner

__all__ = ["default_checkpoints", "run_seed", "simulate"]

MOST_ROUNDS = 10**18
MOST_PULLS = 2**28


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
    pulls: str = "checkpoints",
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Result:
    """Simulate policies on an environment.

    Every (policy, run) has its own stream, derived from the seed, the policy's parameters and the
    run's number: results do not depend on the number of workers, on which other policies take
    part, or on how many runs there are beside it.

    Parameters
    ----------
    policies
        One policy or several, of one's own or of Hush.
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
        ``"rounds"``: one round at a time. ``"auto"``: the fastest that is exact.
    discrete
        Draw the discrete noise that :class:`~hush.SecureNoise` deploys, instead of the paper's
        continuous noise.
    pulls
        ``"checkpoints"`` records pulls at every checkpoint; ``"final"`` at the horizon only, for
        many arms.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).

    Examples
    --------
    >>> import hush
    >>> result = hush.simulate(
    ...     [hush.LazyDPTS(epsilon=1.0), hush.UCB1()], hush.paper_s1(),
    ...     horizon=1000, runs=5, seed=7)
    >>> result
    <Result: 2 policies x 5 runs, horizon 1000, seed 7>
    """
    chosen = [policies] if isinstance(policies, Policy) else list(policies)
    if not chosen or not all(isinstance(policy, Policy) for policy in chosen):
        raise ParameterError("policies must be one or more policies, such as LazyDPTS(epsilon=0.5)")
    if not isinstance(env, Environment):
        raise ParameterError(f"env must be an environment, such as Bernoulli; got {env!r}")
    horizon = whole("horizon", horizon, least=1, most=MOST_ROUNDS)
    runs = whole("runs", runs, least=1)
    seed = _fresh_seed() if seed is None else whole("seed", seed, least=0)
    workers = (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)
    choice("engine", engine, ["auto", "rounds"])
    choice("pulls", pulls, ["checkpoints", "final"])
    points = _checked_checkpoints(checkpoints, horizon)
    chosen = [policy.with_horizon(horizon) for policy in chosen]
    kept = points.size if pulls == "checkpoints" else 1
    if len(chosen) * runs * kept * env.n_arms > MOST_PULLS:
        raise ParameterError(
            "the pulls of so many arms, runs and checkpoints need too much memory; pass "
            'pulls="final", or fewer of them'
        )
    regret = np.zeros((len(chosen), runs, points.size))
    counts = np.zeros((len(chosen), runs, kept, env.n_arms), dtype=np.int64)
    tasks = [RunTask(policy, env, points, bool(discrete)) for policy in chosen]

    def play(position: int, run: int) -> None:
        task = tasks[position]
        player = play_compiled if _compiles(task) else play_learner
        pulled = player(task, run_seed(seed, task.policy, run))
        regret[position, run] = pulled @ env.gaps
        counts[position, run] = pulled[-kept:]

    pieces = [(position, run) for run in range(runs) for position in range(len(chosen))]
    with progress_bar("simulating", len(pieces), progress) as advance:
        try:
            _in_threads(play, pieces, workers, advance)
        except BaseException:
            for task in tasks:
                task.interrupt()
            raise
    return Result(
        regret=regret,
        pulls=counts if pulls == "checkpoints" else counts[:, :, 0],
        checkpoints=points,
        policies=tuple(policy.label for policy in chosen),
        environment=describe_environment(env),
        seed=seed,
        engines=tuple("rounds" if _compiles(task) else "rounds (learner)" for task in tasks),
        parameters=tuple(policy.to_dict() for policy in chosen),
        discrete=bool(discrete),
    )


def _compiles(task: RunTask) -> bool:
    # Correlated actions matter to full information, whose loops draw them independently.
    seen_together = task.policy.feedback == "full" and not task.env.independent
    return compiles(task.policy) and not seen_together


def _in_threads(
    play: Callable[[int, int], None],
    pieces: Iterable[tuple[int, int]],
    workers: int,
    advance: Callable[[], None],
) -> None:
    """Run pieces in threads: compiled loops do not hold the interpreter.

    A single worker is a thread too, so that the main one can hear Ctrl-C.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: set[Future[None]] = set()
        for piece in pieces:
            waiting.add(pool.submit(play, *piece))
            if len(waiting) >= 4 * workers:
                waiting = _collect(waiting, advance)
        while waiting:
            waiting = _collect(waiting, advance)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _collect(waiting: set[Future[None]], advance: Callable[[], None]) -> set[Future[None]]:
    done, rest = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
        advance()
    return rest


def run_seed(seed: int, policy: Policy, run: int) -> np.random.SeedSequence:
    """Return the seed sequence of one run of one policy."""
    text = json.dumps(policy.to_dict(), sort_keys=True)
    digest = hashlib.sha256(text.encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").tolist()
    return np.random.SeedSequence(seed, spawn_key=(*words, run))


def default_checkpoints(horizon: int, count: int = 60) -> NDArray[np.int64]:
    """Return about ``count`` rounds evenly on a log scale, and half as many evenly in time.

    The second half keeps curves smooth on a linear axis. The last one is the horizon.

    >>> default_checkpoints(1000, 4)
    array([   1,   10,  100,  500, 1000])
    """
    steps = np.geomspace(1.0, float(horizon), count).tolist()
    points = {min(horizon, max(1, round(step))) for step in steps}
    points |= {max(1, horizon * part // (count // 2)) for part in range(1, count // 2)}
    return np.array(sorted(points | {horizon}), dtype=np.int64)


def _checked_checkpoints(checkpoints: Iterable[int] | None, horizon: int) -> NDArray[np.int64]:
    if checkpoints is None:
        return default_checkpoints(horizon)
    given = {whole("a checkpoint", each, least=1, most=horizon) for each in checkpoints}
    return np.array(sorted(given | {horizon}), dtype=np.int64)


def _fresh_seed() -> int:
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])

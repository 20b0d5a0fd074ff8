"""Many policies and runs: seeds, blocks, threads, and the collected result."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hush.environments import Environment
from hush.errors import ParameterError, choice, whole
from hush.output.progress import Reporter, progress_bar
from hush.policies import Policy
from hush.simulation.compilation import announce_compilation
from hush.simulation.leap import leap_for, play_block, why_not
from hush.simulation.result import Result, describe_environment
from hush.simulation.rounds import Integers, RunTask, compiles, play_compiled, play_learner

__all__ = ["Piece", "default_checkpoints", "engine_for", "play_piece", "run_seed", "simulate"]

MOST_ROUNDS = 10**18
MOST_PULLS = 2**28
MOST_PATIENCE = 10**12
MOST_SEGMENTS = 10**7


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
    segments: bool = False,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Result:
    """Simulate policies on an environment.

    Every run of every policy draws from a stream derived from the seed, the policy's parameters
    and the run's number: results do not depend on the number of workers, on which other policies
    take part, or on how many runs there are beside it.

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
        ``"leap"``: many rounds in one step, exact in law; for lazy policies, up to 10^18 rounds
        (10^15 for Thompson policies). ``"rounds"``: one round at a time. ``"auto"``: leap where
        that is exact, else round by round.
    discrete
        Draw the discrete noise that :class:`~hush.SecureNoise` deploys, instead of the paper's
        continuous noise.
    pulls
        ``"checkpoints"`` records pulls at every checkpoint; ``"final"`` at the horizon only, for
        many arms.
    segments
        Also return which arm was played when, as ``result.segments``. Policies that draw from
        posteriors then go round by round.
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
    chosen = [policies] if isinstance(policies, Policy) else list(policies)
    if not chosen or not all(isinstance(policy, Policy) for policy in chosen):
        raise ParameterError("policies must be one or more policies, such as LazyDPTS(epsilon=0.5)")
    if not isinstance(env, Environment):
        raise ParameterError(f"env must be an environment, such as Bernoulli; got {env!r}")
    horizon = whole("horizon", horizon, least=1, most=MOST_ROUNDS)
    runs = whole("runs", runs, least=1)
    seed = _fresh_seed() if seed is None else whole("seed", seed, least=0)
    workers = (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)
    choice("engine", engine, ["auto", "leap", "rounds"])
    choice("pulls", pulls, ["checkpoints", "final"])
    points = _checked_checkpoints(checkpoints, horizon)
    if segments and horizon > MOST_SEGMENTS and any(p.kind == "elimination" for p in chosen):
        raise ParameterError(
            f"segments of more than {MOST_SEGMENTS:.0e} rounds take too much memory where arms "
            "are played in turn; lower the horizon, or leave segments out"
        )
    labels = tuple(policy.label for policy in chosen)
    chosen = [policy.with_horizon(horizon) for policy in chosen]
    kept = points.size if pulls == "checkpoints" else 1
    if len(chosen) * runs * kept * env.n_arms > MOST_PULLS:
        raise ParameterError(
            "the pulls of so many arms, runs and checkpoints need too much memory; pass "
            'pulls="final", or fewer of them'
        )
    tasks = [RunTask(policy, env, points, bool(discrete)) for policy in chosen]
    engines = [engine_for(task, engine, runs, segments) for task in tasks]
    regret = np.zeros((len(chosen), runs, points.size))
    counts = np.zeros((len(chosen), runs, kept, env.n_arms), dtype=np.int64)
    stretches: list[list[Integers]] = [[_NONE] * runs for _ in chosen]
    gaps = env.gaps

    def play(piece: Piece) -> int:
        task = tasks[piece.position]
        pulled, played = play_piece(task, engines[piece.position], seed, piece, segments)
        where = slice(piece.first, piece.first + piece.runs)
        regret[piece.position, where] = pulled @ gaps
        counts[piece.position, where] = pulled[:, -kept:]
        stretches[piece.position][where] = played
        return piece.runs

    pieces = _pieces(tasks, engines, runs)
    announce_compilation(chosen, engines)
    with progress_bar("simulating", len(chosen) * runs, progress) as advance:
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
        policies=labels,
        environment=describe_environment(env),
        seed=seed,
        engines=tuple(engines),
        parameters=tuple(policy.to_dict() for policy in chosen),
        discrete=bool(discrete),
        segments=tuple(tuple(each) for each in stretches) if segments else None,
    )


_NONE: Integers = np.empty((0, 3), dtype=np.int64)


@dataclass(frozen=True)
class Piece:
    """Consecutive runs of one policy, to be played in one go."""

    position: int
    first: int
    runs: int


def engine_for(task: RunTask, wanted: str, runs: int, segments: bool) -> str:
    """Return the name of the engine that plays this task, or raise where none can."""
    policy, horizon = task.policy, int(task.checkpoints[-1])
    # Correlated actions matter to full information, whose loops draw them independently.
    apart = task.env.independent or policy.feedback == "bandit"
    reason = why_not(policy) if apart else "its actions' rewards are correlated; " + _BY_ROUNDS
    if segments and policy.kind == "posterior":
        reason = "the order of rounds within a stretch is not drawn; for segments " + _BY_ROUNDS
    if wanted != "rounds" and reason is None:
        farthest = leap_for(policy).farthest
        if horizon > farthest:
            raise ParameterError(
                f"{policy} leaps up to {farthest:.0e} rounds, where double precision ends; "
                f"got {horizon:.3g}"
            )
        return "leap"
    if wanted == "leap":
        raise ParameterError(f'engine="leap" cannot play {policy}: {reason}')
    if wanted == "auto" and horizon * runs > MOST_PATIENCE:
        raise ParameterError(
            f"{policy} goes round by round, and {horizon * runs:.0e} rounds take days; lower the "
            'horizon, or insist with engine="rounds"'
        )
    return "rounds" if compiles(policy) and apart else "rounds (learner)"


_BY_ROUNDS = "it runs round by round"


def _pieces(tasks: Sequence[RunTask], engines: Sequence[str], runs: int) -> list[Piece]:
    pieces = []
    for position, (task, engine) in enumerate(zip(tasks, engines, strict=True)):
        block = leap_for(task.policy).block if engine == "leap" else 1
        pieces += [
            Piece(position, first, min(block, runs - first)) for first in range(0, runs, block)
        ]
    return sorted(pieces, key=lambda piece: piece.first)


def play_piece(
    task: RunTask, engine: str, seed: int, piece: Piece, segments: bool
) -> tuple[Integers, list[Integers]]:
    """Play a piece; return pulls (run x checkpoint x arm), and the segments of each run."""
    if engine == "leap" and not segments:
        return play_block(task, seed, piece.first, piece.runs)[0], [_NONE] * piece.runs
    pulls, played = [], []
    for run in range(piece.first, piece.first + piece.runs):
        if engine == "leap":
            block, one, _ = play_block(task, seed, run, 1, segments=segments)
            pulls.append(block[0])
        else:
            player = play_compiled if engine == "rounds" else play_learner
            pulled, one = player(task, run_seed(seed, task.policy, run), segments=segments)
            pulls.append(pulled)
        played.append(one)
    return np.stack(pulls), played


def _in_threads(
    play: Callable[[Piece], int],
    pieces: Iterable[Piece],
    workers: int,
    advance: Callable[[int], None],
) -> None:
    """Run pieces in threads: compiled loops do not hold the interpreter.

    A single worker is a thread too, so that the main one can hear Ctrl-C.
    """
    pool = ThreadPoolExecutor(workers)
    try:
        waiting: set[Future[int]] = set()
        for piece in pieces:
            waiting.add(pool.submit(play, piece))
            if len(waiting) >= 4 * workers:
                waiting = _collect(waiting, advance)
        while waiting:
            waiting = _collect(waiting, advance)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _collect(waiting: set[Future[int]], advance: Callable[[int], None]) -> set[Future[int]]:
    done, rest = wait(waiting, return_when=FIRST_COMPLETED)
    for future in done:
        advance(future.result())
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
    if not isinstance(checkpoints, Iterable):
        raise ParameterError(f"checkpoints must be rounds, such as [10, 100]; got {checkpoints!r}")
    given = {whole("a checkpoint", each, least=1, most=horizon) for each in checkpoints}
    return np.array(sorted(given | {horizon}), dtype=np.int64)


def _fresh_seed() -> int:
    return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])

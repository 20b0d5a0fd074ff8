"""Best-arm identification: policies are played until they name the best arm."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

import numpy as np

from hush.environments import Environment
from hush.errors import ParameterError, whole
from hush.extras import require
from hush.output.progress import Reporter, progress_bar
from hush.policies import Policy
from hush.policies.core.intervals import checked_confidence
from hush.simulation.compiling import compile_searches
from hush.simulation.engines.finders import Finder, Found, Search, finder_of
from hush.simulation.engines.run_seeds import run_seed
from hush.simulation.foreseeing import say_if_search_is_long
from hush.simulation.identification_result import Identification
from hush.simulation.plan import describe_environment
from hush.simulation.runner import fresh_seed

__all__ = ["identify"]

MOST = 10**7
FARTHEST = 10**15
MOST_RUNS = 50  # at a time
SHARES = 8  # pieces of work per thread, so that none waits long for the last one


def identify(
    policies: Policy | Sequence[Policy],
    env: Environment,
    *,
    confidence: float = 0.95,
    runs: int = 20,
    seed: int | None = None,
    most: int = MOST,
    discrete: bool = False,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Identification:
    """Play policies until they name the best arm; tell how long it took, and how often it is wrong.

    Policies that are made for it (:class:`~hush.NoiseAwareBAI` and its peers) leap, exactly: they
    decide at releases, so that a batch of pulls is one draw. Any other bandit policy whose learner
    can name the best arm (``learner.best``) is played round by round. Every run of every policy
    draws from a stream derived from the seed, the policy's parameters and the run's number: results
    do not depend on the number of workers, or on which other policies and runs there are.

    Parameters
    ----------
    policies
        One policy or several, with bandit feedback.
    env
        Where rewards come from.
    confidence
        The chance with which a named arm is to be one of the best.
    runs
        How many independent runs of each policy.
    seed
        A non-negative integer. Left out, one is drawn and kept in the result.
    most
        After so many samples a run is given up, and counted as undecided. A policy that needs a
        horizon and was made without gets this one: its budget.
    discrete
        Draw the discrete noise that :class:`~hush.SecureNoise` deploys, instead of continuous.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).

    Examples
    --------
    >>> import hush
    >>> env = hush.Bernoulli([0.8, 0.5, 0.2])
    >>> found = hush.identify(hush.NoiseAwareBAI(1.0), env, confidence=0.99, runs=10, seed=7)
    >>> found
    <Identification: 1 policy x 10 runs, confidence 0.99, seed 7>
    >>> bool(100 < found.samples.mean() < 1000), found.wrong.tolist()
    (True, [0])
    """
    chosen = [policies] if isinstance(policies, Policy) else list(policies)
    require("hush.identify")
    if not chosen or not all(isinstance(policy, Policy) for policy in chosen):
        raise ParameterError("policies must be one or more policies, such as NoiseAwareBAI(1.0)")
    if not isinstance(env, Environment):
        raise ParameterError(f"env must be an environment, such as Bernoulli; got {env!r}")
    if env.n_arms < 2:
        raise ParameterError("a single arm is the best one; give an environment of two or more")
    confidence = checked_confidence(confidence)
    runs = whole("runs", runs, least=1)
    seed = fresh_seed() if seed is None else whole("seed", seed, least=0)
    most = whole("most", most, least=1, most=FARTHEST)
    threads = (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)
    stop = np.zeros(1, dtype=np.int64)
    searches = [
        Search(policy.with_horizon(most), env, confidence, most, bool(discrete), stop)
        for policy in chosen
    ]
    compile_searches(searches, threads, bar=progress if isinstance(progress, bool) else None)
    say_if_search_is_long(searches, seed, runs)
    found = _searched(searches, seed, runs, threads, progress)
    return Identification(
        samples=np.array([[each.samples for each in row] for row in found]),
        arms=np.array([[each.arm for each in row] for row in found]),
        pulls=np.array([[each.pulls for each in row] for row in found]),
        policies=tuple(policy.label for policy in chosen),
        environment={**describe_environment(env), "reward_range": list(env.reward_range)},
        confidence=confidence,
        most=most,
        seed=seed,
        engines=tuple(finder_of(each.policy, each.env).label for each in searches),
        parameters=tuple(each.policy.to_dict() for each in searches),
        epsilons=tuple(policy.guarantee.under("replace") for policy in chosen),
        discrete=bool(discrete),
    )


def _searched(
    searches: list[Search],
    seed: int,
    runs: int,
    threads: int,
    progress: bool | Reporter | None,
) -> list[list[Found]]:
    """Play all runs, in pieces; an interrupt ends them soon."""
    finders = [finder_of(each.policy, each.env) for each in searches]
    size = max(1, min(MOST_RUNS, runs // (SHARES * threads)))
    found: list[list[Found]] = [[] for _ in searches]
    pieces = [(n, first) for n in range(len(searches)) for first in range(0, runs, size)]
    done: dict[tuple[int, int], list[Found]] = {}
    pool = ThreadPoolExecutor(threads)
    try:
        with progress_bar("identifying", len(searches) * runs, progress) as advance:
            futures: dict[Future[list[Found]], tuple[int, int]] = {}
            for n, first in pieces:
                wanted = range(first, min(first + size, runs))
                futures[pool.submit(_play, finders[n], searches[n], seed, wanted)] = n, first
            for future in as_completed(futures):
                done[futures[future]] = future.result()
                advance(len(done[futures[future]]))
    except BaseException:
        searches[0].stop[0] = 1
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    for n, first in pieces:
        found[n] += done[n, first]
    return found


def _play(finder: Finder, search: Search, seed: int, runs: range) -> list[Found]:
    return [finder.find(search, run_seed(seed, search.policy, run)) for run in runs]

"""Runs studies: all their blocks, in any executor, from a cache where they are finished."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hush.errors import ParameterError, whole
from hush.output.progress import Reporter, progress_bar
from hush.simulation.blocks import Block, blocks_of, interrupt_blocks, play
from hush.studies.cache import Cache, block_key
from hush.studies.definition import Study
from hush.studies.definition.toml_table import located
from hush.studies.exact_curves import start_exact
from hush.studies.outcome import Outcome
from hush.studies.warming import compile_ahead

__all__ = ["dask_executor", "run_studies", "run_study"]

Floats = NDArray[np.float64]
Identity = tuple[object, ...]


def run_study(
    study: Study,
    *,
    cache: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Outcome:
    """Run a study and return its data; parameters are those of :func:`run_studies`.

    Examples
    --------
    >>> from hush.studies import run_study, shipped_study
    >>> study = shipped_study("price-of-privacy", quick=True).resized(runs=2)
    >>> outcome = run_study(study, cache=getfixture("tmp_path"))
    >>> outcome.curves[0].regret.shape[0]
    2
    """
    return run_studies([study], cache=cache, executor=executor, workers=workers, progress=progress)[
        0
    ]


def run_studies(
    studies: Sequence[Study],
    *,
    cache: str | Path | None = None,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> list[Outcome]:
    """Run studies and return their data, which depend on nothing but the studies.

    Parameters
    ----------
    studies
        What to run. Curves that several of them have in common are simulated once.
    cache
        A folder for finished blocks. What is there already is not run again, so that an
        interrupted run goes on where it stopped.
    executor
        Any executor of :mod:`concurrent.futures` to work in; threads if left out.
    workers
        How many threads; all cores if left out.
    progress
        Show a progress bar; by default on a terminal only. Or a function of (done, total).
    """
    workers = (os.cpu_count() or 1) if workers is None else whole("workers", workers, least=1)
    plans = [_plan(study) for study in studies]
    store = Cache(Path(cache)) if cache is not None else None
    found: dict[Identity, Floats] = {}
    missing: dict[Identity, tuple[str | None, Block]] = {}
    for block in (block for plan in plans for blocks in plan for block in blocks):
        identity = _identity(block)
        if identity in found or identity in missing:
            continue
        key = block_key(block) if store is not None else None
        kept = store.load(key, block) if store is not None and key is not None else None
        if kept is None:
            missing[identity] = (key, block)
        else:
            found[identity] = kept
    exact = start_exact([curve for study in studies for curve in study.curves])
    for identity, regret in _played(missing, executor, workers, progress):
        key = missing[identity][0]
        if store is not None and key is not None:
            store.store(key, regret)
        found[identity] = regret
    return [
        Outcome.of(
            study,
            [
                exact(curve)
                if curve.exact
                else np.concatenate([found[_identity(block)] for block in blocks])
                for curve, blocks in zip(study.curves, plan, strict=True)
            ],
        )
        for study, plan in zip(studies, plans, strict=True)
    ]


def _plan(study: Study) -> list[list[Block]]:
    """Return the blocks of every curve of a study; an exact one has none."""
    plan: list[list[Block]] = []
    for curve in study.curves:
        if curve.exact:
            plan.append([])
            continue
        with located(f"{study.name}: {curve.name}"):
            plan.append(blocks_of(curve.policy, curve.env, curve.points, study.seed, curve.runs))
    return plan


def _identity(block: Block) -> Identity:
    """Return what tells blocks of this process apart."""
    return (block.policy, block.env, block.points, block.seed, block.first, block.runs)


def _played(
    missing: dict[Identity, tuple[str | None, Block]],
    executor: Executor | None,
    workers: int,
    progress: bool | Reporter | None,
) -> Iterator[tuple[Identity, Floats]]:
    """Play blocks, the longest first; give each as soon as it is done."""
    if not missing:
        return
    blocks = {identity: block for identity, (_, block) in missing.items()}
    if executor is None:
        compile_ahead(blocks.values(), workers)
    ordered = sorted(blocks, key=lambda identity: -blocks[identity].cost)
    total = sum(_weight(block) for block in blocks.values())
    with (
        progress_bar("simulating", total, progress, shares=True) as advance,
        _pool(executor, workers) as pool,
    ):
        futures: dict[Future[Floats], Identity] = {}
        try:
            for identity in ordered:
                futures[pool.submit(play, blocks[identity])] = identity
            for future in as_completed(futures):
                identity = futures[future]
                yield identity, future.result()
                advance(_weight(blocks[identity]))
        except BaseException:
            for future in futures:
                future.cancel()
            interrupt_blocks()
            raise


def _weight(block: Block) -> int:
    """Return a block's share of the work, in milliseconds."""
    return 1 + int(1000 * block.cost)


@contextmanager
def _pool(executor: Executor | None, workers: int) -> Iterator[Executor]:
    """Give an executor; threads of our own are ended, a given one is left as it is."""
    if executor is not None:
        yield executor
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


@contextmanager
def dask_executor(address: str) -> Iterator[Executor]:
    """Give an executor on a Dask cluster; the workers need the same version of Hush.

    Parameters
    ----------
    address
        Of the scheduler, such as ``tcp://10.0.0.1:8786``.
    """
    try:
        from distributed import Client
    except ImportError:
        raise ParameterError(
            "a Dask cluster needs the package distributed; install it with pip install 'hush[dask]'"
        ) from None
    try:
        client = Client(address, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise ParameterError(f"no Dask scheduler answers at {address}: {error}") from None
    with client:
        yield client.get_executor()  # type: ignore[no-untyped-call]

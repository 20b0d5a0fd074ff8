"""Runs studies: the blocks of all their curves, in one execution."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from pathlib import Path

from hush.extras import require
from hush.output.progress import Reporter
from hush.simulation.block_cache import BlockCache
from hush.simulation.executor import Execution, dask_executor, execute
from hush.simulation.plan import Block, Wanted, blocks_of
from hush.simulation.result import Result
from hush.studies.definition import Curve, Study
from hush.studies.definition.toml_table import located
from hush.studies.exact_curves import start_exact
from hush.studies.identified_curves import samples_of
from hush.studies.outcome import CurveData, Outcome

__all__ = ["dask_executor", "run_studies", "run_study"]


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
    execution = Execution(executor, workers, progress)
    return _run([study], cache, execution)[0]


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
    return _run(studies, cache, Execution(executor, workers, progress))


def _run(studies: Sequence[Study], cache: str | Path | None, execution: Execution) -> list[Outcome]:
    require("hush.studies")
    plans = [_plans(study) for study in studies]
    keeper = None if cache is None else BlockCache(Path(cache))
    exact = start_exact([curve for study in studies for curve in study.curves])
    blocks = [block for each in plans for plan in each for block in plan]
    data = execute(blocks, execution, keeper=keeper)

    def result(study: Study, curve: Curve, plan: list[Block]) -> Result:
        if curve.exact:
            return Result.given(curve.policy, curve.env, curve.points, exact(curve), study.seed)
        if curve.confidence:
            samples = samples_of(
                curve,
                study.seed,
                cache=None if cache is None else Path(cache),
                workers=execution.workers,
                progress=execution.progress,
            )
            return Result.given(curve.policy, curve.env, curve.points, samples, study.seed)
        return Result.of([curve.policy], [plan], data)

    return [
        Outcome(
            study,
            tuple(
                CurveData(curve, result(study, curve, plan))
                for curve, plan in zip(study.curves, each, strict=True)
            ),
        )
        for study, each in zip(studies, plans, strict=True)
    ]


def _plans(study: Study) -> list[list[Block]]:
    """Return the blocks of every curve of a study; one that is not simulated by rounds has none."""
    plans: list[list[Block]] = []
    for curve in study.curves:
        if curve.exact or curve.confidence:
            plans.append([])
            continue
        with located(f"{study.name}: {curve.name}"):
            wanted = Wanted(delay=curve.delay)
            plans.append(
                blocks_of(curve.policy, curve.env, curve.points, study.seed, curve.runs, wanted)
            )
    return plans

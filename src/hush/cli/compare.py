"""``hush compare``: a quick question about policies, with a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import specs
from hush.cli.shared_options import (
    Epsilon,
    Horizon,
    Instance,
    Means,
    Runs,
    Specs,
    Workers,
    require_suffix,
)
from hush.cli.study_steps import print_outcome
from hush.errors import ParameterError, whole
from hush.output.pictures import save_figure
from hush.simulation.runner import default_checkpoints
from hush.studies import Curve, Plot, Study, run_study
from hush.studies.report.figures import draw_plot

__all__ = ["compare"]

Seed = Annotated[int, typer.Option(help="Seed of all runs.")]
Out = Annotated[Path, typer.Option(help="The picture: .svg, .png or .pdf.")]


def compare(
    policies: Specs,
    means: Means = None,
    instance: Instance = None,
    epsilon: Epsilon = None,
    horizon: Horizon = "1e6",
    runs: Runs = 20,
    seed: Seed = 2024,
    workers: Workers = None,
    out: Out = Path("compare.svg"),
) -> None:
    """Compare policies with the first one: regret, differences with intervals, and a picture.

    Example: hush compare LazyDPTS AnytimeLazyUCB --instance S1 --epsilon 0.5 --horizon 1e9
    """
    require_suffix([out], (".svg", ".png", ".pdf"))
    if len(set(policies)) < len(policies):
        raise ParameterError("the same policy stands there twice")
    env = specs.environment(means, instance)
    rounds = specs.whole_number("--horizon", horizon)
    points = tuple(default_checkpoints(rounds, 40).tolist())
    runs = whole("--runs", runs, least=1)
    curves = tuple(
        Curve(text, specs.policy(text, epsilon).with_horizon(rounds), env, rounds, runs, points, ())
        for text in policies
    )
    plot = Plot("time", scales=("log",), policies=tuple(policies))
    study = Study(
        name="compare",
        title=f"regret after {rounds:,} rounds",
        about="",
        seed=whole("--seed", seed, least=0),
        axes=(),
        curves=curves,
        plots=(plot,),
        baseline=policies[0],
    )
    outcome = run_study(study, workers=workers)
    print_outcome(outcome, f"{study.title}, seed {study.seed}")
    save_figure(draw_plot(outcome, plot), out)
    typer.echo(f"wrote {out}")

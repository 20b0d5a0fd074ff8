"""``hush compare``: a quick question about policies, with a table and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import specs
from hush.cli.running import print_table
from hush.cli.simulate import Epsilon, Instance, Means, Seed, Specs, Workers
from hush.errors import ParameterError, whole
from hush.output.pictures import save_figure
from hush.simulation.runner import default_checkpoints
from hush.studies.definition import Curve, Plot, Study
from hush.studies.execution import run_study
from hush.studies.report.figures import draw_plot
from hush.studies.report.tables import difference_table, regret_table

__all__ = ["compare"]

Horizon = Annotated[str, typer.Option(help="Rounds, such as 1e9.")]
Runs = Annotated[int, typer.Option(help="Independent runs of each policy.")]
Out = Annotated[Path, typer.Option(help="The picture: .svg, .png or .pdf.")]
SUFFIXES = (".svg", ".png", ".pdf")


def compare(
    policies: Specs,
    means: Means = None,
    instance: Instance = None,
    epsilon: Epsilon = None,
    horizon: Horizon = "1e6",
    runs: Runs = 20,
    seed: Seed = None,
    workers: Workers = None,
    out: Out = Path("compare.svg"),
) -> None:
    """Compare policies with the first one: regret, differences with intervals, and a picture.

    Example: hush compare LazyDPTS AnytimeLazyUCB --instance S1 --epsilon 0.5 --horizon 1e9
    """
    if out.suffix.lower() not in SUFFIXES:
        raise ParameterError(f"--out {out}: the suffix must be one of {' '.join(SUFFIXES)}")
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
        seed=2024 if seed is None else whole("--seed", seed, least=0),
        axes=(),
        curves=curves,
        plots=(plot,),
        baseline=policies[0],
    )
    outcome = run_study(study, workers=workers)
    typer.echo(f"regret after {rounds:,} rounds, seed {study.seed}")
    print_table(regret_table(outcome))
    differences = difference_table(outcome)
    if differences is not None:
        print_table(differences)
    save_figure(draw_plot(outcome, plot), out)
    typer.echo(f"wrote {out}")

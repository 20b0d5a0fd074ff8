"""``hush compare``: a quick question about policies, with a table, and a picture if asked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import shared_options, specs
from hush.cli.answering import Answer
from hush.cli.study_steps import print_outcome
from hush.cli.summaries import outcome_document
from hush.cli.terminal_tables import lateness
from hush.errors import ParameterError, whole
from hush.output.pictures import save_figure
from hush.simulation.plan import default_checkpoints
from hush.simulation.runner import MOST_ROUNDS
from hush.studies import Curve, Plot, Study, run_study
from hush.studies.report.figures import draw_plot

__all__ = ["compare"]

Seed = Annotated[int, typer.Option(help="Seed of all runs.")]
Out = Annotated[Path | None, typer.Option(help="Draw a picture: .svg, .png or .pdf.")]


def compare(
    policies: shared_options.Specs,
    means: shared_options.Means = None,
    instance: shared_options.Instance = None,
    epsilon: shared_options.Epsilon = None,
    rho: shared_options.Rho = None,
    horizon: shared_options.Horizon = "1e6",
    runs: shared_options.Runs = 20,
    seed: Seed = 2024,
    delay: shared_options.Delay = "0",
    workers: shared_options.Workers = None,
    out: Out = None,
) -> Answer:
    """Compare policies with the first one: regret, and differences with intervals.

    Example: hush compare LazyDPTS AnytimeLazyUCB --instance S1 --epsilon 0.5 --horizon 1e9
    """
    if out is not None:
        shared_options.require_suffix([out], shared_options.PICTURES)
    if len(set(policies)) < len(policies):
        raise ParameterError("the same policy stands there twice")
    env = specs.environment(means, instance)
    rounds = specs.whole_number("--horizon", horizon)
    points = tuple(default_checkpoints(rounds, 40).tolist())
    runs = whole("--runs", runs, least=1)
    late = whole("--delay", specs.whole_number("--delay", delay), least=0, most=MOST_ROUNDS)
    made = {text: specs.policy(text, epsilon, rho).with_horizon(rounds) for text in policies}
    curves = tuple(
        Curve(text, policy, env, rounds, runs, points, (), delay=late)
        for text, policy in made.items()
    )
    plot = Plot("time", scales=("log",), policies=tuple(policies))
    study = Study(
        name="compare",
        title=f"regret after {rounds:,} rounds{lateness(late)}",
        about="",
        seed=whole("--seed", seed, least=0),
        axes=(),
        curves=curves,
        plots=(plot,),
        baseline=policies[0],
    )
    outcome = run_study(study, workers=workers)

    def write() -> list[Path]:
        if out is None:
            return []
        save_figure(draw_plot(outcome, plot), out)
        return [out]

    document = {
        "horizon": rounds,
        "runs": runs,
        "delay": late,
        "environment": env.to_dict(),
        **outcome_document(outcome),
    }
    title = f"{study.title}, seed {study.seed}"
    return Answer(document, lambda: print_outcome(outcome, title), write)

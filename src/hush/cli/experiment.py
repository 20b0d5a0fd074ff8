"""``hush experiment``: live experiments on a store."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from hush import live
from hush.cli import completions, specs
from hush.cli.answering import Answer, tell
from hush.cli.experiment_stores import (
    By,
    ExperimentName,
    experiment_document,
    list_document,
    opened,
    per_day,
    print_experiment,
    print_list,
    promised,
)
from hush.cli.shared_options import PrivateStore, PublicStore, Secret, require_suffix
from hush.errors import ParameterError
from hush.live.durations import milliseconds
from hush.live.exporting import SUFFIXES

__all__ = ["experiment"]

experiment = typer.Typer(
    name="experiment",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Live experiments: make, run, look at and export them.",
)

Policy = Annotated[
    str,
    typer.Option(
        help="A name, or NAME:parameter=value,... but epsilon.",
        autocompletion=completions.policies,
    ),
]
Arm = Annotated[list[str], typer.Option("--arm", help="An arm's name; repeat it.")]
Epsilon = Annotated[float, typer.Option(help="The promise to every person.")]
Bound = Annotated[int, typer.Option(help="How many of a person's decisions are learnt from.")]
Window = Annotated[str, typer.Option(help="How long a reward is waited for, such as 15m or 1d.")]
Default = Annotated[float, typer.Option(help="What counts where no reward came.")]
Range = Annotated[str, typer.Option(help="Declared ends of the rewards.")]
Population = Annotated[str, typer.Option(help="Whose ledger is charged.")]
Segment = Annotated[list[str] | None, typer.Option("--segment", help="A public part; repeat it.")]
Control = Annotated[str | None, typer.Option(help="The arm shown while nothing is learnt.")]
ControlShare = Annotated[float, typer.Option(help="Share that shows the control in any case.")]
Floor = Annotated[float, typer.Option(help="Least chance of every arm.")]
MaxAge = Annotated[str | None, typer.Option(help="When a batch is closed that is not full.")]
Tick = Annotated[str, typer.Option(help="Batches settle at multiples of it.")]
Grace = Annotated[str, typer.Option(help="Added to deadlines for clocks that differ.")]
Traffic = Annotated[
    str | None, typer.Option(help="Decisions to expect, such as 5000/day: says when it will learn.")
]
Learnt = Annotated[
    float, typer.Option(help="With --traffic: the share within the bound of their person.")
]


@experiment.command()
def create(
    store: PublicStore,
    name: ExperimentName,
    policy: Policy,
    arm: Arm,
    person_epsilon: Epsilon,
    person_bound: Bound = 1,
    window: Window = "1d",
    default: Default = 0.0,
    reward_range: Range = "0,1",
    population: Population = "default",
    segment: Segment = None,
    control: Control = None,
    control_share: ControlShare = 0.0,
    floor: Floor = 0.0,
    max_age: MaxAge = None,
    tick: Tick = "1m",
    grace: Grace = "5s",
    traffic: Traffic = None,
    learnt: Learnt = 1.0,
    private: PrivateStore = None,
    secret: Secret = None,
    by: By = "",
) -> Answer:
    """Make a draft of an experiment, and a store if there is none.

    Example: hush experiment create experiments.db checkout --policy NoiseAwareTS --arm old
    --arm new --person-epsilon 1 --person-bound 4 --window 1d --traffic 5000/day
    """
    rate = None if traffic is None else per_day(traffic)
    named, parameters = specs.policy_words(policy)
    with opened(store, private, secret, new=True) as place:
        exp = place.create(
            name,
            policy=named,
            arms=arm,
            person_epsilon=person_epsilon,
            person_bound=person_bound,
            window=window,
            default=default,
            reward_range=_ends(reward_range),
            population=population,
            segments=segment or None,
            control=control,
            control_share=control_share,
            floor=floor,
            max_age=max_age,
            tick=tick,
            grace=grace,
            parameters=parameters,
            by=by,
        )
        ahead = None if rate is None else exp.outlook(per_day=rate, learnt=learnt)
        document = {
            "experiment": name,
            "state": exp.state,
            "terms": exp.terms.to_dict(),
            "outlook": None if ahead is None else asdict(ahead),
        }
        lines = [
            f"{name} is a draft: {promised(exp.terms)}",
            *([] if ahead is None else [str(ahead)]),
        ]
    # An address may hold a password.
    lines.append(f"Begin with: hush experiment start {'STORE' if '://' in store else store} {name}")
    return Answer(document, lambda: typer.echo("\n".join(lines)))


def _ends(text: str) -> tuple[float, float]:
    try:
        low, high = (float(each) for each in text.split(","))
    except ValueError:
        raise ParameterError(f"--reward-range must be such as 0,1; got {text!r}") from None
    return low, high


@experiment.command("list")
def list_(store: PublicStore, private: PrivateStore = None, secret: Secret = None) -> Answer:
    """Print every experiment of a store.

    Example: hush experiment list experiments.db
    """
    with opened(store, private, secret) as place:
        document = list_document(place)
    return Answer(document, lambda: print_list(document["experiments"]))


@experiment.command()
def show(
    store: PublicStore, name: ExperimentName, private: PrivateStore = None, secret: Secret = None
) -> None:
    """Print an experiment: state, arms, releases, ledger, and what is promised.

    Example: hush experiment show experiments.db checkout
    """
    with opened(store, private, secret) as place:
        exp = place.experiment(name)
        tell(Answer(experiment_document(place, exp), lambda: print_experiment(place, exp)))


@experiment.command()
def export(
    store: PublicStore,
    name: ExperimentName,
    out: Annotated[Path, typer.Option(help="The file: .csv, .json or .parquet.")],
    private: PrivateStore = None,
    secret: Secret = None,
) -> Answer:
    """Write what is public of an experiment to a file.

    Example: hush experiment export experiments.db checkout --out checkout.csv
    """
    require_suffix([out], SUFFIXES)
    with opened(store, private, secret) as place:
        place.experiment(name).export(out)
    return Answer({"experiment": name}, lambda: None, lambda: [out])


@experiment.command()
def settle(
    store: PublicStore,
    every: Annotated[str | None, typer.Option(help="Go on, every so often, such as 1m.")] = None,
    confirm_clock: Annotated[
        bool, typer.Option("--confirm-clock", help="Believe the clock after it was held.")
    ] = False,
    private: PrivateStore = None,
    secret: Secret = None,
    by: By = "",
) -> None:
    """Do what the clock has brought due: once, or every so often until it is stopped.

    Example: hush experiment settle experiments.db --every 1m
    """
    pause = None if every is None else milliseconds("--every", every) / 1_000
    with opened(store, private, secret) as place:
        if confirm_clock:
            place.confirm_clock(by=by)
        place.settle()
        # Silent for people, as what settles is; a program learns that it has begun.
        document = {"settled": place.held is None, "held": place.held, "every": every}
        tell(Answer(document, lambda: None), runs_on=pause is not None)
        while pause is not None:
            time.sleep(pause)
            place.settle()


def _add_act(name: str, what: str, act: Callable[[live.Experiment, str], None]) -> None:
    def run(
        store: PublicStore,
        name: ExperimentName,
        private: PrivateStore = None,
        secret: Secret = None,
        by: By = "",
    ) -> Answer:
        with opened(store, private, secret) as place:
            found = place.experiment(name)
            act(found, by)
            state = found.state
        return Answer(
            {"experiment": name, "state": state}, lambda: typer.echo(f"{name} is {state}")
        )

    experiment.command(name, help=f"{what}\n\nExample: hush experiment {name} experiments.db x")(
        run
    )


_add_act(
    "start",
    "Reserve the promise in the ledger, and begin to learn.",
    lambda exp, by: exp.start(by=by),
)
_add_act("pause", "Show the control arm and learn nothing new.", lambda exp, by: exp.pause(by=by))
_add_act("resume", "Go on after a pause.", lambda exp, by: exp.resume(by=by))
_add_act(
    "stop",
    "Close all batches; it has stopped when the last is shown.",
    lambda exp, by: exp.stop(by=by),
)
_add_act(
    "continue",
    "Go on after a quarantine; the promise is charged once more.",
    lambda exp, by: exp.continue_(by=by),
)

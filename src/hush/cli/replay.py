"""``hush replay``: policies on a log of your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hush.cli import shared_options, specs
from hush.cli.answering import Answer
from hush.cli.terminal_rows import print_rows
from hush.environments import Log
from hush.errors import ParameterError
from hush.output.numbers import with_interval
from hush.simulation import Replay
from hush.simulation import replay as play
from hush.simulation.plotting import short_names

__all__ = ["replay"]

Path_ = Annotated[Path, typer.Argument(metavar="LOG", help="A CSV file; its first line has names.")]
Arm = Annotated[str, typer.Option(metavar="COLUMN", help="The column of arms.")]
Reward = Annotated[str, typer.Option(metavar="COLUMN", help="The column of rewards.")]
Propensity = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column of chances with which arms were drawn; alike if left out.",
    ),
]
PersonColumn = Annotated[
    str | None, typer.Option("--person", metavar="COLUMN", help="The column of whose row it is.")
]
Range = Annotated[
    str, typer.Option("--range", metavar="LOW,HIGH", help="The ends that all rewards lie within.")
]
Rounds = Annotated[
    int | None, typer.Option(help="Rounds to play; left out, as many as the log has.")
]
Runs = Annotated[int, typer.Option(help="Random orders of the log.")]
Seed = Annotated[int | None, typer.Option(help="Seed; drawn and printed if left out.")]
Workers = Annotated[
    int | None, typer.Option(help="Processes; left out, all cores where it takes long.")
]
Out = Annotated[
    list[Path] | None,
    typer.Option(help="Save to a file: .svg .png .pdf (figure). May be repeated."),
]
SAYS = """\
reward: of one round; difference: from the first policy; 95 % intervals, for other logs of the
same people and size. Right if the arm of each row was drawn anew, with the chance that is stated
and nothing else that bears on the reward. It says nothing about more rounds than these.
None of this is private: it is computed from raw rewards. Show it to nobody who may not see them."""


def replay(
    log: Path_,
    policies: shared_options.Specs,
    arm: Arm,
    reward: Reward,
    propensity: Propensity = None,
    person: PersonColumn = None,
    reward_range: Range = "0,1",
    epsilon: shared_options.Epsilon = None,
    rho: shared_options.Rho = None,
    rounds: Rounds = None,
    runs: Runs = 200,
    seed: Seed = None,
    workers: Workers = None,
    out: Out = None,
) -> Answer:
    """Play policies on a log of arms that were drawn at random; estimate what they would earn.

    What it prints is not private: it is computed from the raw rewards of the log.

    Example: hush replay log.csv ThompsonSampling LazyDPTS --arm shown --reward bought --epsilon 1
    """
    shared_options.require_suffix(out or [], shared_options.PICTURES)
    if len(set(policies)) < len(policies):
        raise ParameterError("the same policy stands there twice")
    ends = specs.numbers("--range", reward_range)
    if len(ends) != 2:
        raise ParameterError(f"--range takes two numbers, such as 0,1; got {reward_range!r}")
    made = [specs.policy(text, epsilon, rho) for text in policies]
    read = Log.read(
        log,
        arm=arm,
        reward=reward,
        propensity=propensity,
        person=person,
        reward_range=(ends[0], ends[1]),
    )
    found = play(made, read, rounds=rounds, runs=runs, seed=seed, workers=workers)

    def write() -> list[Path]:
        for path in out or []:
            found.plot(path)
        return list(out or [])

    return Answer(_document(found), lambda: _print(found), write)


def _document(found: Replay) -> dict[str, Any]:
    policies = [
        {
            "policy": label,
            "parameters": parameters,
            "reward": found.estimate(place)._asdict(),
            "difference": found.estimate(place, 0)._asdict(),
            "shares": found.shares(place),
        }
        for place, (label, parameters) in enumerate(
            zip(found.policies, found.parameters, strict=True)
        )
    ]
    return {
        "log": found.log,
        "rounds": found.rounds,
        "runs": found.runs,
        "redrawn": found.redrawn,
        "seed": found.seed,
        "private": False,
        "policies": policies,
    }


def _print(found: Replay) -> None:
    rows = [
        (
            name,
            with_interval(*found.estimate(place), decimals=3),
            with_interval(*found.estimate(place, 0), decimals=3) if place else "",
            *(f"{share:.0%}" for share in found.shares(place).values()),
        )
        for place, name in enumerate(short_names(found.policies, found.parameters))
    ]
    title = (
        f"{found.rounds:,} rounds of a log of {found.log['rows']:,} rows, {found.runs} orders, "
        f"seed {found.seed}"
    )
    print_rows(title, ("policy", "reward", "difference", *found.names), rows)
    typer.echo(SAYS)

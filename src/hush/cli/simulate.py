"""``hush simulate``: policies on an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hush.cli import specs
from hush.cli.tables import print_summary
from hush.errors import ParameterError
from hush.output.files import replaced
from hush.simulation import simulate as run

__all__ = ["simulate"]

Specs = Annotated[
    list[str], typer.Argument(metavar="POLICY...", help="Names, or NAME:parameter=value,...")
]
Means = Annotated[str | None, typer.Option(help="Mean rewards, such as 0.75,0.5,0.25.")]
Instance = Annotated[str | None, typer.Option(help="A named instance: S1 or S2 of the paper.")]
Epsilon = Annotated[float | None, typer.Option(help="Privacy loss of the private policies.")]
Horizon = Annotated[str, typer.Option(help="Rounds, such as 1e6.")]
Runs = Annotated[int, typer.Option(help="Independent runs of each policy.")]
Seed = Annotated[int | None, typer.Option(help="Seed; drawn and printed if left out.")]
Engine = Annotated[str, typer.Option(help="auto, leap or rounds.")]
Discrete = Annotated[bool, typer.Option(help="The discrete noise that is deployed.")]
Workers = Annotated[int | None, typer.Option(help="Threads; all cores if left out.")]
Out = Annotated[
    list[Path] | None,
    typer.Option(help="Save to a file: .svg .png .pdf (figure), .csv, .npz. May be repeated."),
]
SUFFIXES = (".svg", ".png", ".pdf", ".csv", ".npz")


def simulate(
    policies: Specs,
    means: Means = None,
    instance: Instance = None,
    epsilon: Epsilon = None,
    horizon: Horizon = "1e5",
    runs: Runs = 20,
    seed: Seed = None,
    engine: Engine = "auto",
    discrete: Discrete = False,
    workers: Workers = None,
    out: Out = None,
) -> None:
    """Simulate policies on Bernoulli arms and print their regret.

    Example: hush simulate LazyDPTS AnytimeLazyUCB --instance S1 --epsilon 0.5 --horizon 1e6
    """
    for path in out or []:
        if path.suffix.lower() not in SUFFIXES:
            raise ParameterError(f"--out {path}: the suffix must be one of {' '.join(SUFFIXES)}")
    result = run(
        [specs.policy(text, epsilon) for text in policies],
        specs.environment(means, instance),
        horizon=specs.whole_number("--horizon", horizon),
        runs=runs,
        seed=seed,
        engine=engine,
        discrete=discrete,
        workers=workers,
    )
    print_summary(f"regret after {result.horizon:,} rounds, seed {result.seed}", result)
    for path in out or []:
        if path.suffix.lower() == ".npz":
            result.save(path)
        elif path.suffix.lower() == ".csv":
            with replaced(path) as temporary:
                result.to_pandas().to_csv(temporary, index=False)
        else:
            result.plot(path)
        typer.echo(f"wrote {path}")

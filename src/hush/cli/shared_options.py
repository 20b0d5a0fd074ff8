"""Options that several verbs take, and their checks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from hush.cli import completions
from hush.errors import ParameterError
from hush.extras import require

__all__ = [
    "PICTURES",
    "Cache",
    "Delay",
    "Epsilon",
    "Horizon",
    "Instance",
    "Means",
    "OutFolder",
    "PrivateStore",
    "PublicStore",
    "Rho",
    "Runs",
    "Scheduler",
    "Secret",
    "Spec",
    "Specs",
    "StudyRuns",
    "StudySeed",
    "Workers",
    "require_result_files",
    "require_suffix",
]

PICTURES = (".svg", ".png", ".pdf")
WRITTEN_BY = {
    **dict.fromkeys((*PICTURES, ".html"), "a picture"),
    ".parquet": "a Parquet file",
}

# Of verbs that take policies and an environment.
Spec = Annotated[
    str,
    typer.Argument(
        metavar="POLICY",
        help="A name, or NAME:parameter=value,...",
        autocompletion=completions.policies,
    ),
]
Specs = Annotated[
    list[str],
    typer.Argument(
        metavar="POLICY...",
        help="Names, or NAME:parameter=value,...",
        autocompletion=completions.policies,
    ),
]
Means = Annotated[str | None, typer.Option(help="Mean rewards, such as 0.75,0.5,0.25.")]
Instance = Annotated[
    str | None,
    typer.Option(
        help="A named instance: S1 or S2 of the paper; a trial: ACTG175, ACTG175-CD4 or RAND.",
        autocompletion=completions.instances,
    ),
]
Epsilon = Annotated[float | None, typer.Option(help="Privacy loss of the private policies.")]
Rho = Annotated[float | None, typer.Option(help="Concentrated loss of policies that take one.")]
Horizon = Annotated[str, typer.Option(help="Rounds, such as 1e6.")]
Runs = Annotated[int, typer.Option(help="Independent runs of each policy.")]
Delay = Annotated[str, typer.Option(help="How many rounds late rewards come, such as 1000.")]
Workers = Annotated[int | None, typer.Option(help="Threads; all cores if left out.")]

# Of verbs that run studies.
StudyRuns = Annotated[
    int | None, typer.Option("--runs", help="Runs of each curve, instead of the study's own.")
]
StudySeed = Annotated[
    int | None, typer.Option("--seed", help="Seed of all runs, instead of the study's own.")
]
OutFolder = Annotated[Path, typer.Option("--out", help="Folder for report and data.")]
Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Run on a Dask cluster, such as tcp://10.0.0.1:8786."),
]
Cache = Annotated[
    Path | None,
    typer.Option(help="Folder of finished blocks; OUT/cache if left out."),
]

# Of verbs on stores of live experiments.
PublicStore = Annotated[
    str, typer.Argument(metavar="STORE", help="The public store: a path, or postgresql://...")
]
PrivateStore = Annotated[
    str | None,
    typer.Option(
        "--private",
        metavar="STORE",
        envvar="HUSH_PRIVATE_STORE",
        help="The private store; beside a public file.",
    ),
]
Secret = Annotated[
    Path | None,
    typer.Option(help="File of the master secret; HUSH_MASTER_SECRET, or beside the store."),
]


def require_result_files(paths: Iterable[Path]) -> None:
    """Refuse files that a result cannot be written to, before anything runs.

    >>> require_result_files([Path("x.svg"), Path("x.csv"), Path("x.npz")])
    """
    given = list(paths)
    require_suffix(given, (*PICTURES, ".csv", ".npz"))
    if any(path.suffix.lower() == ".csv" for path in given):
        require("a pandas table")


def require_suffix(paths: Iterable[Path], suffixes: Sequence[str], option: str = "--out") -> None:
    """Refuse a file whose format is not known or needs a missing extra, before anything runs.

    >>> require_suffix([Path("x.doc")], (".svg", ".png"))
    Traceback (most recent call last):
    ...
    hush.errors.ParameterError: --out x.doc: the suffix must be one of .svg .png
    """
    for path in paths:
        if path.suffix.lower() not in suffixes:
            raise ParameterError(f"{option} {path}: the suffix must be one of {' '.join(suffixes)}")
        if path.suffix.lower() in WRITTEN_BY:
            require(WRITTEN_BY[path.suffix.lower()])

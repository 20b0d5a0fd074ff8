"""``python -m research``: write the pages; ``--check`` them; ``run`` a study of one anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from hush.cli.terminal_tables import print_table
from hush.errors import HushError, ParameterError, choice, whole
from hush.output.pictures import save_figure
from hush.policies import policy_class
from research import (
    audit,
    comparison,
    confidence,
    conjecture_page,
    errata,
    field,
    free_privacy,
    http,
    identification,
    intervals,
    noise_aware_imed,
    noise_aware_ts,
    policies,
    real_outcomes,
    reference,
    reproduce,
    trust,
)
from research.pages import DOCS, Page, load_tables, save_tables
from research.some_policies import merged

__all__ = ["PAGES", "STUDIES", "app", "main"]

Measure = Callable[..., tuple[dict[str, Any], Any]]
STUDIES: dict[str, tuple[Page, Measure]] = {
    each.PAGE.name: (each.PAGE, each.measure)
    for each in (
        comparison,
        audit,
        conjecture_page,
        noise_aware_ts,
        noise_aware_imed,
        identification,
        intervals,
        confidence,
        free_privacy,
        real_outcomes,
        reproduce,
        trust,
        field,
    )
}
PAGES = [
    policies.PAGE,
    reference.PAGE,
    errata.PAGE,
    http.PAGE,
    *(page for page, _ in STUDIES.values()),
]
BY_POLICY = (comparison.PAGE, audit.PAGE, intervals.PAGE)
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def write(
    context: typer.Context,
    check: Annotated[bool, typer.Option(help="Change nothing; fail if a page is stale.")] = False,
) -> None:
    """Write the parts of pages in docs that are made from data and code."""
    if context.invoked_subcommand is not None:
        return
    if not check:
        for page in PAGES:
            typer.echo(f"{page.path.name} {'is written' if page.write() else 'was up to date'}")
        return
    stale = [page.path.name for page in PAGES if page.stale()]
    if stale:
        typer.echo(f"stale: {', '.join(stale)}; write them with make pages", err=True)
        raise typer.Exit(1)


@app.command()
def run(
    name: Annotated[str, typer.Argument(help=f"One of {', '.join(STUDIES)}.")],
    quick: Annotated[
        bool, typer.Option(help="Small sizes, to see that it works; the page stays as it is.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of all runs.")] = 7,
    out: Annotated[Path | None, typer.Option(help="Folder for data; results/NAME.")] = None,
    policy: Annotated[
        list[str] | None,
        typer.Option(help="This policy only; other rows stay as they are. May be repeated."),
    ] = None,
) -> None:
    """Run the study behind a page; then write its tables, its picture and the page.

    Parts whose files are in the folder already are not run again.
    """
    page, measure = STUDIES[choice("study", name, STUDIES)]
    folder = out or Path("results") / name
    options: dict[str, Any] = {"quick": quick, "seed": whole("--seed", seed, least=0)}
    if policy:
        if page not in BY_POLICY:
            raise ParameterError(f"{name} has no rows of single policies")
        options["policies"] = [policy_class(each) for each in policy]
    tables, figure = measure(folder, **options)
    if policy and not quick:
        tables = merged(load_tables(page.data), tables)
    for title, table in tables.items():
        print_table(table, title=title)
    pictures = [folder / "study.svg", folder / "study.png"]
    if not quick:
        save_tables(page.data, tables)
        pictures.append(DOCS / "images" / f"{page.picture}.svg")
        page.write()
        typer.echo(f"wrote {page.path}")
    if figure is not None:
        for path in pictures:
            save_figure(figure, path)


def main() -> None:
    """Run the command; Hush's own errors are one line."""
    try:
        app(prog_name="python -m research")
    except HushError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()

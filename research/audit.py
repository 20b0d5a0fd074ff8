"""The tables and the picture of the page about audits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hush.auditing import worst_winner
from hush.auditing.side_by_side import (
    audit_planted,
    audit_printed,
    audit_registered,
    bugs_table,
    reports_table,
)
from hush.environments import Bernoulli
from hush.output.document import TableOf, markdown_table
from hush.policies import REGISTERED, RNMFTNL
from hush.theory import exact_regret
from research.pages import Page, Tables, complete, stored, wrapped
from research.some_policies import Classes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PAGE", "cost_table", "draw_losses", "measure"]

EPOCHS = tuple(2**k for k in range(9))
EPSILONS = (0.1, 0.25, 0.5, 1.0)
MEANS = (0.25, 0.375, 0.5, 0.625, 0.75)
HORIZON = 2**20
SAMPLES = 4000


def measure(
    folder: Path, *, quick: bool, seed: int, policies: Classes = None
) -> tuple[dict[str, TableOf], Figure | None]:
    """Audit every policy and every planted bug anew; return the tables and the picture.

    Of some policies only, finished ones are kept in the folder, and nothing else is audited.
    """
    options: dict[str, Any] = {"seed": seed, "samples": SAMPLES}
    if quick:
        options["methods"] = ("replay",)
    workers = os.cpu_count() or 1
    if policies is not None:
        reports = audit_registered(1.0, options, workers, folder, policies)
        return {"all": reports_table(reports)}, None
    printed = audit_printed(1.0, options, workers)
    names = [f"RNMFTNL.as_printed, {each.neighbours}" for each in printed]
    tables = {
        "all": reports_table(audit_registered(1.0, options, workers)),
        "as-printed": reports_table(printed, names),
        "planted": bugs_table(audit_planted(1.0, {**options, "first": True}, workers)),
    }
    return tables, draw_losses()


def draw_losses() -> Figure:
    """Draw the worst loss of the noisy argmax against the epoch's length, epsilon = 1."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS

    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    cases = (
        ("as printed, 2 actions", 2, 1.0, "laplace", "o-"),
        ("as printed, 5 actions", 5, 1.0, "laplace", "s-"),
        ("corrected, Laplace noise, 2 actions", 2, 2.0, "laplace", "o--"),
        ("corrected, exponential noise, 2 actions", 2, 2.0, "exponential", "^--"),
    )
    for colour, (label, n_arms, scale, law, style) in zip(COLOURS, cases, strict=False):
        losses = [worst_winner(n_arms, each, scale=scale, law=law).loss for each in EPOCHS]
        axes.plot(EPOCHS, losses, style, color=colour, markersize=4, label=label)
    axes.axhline(1.0, color="#222222", linewidth=1.0)
    axes.annotate(
        "claimed: epsilon = 1",
        (256, 1.0),
        xytext=(0, 4),
        ha="right",
        textcoords="offset points",
        fontsize=9,
    )
    axes.set_xscale("log", base=2)
    axes.set_xticks(EPOCHS, [str(each) for each in EPOCHS])
    axes.set_ylim(0.0, 2.15)
    axes.set_xlabel("epoch's length")
    axes.set_ylabel("worst loss, one vector replaced")
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


def cost_table(_tables: Tables | None = None) -> str:
    """Return exact expected regret as printed and corrected, as a table in Markdown."""
    env = Bernoulli(list(MEANS))
    rows = []
    for epsilon in EPSILONS:
        policies: tuple[RNMFTNL, ...] = (
            RNMFTNL.as_printed(epsilon),
            RNMFTNL(epsilon, noise="laplace"),
            RNMFTNL(epsilon),
        )
        regrets = [float(exact_regret(each, env, HORIZON).regret[-1]) for each in policies]
        printed = regrets[0]
        cells = [f"{each:.1f} ({each / printed:.2f})" for each in regrets[1:]]
        rows.append((f"{epsilon:g}", f"{printed:.1f}", *cells))
    columns = (
        "epsilon",
        "as printed, 2 epsilon-private",
        "Laplace noise, epsilon-private",
        "exponential noise, epsilon-private",
    )
    means = ", ".join(f"{each:g}" for each in MEANS)
    caption = wrapped(
        f"Expected regret after 2^20 rounds, means {means}; in brackets relative to as printed."
    )
    return f"{caption}\n\n{markdown_table(TableOf(columns, tuple(rows), numbers=False))}"


def _every(tables: Tables) -> str:
    """Show a row for every registered policy, audited or not."""
    return markdown_table(complete(tables["all"], [cls.__name__ for cls in REGISTERED]))


PAGE = Page(
    "audit",
    {
        "all": _every,
        "as-printed": stored("as-printed"),
        "cost": cost_table,
        "planted": stored("planted"),
    },
    picture="audit-rnm",
)

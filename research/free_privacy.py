"""The study of the privacy that Thompson sampling has without noise."""

from __future__ import annotations

import bisect
import math
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from hush.output.document import TableOf
from hush.policies import DPTSUCB
from hush.theory import epoch_loss, expected_thompson_loss, thompson_loss
from research.pages import stored
from research.printed import PrintedPage

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "PAGE",
    "draw_growth",
    "gaussian_table",
    "growth_table",
    "measure",
    "needed_table",
    "priors_table",
]

ROUNDS = (2, 3, 4, 6, 8, 16, 32, 64, 100)
PRIORS = (1, 10, 100, 1000)
LIMITS = (1.0, 2.0, 5.0)
FAIR, WORSE, BETTER = (0.5, 0.5), (0.25, 0.75), (0.75, 0.25)  # the first arm's reward differs
COINS = (None, FAIR, WORSE, BETTER)


def measure(_folder: Path, *, quick: bool, seed: int) -> tuple[dict[str, TableOf], Figure]:  # noqa: ARG001
    """Compute all losses, always anew; nothing is drawn."""
    most = 8 if quick else 100
    rounds = [each for each in ROUNDS if each <= most]
    tables = {
        "growth": growth_table(rounds),
        "priors": priors_table(PRIORS[: 2 if quick else None], most),
        "needed": needed_table((2, 4) if quick else (2, 4, 8, 16, 32)),
        "gaussian": gaussian_table((2, 4) if quick else (2, 3, 4, 6, 8, 16, 24, 32, 64)),
    }
    return tables, draw_growth(rounds)


def growth_table(rounds: list[int]) -> TableOf:
    """Return losses against the number of rounds."""
    columns = (
        "rounds T", "worst loss", "ln T!", "expected, worst rewards",
        "two fair coins", "coins 0.25 and 0.75", "coins 0.75 and 0.25",
    )  # fmt: skip
    rows = []
    for each in rounds:
        expected = (expected_thompson_loss(each, means=means) for means in COINS)
        losses = (thompson_loss(each).loss, math.lgamma(each + 1.0), *expected)
        rows.append((str(each), *(f"{loss:.3f}" for loss in losses)))
    return TableOf(columns, tuple(rows), numbers=False)


def priors_table(priors: tuple[int, ...], most: int) -> TableOf:
    """Return how long symmetric priors keep the worst loss below some limits."""
    rows = []
    for strength in priors:
        below = [_rounds_below(limit, strength, most) for limit in LIMITS]
        losses = [_worst(rounds, strength) for rounds in (2, most)]
        rows.append((f"Beta({strength}, {strength})", *below, *(f"{x:.3g}" for x in losses)))
    columns = (
        "prior", *(f"rounds below {limit:g}" for limit in LIMITS), "loss of 2 rounds",
        f"of {most}",
    )  # fmt: skip
    return TableOf(columns, tuple(rows), numbers=False)


def needed_table(rounds: tuple[int, ...]) -> TableOf:
    """Return the weakest symmetric prior with a worst loss of at most 1."""
    rows = []
    for each in rounds:
        strengths = range(1, each**2)
        spared = partial(_spared, each)
        strength = strengths[bisect.bisect_left(strengths, -1.0, key=spared)]
        share = strength / (each - 1.0) ** 2
        rows.append((str(each), f"Beta({strength}, {strength})", f"{share:.2f}"))
    return TableOf(("rounds T", "prior needed", "its strength / (T - 1)^2"), tuple(rows))


def gaussian_table(rounds: tuple[int, ...]) -> TableOf:
    """Return losses of Gaussian draws, on all rewards and on epochs, and what is claimed."""
    columns = (
        "rounds T", "Beta, worst", "Gaussian, worst", "Gaussian, expected", "mu^2 / 2 = T / 4",
        "`DPTSUCB`, alpha 0, worst", "mu", "alpha 1, worst", "mu",
    )  # fmt: skip
    rows = []
    for each in rounds:
        losses = [
            thompson_loss(each).loss,
            thompson_loss(each, prior="gaussian").loss,
            expected_thompson_loss(each, prior="gaussian"),
            each / 4.0,
        ]
        capped = [DPTSUCB(horizon=each, alpha=alpha) for alpha in (0.0, 1.0)]
        cells = [cell for policy in capped for cell in _capped_cells(policy, each)]
        rows.append((str(each), *(f"{loss:.3f}" for loss in losses), *cells))
    return TableOf(columns, tuple(rows), numbers=False)


def _capped_cells(policy: DPTSUCB, rounds: int) -> tuple[str, str]:
    loss = f"{epoch_loss(policy):.3f}" if policy.most_draws >= rounds else ""
    return loss, f"{policy.gaussian_loss:.3f}"


@cache
def _worst(rounds: int, strength: int) -> float:
    return thompson_loss(rounds, prior=(strength, strength)).loss


def _spared(rounds: int, strength: int) -> float:
    return -_worst(rounds, strength)


def _rounds_below(limit: float, strength: int, most: int) -> str:
    lengths = range(1, most + 1)
    count = bisect.bisect_left(lengths, limit, key=lambda rounds: _worst(rounds, strength))
    return str(count) if count < most else f"at least {most}"


def draw_growth(rounds: list[int]) -> Figure:
    """Draw losses against the number of rounds."""
    from matplotlib.figure import Figure

    from hush.output.pictures import COLOURS, label_ends

    figure = Figure(figsize=(7.6, 4.0), layout="constrained")
    axes = figure.subplots()
    curves = [
        (f"worst, Beta({c}, {c})", [_worst(each, c) for each in rounds], "o-") for c in (1, 10, 100)
    ]
    for name, means in (("worst rewards", None), ("two fair coins", FAIR)):
        losses = [expected_thompson_loss(each, means=means) for each in rounds]
        curves.append((f"expected, {name}", losses, "s--"))
    ends = []
    for colour, (name, losses, style) in zip(COLOURS, curves, strict=False):
        axes.plot(rounds, losses, style, color=colour, markersize=3.5)
        ends.append((losses[-1], name, colour))
    axes.axhline(1.0, color="#222222", linewidth=1.0)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(rounds, [str(each) for each in rounds])
    axes.set_xlim(rounds[0], rounds[-1])
    axes.set_xlabel("rounds T")
    axes.set_ylabel("privacy loss")
    axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    label_ends(axes, ends)
    return figure


PAGE = PrintedPage(
    "free_privacy",
    {name: stored(name) for name in ("growth", "priors", "needed", "gaussian")},
    picture="free-privacy",
)

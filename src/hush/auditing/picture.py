"""The picture of a report: losses relative to the claim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hush.output.document import verdict_colour
from hush.output.pictures import COLOURS, empty_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hush.auditing.report import AuditReport
    from hush.output.shown_figure import ShownFigure

__all__ = ["draw"]


def draw(report: AuditReport) -> ShownFigure:
    """Draw what each method found, and the loss against the epoch's length where it is known."""
    curves = next(
        (f.facts["loss_by_epoch"] for f in report.findings if "loss_by_epoch" in f.facts), None
    )
    figure = empty_figure(9.0 if curves else 6.0, 2.8)
    axes = figure.subplots(1, 2 if curves else 1, squeeze=False)[0]
    _bars(report, axes[0])
    if curves:
        epochs = next(f.facts["epochs"] for f in report.findings if "epochs" in f.facts)
        _curves(report, axes[1], epochs, curves)
    for each in axes:
        each.spines[["top", "right"]].set_visible(False)
    return figure


def _bars(report: AuditReport, axes: Axes) -> None:
    shown = [f for f in report.findings if f.loss is not None and f.method != "noise"]
    finite = [f.loss for f in shown if f.loss is not None and math.isfinite(f.loss)]
    claim = report.claim if math.isfinite(report.claim) else max(finite, default=1.0)
    edge = 1.25 * max([claim, *finite])
    for place, finding in enumerate(reversed(shown)):
        loss = finding.loss or 0.0
        infinite = math.isinf(loss)
        colour = verdict_colour(finding.status)
        axes.barh(place, edge if infinite else loss, color=colour, height=0.5)
        text = "infinite" if infinite else f"{loss:.3g}"
        axes.annotate(
            text,
            (edge if infinite else loss, place),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
        )
    axes.set_yticks(range(len(shown)), [f.method for f in reversed(shown)])
    axes.set_xlim(0.0, 1.15 * edge)
    axes.set_ylim(-0.6, max(len(shown), 1) - 0.1)
    if math.isfinite(report.claim):
        axes.axvline(report.claim, color="#222222", linewidth=1.2)
        axes.annotate(
            f"claim {report.claim:g}",
            (report.claim, 1.0),
            xycoords=("data", "axes fraction"),
            xytext=(4, -4),
            textcoords="offset points",
            va="top",
        )
    axes.set_xlabel("privacy loss")


def _curves(
    report: AuditReport, axes: Axes, epochs: list[int], curves: dict[str, list[float]]
) -> None:
    for colour, (law, losses) in zip(COLOURS, curves.items(), strict=False):
        axes.plot(epochs, losses, "o-", color=colour, markersize=3, label=f"{law} noise")
    if math.isfinite(report.claim):
        axes.axhline(report.claim, color="#222222", linewidth=1.2)
        axes.annotate(
            f"claim {report.claim:g}",
            (epochs[-1], report.claim),
            xytext=(0, -4),
            textcoords="offset points",
            va="top",
            ha="right",
        )
    axes.set_xscale("log", base=2)
    axes.set_ylim(0.0, None)
    axes.set_xlabel("epoch's length")
    axes.set_ylabel("worst loss of a noisy argmax")
    axes.legend(frameon=False, loc="lower right")

"""A forecast as a picture: what is lost for each promise, and when the best arm is found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from hush.output.pictures import COLOURS, empty_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hush.forecasting.forecast_result import Forecast

__all__ = ["draw_forecast"]


def draw_forecast(ahead: Forecast) -> Figure:
    """Draw both panels, a colour for each policy."""
    figure = empty_figure(11.0, 4.2)
    losses, chances = figure.subplots(1, 2)
    for place, policy in enumerate(ahead.policies):
        colour = COLOURS[place % len(COLOURS)]
        _losses(losses, ahead, policy, colour)
        _chances(chances, ahead, policy, colour)
    losses.axhline(ahead.split, color="#666666", linestyle=":")
    at = losses.get_yaxis_transform()  # from the left end, at the value
    losses.text(0.01, ahead.split, "fixed split", transform=at, color="#666666", va="bottom")
    losses.set_xscale("log")
    losses.set_xticks(ahead.epsilons, [f"{each:g}" for each in ahead.epsilons])
    losses.minorticks_off()
    losses.set_ylim(bottom=0.0)
    losses.set_xlabel("person epsilon; dashed: without privacy")
    losses.set_ylabel(f"successes lost in {ahead.days} days, with 95 % intervals")
    chances.set_xlabel("day")
    chances.set_ylabel(f"chance that the best arm is found, at {ahead.person_epsilon:g}")
    chances.set_ylim(0.0, 1.03)
    chances.set_xticks(ahead.looked)
    chances.legend(frameon=False, fontsize=8.5)
    for axes in (losses, chances):
        axes.grid(visible=True, color="#eeeeee", linewidth=0.6)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


def _losses(axes: Axes, ahead: Forecast, policy: str, colour: str) -> None:
    mine = [each for each in ahead.courses if each.policy == policy]
    promises = [each.person_epsilon for each in mine]
    lost = [each.lost for each in mine]
    errors = ([each.mean - each.low for each in lost], [each.high - each.mean for each in lost])
    means = [each.mean for each in lost]
    axes.errorbar(promises, means, errors, color=colour, capsize=3, marker="o", markersize=4)
    axes.axhline(ahead.without_privacy(policy).lost.mean, color=colour, linestyle="--", alpha=0.6)


def _chances(axes: Axes, ahead: Forecast, policy: str, colour: str) -> None:
    for each in ahead.courses:
        if each.policy == policy and each.person_epsilon == ahead.person_epsilon:
            found = [chance.mean for chance in each.found]
            axes.plot(ahead.looked, found, color=colour, marker="o", markersize=4, label=policy)

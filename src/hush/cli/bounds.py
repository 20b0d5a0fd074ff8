"""``hush bounds``: what theory says about a policy's regret."""

from __future__ import annotations

import typer

from hush.cli import shared_options, specs
from hush.cli.answering import Answer
from hush.cli.terminal_tables import print_rows
from hush.theory import Bounds
from hush.theory import bounds as compute

__all__ = ["bounds"]


def bounds(
    policy: shared_options.Spec,
    means: shared_options.Means = None,
    instance: shared_options.Instance = None,
    epsilon: shared_options.Epsilon = None,
    rho: shared_options.Rho = None,
    horizon: shared_options.Horizon = "1e6",
) -> Answer:
    """Print upper and lower bounds on a policy's regret, and whether they hold.

    Example: hush bounds RNMFTNL --instance S1 --epsilon 0.5 --horizon 1e6
    """
    found = compute(
        specs.policy(policy, epsilon, rho),
        specs.environment(means, instance),
        specs.whole_number("--horizon", horizon),
    )
    return Answer(found.to_dict(), lambda: _print(found))


def _print(found: Bounds) -> None:
    rows = [
        (bound.name, bound.kind, f"{bound.value:,.4g}", bound.formula, bound.status)
        for bound in found
    ]
    print_rows(found.title, ("bound", "kind", "value", "formula", "status"), rows, numbers=False)
    _print_arms(found)
    typer.echo(f"Expected regret lies between {found.lower:,.4g} and {found.upper:,.4g}.")
    if found.distance is not None:
        typer.echo(found.distance.sentence)
    typer.echo(f"The critical gap at this horizon is {found.critical_gap:.3g}.")
    if found.note:
        typer.echo(found.note)


def _print_arms(found: Bounds) -> None:
    rows = [
        (
            str(arm.arm),
            f"{arm.mean:g}",
            f"{arm.gap:.4g}",
            _cell(arm.bracket),
            "" if arm.sample_exponent is None else f"2^{arm.sample_exponent}",
            _cell(arm.kl),
            _cell(arm.d_eps),
        )
        for arm in found.arms
    ]
    print_rows("arms", ("arm", "mean", "gap", "bracket", "samples", "kl", "d_eps"), rows)


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"

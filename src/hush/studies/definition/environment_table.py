"""The environments of a study's file: an instance, means, or a family, any of them swept."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from hush.environments import INSTANCES, Bernoulli, People, doubling_gaps, packing
from hush.errors import ParameterError, choice, positive, whole
from hush.studies.definition.study import Place
from hush.studies.definition.toml_table import Table, located, one_or_more, several

__all__ = ["ENVIRONMENT", "FIRST", "brackets", "read_environments"]

Sweep = Callable[[Table, str, Callable[[Any], Any]], tuple[Any, ...]]
SIZES: dict[str, Callable[[Any], Any]] = {
    "arms": lambda each: whole("arms", each, least=2),
    "brackets": lambda each: whole("brackets", each, least=1),
    "crowd": lambda each: whole("crowd", each, least=1),
    "gap": lambda each: positive("gap", each),
    "draw": lambda each: whole("draw", each, least=0),
}
ENVIRONMENT = ("instance", "means", "family", *SIZES, "visits", "at_once")
FIRST = ("instance", "family")  # axes that come before all others, in tables too


def brackets(count: int, crowd: int, gap: float) -> Bernoulli:
    """Return an instance whose gaps double from bracket to bracket, with a crowd in each.

    The best action is the last, so that ties do not help it; at 1 if the largest gap needs it.

    >>> brackets(2, 2, 0.25)
    Bernoulli([0.25, 0.25, 0.5, 0.5, 0.75])
    """
    gaps = [gap * 2.0**level for level in reversed(range(count)) for _ in range(crowd)]
    best = 0.75 if gaps[0] <= 0.75 else 1.0
    if gaps[0] > best:
        raise ParameterError(
            f"the largest gap would be {gaps[0]:g}; choose fewer brackets or a smaller gap"
        )
    return Bernoulli([*(best - each for each in gaps), best])


def _crowds(arms: int, gap: float) -> Bernoulli:
    """Return doubling gaps in as many brackets as fit, with equal crowds and at most K actions."""
    count = max(1, min(math.floor(-math.log2(gap)), arms - 1))
    return brackets(count, (arms - 1) // count, gap)


def uniform(arms: int, gap: float, draw: int) -> Bernoulli:
    """Return means drawn uniformly from an interval of the length ``gap`` around 1/2.

    The seed ``draw`` gives those that NumPy's older generator gives, which published code uses.

    >>> uniform(2, 0.5, 0)
    Bernoulli([0.5244067519636624, 0.6075946831862098])
    """
    if gap > 1.0:
        raise ParameterError(f"gap must be at most 1; got {gap:g}")
    older = np.random.RandomState(draw)
    return Bernoulli((gap * older.rand(arms) + (0.5 - gap / 2.0)).tolist())


FAMILIES: dict[str, tuple[tuple[str, ...], Callable[..., Bernoulli]]] = {
    "packing": (("arms", "gap"), packing),
    "doubling": (("arms", "gap"), doubling_gaps),
    "equal": (
        ("arms", "gap"),
        lambda arms, gap: Bernoulli([0.5 + gap / 2.0] + [0.5 - gap / 2.0] * (arms - 1)),
    ),
    "equal, best last": (("arms", "gap"), lambda arms, gap: brackets(1, arms - 1, gap)),
    "doubling crowds": (("arms", "gap"), _crowds),
    "brackets": (("brackets", "crowd", "gap"), brackets),
    "uniform": (("arms", "gap", "draw"), uniform),
}


def read_environments(table: Table, sweep: Sweep) -> list[tuple[Place, Bernoulli]]:
    """Return every environment with the swept values that it stands for.

    ``sweep`` reads the values of a key; more than one make it an axis. With ``visits``, which is
    never one, persons come back: so many are there ``at_once``.
    """
    found = _coins(table, sweep)
    if "visits" not in table:
        if "at_once" in table:
            raise table.refuse("at_once", "goes with visits, which says how often a person comes")
        return found
    with located(table.at("visits")):
        people: dict[str, Any] = {"visits": one_or_more(table.values["visits"])}
        if "at_once" in table:
            people["at_once"] = table.values["at_once"]
        return [(place, People(env, **people)) for place, env in found]


def _coins(table: Table, sweep: Sweep) -> list[tuple[Place, Bernoulli]]:
    kinds = [key for key in ("instance", "means", "family") if key in table]
    if len(kinds) != 1:
        raise ParameterError(f"{table.where}: give one of instance, means or family")
    if kinds[0] != "family":
        for key in SIZES:
            if key in table:
                raise table.refuse(key, 'goes with a family, such as family = "packing"')
    if kinds[0] == "means":
        return [((), table.get("means", lambda each: Bernoulli(several(each))))]
    if kinds[0] == "instance":
        names = sweep(table, "instance", lambda each: choice("instance", each, INSTANCES))
        return [(_place({"instance": names}, (name,)), INSTANCES[name]()) for name in names]
    return _family_members(table, sweep)


def _family_members(table: Table, sweep: Sweep) -> list[tuple[Place, Bernoulli]]:
    families = sweep(table, "family", lambda each: choice("family", each, FAMILIES))
    keys = FAMILIES[families[0]][0]
    for other in families[1:]:
        if FAMILIES[other][0] != keys:
            raise table.refuse("family", f"{families[0]!r} and {other!r} have different sizes")
    for key in SIZES:
        if key in table and key not in keys:
            raise table.refuse(key, f"the family has {', '.join(keys)} instead")
    axes = {"family": families, **{key: sweep(table, key, SIZES[key]) for key in keys}}
    found = []
    for chosen in itertools.product(*axes.values()):
        with located(table.where):
            found.append((_place(axes, chosen), FAMILIES[chosen[0]][1](*chosen[1:])))
    return found


def _place(axes: dict[str, tuple[Any, ...]], chosen: tuple[Any, ...]) -> Place:
    """Return the chosen values of those keys that are swept."""
    pairs = zip(axes.items(), chosen, strict=True)
    return tuple((key, value) for (key, values), value in pairs if len(values) > 1)

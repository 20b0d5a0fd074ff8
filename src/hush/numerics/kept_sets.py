"""Which arms are kept, when those of the largest noisy sums are: the chance of every set.

A set A of m arms is kept from a set S if all its sums are above all others. With ``f`` an arm's
density and ``F`` its distribution function, the least of A's sums being a's,

    P(A) = sum over a in A of integral of f_a prod over A but a of (1 - F) prod over the rest of F.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from hush.numerics.panels import Floats

__all__ = ["Blocks", "kept_chances"]

Blocks = Sequence[tuple[Floats, Floats, Floats]]
Arms = tuple[int, ...]


def kept_chances(laws: Blocks, among: Arms, kept: int) -> dict[Arms, float]:
    """Return the chance of every set of ``kept`` arms to have the largest sums among some.

    Parameters
    ----------
    laws
        Weights, densities and distribution functions of all arms, in blocks of points.
    among
        The arms that are compared.
    kept
        How many are kept.

    Examples
    --------
    >>> from hush.numerics.noisy_sums import laplace_laws
    >>> laws = list(laplace_laws(np.array([0.5, 0.5, 0.4]), 100, 2.0))
    >>> {arms: round(chance, 4) for arms, chance in kept_chances(laws, (0, 1, 2), 2).items()}
    {(0, 1): 0.8225, (0, 2): 0.0887, (1, 2): 0.0887}
    """
    sets = list(combinations(among, kept))
    chances = dict.fromkeys(sets, 0.0)
    for weights, density, below in laws:
        above = 1.0 - below
        for each in sets:
            rest = weights * _product(below, (arm for arm in among if arm not in each))
            for least in each:
                others = _product(above, (arm for arm in each if arm != least))
                chances[each] += float((rest * density[least]) @ others)
    return chances


def _product(values: Floats, arms: Iterable[int]) -> Floats:
    product = np.ones(values.shape[1])
    for arm in arms:
        product = product * values[arm]
    return product

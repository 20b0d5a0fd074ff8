"""A tree over arms, each with a ceiling that holds until some round.

Of every node two things are known: the highest ceiling below it, and the round until which all
ceilings below it hold. Nodes have numbers: the root is 1, the two below n are 2n and 2n + 1, and
below each of the last of these are sixteen arms, whose nodes come after them.

Arrays go by themselves, not as a record: to take one out of a record costs more than to use it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hush.numerics.compiled.apart import apart
from hush.numerics.compiled.arrays import Floats, Integers

__all__ = ["BLOCK", "FAR", "enter", "first_of", "highest", "new_tree", "soonest"]

FAR = 2**62  # a round that never comes
BLOCK = 16  # arms below one node, which lie side by side in memory


@apart
def new_tree(n_arms: int) -> tuple[Floats, Integers]:
    """Return ceilings and until when they hold, by node, of arms of which nothing is known."""
    blocks = 1
    while BLOCK * blocks < n_arms:
        blocks *= 2
    first = 2 * blocks
    until = np.zeros(first + BLOCK * blocks, np.int64)
    for node in range(first + n_arms, until.size):
        until[node] = FAR
    for block in range(blocks):
        until[blocks + block] = 0 if BLOCK * block < n_arms else FAR
    for node in range(blocks - 1, 0, -1):
        until[node] = min(until[2 * node], until[2 * node + 1])
    return np.full(until.size, -np.inf), until


@njit(error_model="numpy")
def first_of(nodes: int) -> int:
    """Return the number of the first arm's node, of so many."""
    return 2 * nodes // (BLOCK + 2)


@apart
def enter(ceiling: Floats, until: Integers, arm: int, high: float, last: int) -> None:
    """Give an arm a ceiling that holds until a round."""
    first = first_of(ceiling.size)
    ceiling[first + arm] = high
    until[first + arm] = last
    start = first + arm - arm % BLOCK
    for node in range(start, start + BLOCK):
        high = ceiling[node] if ceiling[node] > high else high
        last = min(until[node], last)
    node = first // 2 + arm // BLOCK
    while ceiling[node] != high or until[node] != last:
        ceiling[node] = high
        until[node] = last
        if node == 1:
            break
        node >>= 1
        one, other = ceiling[2 * node], ceiling[2 * node + 1]
        high = one if one >= other else other
        last = min(until[2 * node], until[2 * node + 1])


@njit(error_model="numpy")
def highest(ceiling: Floats) -> int:
    """Return the arm of the highest ceiling, lowest first on a tie."""
    first, node = first_of(ceiling.size), 1
    while 2 * node < first:
        node *= 2
        node += ceiling[node] < ceiling[node + 1]
    leaf = first + BLOCK * (node - first // 2)
    while ceiling[leaf] != ceiling[node]:
        leaf += 1
    return leaf - first


@njit(error_model="numpy")
def soonest(until: Integers) -> int:
    """Return an arm whose ceiling ends first."""
    first, node = first_of(until.size), 1
    while 2 * node < first:
        node *= 2
        node += until[node] > until[node + 1]
    leaf = first + BLOCK * (node - first // 2)
    while until[leaf] != until[node]:
        leaf += 1
    return leaf - first

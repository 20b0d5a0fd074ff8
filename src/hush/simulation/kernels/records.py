"""What loops are handed: named records instead of long lists of arguments.

Light to import: engines fill these in, and numba is loaded when a loop is called.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hush.numerics.challenger import Constants

__all__ = [
    "CHOICES",
    "BatchRule",
    "Caps",
    "EpochTraits",
    "Late",
    "LateBatches",
    "Leader",
    "Problem",
    "Record",
    "Stages",
    "Streams",
    "Target",
    "TopTwoTraits",
    "Traits",
    "Trees",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
CHOICES = ("none", "exponential", "laplace", "gumbel", "hedge")  # laws of choosing, by number
NONE, EXPONENTIAL, LAPLACE, GUMBEL, HEDGE = range(5)


class Problem(NamedTuple):
    """What is played: coins, the lengths of epochs (the last repeats), the noise of releases.

    And how many rounds late rewards come, which only the loops for delayed rewards ask. Noise is
    Laplace's, or Gaussian and as wide: see :class:`hush.noise.laws.SumNoise`.
    """

    means: Floats
    lengths: Integers
    epsilon: float
    discrete: bool
    delay: int = 0
    gaussian: bool = False


class Streams(NamedTuple):
    """Where rewards, noise and the selection rule's draws come from; one stream when leaping."""

    reward: Generator
    noise: Generator
    selection: Generator


class Record(NamedTuple):
    """What is asked for: pulls at checkpoints (run x checkpoint x arm), and the played segments.

    A number other than 0 in ``stop`` ends the runs: somebody pressed Ctrl-C.
    """

    checkpoints: Integers
    pulls: Integers
    segments: bool
    stop: Integers


class Target(NamedTuple):
    """When the best arm is known: a chance delta to be wrong, and what all meetings lie below.

    At most so many pulls are made; how often each arm was pulled is filled in. A number other than
    0 in ``stop`` ends the run: somebody pressed Ctrl-C.
    """

    delta: float
    most_level: float
    most: int
    pulls: Integers
    stop: Integers


class TopTwoTraits(NamedTuple):
    """What a top-two policy declares about itself.

    Whether it compares arms by private transportation costs of all it knows, or by Gaussian ones of
    last phases, whose second factor is limited; and whether its threshold is the stated one.
    """

    transport: bool
    epsilon: float
    most_factor: float
    stated: bool


class Traits(NamedTuple):
    """What a policy with a rule declares about itself, and which family's rule it is.

    Last, whether the rule is costly, so that few indices are computed where arms are few, too.
    """

    cumulative: bool
    explores_first: bool
    commits: bool
    relative: bool
    thompson: bool
    costly: bool = False


class Late(NamedTuple):
    """What is played where rewards come late, a policy's traits, and what is released, if given."""

    problem: Problem
    traits: Traits
    script: Floats


class EpochTraits(NamedTuple):
    """The law and scale of choosing an action, and what an epoch policy declares about itself."""

    law: int
    scale: float
    keeps: bool
    prefix: bool
    starts_at_random: bool


class Stages(NamedTuple):
    """The last rounds of an elimination's stages, and the horizons that they plan for.

    Where noise comes in shares, also by which factor batches grow; 0 elsewhere.
    """

    ends: Integers
    horizons: Floats
    growth: float


class Phases(NamedTuple):
    """The pulls of an arm in each phase, and how far below the best a mean may be after it."""

    pulls: Integers
    slacks: Floats


class Caps(NamedTuple):
    """How many draws an arm's epoch may have, and their variance after one reward."""

    most: int
    spread: float


class Trees(NamedTuple):
    """The length of each arm's tree, 0 for Hybrid counters; and how many levels a tree can have."""

    horizon: int
    levels: int


class Leader(NamedTuple):
    """How noisy sums of a tree become weights: the geometry, its number, the tree's levels."""

    euclidean: bool
    number: float
    levels: int


class BatchRule(NamedTuple):
    """How a batch is chosen: by upper ends, or by challenging a leader, and the rule's numbers.

    The power belongs to upper ends; the known horizon (0 for none) and the constants to challenges.
    """

    upper: bool
    power: float
    horizon: float
    constants: Constants


class LateBatches(NamedTuple):
    """What is played where rewards come late, by which rule, and what is released, if given."""

    problem: Problem
    rule: BatchRule
    script: Floats

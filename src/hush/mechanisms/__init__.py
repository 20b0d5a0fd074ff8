"""The private side: the only code that sees raw rewards, raw sums, and adds noise to them.

What holds raw sums, :mod:`hush.mechanisms.sums`, is not exported: learners reach it, nobody else.
"""

from hush.mechanisms.counters import BinaryCounter, Counter, HybridCounter, LogarithmicCounter
from hush.mechanisms.dartboard import Dartboard
from hush.mechanisms.flipping import FlippedCoin, randomize
from hush.mechanisms.noisy_argmax import (
    ChoiceLaw,
    ExactArgmax,
    HedgeDraw,
    NoisyArgmax,
    NoisyLeader,
    stated_law,
)
from hush.mechanisms.noisy_sum import DrawnNoise, ExactSum, GaussianSum, NoisySum
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import EveryRound, Fixed, Geometric, GrowingTotal, Schedule
from hush.mechanisms.shares import SharedSum, Shares
from hush.mechanisms.vector_tree import VectorTree
from hush.mechanisms.weights import ExponentialWeights, ProjectedSums, WeightRule

__all__ = [
    "BinaryCounter",
    "ChoiceLaw",
    "Counter",
    "Dartboard",
    "DrawnNoise",
    "EveryRound",
    "ExactArgmax",
    "ExactSum",
    "ExponentialWeights",
    "Fixed",
    "FlippedCoin",
    "GaussianSum",
    "Geometric",
    "GrowingTotal",
    "HedgeDraw",
    "HybridCounter",
    "LogarithmicCounter",
    "NoisyArgmax",
    "NoisyLeader",
    "NoisySum",
    "ProjectedSums",
    "RewardRange",
    "Schedule",
    "SharedSum",
    "Shares",
    "VectorTree",
    "WeightRule",
    "randomize",
    "stated_law",
]

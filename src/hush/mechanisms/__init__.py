"""The private side: the only code that sees raw rewards, raw sums, and adds noise to them."""

from hush.mechanisms.counters import BinaryCounter, Counter, HybridCounter, LogarithmicCounter
from hush.mechanisms.dartboard import Dartboard
from hush.mechanisms.noisy_argmax import (
    ChoiceLaw,
    ExactArgmax,
    HedgeDraw,
    NoisyArgmax,
    NoisyLeader,
    stated_law,
)
from hush.mechanisms.noisy_sum import ExactSum, NoisySum
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import EveryRound, Geometric, GrowingTotal, Schedule
from hush.mechanisms.sums import ArmCounters, ArmSums, VectorSums

__all__ = [
    "ArmCounters",
    "ArmSums",
    "BinaryCounter",
    "ChoiceLaw",
    "Counter",
    "Dartboard",
    "EveryRound",
    "ExactArgmax",
    "ExactSum",
    "Geometric",
    "GrowingTotal",
    "HedgeDraw",
    "HybridCounter",
    "LogarithmicCounter",
    "NoisyArgmax",
    "NoisyLeader",
    "NoisySum",
    "RewardRange",
    "Schedule",
    "VectorSums",
    "stated_law",
]

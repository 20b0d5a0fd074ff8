"""The private side: the only code that sees raw rewards, raw sums, and adds noise to them."""

from hush.mechanisms.noisy_argmax import ExactArgmax, NoisyArgmax
from hush.mechanisms.noisy_sum import ExactSum, NoisySum
from hush.mechanisms.rewards import RewardRange
from hush.mechanisms.schedules import EveryRound, Geometric, Schedule
from hush.mechanisms.sums import ArmSums, VectorSums

__all__ = [
    "ArmSums",
    "EveryRound",
    "ExactArgmax",
    "ExactSum",
    "Geometric",
    "NoisyArgmax",
    "NoisySum",
    "RewardRange",
    "Schedule",
    "VectorSums",
]

"""What theory says about a curve: bounds with their constants, and exact expected regret."""

from hush.numerics.bound import Bound
from hush.numerics.divergence import d_eps, kl
from hush.numerics.noisy_sums import win_chances as selection_chances
from hush.theory.all_bounds import ArmFacts, Bounds, bounds
from hush.theory.constants import (
    lai_robbins,
    minimax_lower,
    packing_lower,
    private_constant,
)
from hush.theory.distance import Distance
from hush.theory.expected_regret import ExactRegret, exact_regret
from hush.theory.free_privacy import ThompsonLoss, expected_thompson_loss, thompson_loss
from hush.theory.packing import (
    identification_rounds,
    least_mistake,
    packing_minimax,
    packing_regret,
)
from hush.theory.two_arms import TwoArmLaw, two_arm_law

__all__ = [
    "ArmFacts",
    "Bound",
    "Bounds",
    "Distance",
    "ExactRegret",
    "ThompsonLoss",
    "TwoArmLaw",
    "bounds",
    "d_eps",
    "exact_regret",
    "expected_thompson_loss",
    "identification_rounds",
    "kl",
    "lai_robbins",
    "least_mistake",
    "minimax_lower",
    "packing_lower",
    "packing_minimax",
    "packing_regret",
    "private_constant",
    "selection_chances",
    "thompson_loss",
    "two_arm_law",
]

"""What theory says about a curve: bounds with their constants, and exact expected regret."""

from hush.numerics.bound import Bound
from hush.numerics.divergence import d_eps, kl
from hush.numerics.noisy_sums import win_chances as selection_chances
from hush.numerics.transport import characteristic_time, least_samples, transport_cost
from hush.theory.all_bounds import ArmFacts, Bounds, bounds
from hush.theory.constants import (
    lai_robbins,
    minimax_lower,
    packing_lower,
    private_constant,
)
from hush.theory.distance import Distance
from hush.theory.epoch_privacy import epoch_loss, gaussian_delta
from hush.theory.expected_regret import ExactRegret, exact_regret
from hush.theory.free_privacy import ThompsonLoss, expected_thompson_loss, thompson_loss
from hush.theory.halving import halving_chances, halving_error
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
    "characteristic_time",
    "d_eps",
    "epoch_loss",
    "exact_regret",
    "expected_thompson_loss",
    "gaussian_delta",
    "halving_chances",
    "halving_error",
    "identification_rounds",
    "kl",
    "lai_robbins",
    "least_mistake",
    "least_samples",
    "minimax_lower",
    "packing_lower",
    "packing_minimax",
    "packing_regret",
    "private_constant",
    "selection_chances",
    "thompson_loss",
    "transport_cost",
    "two_arm_law",
]

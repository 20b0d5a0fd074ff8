"""What theory says about a curve: bounds with their constants, and exact expected regret."""

from hush.theory.exact import ExactRegret, exact_regret
from hush.theory.selection import selection_chances

__all__ = ["ExactRegret", "exact_regret", "selection_chances"]

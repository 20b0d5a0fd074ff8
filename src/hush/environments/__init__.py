"""Where rewards come from: reward distributions, and the named instances of the literature."""

from hush.environments.adversaries import ADVERSARIES, alternating, constrained, fair_coins
from hush.environments.base import Environment
from hush.environments.bernoulli import Bernoulli
from hush.environments.bounded import Bounded
from hush.environments.instances import INSTANCES, doubling_gaps, packing, paper_s1, paper_s2
from hush.environments.people import People
from hush.environments.reward_table import RewardTable

__all__ = [
    "ADVERSARIES",
    "INSTANCES",
    "Bernoulli",
    "Bounded",
    "Environment",
    "People",
    "RewardTable",
    "alternating",
    "constrained",
    "doubling_gaps",
    "fair_coins",
    "packing",
    "paper_s1",
    "paper_s2",
]

"""Where rewards come from: reward distributions, named instances, and logs of real outcomes."""

from hush.environments.adversaries import ADVERSARIES, alternating, constrained, fair_coins
from hush.environments.base import Environment
from hush.environments.bernoulli import Bernoulli
from hush.environments.bounded import Bounded
from hush.environments.instances import (
    INSTANCES,
    PAPER_SETTINGS,
    doubling_gaps,
    packing,
    paper_s1,
    paper_s2,
)
from hush.environments.log import Log
from hush.environments.people import Cohort, People
from hush.environments.reward_table import RewardTable
from hush.environments.trials import TRIALS, actg175, rand_health

__all__ = [
    "ADVERSARIES",
    "INSTANCES",
    "PAPER_SETTINGS",
    "TRIALS",
    "Bernoulli",
    "Bounded",
    "Cohort",
    "Environment",
    "Log",
    "People",
    "RewardTable",
    "actg175",
    "alternating",
    "constrained",
    "doubling_gaps",
    "fair_coins",
    "packing",
    "paper_s1",
    "paper_s2",
    "rand_health",
]

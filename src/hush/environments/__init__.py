"""Where rewards come from: reward distributions, and the named instances of the literature."""

from hush.environments.base import Environment
from hush.environments.bernoulli import Bernoulli
from hush.environments.bounded import Bounded
from hush.environments.instances import INSTANCES, doubling_gaps, packing, paper_s1, paper_s2
from hush.environments.people import People

__all__ = [
    "INSTANCES",
    "Bernoulli",
    "Bounded",
    "Environment",
    "People",
    "doubling_gaps",
    "packing",
    "paper_s1",
    "paper_s2",
]

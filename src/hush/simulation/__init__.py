"""Many policies, many runs, one environment."""

from hush.simulation.result import Result
from hush.simulation.runner import simulate

__all__ = ["Result", "simulate"]

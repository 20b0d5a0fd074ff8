"""Many policies, many runs, one environment."""

from hush.simulation.identification_result import Identification
from hush.simulation.identify import identify
from hush.simulation.result import Result
from hush.simulation.runner import simulate

__all__ = ["Identification", "Result", "identify", "simulate"]

"""Many policies, many runs, one environment."""

from hush.simulation.identification_result import Identification
from hush.simulation.identify import identify
from hush.simulation.replay import replay
from hush.simulation.replay_result import Replay
from hush.simulation.result import Result
from hush.simulation.runner import simulate

__all__ = ["Identification", "Replay", "Result", "identify", "replay", "simulate"]

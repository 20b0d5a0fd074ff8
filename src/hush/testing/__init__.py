"""For tests: a conformance kit for policies, one's own included, and a window on noise."""

from hush.testing.conformance import ConformanceError, check_policy
from hush.testing.recording import DrawnRelease, FrozenNoise, RecordingNoise

__all__ = ["ConformanceError", "DrawnRelease", "FrozenNoise", "RecordingNoise", "check_policy"]

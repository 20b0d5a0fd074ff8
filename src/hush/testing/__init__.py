"""For tests: a conformance kit for policies, your own included, and a window on noise."""

from hush.testing.conformance import Check, ConformanceError, check_policy, yield_checks
from hush.testing.recording import DrawnRelease, FrozenNoise, RecordingNoise

__all__ = [
    "Check",
    "ConformanceError",
    "DrawnRelease",
    "FrozenNoise",
    "RecordingNoise",
    "check_policy",
    "yield_checks",
]

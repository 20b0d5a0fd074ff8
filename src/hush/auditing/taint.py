"""Taint: rewards that note who reads them outside the private side, line by line.

A policy is played with watched rewards, in every way that rewards can come. Whatever compares,
converts or computes with one outside :mod:`hush.mechanisms` is found with its line, and so is who
looks at raw sums: also where no table would have triggered a leak.
"""

from __future__ import annotations

import numpy as np

from hush.auditing.construction import foreign_parts, private_half
from hush.auditing.finding import Finding
from hush.auditing.plays import WAYS, Play
from hush.auditing.watching import Reads, WatchedReward, watch_private
from hush.errors import HushError
from hush.noise import SeededNoise
from hush.policies import Policy
from hush.testing.recording import AuditNoise

__all__ = ["taint"]

ROUNDS = 400


def taint(policy: Policy, n_arms: int, *, seed: int) -> Finding:
    """Play with watched rewards; report who read them."""
    reads = Reads()
    policy = policy.with_horizon(ROUNDS)
    generator = np.random.default_rng(seed)
    handed: dict[str, None] = {}
    for number, way in enumerate(WAYS.values()):
        table = generator.integers(0, 9, (ROUNDS, n_arms)) / 8.0
        play = Play(
            policy,
            AuditNoise(SeededNoise(seed + number, discrete=True)),
            high=1.0 + number % 2,
            seed=seed,
            wrap=lambda value: WatchedReward(value, reads),
        )
        learner = play.learner(n_arms)
        handed |= dict.fromkeys(foreign_parts(learner))
        watch_private(private_half(learner), reads)
        try:
            for _ in way(play, table, [learner]):
                pass
        except HushError:  # what it shows then is replay's to compare
            continue
    facts = {"reads": reads.found, "passed": reads.passed, "handed": list(handed)}
    if reads.found:
        places = "; ".join(list(reads.found)[:6])
        more = "" if len(reads.found) <= 6 else f"; and {len(reads.found) - 6} more"
        says = f"Raw rewards are read outside hush.mechanisms: {places}{more}. Read those lines."
        return Finding("taint", "inconclusive", None, says, facts=facts)
    if not reads.passed:
        says = "No reward reached the private side."
        return Finding("taint", "inconclusive", None, says, facts=facts)
    says = (
        f"{reads.passed:,} reads of watched rewards in {len(WAYS)} ways of play, all of them by "
        "hush.mechanisms. Compiled code, such as NumPy's, would not be noticed."
    )
    return Finding("taint", "consistent", None, says, facts=facts)

"""Replay: the same releases on neighbouring rewards must play the same arms, at a small loss.

A run on a reward table is recorded: what each draw of noise was handed, what came out, at which
scale. The run is repeated on a neighbouring table with all outcomes frozen. If arms, releases or
scales then differ, something went past the noise, and the loss is infinite. Otherwise the loss
is what the draws add up to.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from hush.auditing.finding import Finding, Witness, exceeds
from hush.auditing.reward_tables import Pair, Table, pairs, release_rounds, rows_text, settle
from hush.errors import HushError, StateError
from hush.noise import NoiseSource, ScriptedNoise, SeededNoise
from hush.noise.laws import drawn_argmax
from hush.numerics.noisy_argmax import win_chances
from hush.policies import Learner, Policy
from hush.privacy import Release
from hush.testing.recording import DrawnRelease, FrozenNoise, RecordingNoise

__all__ = ["replay"]

PAIRS = 80
MOST_ROUNDS = 2**15
BUDGET = 400_000  # rounds, over all pairs


class ArbitraryNoise(ScriptedNoise):
    """Outcomes that owe nothing to the sums: whatever can come out must be protected."""

    def __init__(self, seed: int) -> None:
        super().__init__([], selection=seed)
        self._any = np.random.default_rng(seed)

    def add_laplace(self, total: int, *, epsilon: float, sensitivity: int = 1) -> float:  # noqa: ARG002
        """Return any number."""
        return float(round(self._any.laplace(0.5, 3.0 * sensitivity)))

    def argmax(self, totals: Sequence[int], **_how: Any) -> int:  # noqa: ANN401
        """Return any action, the one that trails as a rule."""
        if self._any.random() < 0.5:
            return int(np.argmin(totals))
        return int(self._any.integers(len(totals)))

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:  # noqa: ARG002
        """Return either."""
        return bool(self._any.random() < 0.3)


@dataclass(frozen=True)
class _Transcript:
    arms: tuple[int, ...]
    releases: tuple[Release, ...]
    drawn: tuple[DrawnRelease, ...]
    error: str = ""


def replay(
    policy: Policy, n_arms: int, *, claim: float, neighbours: str, seed: int, rounds: int | None
) -> Finding:
    """Replay recorded outcomes on neighbouring tables; see the module's text."""
    rounds = rounds or telling_rounds(policy, n_arms)
    policy = policy.with_horizon(rounds)
    generator = np.random.default_rng(seed)
    ends = release_rounds(policy, n_arms, rounds, SeededNoise(seed))
    count = max(16, min(PAIRS, BUDGET // rounds))
    draws = 0
    seen: list[tuple[float, Witness]] = []
    for number, pair in enumerate(
        islice(pairs(n_arms, rounds, neighbours, ends, generator), count)
    ):
        cuts = set(generator.integers(rounds, size=3).tolist()) if number % 2 else set()
        source = ArbitraryNoise if number % 4 < 2 else SeededNoise
        first = _played(policy, pair.first, source(seed + number), cuts)
        script = [each.noisy for each in first.drawn]
        frozen = (FrozenNoise(script, source(seed + number)) for _ in range(2))
        if number < 8:
            again = _played(policy, pair.first, next(frozen), cuts)
            if again != first:
                return _not_replayable(first, again)
        second = _played(policy, pair.second, next(frozen), cuts)
        draws += len(first.drawn)
        loss, event = _compared(first, second)
        if not seen or loss > seen[-1][0]:
            seen.append((loss, _witness(pair, event, loss, cuts)))
    worst = seen[-1][0]
    # Simple tables come first: a witness that is nearly the worst is easier to check by hand.
    witness = next(each for loss, each in seen if loss >= 0.95 * worst)
    return _finding(worst, claim, witness, count, rounds, draws, neighbours)


def telling_rounds(policy: Policy, n_arms: int) -> int:
    """Return a number of rounds in which several releases are drawn."""
    rounds = 256
    while rounds < MOST_ROUNDS:
        found = release_rounds(policy.with_horizon(rounds), n_arms, rounds, SeededNoise(1))
        if len(found) > n_arms:
            break
        rounds *= 2
    return rounds


def _played(policy: Policy, table: Table, source: NoiseSource, cuts: set[int]) -> _Transcript:
    """Play a table, going through a stored state at the given rounds."""
    noise = RecordingNoise(source)
    arms: list[int] = []
    error = ""
    learner = policy.learner(table.shape[1], noise=noise)
    try:
        for t, row in enumerate(table):
            if t in cuts:
                learner = _restored(policy, learner, noise)
            arms.append(int(learner.select()))
            settle(learner, arms[-1], row)
    except HushError as refused:  # it asks for more draws than were recorded, say
        error = str(refused)
    return _Transcript(tuple(arms), learner.releases, tuple(noise.drawn), error)


def _restored(policy: Policy, learner: Learner, noise: NoiseSource) -> Learner:
    """Go through a stored state; a learner that cannot is the conformance kit's business."""
    try:
        return policy.restore(json.loads(json.dumps(learner.state())), noise=noise)
    except StateError:
        return learner


def _compared(first: _Transcript, second: _Transcript) -> tuple[float, str]:
    """Return the loss between two transcripts with the same outcomes, and the event."""
    if second.arms != first.arms:
        t = next(
            (i for i, (a, b) in enumerate(zip(first.arms, second.arms, strict=False)) if a != b),
            min(len(first.arms), len(second.arms)),
        )
        seen = f"plays arm {first.arms[t]}" if t < len(first.arms) else "goes on"
        return math.inf, f"with all noisy values the same, round {t + 1} {seen} under A only"
    if second.error != first.error or len(first.drawn) != len(second.drawn):
        return math.inf, "noise is drawn another number of times"
    for i, (a, b) in enumerate(zip(first.drawn, second.drawn, strict=True)):
        if (a.scale, a.law) != (b.scale, b.law):
            return math.inf, f"draw {i + 1} has scale {a.scale:g} under A and {b.scale:g} under B"
    if len(first.releases) != len(second.releases):
        return math.inf, "with all noisy values the same, another number of releases is shown"
    for a_release, b_release in zip(first.releases, second.releases, strict=True):
        if a_release != b_release:
            return math.inf, (
                f"with all noisy values the same, the release of epoch {a_release.epoch} of arm "
                f"{a_release.arm} differs: it did not go through the noise"
            )
    losses = [draw_loss(a, b) for a, b in zip(first.drawn, second.drawn, strict=True)]
    moved = [i + 1 for i, loss in enumerate(losses) if loss > 0.0]
    return sum(losses), (
        f"the outcomes of {len(losses)} draws; rewards move what enters draws {_few(moved)}"
        if moved
        else "nothing: no draw sees the change"
    )


def draw_loss(a: DrawnRelease, b: DrawnRelease) -> float:
    """Return the loss of one draw: exact for a noisy argmax's winner, worst case for a sum."""
    law = drawn_argmax(a.law)
    if law is None or a.raw == b.raw:
        return a.loss(b)
    chances = [win_chances(each.raw, scale=each.scale, law=law)[int(a.noisy)] for each in (a, b)]
    if min(chances) <= 0.0:  # too small for a double: the bound instead
        return a.loss(b)
    return abs(math.log(chances[0] / chances[1]))


def _few(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:5]))
    return shown if len(numbers) <= 5 else f"{shown}, ..."


def _witness(pair: Pair, event: str, loss: float, cuts: set[int]) -> Witness:
    note = f"{pair.name}; they differ in round {pair.changed + 1}"
    if cuts:
        note += f"; stored and restored before rounds {_few([c + 1 for c in sorted(cuts)])}"
    return Witness(rows_text(pair.first), rows_text(pair.second), event, loss, note)


def _not_replayable(first: _Transcript, again: _Transcript) -> Finding:
    _, event = _compared(first, again)
    return Finding(
        "replay",
        "inconclusive",
        None,
        f"The same outcomes on the same rewards do not give the same run ({event}). The learner "
        "draws randomness outside its noise source, which replay cannot freeze.",
    )


def _finding(
    worst: float,
    claim: float,
    witness: Witness,
    count: int,
    rounds: int,
    draws: int,
    neighbours: str,
) -> Finding:
    violated = exceeds(worst, claim)
    facts = {"pairs": count, "rounds": rounds, "draws": draws, "neighbours": neighbours}
    if not draws and not violated:
        return Finding(
            "replay",
            "inconclusive",
            None,
            f"No noise was drawn in {rounds:,} rounds, and nothing but noise could have differed.",
            facts=facts,
        )
    what = (
        "Something goes past the noise."
        if math.isinf(worst)
        else f"The draws of one run lose {worst:.4g} at most when one round changes."
    )
    says = f"{count} pairs of tables of {rounds:,} rounds, {draws:,} draws replayed. {what}"
    return Finding(
        "replay", "violated" if violated else "consistent", worst, says, witness, facts=facts
    )

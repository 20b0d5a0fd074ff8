"""Noisy argmaxes, attacked where they are worst: a search over sums and neighbours."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Witness
from hush.auditing.replay import telling_rounds
from hush.auditing.reward_tables import pairs, play, release_rounds, rows_text
from hush.auditing.search import Search
from hush.auditing.winners import LONGEST_EPOCH, MOST_ACTIONS, WorstWinner, worst_winner
from hush.noise import SeededNoise
from hush.noise.laws import drawn_argmax
from hush.policies import Policy
from hush.testing.recording import RecordingNoise

__all__ = ["worst_argmax"]

EPOCHS = tuple(2**k for k in range(LONGEST_EPOCH.bit_length()))


def worst_argmax(policy: Policy, n_arms: int, claim: Claim, seed: int, search: Search) -> None:
    """Where each round enters one noisy argmax, search for its worst case over sums.

    All rewards of a person are in one epoch here.
    """
    calls = _argmax_calls(policy, n_arms, claim.neighbours, seed)
    if not calls or n_arms > MOST_ACTIONS:
        return
    replaced = min(claim.rewards, EPOCHS[-1])
    search.compared(replaced)
    curves: dict[str, list[float]] = {}
    for scale, law in calls:
        for name in ("laplace", "discrete-laplace") if law == "laplace" else (law,):
            worst = [
                worst_winner(
                    n_arms,
                    epoch,
                    scale=scale,
                    law=name,
                    neighbours=claim.neighbours,
                    replaced=replaced,
                )
                for epoch in EPOCHS
            ]
            curves[name] = [each.loss for each in worst]
            longest = worst[-1] if name != "discrete-laplace" else max(worst, key=_loss)
            simple = next(each for each in worst if each.loss >= 0.95 * longest.loss)
            search.found(longest.loss, _winner_witness(simple, longest, name, scale))
    search.parts.append(
        f"The worst noisy argmax found among sums of {n_arms} actions, epochs up to {EPOCHS[-1]}: "
        "a lower bound on the worst."
    )
    search.facts["epochs"] = list(EPOCHS)
    search.facts["loss_by_epoch"] = curves


def _loss(worst: WorstWinner) -> float:
    return worst.loss


def _winner_witness(simple: WorstWinner, longest: WorstWinner, law: str, scale: float) -> Witness:
    """Write an epoch's reward vectors out: the replaced ones first."""
    scores, other = np.array(simple.scores), np.array(simple.neighbour)
    moves = scores - other
    replaced = int(np.abs(moves).max())
    changed = [np.arange(replaced)[:, None] < each for each in (moves, -moves)]
    rest = np.minimum(scores, other)
    rows = np.arange(int(rest.max(initial=0)))[:, None] < rest  # the same under A and B
    tables = [np.vstack([each, rows]).astype(np.int8) for each in changed]
    hers = f"; the first {replaced} vectors are one person's" if replaced > 1 else ""
    return Witness(
        f"an epoch of {rows_text(tables[0])}",
        f"an epoch of {rows_text(tables[1])}",
        f"action {simple.winner} is chosen next ({law} noise of scale {scale:g} on each sum)",
        simple.loss,
        f"{simple}; the worst found in epochs up to {EPOCHS[-1]} is {longest.loss:.4f}{hers}",
        tuple(range(1, replaced + 1)),
    )


def _argmax_calls(
    policy: Policy, n_arms: int, neighbours: str, seed: int
) -> set[tuple[float, str]]:
    """Return scales and laws of the noisy argmaxes, if one round's change moves one at most."""
    rounds = telling_rounds(policy, n_arms)
    policy = policy.with_horizon(rounds)
    calls: set[tuple[float, str]] = set()
    generator = np.random.default_rng(seed)
    ends = release_rounds(policy, n_arms, rounds, SeededNoise(seed))
    single = Claim(math.inf, neighbours)  # whether a round enters one argmax is asked one by one
    for pair in itertools.islice(pairs(n_arms, rounds, single, ends, generator), 6):
        drawn = []
        for table in (pair.first, pair.second):
            noise = RecordingNoise(_Leader(seed))
            play(policy.learner(n_arms, noise=noise), table)
            drawn.append(noise.drawn)
        if len(drawn[0]) != len(drawn[1]):
            return set()
        if sum(a.raw != b.raw for a, b in zip(*drawn, strict=True)) > 1:
            return set()
        for each in drawn[0]:
            law = drawn_argmax(each.law)
            if law is None:
                return set()
            calls.add((each.scale, law))
    return calls


class _Leader(SeededNoise):
    """Always chooses action 0, so that two runs stay side by side."""

    def argmax(self, totals: Sequence[int], **_how: Any) -> int:  # noqa: ANN401, ARG002
        return 0

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:  # noqa: ARG002
        return True

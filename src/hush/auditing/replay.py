"""Replay: the same releases on other rewards must show the same, at a small loss.

A run on a reward table is recorded: what each draw of noise was handed, what came out, at which
scale, and everything that could be seen. The run is repeated on another table with all outcomes
frozen. If anything that can be seen differs, or a scale does, something went past the noise, and
the loss is infinite: this is tried on tables that differ in *every* round, and the round that
matters is then found by bisection. On tables that differ in one round, or in all rounds of one
person, the losses of all draws must add up to no more than the claim; which rounds to change is
guessed, and hunted for.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Any, cast

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Finding, Status, Witness
from hush.auditing.overcounts import hunt
from hush.auditing.plays import WAYS
from hush.auditing.recorded_runs import Case, Transcript, cases
from hush.auditing.reward_tables import Pair, Table, near_pairs, release_rounds
from hush.auditing.transcripts import (
    added_up,
    bisected,
    difference,
    most_moved,
    witnessed,
)
from hush.noise import SeededNoise
from hush.policies import Policy

__all__ = ["replay", "telling_rounds"]

MOST_ROUNDS = 2**15
BUDGET = 50_000  # steps, over all tables of one audit: rounds, and draws of noise twice
HUNTED = 256  # rounds of a table that is searched for one that counts too much


def replay(policy: Policy, n_arms: int, claim: Claim, *, seed: int, rounds: int | None) -> Finding:
    """Replay recorded outcomes on other tables; see the module's text."""
    generator = np.random.default_rng(seed)
    telling = rounds or telling_rounds(policy, n_arms)
    worst, witness = -1.0, None
    runs, draws, longest, tables, left = 0, 0, 0, 0, _budget(rounds, telling)
    most = 0  # rounds that were changed together
    hunting = left // 2
    for case, table in cases(policy, n_arms, telling, rounds, claim.neighbours, generator):
        if left <= 0 and runs >= 2 * len(WAYS):  # with drops and without, one table very long
            break
        first = case.run(table)
        script = [each.noisy for each in first.drawn]
        if runs < 8 and case.run(table, script) != first:
            return _not_replayable(case, first, case.run(table, script))
        runs, draws, longest = runs + 1, draws + len(first.drawn), max(longest, len(table))
        for tried in _pairs(table, first, claim, generator):
            pair, second = tried, case.run(tried.second, script)
            left -= len(table) + 2 * len(first.drawn)
            tables += 1
            event = difference(first, second)
            if event:
                loss = math.inf
                pair, event = bisected(case, tried, first, script)
            elif not tried.changed or _too_many(first, second, claim):
                continue  # no neighbours: their losses add up to anything
            else:
                loss, event = added_up(first, second, concentrated=claim.concentrated)
                most = max(most, len(tried.changed))
            if loss > worst:
                worst, witness = loss, witnessed(case, pair, event, loss)
            if math.isinf(loss):
                break
        if hunting > 0 and not math.isinf(worst):
            # A quarter of what tells most still has the first releases.
            shape = min(len(table), max(HUNTED, telling // 4)), table.shape[1]
            hunting -= shape[0] * (2 + shape[0].bit_length())
            loss, found = hunt(case, shape, claim)
            if loss > worst:
                worst, witness = loss, found
        if math.isinf(worst):
            break
    facts = {
        "runs": runs, "tables": tables, "rounds": longest, "draws": draws,
        "neighbours": claim.neighbours, "changed": most,
    }  # fmt: skip
    return _finding(worst, claim, witness, facts)


def _too_many(first: Transcript, second: Transcript, claim: Claim) -> bool:
    """Whether more rewards differ in one release than a person may have there."""
    return claim.per_release is not None and most_moved(first, second) > claim.per_release


def _budget(rounds: int | None, telling: int) -> int:
    """Return how many rounds to replay: a short table that is asked for needs fewer."""
    return max(BUDGET, 8 * telling) if rounds is None else min(BUDGET, 120 * rounds)


def _pairs(
    table: Table, first: Transcript, claim: Claim, generator: np.random.Generator
) -> Iterator[Pair]:
    """Yield tables that differ everywhere, then some that differ in a person's rounds."""
    other = 1.0 - table if claim.neighbours == "replace" else np.zeros_like(table)
    yield Pair(table, other, (), "every reward turned round")
    if claim.neighbours == "replace":
        anew = generator.integers(0, 2, table.shape).astype(np.float64)
        yield Pair(table, anew, (), "rewards drawn anew")
    near = near_pairs(table, claim, _ends(first, len(table)), _arms(first), generator)
    yield from islice(near, 10 if len(table) <= 500 else 6 if len(table) <= 2000 else 1)


def _ends(first: Transcript, rounds: int) -> list[int]:
    """Return about where releases came: the rounds in which something but an arm was shown."""
    t, ends = -1, []
    for what, value in first.seen:
        if what == "arm":
            t += 1
        elif what in ("update", "settle") and value != "None":
            ends.append(t)
    return [end for end in ends if 0 <= end < rounds]


def _arms(first: Transcript) -> list[int]:
    """Return what every round played."""
    arms: list[Any] = []
    for what, value in first.seen:
        if what == "arm":
            arms.append(value)
        elif what == "arms":
            arms.extend(cast("tuple[int, ...]", value))
    return arms


def telling_rounds(policy: Policy, n_arms: int) -> int:
    """Return a number of rounds in which several releases are drawn."""
    rounds = 256
    while rounds < MOST_ROUNDS:
        found = release_rounds(policy.with_horizon(rounds), n_arms, rounds, SeededNoise(1))
        if len(found) > n_arms:
            break
        rounds *= 2
    return rounds


def _not_replayable(case: Case, first: Transcript, again: Transcript) -> Finding:
    event = difference(first, again)
    return Finding(
        "replay",
        "inconclusive",
        None,
        f"The same outcomes on the same rewards do not give the same run ({event}; played by "
        f"{case.way}). The learner draws randomness outside its noise source, which replay cannot "
        "freeze.",
    )


def _finding(worst: float, claim: Claim, witness: Witness | None, facts: dict[str, Any]) -> Finding:
    violated = claim.broken_by(worst)
    if not facts["draws"] and not violated:
        return Finding(
            "replay",
            "inconclusive",
            None,
            f"No noise was drawn in {facts['rounds']:,} rounds, and nothing but noise could have "
            "differed.",
            facts=facts,
        )
    changes = "one round changes"
    if claim.rewards > 1:
        changes = f"{facts['changed']} rounds of one person change"
    what = (
        "Something goes past the noise, or noise has no bound on what it loses."
        if math.isinf(worst)
        else f"The draws of one run lose {worst:.4g} at most when {changes}."
    )
    says = (
        f"{facts['runs']} runs of up to {facts['rounds']:,} rounds, {facts['draws']:,} draws, "
        f"replayed on {facts['tables']} other tables: plainly, late, in batches, through stored "
        f"states. {what}"
    )
    status: Status = "violated" if violated else "consistent"
    if not violated and (missed := claim.missed(facts["changed"])):
        status, says = "inconclusive", says + missed
    return Finding("replay", status, worst, says, witness, facts=facts)

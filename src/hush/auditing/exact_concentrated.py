"""Exact concentrated losses: the law of all that is seen, arms and noisy sums, on two tables.

With Gaussian noise no single outcome has a bounded loss; what is bounded are Renyi divergences of
the whole law, ``D_alpha <= rho alpha``. Every outcome is listed up to six deviations off, under
two tables that differ in what one person gave, and the divergences are summed up. What is left out
could only add to them, so that they are proven lower bounds.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.enumeration import TooManyOutcomesError, enumerate_law
from hush.auditing.finding import Finding, Status, Witness
from hush.auditing.persons import differ_text
from hush.auditing.replay import telling_rounds
from hush.auditing.reward_tables import Pair, Table, pairs, release_rounds, told
from hush.noise import SeededNoise
from hush.policies import Policy

__all__ = ["concentrated_law", "hockey_stick", "renyi_divergence", "worst_rho"]

Law = Mapping[tuple[int, ...], float]
ORDERS = (1.5, 2.0, 3.0, 5.0, 9.0)
CURVE = (0.0, 0.5, 1.0, 2.0, 4.0)  # epsilons at which the exact delta is noted
MOST_RUNS = 2_500  # combinations of outcomes of one law
MOST_ROUNDS = 20_000
ALL_RUNS = 9_000
SIZE = 2  # arms


def renyi_divergence(first: Law, second: Law, order: float) -> float:
    """Return ``ln(sum of p^a q^(1 - a)) / (a - 1)`` over outcomes that both laws list.

    >>> round(renyi_divergence({(0,): 0.75, (1,): 0.25}, {(0,): 0.5, (1,): 0.5}, 2.0), 4)
    0.2231
    """
    both = [(p, second[seen]) for seen, p in first.items() if second.get(seen, 0.0) > 0.0 < p]
    if not both:
        return math.inf
    p, q = np.log(np.array(both)).T
    logs = order * p + (1.0 - order) * q
    most = float(logs.max())
    return (most + math.log(float(np.exp(logs - most).sum()))) / (order - 1.0)


def hockey_stick(first: Law, second: Law, epsilon: float) -> float:
    """Return the delta at epsilon: the sum of ``max(0, p - exp(epsilon) q)``.

    >>> hockey_stick({(0,): 0.75, (1,): 0.25}, {(0,): 0.5, (1,): 0.5}, 0.0)
    0.25
    """
    factor = math.exp(epsilon)
    return sum(max(0.0, p - factor * second.get(seen, 0.0)) for seen, p in first.items())


def worst_rho(first: Law, second: Law) -> float:
    """Return the least rho that all orders allow: the largest ``D_alpha / alpha``.

    >>> same, other = {(0,): 0.5, (1,): 0.5}, {(0,): 0.75, (1,): 0.25}
    >>> round(worst_rho(same, same), 12), round(worst_rho(other, same), 4)
    (0.0, 0.1214)
    """
    return max(0.0, *(renyi_divergence(first, second, each) / each for each in ORDERS))


def concentrated_law(policy: Policy, claim: Claim, *, seed: int) -> Finding:
    """List all that is seen of short runs on pairs of tables, and sum up their divergences."""
    setting = _setting(policy, seed)
    if setting is None:
        says = "Within reach of enumeration no sum is released."
        return Finding("exact", "inconclusive", None, says)
    played, ends, rounds, start, runs = setting
    worst, witness, compared = -1.0, None, 0
    facts: dict[str, object] = {"rounds": rounds}
    laws: dict[bytes, Law] = {}
    source = pairs(SIZE, rounds, claim, ends, np.random.default_rng(seed))
    for pair in itertools.islice(source, max(2, ALL_RUNS // (2 * runs))):
        both = [
            laws.setdefault(t.tobytes(), _law(played, t, start, seed))
            for t in (pair.first, pair.second)
        ]
        compared = max(compared, len(pair.changed))
        for each, (first, second) in ((pair, both), (pair.swapped(), both[::-1])):
            rho = worst_rho(first, second)
            if rho > worst:
                worst, witness = rho, _witness(each, first, second, rho)
                facts["orders"] = {f"{a:g}": renyi_divergence(first, second, a) for a in ORDERS}
                facts["curve"] = [[e, hockey_stick(first, second, e)] for e in CURVE]
    status: Status = "violated" if claim.broken_by(worst) else "consistent"
    missed = "" if status == "violated" else claim.missed(compared)
    says = (
        f"All that is seen in {rounds} rounds of {SIZE} arms, arms and noisy sums, about {runs:,} "
        f"outcomes on each of {len(laws)} tables: Renyi divergences are {worst:.4g} times their "
        f"order at most.{missed}"
    )
    return Finding("exact", "inconclusive" if missed else status, worst, says, witness, facts=facts)


def _law(policy: Policy, table: Table, start: int, seed: int) -> Law:
    found = enumerate_law(policy, table, seed=seed, most=2 * MOST_RUNS, start=start, shown=True)
    return found.chances


def _setting(policy: Policy, seed: int) -> tuple[Policy, list[int], int, int, int] | None:
    """Return the longest run with releases whose outcomes can be listed.

    The policy, where releases come, how many rounds, how many without noise, and how many outcomes.
    """
    most = telling_rounds(policy, SIZE)
    ends = release_rounds(policy.with_horizon(most), SIZE, most, SeededNoise(seed))
    start = ends[0] if ends and ends[0] > 32 else 0
    best = None
    for rounds in sorted({end + 2 for end in ends[:6]}):
        tried = policy.with_horizon(most if start else rounds)
        limit = min(MOST_RUNS, MOST_ROUNDS // (rounds - start))
        table = np.zeros((rounds, SIZE), np.int8)
        try:
            law = enumerate_law(tried, table, seed=seed, most=limit, start=start, shown=True)
        except TooManyOutcomesError:
            break
        if law.draws:
            best = tried, [end for end in ends if end < rounds - 1], rounds, start, law.runs
    return best


def _witness(pair: Pair, first: Law, second: Law, rho: float) -> Witness:
    shown = ", ".join(f"D_{a:g} = {renyi_divergence(first, second, a):.4f}" for a in ORDERS[1:3])
    return told(
        pair,
        "the arms played and all noisy sums",
        rho,
        f"Renyi divergences {shown}; {differ_text(pair.changed)}",
    )

"""Statistical: a black box, through ``select`` and ``update`` only.

The pair of tables and the event are fixed before sampling: by the exact laws where there are any,
else by a pilot whose samples are thrown away. The loss is bounded from below with exact
(Clopper-Pearson) intervals, so that what is reported is true with the stated confidence.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.finding import Finding, Status, Witness, exceeds
from hush.auditing.loss_bounds import CONFIDENCE, concentrated_bound, loss_bound
from hush.auditing.persons import differ_text
from hush.auditing.reward_tables import Pair, Table, pairs, play, release_rounds, told
from hush.auditing.search import Candidate, arms_text
from hush.noise import NoiseSource, SeededNoise
from hush.policies import Policy
from hush.theory.two_arms import Arms

__all__ = [
    "CONFIDENCE",
    "VIOLATIONS",
    "loss_bound",
    "samples_needed",
    "statistical",
]

VIOLATIONS = (0.1, 0.25, 1.0)
MOST_LIKELY = 0.9  # an event that nearly always happens tells nothing
PILOT = 400
PILOT_FIRST = 100
PILOT_PAIRS = 10
PILOT_FINALISTS = 2
PILOT_ROUNDS = 16


def samples_needed(claim: float, violation: float, chance: float) -> int:
    """Return how many runs on each table show a violation of that size, in a typical sample.

    Parameters
    ----------
    claim
        The claimed epsilon.
    violation
        By how much the true loss is larger, as a share: 0.1 is 10 %.
    chance
        The event's probability under the table where it is rarer. Where the violation would make
        the other probability exceed 1, the most telling event is taken instead.

    Examples
    --------
    >>> samples_needed(1.0, 1.0, 0.1) < samples_needed(1.0, 0.1, 0.1)
    True
    """
    true = min(claim * (1.0 + violation), 700.0)  # no number of runs shows what a double cannot
    rare = min(chance, 1.0 / (1.0 + math.exp(true)))
    often = rare * math.exp(true)

    def shows(samples: int) -> bool:
        counts = math.floor(often * samples), samples, math.ceil(rare * samples), samples
        return exceeds(loss_bound(*counts), claim)

    high = 16
    while not shows(high):
        high *= 2
        if high > 2**50:
            return high
    low = high // 2
    while high - low > max(1, high // 200):
        middle = (low + high) // 2
        low, high = (low, middle) if shows(middle) else (middle, high)
    return high


@dataclass(frozen=True)
class _Sequences:
    """The event that the arms played are one of these."""

    arms: frozenset[Arms]

    def seen(self, arms: Arms) -> bool:
        return arms in self.arms

    def __str__(self) -> str:
        shown = [arms_text(arms) for arms in sorted(self.arms)[:3]]
        more = f" or {len(self.arms) - 3} others" if len(self.arms) > 3 else ""
        return f"the arms played are {' or '.join(shown)}{more}"


@dataclass(frozen=True)
class _Plays:
    """The event that a round (from 0) plays this arm."""

    round: int
    arm: int

    def seen(self, arms: Arms) -> bool:
        return arms[self.round] == self.arm

    def __str__(self) -> str:
        return f"round {self.round + 1} plays arm {self.arm}"


@dataclass(frozen=True)
class _Plan:
    """What is fixed before sampling."""

    policy: Policy
    pair: Pair
    event: _Sequences | _Plays
    how: str


def statistical(
    policy: Policy,
    n_arms: int,
    claim: Claim,
    *,
    candidates: list[Candidate],
    samples: int,
    noise: Callable[[int], NoiseSource],
    seed: int,
) -> Finding:
    """Sample both tables of one pair and bound the loss of one event."""
    plan = _fixed(policy, n_arms, claim, candidates, samples, seed)
    if plan is None:
        return Finding(
            "statistical",
            "inconclusive",
            None,
            f"In {PILOT_ROUNDS} rounds the arms played do not depend on chance at all.",
        )
    counts = []
    for number, table in enumerate((plan.pair.first, plan.pair.second)):
        source = noise(2 * seed + number)
        counts.append(_hits(plan, table, samples, source))
    measure = concentrated_bound if claim.concentrated else loss_bound
    bound = measure(counts[0], samples, counts[1], samples)
    rare = max(counts[1], 1) / samples
    shares = () if claim.concentrated else VIOLATIONS
    needed = {f"{share:.0%}": samples_needed(claim.epsilon, share, rare) for share in shares}
    listing = ", ".join(f"{share} needs {count:,}" for share, count in needed.items())
    needs = f" To see a violation with an event this rare: {listing} runs." if needed else ""
    status: Status = "violated" if claim.broken_by(bound) else "consistent"
    missed = "" if status == "violated" else _missed(plan, claim, samples)
    return Finding(
        "statistical",
        "inconclusive" if missed else status,
        max(bound, 0.0),
        f"{samples:,} runs on each of two tables, event fixed {plan.how}. With {CONFIDENCE:.0%} "
        f"confidence the loss is at least {max(bound, 0.0):.4g}.{needs}{missed}",
        _witness(plan, counts, samples, bound),
        facts={"samples": samples, "hits": counts, "needed": needed, "confidence": CONFIDENCE},
    )


def _missed(plan: _Plan, claim: Claim, samples: int) -> str:
    """Return why samples that found nothing tell nothing about a person; empty if they do."""
    most = loss_bound(samples, samples, 0, samples)
    if claim.rewards > 1 and not claim.broken_by(most):
        return f" So many runs show no loss above {most:.3g}, whatever happens."
    return claim.missed(len(plan.pair.changed))


def _fixed(
    policy: Policy,
    n_arms: int,
    claim: Claim,
    candidates: list[Candidate],
    samples: int,
    seed: int,
) -> _Plan | None:
    """Choose by the laws; where these hold the selection rule's draws fixed, a pilot has a say."""
    plan = _from_laws(candidates, samples)
    if plan is not None and candidates[0].averaged:
        return plan
    value, other = _from_pilot(policy, n_arms, claim, seed)
    if plan is None or other is None:
        return plan or other
    source = SeededNoise(seed + 1, discrete=True)
    hits = [_hits(plan, table, PILOT, source) for table in (plan.pair.first, plan.pair.second)]
    return plan if loss_bound(hits[0], PILOT, hits[1], PILOT) >= value else other


def _from_laws(candidates: list[Candidate], samples: int) -> _Plan | None:
    """Take the pair and the event whose bound is expected to be largest, or nearly so.

    Simple pairs come first; a later one must promise a sixth more.
    """
    best, plan = -math.inf, None
    for each in candidates:
        for pair, first, second in (
            (each.pair, each.first.chances, each.second.chances),
            (each.pair.swapped(), each.second.chances, each.first.chances),
        ):
            values = [
                (loss_bound(round(p * samples), samples, round(q * samples), samples), event)
                for event, p, q in _events(first, second)
            ]
            value, event = max(values, key=lambda found: found[0])
            if plan is None or value > best + abs(best) / 6.0:
                best = value
                plan = _Plan(each.policy, pair, _Sequences(event), "by the exact laws")
    return plan


def _events(
    first: dict[Arms, float], second: dict[Arms, float]
) -> list[tuple[frozenset[Arms], float, float]]:
    """Return growing sets of arm sequences, those likeliest under the first law at the front."""
    known = sorted(first, key=lambda arms: -(first[arms] + 1e-12) / (second.get(arms, 0.0) + 1e-12))
    found: list[tuple[frozenset[Arms], float, float]] = []
    p = q = 0.0
    for place, arms in enumerate(known[:64]):
        p, q = p + first[arms], q + second.get(arms, 0.0)
        if found and q > MOST_LIKELY:
            break
        found.append((frozenset(known[: place + 1]), min(p, 1.0), min(q, 1.0)))
    return found


def _from_pilot(policy: Policy, n_arms: int, claim: Claim, seed: int) -> tuple[float, _Plan | None]:
    """Choose a round and an arm by small samples of their own, which are then thrown away.

    A first look at every pair names those that get a second.
    """
    policy = policy.with_horizon(PILOT_ROUNDS)
    generator = np.random.default_rng(seed)
    source = SeededNoise(seed + 1, discrete=True)
    ends = release_rounds(policy, n_arms, PILOT_ROUNDS, source)
    tried = pairs(n_arms, PILOT_ROUNDS, claim, ends, generator)
    first = [
        (_piloted(policy, n_arms, pair, PILOT_FIRST, source)[0], place, pair)
        for place, pair in enumerate(itertools.islice(tried, PILOT_PAIRS))
    ]
    finalists = sorted(first, key=lambda found: (-found[0], found[1]))[:PILOT_FINALISTS]
    found = [_piloted(policy, n_arms, pair, PILOT, source) for _, _, pair in finalists]
    return max(found, key=lambda each: each[0])


def _piloted(
    policy: Policy, n_arms: int, pair: Pair, samples: int, source: NoiseSource
) -> tuple[float, _Plan | None]:
    """Return the round and the arm that tell a pair of tables apart best, and how well."""
    tables = pair.first, pair.second
    played = np.array([[_arms(policy, each, source) for _ in range(samples)] for each in tables])
    hits = [(played == arm).sum(axis=1).tolist() for arm in range(n_arms)]
    best, plan = -math.inf, None
    for arm, t, swap in itertools.product(range(n_arms), range(PILOT_ROUNDS), (False, True)):
        one, other = (hits[arm][which][t] for which in ((1, 0) if swap else (0, 1)))
        if min(one, other) == samples:
            continue
        value = loss_bound(one, samples, other, samples)
        if value > best:
            inside = tuple(each for each in pair.changed if each <= t) or pair.changed
            cut = Pair(pair.first[: t + 1], pair.second[: t + 1], inside, pair.name)
            best = value
            plan = _Plan(
                policy, cut.swapped() if swap else cut, _Plays(t, arm), "by a pilot sample"
            )
    return best, plan


def _arms(policy: Policy, table: Table, source: NoiseSource) -> list[int]:
    return play(policy.learner(table.shape[1], noise=source), table, settle_last=False)


def _hits(plan: _Plan, table: Table, samples: int, source: NoiseSource) -> int:
    return sum(plan.event.seen(tuple(_arms(plan.policy, table, source))) for _ in range(samples))


def _witness(plan: _Plan, counts: list[int], samples: int, bound: float) -> Witness:
    return told(
        plan.pair,
        str(plan.event),
        bound,
        f"seen {counts[0]:,} times of {samples:,} under A, {counts[1]:,} times under B; "
        f"{differ_text(plan.pair.changed)}",
    )

"""Laws of the arms played, compared over neighbouring reward tables.

Where a policy says who of two arms wins, all tables at once; else the outcomes of its draws are
listed, on all small tables and on telling pairs of larger ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hush.auditing.attacked_claim import Claim
from hush.auditing.enumeration import (
    ArmLaw,
    TooManyOutcomesError,
    enumerate_law,
    worst_event,
)
from hush.auditing.finding import Witness
from hush.auditing.persons import Rounds, differ_text
from hush.auditing.replay import telling_rounds
from hush.auditing.reward_tables import Pair, Table, changed_rows, pairs, release_rounds, told
from hush.auditing.search import Candidate, Search, arms_text
from hush.noise import SeededNoise
from hush.policies import BanditPolicy, Policy
from hush.theory.two_arms import Arms, TwoArmLaw, laplace_masses, two_arm_law

__all__ = ["all_rewards", "listed", "on_table"]

MOST_RUNS = 10_000  # combinations of outcomes of one law
MOST_ROUNDS = 18_000  # rounds played for one law
ALL_RUNS = 20_000  # combinations for all laws together
ALL_ROUNDS = 120_000
PAIRS = 24
CELLS = 400_000  # of a matrix of released sums


def all_rewards(policy: BanditPolicy, claim: Claim, search: Search) -> None:
    """Two arms, every reward table at once."""
    rounds = _two_arm_rounds(policy)
    policy = policy.with_horizon(rounds)
    law = two_arm_law(policy, rounds)
    worst = law.worst(claim.rewards)
    if worst is None:
        return
    loss, arms, sums, other = worst
    tables = law.table(arms, sums), law.table(arms, other)
    pair = _pair(*tables)
    search.parts.append(
        f"All reward tables of 2 arms and {rounds} rounds, {len(law.chances)} arm sequences."
    )
    search.facts["rounds"] = rounds
    search.compared(max(sum(map(len, each)) for each in law.released.values()))
    chances = law.chances[arms][sums], law.chances[arms][other]
    search.found(loss, _witness(pair, arms, chances, loss))
    for arms, sums, other in law.telling(samples=10_000, rewards=claim.rewards):
        tables = law.table(arms, sums), law.table(arms, other)
        both = [on_table(law, each) for each in tables]
        search.candidates.append(Candidate(policy, _pair(*tables), both[0], both[1], averaged=True))


def _two_arm_rounds(policy: BanditPolicy) -> int:
    reach = len(laplace_masses(1.0 / policy.release_epsilon)) * (
        3 if policy.memory == "total" else 1
    )
    return next(
        (rounds for rounds in (8, 6, 5) if (rounds + reach) ** 2 * 4.0**rounds < 64 * CELLS * 256),
        4,
    )


def on_table(law: TwoArmLaw, table: Table) -> ArmLaw:
    """Return what a law of all tables says about one."""
    chances = {}
    for arms, by_sums in law.chances.items():
        sums = tuple(sum(int(table[t, arms[t]]) for t in each) for each in law.released[arms])
        chances[arms] = by_sums.get(sums, 0.0)
    return ArmLaw(chances, law.left_out, 0, 0)


def _pair(first: Table, second: Table) -> Pair:
    changed = np.flatnonzero((first != second).any(axis=1)).tolist()
    return Pair(first, second, tuple(changed), "found among all tables")


def listed(policy: Policy, n_arms: int, claim: Claim, seed: int, search: Search) -> None:
    """Any policy: outcomes listed one by one, on all small tables and on telling pairs."""
    _small_tables(policy, claim, seed, search)
    # Outcomes of more arms are too many to list where each arm has noise of its own.
    sizes = dict.fromkeys({"full": (n_arms, 2), "bandit": (2,)}[policy.feedback])
    setting = next(filter(None, (_longest(policy, size, seed) for size in sizes)), None)
    if setting is None:
        return
    laws: dict[bytes, ArmLaw] = {}
    generator = np.random.default_rng(seed)
    played = setting.rounds - setting.start
    most = min(ALL_RUNS // (2 * setting.runs), ALL_ROUNDS // (2 * setting.runs * played))
    count = max(5, min(PAIRS, most))
    source = pairs(setting.size, setting.rounds, claim, setting.ends, generator)
    for pair in itertools.islice(source, count):
        _weigh(setting.policy, pair, laws, seed, setting.start, search)
    search.parts.append(
        f"{count} pairs of tables of {setting.size} arms and {setting.rounds:,} rounds, "
        f"about {setting.runs:,} combinations of outcomes each."
    )
    search.facts["rounds"] = setting.rounds


def _weigh(
    policy: Policy, pair: Pair, laws: dict[bytes, ArmLaw], seed: int, start: int, search: Search
) -> None:
    """Compare both ways round; keep what tells the tables apart."""
    both = []
    for table in (pair.first, pair.second):
        key = table.tobytes()
        if key not in laws:
            try:
                laws[key] = enumerate_law(
                    policy, table, seed=seed, most=MOST_RUNS, start=start, discrete=False
                )
            except TooManyOutcomesError:
                return
        both.append(laws[key])
    if all(len(law.chances) == 1 for law in both) and both[0].chances == both[1].chances:
        return  # no draw decides anything here
    search.compared(len(pair.changed))
    for each, first, second in (
        (pair, both[0], both[1]),
        (pair.swapped(), both[1], both[0]),
    ):
        event = worst_event(first, second)
        arms = next(iter(event.arms))
        search.found(event.loss, _witness(each, arms, (event.first, event.second), event.loss))
    search.candidates.append(Candidate(policy, pair, both[0], both[1]))


@dataclass(frozen=True)
class _Setting:
    """A horizon whose outcomes can be listed, and from where on draws matter."""

    policy: Policy
    size: int
    rounds: int
    start: int
    ends: list[int]
    runs: int


def _longest(policy: Policy, size: int, seed: int) -> _Setting | None:
    """Return the longest such horizon in which a draw decides an arm."""
    most = telling_rounds(policy, size)
    ends = release_rounds(policy.with_horizon(most), size, most, SeededNoise(seed))
    if not ends:
        return None
    start = ends[0] if ends[0] > 32 else 0
    best = None
    for rounds in sorted({end + more for end in ends[:12] for more in (2, 3)}):
        tried = policy.with_horizon(most if start else rounds)
        table = np.zeros((rounds, size), np.int8)
        limit = min(MOST_RUNS, MOST_ROUNDS // (rounds - start))
        try:
            law = enumerate_law(tried, table, seed=seed, most=limit, start=start, discrete=False)
        except TooManyOutcomesError:
            break
        if len(law.chances) > 1:
            inside = [each for each in ends if each < rounds]
            best = _Setting(tried, size, rounds, start, inside, law.runs)
    return best


def _small_tables(policy: Policy, claim: Claim, seed: int, search: Search) -> None:
    """All tables of two actions and four rounds, where listing them is cheap: full information."""
    rounds, size = 4, 2
    policy = policy.with_horizon(rounds)
    try:
        law = enumerate_law(policy, np.zeros((rounds, size), np.int8), seed=seed, most=64)
    except TooManyOutcomesError:
        return
    if law.runs < 2:
        return
    laws: dict[bytes, ArmLaw] = {}
    rows = np.array(list(itertools.product((0, 1), repeat=size)), np.int8)
    for picks in itertools.product(range(len(rows)), repeat=rounds):
        for places, others in _other_picks(picks, len(rows), claim):
            table, changed = rows[list(picks)], rows[list(others)]
            pair = changed_rows(table, places, changed, "found among all tables")
            _weigh(policy, pair, laws, seed, 0, search)
    search.candidates.clear()  # longer tables tell more
    search.parts.append(f"All {len(laws)} reward tables of 2 actions and {rounds} rounds.")


def _other_picks(picks: Arms, many: int, claim: Claim) -> Iterator[tuple[Rounds, Arms]]:
    """Yield where neighbours of a table differ, and what they have there; every pair once.

    Nothing shows the rewards of the last round.
    """
    most = min(claim.rewards, len(picks) - 1)
    for count in range(1, most + 1):
        for places in itertools.combinations(range(len(picks) - 1), count):
            first, *rest = (picks[place] for place in places)
            if claim.neighbours == "replace":
                options = [range(first), *([o for o in range(many) if o != p] for p in rest)]
            else:  # all that is there counts as zeros
                options = [range(min(pick, 1)) for pick in (first, *rest)]
            for others in itertools.product(*options):
                yield places, others


def _witness(pair: Pair, arms: Arms, chances: tuple[float, float], loss: float) -> Witness:
    first, second = chances
    ratio = "infinite" if second <= 0.0 else f"{first / second:.6g} = exp({loss:.4f})"
    return told(
        pair,
        f"the arms played are {arms_text(arms)}",
        loss,
        f"probability {first:.6g} under A, {second:.6g} under B: ratio {ratio}; "
        f"{differ_text(pair.changed)}",
    )

"""Exact: the law of the arms, the worst ratio over neighbouring tables, the worst noisy argmax."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hush.auditing.enumeration import (
    ArmLaw,
    TooManyOutcomesError,
    enumerate_law,
    worst_event,
)
from hush.auditing.finding import Finding, Status, Witness, exceeds
from hush.auditing.replay import telling_rounds
from hush.auditing.tables import Pair, Table, changed_row, pairs, play, release_rounds, rows_text
from hush.auditing.winners import LONGEST_EPOCH, MOST_ACTIONS, WorstWinner, worst_winner
from hush.noise import SeededNoise
from hush.policies import Policy
from hush.testing.recording import RecordingNoise
from hush.theory.two_arms import Arms, TwoArmLaw, fits, laplace_masses, two_arm_law

__all__ = ["Candidate", "Exact", "exact"]

MOST_RUNS = 20_000  # combinations of outcomes of one law
MOST_ROUNDS = 36_000  # rounds played for one law
ALL_RUNS = 40_000  # combinations for all laws together
ALL_ROUNDS = 250_000
PAIRS = 24
CELLS = 400_000  # of a matrix of released sums
EPOCHS = tuple(2**k for k in range(LONGEST_EPOCH.bit_length()))


@dataclass(frozen=True)
class Candidate:
    """A pair of tables with both laws: what a statistical attack may choose from.

    ``averaged`` tells whether the laws take the selection rule's own draws into account.
    """

    policy: Policy
    pair: Pair
    first: ArmLaw
    second: ArmLaw
    averaged: bool = False


@dataclass
class Exact:
    """What the exact method found, and what it leaves to the statistical one."""

    finding: Finding
    candidates: list[Candidate] = field(default_factory=list)


@dataclass
class _Search:
    """The worst case so far."""

    loss: float = -math.inf
    witness: Witness | None = None
    parts: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    candidates: list[Candidate] = field(default_factory=list)

    def found(self, loss: float, witness: Witness) -> None:
        if loss > self.loss:
            self.loss, self.witness = loss, witness


def exact(policy: Policy, n_arms: int, *, claim: float, neighbours: str, seed: int) -> Exact:
    """Compute laws of arms and of noisy argmaxes; see the module's text."""
    search = _Search()
    if fits(policy):
        _all_rewards(policy, search)
    else:
        _listed(policy, n_arms, neighbours, seed, search)
    _noisy_argmax(policy, n_arms, neighbours, seed, search)
    if search.loss == -math.inf:
        finding = Finding(
            "exact",
            "inconclusive",
            None,
            "Within reach of enumeration no draw of noise decides an arm.",
            facts=search.facts,
        )
        return Exact(finding)
    status: Status = "violated" if exceeds(search.loss, claim) else "consistent"
    finding = Finding(
        "exact",
        status,
        search.loss,
        f"{' '.join(search.parts)} Worst loss {search.loss:.4g}.",
        search.witness,
        facts=search.facts,
    )
    return Exact(finding, search.candidates)


def _all_rewards(policy: Any, search: _Search) -> None:  # noqa: ANN401
    """Two arms, every reward table at once."""
    rounds = _two_arm_rounds(policy)
    policy = policy.with_horizon(rounds)
    law = two_arm_law(policy, rounds)
    worst = law.worst()
    if worst is None:
        return
    loss, arms, sums, other = worst
    tables = law.table(arms, sums), law.table(arms, other)
    pair = _pair(*tables)
    search.parts.append(
        f"All reward tables of 2 arms and {rounds} rounds, {len(law.chances)} arm sequences."
    )
    search.facts["rounds"] = rounds
    chances = law.chances[arms][sums], law.chances[arms][other]
    search.found(loss, _witness(pair, arms, chances, loss))
    for arms, sums, other in law.telling(samples=10_000):
        tables = law.table(arms, sums), law.table(arms, other)
        both = [_on_table(law, each) for each in tables]
        search.candidates.append(Candidate(policy, _pair(*tables), both[0], both[1], averaged=True))


def _two_arm_rounds(policy: Any) -> int:  # noqa: ANN401
    reach = len(laplace_masses(1.0 / policy.release_epsilon)) * (
        3 if policy.memory == "total" else 1
    )
    return next(
        (rounds for rounds in (8, 6, 5) if (rounds + reach) ** 2 * 4.0**rounds < 64 * CELLS * 256),
        4,
    )


def _on_table(law: TwoArmLaw, table: Table) -> ArmLaw:
    chances = {}
    for arms, by_sums in law.chances.items():
        sums = tuple(sum(int(table[t, arms[t]]) for t in each) for each in law.released[arms])
        chances[arms] = by_sums.get(sums, 0.0)
    return ArmLaw(chances, law.left_out, 0, 0)


def _pair(first: Table, second: Table) -> Pair:
    changed = int(np.flatnonzero((first != second).any(axis=1))[0])
    return Pair(first, second, changed, "found among all tables")


def _listed(policy: Policy, n_arms: int, neighbours: str, seed: int, search: _Search) -> None:
    """Any policy: outcomes listed one by one, on all small tables and on telling pairs."""
    _small_tables(policy, neighbours, seed, search)
    sizes = (n_arms, 2) if policy.feedback == "full" and n_arms > 2 else (2,)
    setting = next(filter(None, (_longest(policy, size, seed) for size in sizes)), None)
    if setting is None:
        return
    laws: dict[bytes, ArmLaw] = {}
    generator = np.random.default_rng(seed)
    played = setting.rounds - setting.start
    most = min(ALL_RUNS // (2 * setting.runs), ALL_ROUNDS // (2 * setting.runs * played))
    count = max(5, min(PAIRS, most))
    source = pairs(setting.size, setting.rounds, neighbours, setting.ends, generator)
    for pair in itertools.islice(source, count):
        _weigh(setting.policy, pair, laws, seed, setting.start, search)
    search.parts.append(
        f"{count} pairs of tables of {setting.size} arms and {setting.rounds:,} rounds, "
        f"about {setting.runs:,} combinations of outcomes each."
    )
    search.facts["rounds"] = setting.rounds


def _weigh(
    policy: Policy, pair: Pair, laws: dict[bytes, ArmLaw], seed: int, start: int, search: _Search
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


def _small_tables(policy: Policy, neighbours: str, seed: int, search: _Search) -> None:
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
    rows = [np.array(bits, np.int8) for bits in itertools.product((0, 1), repeat=size)]
    for picks in itertools.product(range(len(rows)), repeat=rounds):
        table = np.array([rows[each] for each in picks], np.int8)
        for place in range(rounds - 1):
            others = range(picks[place]) if neighbours == "replace" else range(min(picks[place], 1))
            for other in others:
                pair = changed_row(table, place, rows[other], "found among all tables")
                _weigh(policy, pair, laws, seed, 0, search)
    search.candidates.clear()  # longer tables tell more
    search.parts.append(f"All {len(laws)} reward tables of 2 actions and {rounds} rounds.")


def _witness(pair: Pair, arms: Arms, chances: tuple[float, float], loss: float) -> Witness:
    first, second = chances
    ratio = "infinite" if second <= 0.0 else f"{first / second:.6g} = exp({loss:.4f})"
    return Witness(
        rows_text(pair.first),
        rows_text(pair.second),
        f"the arms played are {arms_text(arms)}",
        loss,
        f"probability {first:.6g} under A, {second:.6g} under B: ratio {ratio}; "
        f"they differ in round {pair.changed + 1}",
    )


def arms_text(arms: Arms) -> str:
    groups = [(arm, len(list(run))) for arm, run in itertools.groupby(arms)]
    return ", ".join(str(arm) if many == 1 else f"{arm} x{many}" for arm, many in groups)


def _noisy_argmax(policy: Policy, n_arms: int, neighbours: str, seed: int, search: _Search) -> None:
    """Where each round enters one noisy argmax, the worst case over all sums is known."""
    calls = _argmax_calls(policy, n_arms, neighbours, seed)
    if not calls or n_arms > MOST_ACTIONS:
        return
    curves: dict[str, list[float]] = {}
    for scale, law in calls:
        for name in ("laplace", "discrete-laplace") if law == "laplace" else (law,):
            worst = [
                worst_winner(n_arms, epoch, scale=scale, law=name, neighbours=neighbours)
                for epoch in EPOCHS
            ]
            curves[name] = [each.loss for each in worst]
            longest = worst[-1] if name != "discrete-laplace" else max(worst, key=_loss)
            simple = next(each for each in worst if each.loss >= 0.95 * longest.loss)
            search.found(longest.loss, _winner_witness(simple, longest, name, scale))
    search.parts.append(
        f"The worst noisy argmax over all sums of {n_arms} actions, epochs up to {EPOCHS[-1]}."
    )
    search.facts["epochs"] = list(EPOCHS)
    search.facts["loss_by_epoch"] = curves


def _loss(worst: WorstWinner) -> float:
    return worst.loss


def _winner_witness(simple: WorstWinner, longest: WorstWinner, law: str, scale: float) -> Witness:
    """Write an epoch's reward vectors out: the replaced one first."""
    scores, other = np.array(simple.scores), np.array(simple.neighbour)
    changed = (scores > other).astype(np.int8), (other > scores).astype(np.int8)
    rest = np.minimum(scores, other)
    rows = np.arange(int(rest.max(initial=0)))[:, None] < rest  # the same under A and B
    tables = [np.vstack([each, rows.astype(np.int8)]) for each in changed]
    return Witness(
        f"an epoch of {rows_text(tables[0])}",
        f"an epoch of {rows_text(tables[1])}",
        f"action {simple.winner} is chosen next ({law} noise of scale {scale:g} on each sum)",
        simple.loss,
        f"{simple}; the worst over epochs up to {EPOCHS[-1]} is {longest.loss:.4f}",
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
    for pair in itertools.islice(pairs(n_arms, rounds, neighbours, ends, generator), 6):
        drawn = []
        for table in (pair.first, pair.second):
            noise = RecordingNoise(_Leader(seed))
            learner: Any = policy.learner(n_arms, noise=noise)
            play(learner, table)
            drawn.append(noise.drawn)
        if len(drawn[0]) != len(drawn[1]) or any(
            not each.law.startswith("argmax") for each in drawn[0]
        ):
            return set()
        if sum(a.raw != b.raw for a, b in zip(*drawn, strict=True)) > 1:
            return set()
        calls |= {(each.scale, each.law.removeprefix("argmax-")) for each in drawn[0]}
    return calls


class _Leader(SeededNoise):
    """Always chooses action 0, so that two runs stay side by side."""

    def argmax(self, totals: Any, *, epsilon: float, law: Any, neighbours: Any) -> int:  # noqa: ANN401, ARG002
        return 0

    def toss(self, bit: bool, *, chances: tuple[float, float]) -> bool:  # noqa: ARG002
        return True

"""Exact: the law of the arms, the worst ratio over neighbouring tables, the worst noisy argmax."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from hush.auditing.attacked_claim import Claim
from hush.auditing.exact_argmax import worst_argmax
from hush.auditing.exact_arms import all_rewards, listed
from hush.auditing.exact_concentrated import concentrated_law
from hush.auditing.finding import Finding, Status
from hush.auditing.search import Candidate, Search
from hush.policies import Policy
from hush.theory.two_arms import fits

__all__ = ["Exact", "exact"]


@dataclass
class Exact:
    """What the exact method found, and what it leaves to the statistical one."""

    finding: Finding
    candidates: list[Candidate] = field(default_factory=list)


def exact(policy: Policy, n_arms: int, claim: Claim, *, seed: int) -> Exact:
    """Compute laws of arms and of noisy argmaxes; see the module's text."""
    if claim.concentrated:
        return Exact(concentrated_law(policy, claim, seed=seed))
    search = Search()
    if fits(policy):
        all_rewards(policy, claim, search)
    else:
        listed(policy, n_arms, claim, seed, search)
    worst_argmax(policy, n_arms, claim, seed, search)
    if search.loss == -math.inf:
        finding = Finding(
            "exact",
            "inconclusive",
            None,
            "Within reach of enumeration no draw of noise decides an arm.",
            facts=search.facts,
        )
        return Exact(finding)
    status: Status = "violated" if claim.broken_by(search.loss) else "consistent"
    missed = "" if status == "violated" else claim.missed(search.differing)
    says = f"{' '.join(search.parts)} Worst loss {search.loss:.4g}{_between(claim)}.{missed}"
    finding = Finding(
        "exact",
        "inconclusive" if missed else status,
        search.loss,
        says,
        search.witness,
        facts=search.facts,
    )
    return Exact(finding, search.candidates)


def _between(claim: Claim) -> str:
    if claim.rewards == 1:
        return ""
    return f" between tables that differ in up to {claim.rewards:,} rounds"

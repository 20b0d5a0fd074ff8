"""``hush.audit``: attack a policy's guarantee, strongest method first."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from hush.auditing.attacked_claim import Claim
from hush.auditing.construction import construction
from hush.auditing.exact import Exact, exact
from hush.auditing.finding import Finding
from hush.auditing.replay import replay
from hush.auditing.report import AuditReport
from hush.auditing.samplers import noise as check_noise
from hush.auditing.statistical import statistical
from hush.auditing.taint import taint
from hush.errors import ParameterError, choice, positive, whole
from hush.noise import NoiseSource, SecureNoise, SeededNoise
from hush.policies import Policy
from hush.privacy import MOST_REWARDS, NEIGHBOURS, Guarantee
from hush.version import __version__

__all__ = ["METHODS", "audit"]

METHODS = ("construction", "taint", "replay", "exact", "statistical", "noise")
"""The methods of an audit, strongest first."""
SOURCES = ("seeded", "secure")
SHARES = dict(zip(METHODS, (0.1, 0.5, 2.0, 2.0, 2.0, 0.5), strict=True))


def audit(
    policy: Policy,
    n_arms: int = 3,
    *,
    claim: float | None = None,
    neighbours: str = "replace",
    person_bound: int | None = None,
    methods: Sequence[str] = METHODS,
    samples: int = 4_000,
    noise: str = "seeded",
    rounds: int | None = None,
    seed: int = 7,
    first: bool = False,
    progress: Callable[[float], None] | None = None,
) -> AuditReport:
    """Attack a policy's privacy guarantee, and report what came of it.

    Parameters
    ----------
    policy
        Any policy, built in or your own.
    n_arms
        How many arms to try it with. Exact laws of bandits take two.
    claim
        The loss to attack: an epsilon, or a rho where the policy's guarantee states one. Left out,
        it is the policy's ``epsilon`` parameter, which is what its name makes people believe, or
        the guarantee's, if that is less; for a person, as often as she gives a reward, or the
        square of that for rho. A claim that is given is the person's as it is.
    neighbours
        ``"replace"``: one round's rewards become any other. ``"add-remove"``: they count as zeros.
    person_bound
        In how many rounds the rewards are one person's, and change together. Left out, it is what
        the guarantee covers, which is one round's for every policy of Hush.
    methods
        Of ``"construction"``, ``"taint"``, ``"replay"``, ``"exact"``, ``"statistical"`` and
        ``"noise"``.
    samples
        Runs on each of the two tables of the statistical method.
    noise
        Whose noise the statistical method draws: ``"seeded"``, the law that is deployed from a
        reproducible generator, or ``"secure"``, the deployed sampler itself, which is slower.
    rounds
        Length of replayed tables; long enough for several releases if left out.
    seed
        Seed of tables and samples: the same seed gives the same report, but for secure noise.
    first
        Stop at the first method that finds a violation.
    progress
        Called with the share of the work done since the last call.

    Examples
    --------
    >>> import hush
    >>> report = hush.audit(hush.LazyDPTS(epsilon=1.0), methods=["construction", "taint"])
    >>> report.verdict, report.why
    ('proved', 'by construction, given its mechanism')
    >>> hers = hush.audit(hush.LazyDPTS(0.5), person_bound=4, methods=["construction"])
    >>> hers.verdict, hers.claim_text
    ('proved', 'epsilon = 2 under replace, per person of up to 4 rewards')
    """
    if not isinstance(policy, Policy):
        raise ParameterError(f"audit takes a policy, such as hush.LazyDPTS(1.0); got {policy!r}")
    n_arms = whole("n_arms", n_arms, least=2)
    samples = whole("samples", samples, least=100)
    seed = whole("seed", seed, least=0)
    rounds = None if rounds is None else whole("rounds", rounds, least=n_arms)
    choice("neighbours", neighbours, NEIGHBOURS)
    choice("noise", noise, SOURCES)
    if isinstance(methods, str):
        methods = [methods]
    for method in methods:
        choice("method", method, METHODS)
    attacked = _attacked(policy, claim, neighbours, person_bound)
    findings: list[Finding] = []
    found = Exact(Finding("exact", "inconclusive", None, ""))
    wanted = [m for m in METHODS if m in methods] if math.isfinite(attacked.size) else []
    total = sum(SHARES[method] for method in wanted) or 1.0
    for method in wanted:
        start = time.perf_counter()
        if method == "construction":
            finding = construction(policy, n_arms, attacked)
        elif method == "taint":
            finding = taint(policy, n_arms, seed=seed)
        elif method == "replay":
            finding = replay(policy, n_arms, attacked, rounds=rounds, seed=seed)
        elif method == "exact":
            found = exact(policy, n_arms, attacked.in_one_release(), seed=seed)
            finding = found.finding
        elif method == "statistical":
            finding = statistical(
                policy,
                n_arms,
                attacked.in_one_release(),
                candidates=found.candidates,
                samples=samples,
                noise=_secure if noise == "secure" else _seeded,
                seed=seed,
            )
        else:
            finding = check_noise(policy, n_arms, seed=seed, rewards=attacked.rewards)
        findings.append(replace(finding, seconds=time.perf_counter() - start))
        if progress is not None:
            progress(SHARES[method] / total)
        if first and finding.status == "violated":
            break
    return AuditReport(
        policy.label,
        attacked.size,
        neighbours,
        str(_guarantee(policy, attacked.rewards)),
        n_arms,
        tuple(findings),
        seed,
        __version__,
        attacked.rewards,
        attacked.concentrated,
        attacked.per_release,
    )


def _attacked(
    policy: Policy, claim: float | None, neighbours: str, person_bound: int | None
) -> Claim:
    """Return the claim that was given, or what the policy claims for so many rewards."""
    guarantee = policy.guarantee
    given = guarantee.rewards if person_bound is None else person_bound
    rewards = whole("person_bound", given, least=1, most=MOST_REWARDS)
    steps = math.ceil(rewards / guarantee.rewards)
    if guarantee.rho is not None:
        rho = steps * steps * guarantee.rho if claim is None else positive("claim", claim)
        per_release = guarantee.per_release if steps == 1 else None
        return Claim(math.inf, neighbours, rewards, rho, per_release)
    if claim is not None:
        return Claim(positive("claim", claim), neighbours, rewards)
    if not guarantee.private:
        return Claim(math.inf, neighbours, rewards)
    believed = min(policy.declared_epsilon, guarantee.under(neighbours))
    return Claim(steps * believed, neighbours, rewards)


def _guarantee(policy: Policy, rewards: int) -> Guarantee:
    return policy.guarantee if rewards == 1 else policy.guarantee.per_person(rewards)


def _seeded(seed: int) -> NoiseSource:
    return SeededNoise(seed, discrete=True)


def _secure(_seed: int) -> NoiseSource:
    return SecureNoise()

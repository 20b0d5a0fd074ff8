"""Upper bounds: one function per policy, in the words of its source."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from hush.numerics.divergence import kl
from hush.policies import (
    DPIMED,
    DPKLUCB,
    DPSE,
    DPTS,
    FTL,
    KLUCB,
    RNMFTNL,
    UCB1,
    UCBV,
    AdaPKLUCB,
    AdaPUCB,
    AnytimeLazyUCB,
    DecreasingHedge,
    DPUCBBound,
    LazyDPTS,
    NaiveFTNL,
    Policy,
    RandomPrefixEM,
    ShrinkingDartboard,
    ThompsonSampling,
    TreeDPUCB,
)
from hush.theory.bound import Bound, Setting
from hush.theory.constants import bracket_sum, lai_robbins, private_constant, sample_exponent

__all__ = ["SAMPLE_FACTORS", "upper_bounds"]

PAPER = "https://arxiv.org/abs/2102.07929"
SAMPLE_FACTORS: dict[type[Policy], float] = {AnytimeLazyUCB: 24.0, LazyDPTS: 72.0}
AZIZE = "https://arxiv.org/abs/2505.05613"


def upper_bounds(setting: Setting) -> list[Bound]:
    """Return the upper bounds on the policy's regret; at least that of playing the worst arm."""
    maker = MAKERS.get(type(setting.policy))
    found = list(maker(setting)) if maker else []
    worst = setting.horizon * max(setting.gaps, default=0.0)
    return [*found, Bound("worst arm always", "upper", worst, "T max D", "by definition")]


def _noisy_leader(setting: Setting, scale: float, proven: bool, condition: str) -> Iterator[Bound]:
    """Apply the paper's regret theorem: of the noise only its scale enters."""
    rate = 1.0 / scale
    reference = f"{PAPER} regret theorem of RNM-FTNL, constants from its proof"
    yield Bound(
        "brackets",
        "upper",
        bracket_sum(setting.gaps, rate),
        f"sum over brackets J of 256 (1 + ln |J|) / min(D, 1/scale), 1/scale = {rate:g}",
        reference,
        holds=proven,
        condition=condition,
    )
    yield Bound(
        "brackets above a threshold",
        "upper",
        _threshold(setting, rate),
        "least over thresholds d of T max{D : D <= d} + brackets of the gaps above d",
        f"{PAPER} instance-independent bound of RNM-FTNL",
        holds=proven,
        condition=condition,
    )
    logarithm = math.log(max(setting.n_arms, 1))
    yield Bound(
        "any gaps",
        "upper",
        math.sqrt(setting.horizon * logarithm) + scale * logarithm * math.log(setting.horizon),
        "sqrt(T ln K) + scale ln K ln T",
        f"{PAPER} instance-independent bound of RNM-FTNL",
        strength="order",
        holds=proven,
        condition=condition,
    )


def _threshold(setting: Setting, rate: float) -> float:
    ordered = sorted(setting.gaps)
    found = [bracket_sum(ordered, rate)]
    for position, gap in enumerate(ordered, start=1):
        found.append(setting.horizon * gap + bracket_sum(ordered[position:], rate))
    return min(found)


def _rnm_ftnl(setting: Setting) -> Iterator[Bound]:
    policy = setting.policy
    assert isinstance(policy, RNMFTNL)  # noqa: S101  by the table below
    scale = (2.0 if policy.neighbours == "replace" else 1.0) / policy.epsilon
    yield from _noisy_leader(
        setting,
        scale,
        policy.growth == 2.0,
        f"growth = 2, as in its proof; growth is {policy.growth:g}",
    )


def _naive_ftnl(setting: Setting) -> Iterator[Bound]:
    policy = setting.policy
    assert isinstance(policy, NaiveFTNL)  # noqa: S101  by the table below
    yield from _noisy_leader(setting, setting.n_arms / policy.epsilon, True, "")


def _random_prefix(setting: Setting) -> Iterator[Bound]:
    if setting.smallest is not None:
        value = math.log(setting.n_arms) * (1.0 / setting.smallest + 1.0 / setting.epsilon)
        formula = "1000 (ln K / Dmin + ln K / eps)"
        yield Bound("random prefix", "upper", 1000.0 * value, formula, setting.policy.reference)


def _ftl(setting: Setting) -> Iterator[Bound]:
    # Hoeffding: after t rounds arm j leads the best one with chance exp(-t D^2 / 2) at most.
    value = sum(gap / -math.expm1(-0.5 * gap * gap) for gap in setting.gaps)
    yield Bound(
        "sum over arms",
        "upper",
        value,
        "sum D / (1 - exp(-D^2 / 2))",
        "Hoeffding's inequality, arm by arm and round by round",
    )
    if setting.smallest is not None:
        yield Bound(
            "leader",
            "upper",
            math.log(setting.n_arms) / setting.smallest,
            "ln K / Dmin",
            setting.policy.reference,
            strength="order",
        )


def _hedge(setting: Setting) -> Iterator[Bound]:
    reference = setting.policy.reference
    logarithm = math.log(setting.n_arms)
    if setting.smallest is not None:
        yield Bound(
            "stochastic",
            "upper",
            (4.0 * logarithm + 25.0) / setting.smallest,
            "(4 ln K + 25) / Dmin",
            reference,
            holds=setting.unique_best,
            condition="a single best action",
        )
    root = math.sqrt(setting.horizon * logarithm)
    yield Bound("any adversary", "upper", root, "sqrt(T ln K)", reference)


def _dartboard(setting: Setting) -> Iterator[Bound]:
    policy, rounds = setting.policy, setting.horizon
    assert isinstance(policy, ShrinkingDartboard)  # noqa: S101  by the table below
    known = policy.horizon or rounds
    value = (
        policy.rate * rounds
        + math.log(setting.n_arms) / policy.rate
        + 2.0 * rounds * math.exp(-rounds * policy.switch_chance / 3.0)
    )
    yield Bound(
        "oblivious adversary",
        "upper",
        value,
        "eta T + ln K / eta + 2 T exp(-T p / 3)",
        policy.reference,
        holds=known == rounds,
        condition=f"the policy's own horizon, {known}",
    )


def _anytime_lazy_ucb(setting: Setting) -> Iterator[Bound]:
    """Take the constants of the proof: less than ``2^(d + 2)`` pulls of an arm on average.

    Up to the epoch after the d-th that is ``2^(d + 2) - 1`` pulls. A later epoch needs a failed
    bound: ``t^-3 / 2 + t^-6`` for the arm, and as much for each epoch of the best one. Summed over
    rounds and epochs, with ``d >= 5``, that is less than one pull more.
    """
    rounds, epsilon = setting.horizon, setting.epsilon
    pulls = [2.0 ** (sample_exponent(gap, epsilon, rounds, 24.0) + 2) for gap in setting.gaps]
    yield Bound(
        "samples",
        "upper",
        sum(gap * min(rounds, each) for gap, each in zip(setting.gaps, pulls, strict=True)),
        "sum D min(T, 2^(d + 2)), d = ceil(log2(24 ln T / (D min(D, eps))))",
        f"{PAPER} regret theorem of Anytime-Lazy-UCB, constants from its proof",
        holds=rounds >= 2,
        condition="T >= 2",
    )
    yield _lazy_order(setting, "sum ln T / min(D, eps)", "regret theorem of Anytime-Lazy-UCB")
    yield _lazy_any_gaps(setting, "regret theorem of Anytime-Lazy-UCB")


def _lazy_dp_ts(setting: Setting) -> Iterator[Bound]:
    yield _lazy_order(setting, "sum ln T / min(D, eps)", "regret theorem of Lazy-DP-TS")
    yield _lazy_any_gaps(setting, "regret theorem of Lazy-DP-TS")


def _lazy_order(setting: Setting, formula: str, where: str) -> Bound:
    value = sum(math.log(setting.horizon) / min(gap, setting.epsilon) for gap in setting.gaps)
    return Bound("gaps", "upper", value, formula, f"{PAPER} {where}", strength="order")


def _lazy_any_gaps(setting: Setting, where: str) -> Bound:
    n_arms, logarithm = setting.n_arms, math.log(setting.horizon)
    value = math.sqrt(n_arms * setting.horizon * logarithm) + n_arms * logarithm / setting.epsilon
    formula = "sqrt(K T ln T) + K ln T / eps"
    return Bound("any gaps", "upper", value, formula, f"{PAPER} {where}", strength="order")


def _ucb1(setting: Setting) -> Iterator[Bound]:
    value = sum(8.0 * math.log(setting.horizon) / gap for gap in setting.gaps)
    value += (1.0 + math.pi**2 / 3.0) * sum(setting.gaps)
    formula = "8 sum ln T / D + (1 + pi^2 / 3) sum D"
    yield Bound("UCB1", "upper", value, formula, f"{setting.policy.reference} Theorem 1")


def _ucb_v(setting: Setting) -> Iterator[Bound]:
    policy = setting.policy
    assert isinstance(policy, UCBV)  # noqa: S101  by the table below
    worse = [mean for mean in setting.env.means.tolist() if mean < setting.env.means.max()]
    parts = zip(worse, setting.gaps, strict=True)
    value = 10.0 * math.log(setting.horizon) * sum(m * (1.0 - m) / gap + 2.0 for m, gap in parts)
    yield Bound(
        "UCB-V",
        "upper",
        value,
        "10 sum (m (1 - m) / D + 2) ln T",
        policy.reference,
        holds=policy.zeta == 1.2 and policy.c == 1.0,
        condition="zeta = 1.2 and c = 1",
    )


def _asymptotic(setting: Setting) -> Iterator[Bound]:
    value = lai_robbins(setting.env) * math.log(setting.horizon)
    reference = setting.policy.reference
    formula = "sum D ln T / kl(m, m*)"
    yield Bound("long run", "upper", value, formula, reference, strength="leading term")


def _private_asymptotic(setting: Setting) -> Iterator[Bound]:
    policy = setting.policy
    assert isinstance(policy, DPKLUCB | DPIMED)  # noqa: S101  by the table below
    value = policy.alpha * private_constant(setting.env, setting.epsilon)
    formula = f"alpha sum D ln T / d_eps(m, m*), alpha = {policy.alpha:g}"
    yield Bound(
        "long run",
        "upper",
        value * math.log(setting.horizon),
        formula,
        AZIZE,
        strength="leading term",
    )


def _adap_ucb(setting: Setting) -> Iterator[Bound]:
    policy = setting.policy
    assert isinstance(policy, AdaPUCB | AdaPKLUCB)  # noqa: S101  by the table below
    logarithm, epsilon = math.log(setting.horizon), setting.epsilon
    wide = policy.beta > 3.0
    condition = f"beta > 3; beta is {policy.beta:g}"
    if type(policy) is AdaPUCB:
        value = sum(16.0 * policy.beta * logarithm / min(gap, epsilon) for gap in setting.gaps)
        formula = "sum 16 beta ln T / min(D, eps)"
        yield Bound(
            "gaps",
            "upper",
            value,
            formula,
            policy.reference,
            "leading term",
            holds=wide,
            condition=condition,
        )
        return
    best = float(setting.env.means.max())
    value = sum(
        (best - mean) * logarithm / min(float(kl(mean, best)), epsilon * (best - mean))
        for mean in setting.env.means.tolist()
        if mean < best
    )
    formula = "sum D ln T / min(kl(m, m*), eps D)"
    yield Bound(
        "gaps", "upper", value, formula, policy.reference, "order", holds=wide, condition=condition
    )


def _orders(
    formula: str, each: Callable[[float, Setting], float]
) -> Callable[..., Iterator[Bound]]:
    """Return the maker of a bound that is a sum over arms, known in order only."""

    def make(setting: Setting) -> Iterator[Bound]:
        value = sum(each(gap, setting) for gap in setting.gaps)
        reference = setting.policy.reference
        yield Bound("gaps", "upper", value, formula, reference, strength="order")

    return make


def _log(setting: Setting) -> float:
    return math.log(setting.horizon)


def _log_log(x: float) -> float:
    return math.log(max(math.e, x))


MAKERS: dict[type[Policy], Callable[[Setting], Iterator[Bound]]] = {
    RNMFTNL: _rnm_ftnl,
    NaiveFTNL: _naive_ftnl,
    RandomPrefixEM: _random_prefix,
    FTL: _ftl,
    DecreasingHedge: _hedge,
    ShrinkingDartboard: _dartboard,
    AnytimeLazyUCB: _anytime_lazy_ucb,
    LazyDPTS: _lazy_dp_ts,
    UCB1: _ucb1,
    UCBV: _ucb_v,
    KLUCB: _asymptotic,
    ThompsonSampling: _asymptotic,
    DPKLUCB: _private_asymptotic,
    DPIMED: _private_asymptotic,
    AdaPUCB: _adap_ucb,
    AdaPKLUCB: _adap_ucb,
    DPSE: _orders(
        "sum (ln T / D + ln T / eps)", lambda gap, s: _log(s) / gap + _log(s) / s.epsilon
    ),
    DPTS: _orders(
        "sum max(ln T / D, ln T ln(ln T / (eps D)) / eps)",
        lambda gap, s: max(
            _log(s) / gap, _log(s) * _log_log(_log(s) / (s.epsilon * gap)) / s.epsilon
        ),
    ),
    DPUCBBound: _orders(
        "sum max(ln T / D, ln T ln(ln T) / eps)",
        lambda gap, s: max(_log(s) / gap, _log(s) * _log_log(_log(s)) / s.epsilon),
    ),
    TreeDPUCB: _orders(
        "sum ln(T)^2 ln(K T) / (eps D)",
        lambda gap, s: _log(s) ** 2 * math.log(s.n_arms * s.horizon) / (s.epsilon * gap),
    ),
}

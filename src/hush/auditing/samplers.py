"""The noise itself: whether the deployed sampler has its law, and leaves no marks in the bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from hush.auditing.finding import Finding
from hush.auditing.replay import telling_rounds
from hush.auditing.reward_tables import play
from hush.noise import ArgmaxLaw, NoiseSource, SecureNoise, SeededNoise
from hush.noise.laws import drawn_argmax
from hush.numerics.noisy_argmax import win_chances
from hush.policies import Policy
from hush.testing.recording import RecordingNoise

__all__ = [
    "FALSE_ALARM",
    "LawCheck",
    "check_argmax",
    "check_gaussian",
    "check_laplace",
    "check_toss",
    "marked_share",
    "noise",
]

FALSE_ALARM = 1e-6  # of each test, where the sampler is right
Call = tuple[str, float, tuple[float, float]]  # a law, its scale, and the chances of a toss
DRAWS = 8000
MARKS = 2000


@dataclass(frozen=True)
class LawCheck:
    """How a sampler's draws compare with the law they should have.

    Attributes
    ----------
    what
        Which draws.
    draws
        How many.
    p_value
        Of Pearson's chi-square test over bins of at least ten expected draws, both tails included.
    tail_p_value
        Of an exact binomial test of the share beyond four scales.

    Of a coin, both are of exact binomial tests: where the raw bit is 0, and where it is 1.
    """

    what: str
    draws: int
    p_value: float
    tail_p_value: float

    @property
    def passed(self) -> bool:
        """Whether neither test raises the alarm."""
        return min(self.p_value, self.tail_p_value) > FALSE_ALARM


def check_laplace(source: NoiseSource, scale: float, draws: int = DRAWS) -> LawCheck:
    """Compare discrete Laplace draws with their law.

    >>> import hush
    >>> check_laplace(hush.SeededNoise(7, discrete=True), 2.0, 2000).passed
    True
    """
    values = np.array([source.add_laplace(0, epsilon=1.0 / scale) for _ in range(draws)])
    ratio = math.exp(-1.0 / scale)
    centre = (1.0 - ratio) / (1.0 + ratio)
    reach = max(1, math.floor(scale * math.log(draws * centre / 10.0))) if draws > 20 else 1
    inner = np.arange(-reach, reach + 1)
    masses = centre * ratio ** np.abs(inner)
    tail = ratio ** (reach + 1) / (1.0 + ratio)
    expected = draws * np.concatenate([[tail], masses, [tail]])
    places = np.clip(np.rint(values).astype(np.int64), -reach - 1, reach + 1) + reach + 1
    counted = np.bincount(places, minlength=expected.size)
    far = math.ceil(4.0 * scale)
    beyond = int((np.abs(values) >= far).sum())
    share = 2.0 * ratio**far / (1.0 + ratio)
    return LawCheck(
        f"discrete Laplace noise of scale {scale:g}",
        draws,
        _chi_square(counted, expected),
        float(stats.binomtest(beyond, draws, share).pvalue),
    )


def check_gaussian(source: NoiseSource, deviation: float, draws: int = DRAWS) -> LawCheck:
    """Compare discrete Gaussian draws with their law.

    >>> import hush
    >>> check_gaussian(hush.SeededNoise(7, discrete=True), 2.0, 2000).passed
    True
    """
    rho = 0.5 / (deviation * deviation)
    values = np.rint([source.add_gaussian(0, rho=rho) for _ in range(draws)]).astype(np.int64)
    reach = math.ceil(10.0 * deviation)
    inner = np.arange(-reach, reach + 1)
    masses = np.exp(-rho * inner.astype(np.float64) ** 2)
    masses /= masses.sum()
    # Bins as wide as leaves ten expected draws in each, the tails together at either end.
    edge = max(1, int(np.flatnonzero(draws * np.cumsum(masses) >= 10.0)[0]))
    far = inner[edge]
    inside = np.clip(inner, far, -far) - far
    expected = draws * np.bincount(inside, weights=masses)
    counted = np.bincount(np.clip(values, far, -far) - far, minlength=expected.size)
    groups = np.cumsum(expected) // 10.0
    places = np.unique(groups, return_inverse=True)[1]
    beyond = math.ceil(4.0 * deviation)
    share = float(masses[np.abs(inner) >= beyond].sum())
    return LawCheck(
        f"discrete Gaussian noise of deviation {deviation:g}",
        draws,
        _chi_square(
            np.bincount(places, weights=counted),
            np.asarray(np.bincount(places, weights=expected), dtype=np.float64),
        ),
        float(stats.binomtest(int((np.abs(values) >= beyond).sum()), draws, share).pvalue),
    )


def check_argmax(
    source: NoiseSource, scale: float, law: ArgmaxLaw, draws: int = DRAWS // 2
) -> LawCheck:
    """Compare winners of a noisy argmax with their law.

    >>> import hush
    >>> check_argmax(hush.SeededNoise(7), 2.0, "exponential", 2000).passed
    True
    """
    totals = [0, round(scale), round(2.0 * scale), round(3.0 * scale)]
    winners = [
        source.argmax(totals, epsilon=1.0 / scale, law=law, neighbours="add-remove")
        for _ in range(draws)
    ]
    discrete = law == "laplace" and getattr(source, "discrete", source.secure)
    chances = win_chances(totals, scale=scale, law="discrete-laplace" if discrete else law)
    counted = np.bincount(winners, minlength=len(totals))
    last = int(counted[0])
    return LawCheck(
        f"noisy argmax, {law} noise of scale {scale:g}",
        draws,
        _chi_square(counted, draws * chances),
        float(stats.binomtest(last, draws, float(chances[0])).pvalue),
    )


def check_toss(
    source: NoiseSource, chances: tuple[float, float], draws: int = DRAWS // 2
) -> LawCheck:
    """Compare tosses of a noisy bit with their chances.

    >>> import hush
    >>> check_toss(hush.SeededNoise(7), (0.25, 0.75), 2000).passed
    True
    """
    values = [
        stats.binomtest(
            sum(source.toss(bit, chances=chances) for _ in range(draws)), draws, chances[bit]
        ).pvalue
        for bit in (False, True)
    ]
    what = f"coins of chances {chances[0]:.4g} and {chances[1]:.4g}"
    return LawCheck(what, draws, float(values[0]), float(values[1]))


def _chi_square(counted: NDArray[Any], expected: NDArray[np.float64]) -> float:
    statistic = float(((counted - expected) ** 2 / expected).sum())
    return float(stats.chi2.sf(statistic, counted.size - 1))


def naive_laplace(total: float, scale: float, generator: np.random.Generator) -> float:
    """Return what the textbook does: a logarithm of a uniform double, added to the sum."""
    return float(total + generator.laplace(0.0, scale))


def marked_share(
    draw: Callable[[int], float],
    scale: float,
    *,
    draws: int = MARKS,
    totals: Sequence[int] = (0, 1),
) -> float:
    """Return how often one noisy value alone proves which of two sums it hides.

    Floating-point noise is a logarithm of one of 2^53 uniform numbers. Not every double near a sum
    is such a logarithm plus the sum; a value that can be reached from one sum and not from the
    other gives the sum away, whatever epsilon says. Whole values can be reached from any whole sum.

    Mironov: On Significance of the Least Significant Bits for Differential Privacy. CCS 2012.
    https://doi.org/10.1145/2382196.2382264

    Examples
    --------
    >>> import hush
    >>> secure = hush.SecureNoise()
    >>> marked_share(lambda total: secure.add_laplace(total, epsilon=1.0), 1.0, draws=50)
    0.0
    """
    given_away = 0
    for number in range(draws):
        true, other = (totals[0], totals[1]) if number % 2 else (totals[1], totals[0])
        value = draw(true)
        if float(value).is_integer():
            continue
        given_away += not _reachable(value, other, scale)
    return given_away / draws


def _reachable(value: float, total: int, scale: float) -> bool:
    """Tell whether ``total + noise`` can be this double, for NumPy's Laplace sampler."""
    distance = value - total
    sign = -1.0 if distance < 0.0 else 1.0
    # Below: total + scale * log(2 U). Above: total - scale * log(2 - U - U), which rounds once.
    # U is a whole number of 2^-53.
    unit = 2.0**-52 if distance < 0.0 else 2.0**-53
    near = round(math.exp(-abs(distance) / scale) / unit)
    return any(
        k > 0 and total + (0.0 - sign * scale * math.log(k * unit)) == value
        for k in range(near - 8, near + 9)
    )


def noise(
    policy: Policy, n_arms: int, *, seed: int, rewards: int = 1, source: NoiseSource | None = None
) -> Finding:
    """Check the samplers that a policy's releases come from, as they are deployed.

    A sampler knows neither rewards nor persons. Bits are compared for sums that lie as far apart
    as so many rewards can move them.
    """
    source = SecureNoise() if source is None else source
    calls = sorted(_calls(policy, n_arms, seed))
    checks = [_check(source, *call) for call in calls]
    if not checks:
        return Finding("noise", "inconclusive", None, "The policy drew no noise.")
    scale = 1.0
    generator = np.random.default_rng(seed)
    gaussian = any(draw == "gaussian" for draw, *_ in calls)
    deployed = marked_share(
        lambda total: (
            source.add_gaussian(total, rho=0.5 / scale**2)
            if gaussian
            else source.add_laplace(total, epsilon=1.0 / scale)
        ),
        scale,
        draws=MARKS // 4,
        totals=(0, rewards),
    )
    naive = marked_share(lambda total: naive_laplace(total, scale, generator), scale)
    wrong = [check.what for check in checks if not check.passed]
    violated = bool(wrong) or deployed > 0.0
    tested = "; ".join(f"{c.what}: p = {c.p_value:.2g}, tail {c.tail_p_value:.2g}" for c in checks)
    says = (
        f"{checks[0].draws:,} draws of {type(source).__name__} against the law ({tested}). "
        f"Values that give their sum away by their bits: {deployed:.1%}; of NumPy's "
        f"floating-point sampler {naive:.1%}."
    )
    if wrong:
        rate = f"a right one fails once in {1 / FALSE_ALARM:,.0f}"
        says += f" Wrong law: {', '.join(wrong)} ({rate})."
    if rewards > 1:
        says += f" Bits were compared for sums that {rewards:,} rewards tell apart."
    facts = {"marked": deployed, "marked_naive": naive, "p_values": [c.p_value for c in checks]}
    return Finding(
        "noise",
        "violated" if violated else "consistent",
        math.inf if deployed > 0.0 else None,
        says,
        facts=facts,
    )


def _check(source: NoiseSource, draw: str, scale: float, chances: tuple[float, float]) -> LawCheck:
    """Compare draws of one kind with their law."""
    law = drawn_argmax(draw)
    if law is not None:
        return check_argmax(source, scale, law)
    if draw == "toss":
        return check_toss(source, chances)
    return (check_gaussian if draw == "gaussian" else check_laplace)(source, scale)


def _calls(policy: Policy, n_arms: int, seed: int) -> set[Call]:
    """Return the laws, scales and chances of a policy's draws, five of them at most."""
    rounds = telling_rounds(policy, n_arms)
    recording = RecordingNoise(SeededNoise(seed))
    learner = policy.with_horizon(rounds).learner(n_arms, noise=recording)
    play(learner, np.zeros((rounds, n_arms), np.int8))
    calls = {(each.law, each.scale, each.chances) for each in recording.drawn}
    return set(sorted(calls)[:5])

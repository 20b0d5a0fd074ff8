"""All bounds on one policy's regret, with what they are made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from hush.environments import Bernoulli
from hush.errors import ParameterError, choice, whole
from hush.numerics.bound import Bound, Setting
from hush.numerics.divergence import d_eps, kl
from hush.numerics.regret_constants import bracket_numbers, sample_exponent
from hush.output.document import Preformatted, TableOf
from hush.output.tabular import Tabular
from hush.policies import Policy
from hush.theory.constants import coins, critical_gap
from hush.theory.distance import TRIVIAL, Distance, distance
from hush.theory.lower import lower_bounds

__all__ = ["ArmFacts", "Bounds", "bounds"]

FARTHEST = 10**18


@dataclass(frozen=True)
class ArmFacts:
    """What bounds know about an arm.

    Attributes
    ----------
    arm, mean, gap
        Which one, its mean, and how much less than the best it is worth.
    bracket
        l, where ``2^(l - 1) Dmin <= gap < 2^l Dmin``; None without a gap.
    sample_exponent
        d: an epoch of ``2^d`` pulls tells the arm apart; for AnytimeLazyUCB and LazyDPTS.
    kl
        ``kl(mean, best)``.
    d_eps
        ``d_eps(mean, best)``; None where the policy is not private.

    Examples
    --------
    >>> import hush
    >>> facts = hush.bounds(hush.AnytimeLazyUCB(0.5), hush.paper_s1(), 10**6).arms[1]
    >>> facts.gap, facts.bracket, facts.sample_exponent
    (0.125, 1, 15)
    """

    arm: int
    mean: float
    gap: float
    bracket: int | None
    sample_exponent: int | None
    kl: float | None
    d_eps: float | None


@dataclass(frozen=True)
class Bounds(Sequence[Bound], Tabular):
    """The bounds on the regret of one policy: a sequence, also to be asked by name.

    Attributes
    ----------
    policy, means, horizon
        What they are for.
    epsilon
        The privacy loss when one reward, or reward vector, is replaced.
    items
        The bounds, upper ones first.
    arms
        Gap, bracket, sample size and divergences of each arm.
    critical_gap
        The hardest gap at this horizon.
    note
        What else must be said.
    source
        The policy itself.

    Examples
    --------
    >>> import hush
    >>> report = hush.bounds(hush.RNMFTNL(epsilon=1.0), hush.paper_s1(), 10**6)
    >>> report["brackets"].value
    4293.78...
    >>> report.lower, report.upper
    (0.0, 37.41...)
    """

    policy: str
    means: tuple[float, ...]
    horizon: int
    epsilon: float
    items: tuple[Bound, ...]
    arms: tuple[ArmFacts, ...]
    critical_gap: float
    note: str = ""
    source: Policy | None = field(default=None, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Bound]:
        return iter(self.items)

    def __getitem__(self, which: Any) -> Any:  # noqa: ANN401  a number, a slice, or a name
        if isinstance(which, str):
            choice("bound", which, [bound.name for bound in self.items])
            return next(bound for bound in self.items if bound.name == which)
        return self.items[which]

    @property
    def upper(self) -> float:
        """The least upper bound that holds here with its constants."""
        return min(b.value for b in self.items if b.kind == "upper" and b.binding)

    @property
    def lower(self) -> float:
        """The largest lower bound that holds here with its constants; 0 if there is none."""
        return max((b.value for b in self.items if b.kind == "lower" and b.binding), default=0.0)

    @cached_property
    def distance(self) -> Distance | None:
        """How far the policy is from the best possible, at most; None if nothing can be said."""
        if self.source is None:
            return None
        return distance(self.source, Setting(self.means, self.horizon, self.epsilon), self.items)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, JSON-able; an infinite epsilon is None."""
        return {
            "policy": self.policy,
            "means": list(self.means),
            "horizon": self.horizon,
            "epsilon": self.epsilon if self.epsilon < float("inf") else None,
            "upper": self.upper,
            "lower": self.lower,
            "distance": None if self.distance is None else self.distance.to_dict(),
            "bounds": [bound.to_dict() for bound in self.items],
            "arms": [asdict(arm) for arm in self.arms],
            "critical_gap": self.critical_gap,
            "note": self.note,
        }

    def to_columns(self) -> dict[str, Any]:
        """Return a row per bound.

        >>> import hush
        >>> list(hush.bounds(hush.UCB1(), hush.paper_s1(), 1000).to_columns())[:4]
        ['name', 'kind', 'value', 'formula']
        """
        rows = [bound.to_dict() for bound in self.items]
        return {name: [row[name] for row in rows] for name in rows[0]}

    @property
    def title(self) -> str:
        """What they are for, in a line."""
        return f"{self.policy}, {len(self.means)} arms, {self.horizon:,} rounds"

    def __repr__(self) -> str:
        return f"<Bounds: {self.title}: {self.lower:,.4g} to {self.upper:,.4g}>"

    def _repr_html_(self) -> str:
        rows = ((b.name, b.kind, f"{b.value:,.4g}", b.formula, b.status) for b in self.items)
        table = TableOf(("bound", "kind", "value", "formula", "status"), tuple(rows), numbers=False)
        return table.html() + Preformatted("\n".join([self.title, *self._ends])).html()

    @property
    def _ends(self) -> list[str]:
        between = f"regret lies between {self.lower:,.4g} and {self.upper:,.4g}"
        return [each for each in (between, str(self.distance or ""), self.note) if each]

    def __str__(self) -> str:
        rows = [("bound", "kind", "value", "status")]
        rows += [(b.name, b.kind, f"{b.value:,.4g}", b.status) for b in self.items]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [self.title]
        for name, kind, value, status in rows:
            lines.append(
                f"  {name:<{widths[0]}}  {kind:<{widths[1]}}  {value:>{widths[2]}}  {status}"
            )
        return "\n".join([*lines, *self._ends])


def bounds(policy: Policy, env: Bernoulli, horizon: int) -> Bounds:
    """Return upper and lower bounds on a policy's expected regret, with their constants.

    Where a source gives no constants, its leading term or its order is returned and labelled as
    such. Where conditions are not met, the bound says which.

    Parameters
    ----------
    policy
        A policy. For your own, what it yields from ``bounds(setting)``, and what holds for every
        policy of its feedback and privacy.
    env
        Coins.
    horizon
        After how many rounds. A policy that needs the horizon and was made without gets this one.

    Examples
    --------
    >>> import hush
    >>> print(hush.bounds(hush.UCB1(), hush.paper_s1(), 10**6))
    UCB1(), 5 arms, 1,000,000 rounds
      bound             kind   value  status
      UCB1              upper  1,847  holds, as quoted
      worst arm always  upper  5e+05  holds
      first pulls       lower   1.25  holds
      Lai and Robbins   lower  98.48  leading term only, as quoted
      minimax           lower  74.07  holds on some instance, as quoted
    regret lies between 1.25 and 1,847
    """
    if not isinstance(policy, Policy):
        raise ParameterError(f"policy must be a policy, such as LazyDPTS(0.5); got {policy!r}")
    env = coins(env)
    horizon = whole("horizon", horizon, least=1, most=FARTHEST)
    policy = policy.with_horizon(horizon)
    setting = Setting(tuple(env.means.tolist()), horizon, policy.guarantee.under("replace"))
    note = ""
    if not policy.has_bounds:
        note = f"No upper bound on the regret of {type(policy).__name__} is proven."
    return Bounds(
        policy=policy.label,
        means=setting.means,
        horizon=horizon,
        epsilon=setting.epsilon,
        items=(*_upper_bounds(policy, setting), *lower_bounds(policy, setting)),
        arms=tuple(_arms(policy, setting)),
        critical_gap=critical_gap(policy.feedback, env.n_arms, horizon),
        note=note,
        source=policy,
    )


def bound_line(policy: Policy) -> str:
    """Return what is proven about a policy's regret, as one line: its first two bounds in general.

    Where any have constants, only those count.

    >>> import hush
    >>> bound_line(hush.AdaPKLUCB(1.0))
    'O(sum D ln T / min(kl(m, m*), eps D)), for beta > 3'
    """
    setting = Setting((0.6, 0.4), FARTHEST, policy.guarantee.under("replace"))
    proven = list(policy.bounds(setting)) if policy.has_bounds else []
    found = ([bound for bound in proven if bound.has_constants] or proven)[:2]
    conditions = list(dict.fromkeys(bound.general_condition for bound in found))
    parts = [
        ", and ".join(bound.claim for bound in found if bound.general_condition == condition)
        + (f", for {condition}" if condition else "")
        for condition in conditions
    ]
    return "; ".join(parts) or "none proven"


def _upper_bounds(policy: Policy, setting: Setting) -> list[Bound]:
    """Return the upper bounds on the policy's regret; at least that of playing the worst arm."""
    found = policy.bounds(setting) if policy.has_bounds else ()
    worst = setting.horizon * max(setting.gaps, default=0.0)
    return [*found, Bound(TRIVIAL, "upper", worst, "T max D", "by definition")]


def _arms(policy: Policy, setting: Setting) -> Iterator[ArmFacts]:
    gaps, best = setting.all_gaps.tolist(), setting.best
    private = setting.epsilon < float("inf")
    factor = policy.sample_factor if policy.has_bounds else None
    numbers = bracket_numbers(gaps)
    for arm, (mean, gap, number) in enumerate(zip(setting.means, gaps, numbers, strict=True)):
        worse = gap > 0.0
        samples = None
        if worse and factor is not None:
            samples = sample_exponent(gap, setting.epsilon, setting.horizon, factor)
        yield ArmFacts(
            arm=arm,
            mean=mean,
            gap=gap,
            bracket=number,
            sample_exponent=samples,
            # A best arm that never fails is told apart by a single 0.
            kl=float(kl(mean, best)) if worse and best < 1.0 else None,
            d_eps=float(d_eps(mean, best, setting.epsilon)) if worse and private else None,
        )

"""How long an experiment takes to learn something, at a stated traffic, before it is started."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from hush.errors import ParameterError, positive, shown
from hush.live.durations import UNITS
from hush.live.planning import Arms, Knobs, Plan
from hush.live.terms import Terms
from hush.output.document import Preformatted

__all__ = ["Expected", "Outlook", "outlook"]

MOST_RELEASES = 5_000


@dataclass(frozen=True)
class Expected:
    """A release to come.

    Attributes
    ----------
    decisions
        How many decisions of its arm are known by then.
    releases
        In how many releases.
    noise
        The standard deviation of the noise on the arm's mean reward, where rewards are mapped to
        [0, 1]: that of the summed noise, relative to the number of decisions.
    days
        How long it takes at most.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:")
    >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                    person_epsilon=1.0, window="1d")
    >>> first = exp.outlook(per_day=100).first
    >>> first.decisions, first.releases, round(first.noise, 2), round(first.days, 2)
    (4, 1, 0.35, 1.07)
    """

    decisions: int
    releases: int
    noise: float
    days: float


@dataclass(frozen=True)
class Outlook:
    """When an experiment can be expected to know something.

    Whatever a policy does, of any ``arms * (n - 1) + 1`` decisions some arm has ``n``; so these
    are times by which *some* arm has its release, with every decision's window, the grace and the
    ticks counted in. Policies that explore first give every arm its first release by then.

    Attributes
    ----------
    per_day, learnt
        What was assumed: decisions a day, and the share of them that is learnt from.
    within
        What was called useful: noise of at most so much on an arm's mean reward.
    wait
        How long a full batch is waited for, in milliseconds: window, grace, and ticks.
    first, useful
        The first release, and the first after which the noise is within :attr:`within`; None
        where none is in sight.

    Examples
    --------
    >>> import hush.live
    >>> store = hush.live.open(":memory:")
    >>> exp = store.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
    ...                    person_epsilon=1.0, window="1d")
    >>> ahead = exp.outlook(per_day=100, learnt=0.8)
    >>> ahead.first.days < ahead.useful.days
    True
    """

    per_day: float
    learnt: float
    within: float
    bound: int
    arms: int
    segments: int
    wait: int
    first: Expected
    useful: Expected | None

    def __str__(self) -> str:
        split = f", spread evenly over {self.segments} segments" if self.segments > 1 else ""
        share = (
            f"every one learnt from (nobody comes more than {_times(self.bound)})"
            if self.learnt == 1.0
            else f"{self.learnt:.0%} of them learnt from"
        )
        lines = [
            f"At {self.per_day:,g} decisions a day{split}, {share}:",
            f"  first release: {_said(self.first)}",
        ]
        if self.useful is None:
            lines.append(
                f"  no release with noise within {self.within:g} is in sight: promise more, learn "
                "from fewer decisions of a person, or find more traffic"
            )
        else:
            lines.append(f"  first useful release: {_said(self.useful)}")
        lines.append(f"  of which {self.wait / UNITS['d']:,.2f} days are window, grace and ticks")
        return "\n".join(lines)

    def __repr__(self) -> str:
        within = "none in sight" if self.useful is None else f"within {self.useful.days:,.2f} days"
        return f"<outlook at {self.per_day:,g} decisions a day: first useful release {within}>"

    def _repr_html_(self) -> str:
        return Preformatted(str(self)).html()


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _said(expected: Expected) -> str:
    count = "one decision" if expected.decisions == 1 else f"{expected.decisions:,} decisions"
    times = "one release" if expected.releases == 1 else f"{expected.releases:,} releases"
    return (
        f"within {expected.days:,.2f} days; {count} of an arm in {times}, "
        f"noise {expected.noise:.3f} on its mean"
    )


def outlook(
    terms: Terms,
    arms: Arms,
    *,
    per_day: float,
    learnt: float = 1.0,
    within: float = 0.1,
) -> Outlook:
    """Work out when an experiment of these terms has its first release, and its first useful one.

    Parameters
    ----------
    terms, arms
        The experiment.
    per_day
        Decisions a day, over all arms and segments; taken to come evenly.
    learnt
        The share of decisions that is learnt from. It is 1 if nobody comes more often than the
        bound; how often people return is not known beforehand.
    within
        How much noise on an arm's mean, mapped to [0, 1], is called useful.
    """
    rate = positive("per_day", per_day) * _share("learnt", learnt) / UNITS["d"]
    wanted = positive("within", within)
    n_arms, n_segments = len(arms.active), len(terms.segments)
    rate /= n_segments
    wait = terms.window + terms.grace + 2 * terms.tick
    deviation = math.sqrt(2.0) / terms.epsilon  # of one release's Laplace noise

    first = useful = None
    for decisions, releases, counted, summed, aged in _reached(terms, arms, rate / n_arms):
        needed = (n_arms * (decisions - 1) + 1) / rate
        noise = math.sqrt(summed) * deviation / counted
        found = Expected(decisions, releases, noise, (needed + wait + aged) / UNITS["d"])
        first = first or found
        if found.noise <= wanted:
            useful = found
            break
    if first is None:
        raise ParameterError("this policy never releases anything")
    return Outlook(
        float(per_day),
        float(learnt),
        wanted,
        terms.person_bound,
        n_arms,
        n_segments,
        wait,
        first,
        useful,
    )


def _reached(terms: Terms, arms: Arms, rate: float) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield what is known after each release of an arm that gets an even share.

    That is: all its decisions so far, its releases, how many decisions and releases make up its
    statistic, and how long the last batch waited to be closed by its age.
    """
    plan = Plan(terms, arms, Knobs(), 0)
    arm = arms.active[0]
    last_only = terms.learning.memory == "last"
    most = math.inf if terms.max_age is None else max(1, math.floor(rate * terms.max_age))
    total = 0
    for releases in range(1, MOST_RELEASES + 1):
        wanted = plan.wants(arm, total)
        count = int(min(wanted, most))
        total += count
        aged = (terms.max_age or 0) if count < wanted else 0
        known = (count, 1) if last_only else (total, releases)
        yield total, releases, *known, aged


def _share(name: str, value: float) -> float:
    found = positive(name, value)
    if found > 1.0:
        raise ParameterError(f"{name} must be a share from 0 to 1; got {shown(value)}")
    return found

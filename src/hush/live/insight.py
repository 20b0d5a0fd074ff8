"""What a live experiment knows, from the public store alone.

For each arm what is believed of its mean given the noisy releases, exactly and noise included; how
that came about; when a decision can be expected; and whether the arms were shown as planned. All of
it is a function of releases, visits, operators' acts and the clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from hush.errors import ParameterError, is_number, shown
from hush.live.beliefs import Beliefs, Point
from hush.live.clock import moment
from hush.live.forecasting import Expectation, Traffic, expectation
from hush.live.sample_ratio import SampleRatio, sample_ratio
from hush.live.terms import Terms
from hush.numerics.posterior_draws import inverse
from hush.output.document import Paragraph, TableOf

__all__ = ["ArmInsight", "Insight", "Moment", "checked_delta", "segment_insight"]

TAILS = np.array([0.025, 0.975])


@dataclass(frozen=True)
class ArmInsight:
    """What is known of one arm. Means are in the units of rewards.

    Attributes
    ----------
    name, retired
        The arm; a retired one is shown no more.
    served, learnt
        How many decisions showed it, and how many of them are learnt from.
    counted, releases
        How many decisions its releases have, and how many releases there are.
    mean
        The noisy mean: the released sums over their decisions; None before the first release. Noise
        may carry it out of the range of rewards.
    interval
        Where its mean lies with a chance of 95 %, given the releases, noise included.
    best
        The chance that it is the best of the active arms; None if it is retired.

    Examples
    --------
    >>> import hush.live
    >>> exp = hush.live.open(":memory:").create(
    ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
    >>> arm = exp.insight[""].arms[0]
    >>> arm.name, arm.counted, arm.mean, round(arm.best, 3)
    ('old', 0, None, 0.5)
    """

    name: str
    retired: bool
    served: int
    learnt: int
    counted: int
    releases: int
    mean: float | None
    interval: tuple[float, float]
    best: float | None


@dataclass(frozen=True)
class Moment:
    """What was known after a release.

    Attributes
    ----------
    at, seq
        When it appeared, and its place in the journal.
    arm, count
        Whose release it was, and how many decisions it had.
    best
        The chance of every arm to be the best of those that were active; None for others.
    plan
        The chances by which arms were chosen from then on; None while arms waited for their first
        release. Where they change with every round, those of the round after all decisions that
        were released by then.

    Examples
    --------
    >>> import hush.live
    >>> clock = hush.live.ManualClock()
    >>> store = hush.live.open(":memory:", clock=clock)
    >>> exp = store.create("checkout", policy="LazyDPTS", arms=["old", "new"],
    ...                    person_epsilon=1.0, window="1h")
    >>> exp.start()
    >>> _ = exp.decide("u17")
    >>> clock.advance("2h")
    >>> store.settle()
    >>> moment, = exp.insight[""].history
    >>> moment.arm, moment.count, moment.plan, round(sum(moment.best.values()), 6)
    ('old', 1, None, 1.0)
    """

    at: datetime
    seq: int
    arm: str
    count: int
    best: dict[str, float | None]
    plan: dict[str, float] | None


@dataclass(frozen=True)
class Insight:
    """What a live experiment knows in one segment.

    Attributes
    ----------
    segment
        Its name; empty where there are none.
    arms
        What is known of each arm.
    history
        What was known after each release, or after some of them where there are many: at most 200.
    decision
        Which arm leads, and when it is, or can be expected to be, known to be the best.
    unlearnt
        The share of decisions that nothing is learnt from; None before the first.
    ratio
        Whether the arms were shown as planned.

    Examples
    --------
    >>> import hush.live
    >>> exp = hush.live.open(":memory:").create(
    ...     "checkout", policy="NoiseAwareTS", arms=["old", "new"], person_epsilon=1.0)
    >>> exp.insight[""]
    <insight: 2 arms, 0 releases; no arm leads: nothing was released yet>
    """

    segment: str
    arms: tuple[ArmInsight, ...]
    history: tuple[Moment, ...]
    decision: Expectation
    unlearnt: float | None
    ratio: SampleRatio

    def __repr__(self) -> str:
        where = f" of {self.segment}" if self.segment else ""
        releases = sum(arm.releases for arm in self.arms)
        return f"<insight{where}: {len(self.arms)} arms, {releases} releases; {self.decision}>"

    def _repr_html_(self) -> str:
        rows = tuple(
            (
                f"{arm.name} (retired)" if arm.retired else arm.name,
                f"{arm.served:,}",
                f"{arm.learnt:,}",
                f"{arm.counted:,}",
                "" if arm.mean is None else f"{arm.mean:.4g}",
                f"{arm.interval[0]:.4g} to {arm.interval[1]:.4g}",
                "" if arm.best is None else f"{arm.best:.1%}",
            )
            for arm in self.arms
        )
        table = TableOf(COLUMNS, rows).html()
        share = "" if self.unlearnt is None else f"; {self.unlearnt:.1%} of decisions unlearnt"
        where = f"{self.segment}: " if self.segment else ""
        said = Paragraph(f"{where}{self.decision}{share}.").html()
        return table + said + Paragraph(f"Sample ratio: {self.ratio.verdict}.").html()


COLUMNS = ("arm", "served", "learnt", "in releases", "noisy mean", "95 % interval", "best")


def checked_delta(delta: object) -> float:
    """Return how likely a wrong decision may be, or raise.

    >>> checked_delta(0.05)
    0.05
    """
    if not is_number(delta) or not 0.0 < delta <= 0.5:
        raise ParameterError(
            f"delta must be a number above 0 and at most 0.5, such as 0.05; got {shown(delta)}"
        )
    return float(delta)


def segment_insight(
    beliefs: Beliefs,
    terms: Terms,
    segment: int,
    tallies: Mapping[int, Sequence[float]],
    clock: tuple[int, int, bool],
    delta: float,
) -> Insight:
    """Put together what is known of a segment.

    Parameters
    ----------
    beliefs
        What its releases say.
    terms, segment
        The experiment's, and which segment it is.
    tallies
        For each arm that has any: served, learnt, firsts, expected, spread.
    clock
        For how long the experiment ran, what time it is, and whether it runs.
    delta
        How likely a wrong decision may be.
    """
    names = beliefs.arms.names
    counted = [tuple(tallies.get(arm, (0, 0, 0, 0.0, 0.0))) for arm in range(len(names))]
    learnt = tuple(int(each[1]) for each in counted)
    served = sum(each[0] for each in counted)
    best = beliefs.best()
    rewards = terms.rewards
    arms = []
    for arm, name in enumerate(names):
        known = beliefs.posterior(arm)
        low, high = inverse([known, known], TAILS)
        count = beliefs.counts[arm]
        arms.append(
            ArmInsight(
                name,
                arm in beliefs.arms.retired,
                int(counted[arm][0]),
                learnt[arm],
                count,
                beliefs.releases[arm],
                rewards.reward(beliefs.sums[arm] / count) if count else None,
                (rewards.reward(float(low)), rewards.reward(float(high))),
                best[arm],
            )
        )
    return Insight(
        terms.segments[segment],
        tuple(arms),
        tuple(_moment(each, names) for each in beliefs.history),
        expectation(beliefs, terms, Traffic(learnt, *clock), delta),
        1.0 - sum(learnt) / served if served else None,
        sample_ratio(
            [
                (name, int(each[2]), float(each[3]), float(each[4]))
                for name, each in zip(names, counted, strict=True)
            ]
        ),
    )


def _moment(point: Point, names: Sequence[str]) -> Moment:
    plan = point.plan
    return Moment(
        moment(point.at),
        point.seq,
        names[point.arm],
        point.count,
        dict(zip(names, point.best, strict=False)),
        None if plan is None else dict(zip(names, plan, strict=False)),
    )

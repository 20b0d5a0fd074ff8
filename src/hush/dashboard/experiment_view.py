"""What the page of an experiment shows: its arms, its charts, and what they mean in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from hush.dashboard.charts import Axis, Chart, Interval, Line, intervals, lines
from hush.dashboard.log_words import log_rows
from hush.dashboard.reader import Reader
from hush.dashboard.svg_parts import number, percent, when
from hush.live.forecasting import Expectation
from hush.live.insight import ArmInsight, Insight
from hush.live.reading import Records
from hush.live.sample_ratio import LEVEL
from hush.live.segments import Known
from hush.privacy import Guarantee

__all__ = [
    "ExperimentView",
    "RatioView",
    "SegmentView",
    "experiment_view",
    "ratios_of",
]

MOST_RELEASES = 30
MOST_ACTS = 50
ACTS = {
    "draft": ("start", "rehearse"),
    "rehearsal": ("start",),
    "running": ("pause", "stop"),
    "paused": ("resume", "stop"),
    "quarantined": ("continue", "stop"),
}


@dataclass(frozen=True)
class SegmentView:
    """A segment: its table and its charts."""

    name: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    charts: tuple[Chart, ...]


@dataclass(frozen=True)
class RatioView:
    """A sample-ratio test in words."""

    segment: str
    text: str
    kind: str
    p: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ExperimentView:
    """All that a page shows of an experiment."""

    known: Known
    policy: str
    headline: str
    warnings: tuple[str, ...]
    served: int
    learnt: int
    unlearnt: float
    expected: str
    acts: tuple[str, ...]
    segments: tuple[SegmentView, ...]
    releases: tuple[tuple[str, ...], ...]
    guarantee: Guarantee
    ratios: tuple[RatioView, ...]
    log: tuple[tuple[str, ...], ...]


def ratios_of(reader: Reader, known: Known, now: datetime) -> list[RatioView]:
    """Return the sample-ratio tests of an experiment's segments."""
    return [_ratio(each) for each in reader.insight(known.id, now).values()]


def experiment_view(reader: Reader, experiment: int, now: datetime) -> ExperimentView:
    """Return what a page shows of an experiment."""
    records = reader.records
    known = records.known(experiment)
    found = reader.insight(experiment, now)
    tallies = records.tallies(experiment)
    served = sum(each["served"] for each in tallies)
    learnt = sum(each["learnt"] for each in tallies)
    several = len(found) > 1
    return ExperimentView(
        known=known,
        policy=_policy(known),
        headline=_headline(found),
        warnings=_warnings(known),
        served=served,
        learnt=learnt,
        unlearnt=1.0 - learnt / served if served else 0.0,
        expected=_expected(known, found),
        acts=ACTS.get(known.state, ()),
        segments=tuple(
            _segment(each, _shares_of(records, known, each), several) for each in found.values()
        ),
        releases=_releases(records, known),
        guarantee=reader.guarantee(known),
        ratios=tuple(_ratio(each) for each in found.values()),
        log=_log(records, known),
    )


def _policy(known: Known) -> str:
    given = {**known.terms.policy}
    name = given.pop("policy")
    shown = ", ".join(f"{key}={value}" for key, value in given.items())
    return f"{name} ({shown})" if shown else str(name)


def _headline(found: dict[str, Insight]) -> str:
    parts = []
    for name, each in found.items():
        if each.decision.leader is not None and each.decision.chance is not None:
            where = f" in {name}" if len(found) > 1 else ""
            chance = percent(each.decision.chance)
            parts.append(f"{each.decision.leader} leads{where} (chance to be best: {chance})")
    return "; ".join(parts) + "." if parts else "Nothing has been released yet."


def _warnings(known: Known) -> tuple[str, ...]:
    if known.state != "quarantined":
        return ()
    return (
        "The private store was lost or set back. Nothing is learnt until someone stops the "
        "experiment or lets it continue, which charges the promise once more.",
    )


def _expected(known: Known, found: dict[str, Insight]) -> str:
    if not known.begun:
        return "not before it is started"
    parts = [
        f"{name}: {_outlook(each.decision)}" if name else _outlook(each.decision)
        for name, each in found.items()
    ]
    return "; ".join(parts)


def _outlook(it: Expectation) -> str:
    """Say when the leader is known to be the best."""
    if it.leader is None:
        return "not before the first release"
    if it.since is not None:
        return f"{it.leader}, since {when(it.since)} UTC"
    if it.by is not None:
        return f"expected by {when(it.by)} UTC"
    return f"not in sight: {it.basis}"


def _shares_of(records: Records, known: Known, it: Insight) -> dict[str, str]:
    """Say how often each arm is shown: as the plan has it, while it is followed."""
    if known.state != "running":
        return {arm.name: known.state for arm in it.arms}
    shares = {each["name"]: each["chance"] for each in records.plans(known.id)[it.segment]["arms"]}
    new = any(arm.counted == 0 and not arm.retired for arm in it.arms)
    if new and max(shares.values()) == 1.0:  # which of them is next says nothing
        return {arm.name: "none" if arm.retired else "in turn" for arm in it.arms}
    return {name: percent(share) for name, share in shares.items()}


def _segment(it: Insight, shares: dict[str, str], several: bool) -> SegmentView:
    where = f" ({it.segment})" if several else ""
    rows = tuple(
        (
            f"{arm.name} (retired)" if arm.retired else arm.name,
            shares[arm.name],
            f"{arm.served:,}",
            f"{arm.counted:,}",
            "none yet" if arm.mean is None else number(arm.mean),
            "none yet" if arm.mean is None else _between(arm),
            "retired" if arm.best is None else percent(arm.best) if it.history else "none yet",
        )
        for arm in it.arms
    )
    return SegmentView(it.segment, ARMS, rows, tuple(_charts(it, where)))


ARMS = (
    "arm",
    "chance to be shown",
    "decisions",
    "in releases",
    "noisy mean",
    "95% interval",
    "chance to be best",
)


def _between(arm: ArmInsight) -> str:
    return f"{number(arm.interval[0])} to {number(arm.interval[1])}"


def _charts(it: Insight, where: str) -> list[Chart]:
    known = [arm for arm in it.arms if arm.mean is not None]
    if not known:
        return []
    said = "; ".join(f"{arm.name} {number(arm.mean or 0.0)} ({_between(arm)})" for arm in known)
    charts = [
        intervals(
            f"Means{where}",
            f"Each arm's noisy mean outcome, and where its mean lies with a chance of 95%: {said}",
            [Interval(arm.name, arm.mean or 0.0, *arm.interval) for arm in known],
            said=number,
        )
    ]
    if len(it.history) > 1:
        charts.append(_allocation(it, where))
        charts.append(_best(it, where))
    return charts


def _allocation(it: Insight, where: str) -> Chart:
    even = 1.0 / max(1, sum(not arm.retired for arm in it.arms))

    def share(which: int, name: str) -> float:
        plan = it.history[which].plan
        return even if plan is None else plan.get(name, 0.0)

    text = "The chance of each arm to be shown, even while they take turns at first"
    return _over_time(f"Allocation over time{where}", text, it, share)


def _best(it: Insight, where: str) -> Chart:
    def chance(which: int, name: str) -> float:
        return it.history[which].best.get(name) or 0.0

    text = "The chance of each arm to be the best"
    return _over_time(f"Chance to be best over time{where}", text, it, chance)


def _over_time(title: str, text: str, it: Insight, value: Callable[[int, str], float]) -> Chart:
    many = range(len(it.history))
    drawn = [
        Line(
            arm.name,
            tuple(value(which, arm.name) for which in many),
            frozenset(which for which in many if it.history[which].arm == arm.name),
        )
        for arm in it.arms
    ]
    ends = "; ".join(f"{line.name} {percent(line.values[-1])}" for line in drawn)
    return lines(
        title,
        f"{text}, after each release; a mark where one was its own. Now: {ends}.",
        [each.at.timestamp() for each in it.history],
        drawn,
        along=Axis("when", lambda at: when(datetime.fromtimestamp(at, UTC))[5:]),
        steps=True,
    )


def _ratio(it: Insight) -> RatioView:
    ratio = it.ratio
    rows = tuple(
        (arm.name, f"{arm.firsts:,}", number(arm.expected), number(arm.z))
        for arm in (ratio.arms if ratio.p_value is not None else ())
    )
    alarm = ratio.p_value is not None and ratio.p_value < LEVEL
    p = "none yet" if ratio.p_value is None else number(ratio.p_value)
    said = ratio.verdict[:1].upper() + ratio.verdict[1:] + "."
    return RatioView(it.segment, said, "bad" if alarm else "soft", p, rows)


def _releases(records: Records, known: Known) -> tuple[tuple[str, ...], ...]:
    several = len(known.terms.segments) > 1
    return tuple(
        (
            when(each.at),
            *((each.segment,) if several else ()),
            each.name,
            f"{each.count:,}",
            number(each.value),
            number(each.epsilon),
        )
        for each in reversed(records.releases(known.id)[-MOST_RELEASES:])
    )


def _log(records: Records, known: Known) -> tuple[tuple[str, ...], ...]:
    rows = log_rows(records.acts(known.id), known.arms.names)
    return tuple(reversed(rows[-MOST_ACTS:]))

"""What the page of an experiment shows: its arms, its charts, and what they mean in words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from hush.dashboard.charts import Axis, Chart, Interval, Line, intervals, lines
from hush.dashboard.reader import Reader
from hush.dashboard.svg_parts import number, percent, when
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
    confidence: str
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
        expected=_expected(known, found, several),
        confidence="95 %",
        acts=ACTS.get(known.state, ()),
        segments=tuple(
            _segment(each, _shares_of(records, experiment, name), several)
            for name, each in found.items()
        ),
        releases=_releases(records, experiment, now),
        guarantee=reader.guarantee(known),
        ratios=tuple(_ratio(each) for each in found.values()),
        log=_log(records, experiment),
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
            parts.append(f"{each.decision.leader} leads{where}: best with a chance of {chance}")
    return "; ".join(parts) + "." if parts else "Nothing is known yet: there is no release."


def _warnings(known: Known) -> tuple[str, ...]:
    if known.state != "quarantined":
        return ()
    return (
        "The private store was lost or set back. Nothing is learnt until somebody stops the "
        "experiment, or lets it continue, which charges the promise once more.",
    )


def _expected(known: Known, found: dict[str, Insight], several: bool) -> str:
    if not known.begun:
        return "not before it is started"
    parts = [
        f"{name}: {each.decision}" if several else f"{each.decision}"
        for name, each in found.items()
    ]
    return "; ".join(parts)


def _shares_of(records: Records, experiment: int, segment: str) -> dict[str, float]:
    """Return the chance of each arm to be shown, as the plan has it; none before the start."""
    plan = records.plans(experiment).get(segment)
    return {} if plan is None else {arm["name"]: arm["chance"] for arm in plan["arms"]}


def _segment(it: Insight, shares: dict[str, float], several: bool) -> SegmentView:
    where = f" ({it.segment})" if several else ""
    columns = ("arm", "chance to be shown", "decisions", "in releases", "mean", "chance to be best")
    rows = tuple(
        (
            f"{arm.name} (retired)" if arm.retired else arm.name,
            percent(shares[arm.name]) if arm.name in shares else "none yet",
            f"{arm.served:,}",
            f"{arm.counted:,}",
            _mean(arm),
            "none" if arm.best is None else percent(arm.best),
        )
        for arm in it.arms
    )
    return SegmentView(it.segment, columns, rows, tuple(_charts(it, where)))


def _mean(arm: ArmInsight) -> str:
    between = f"{number(arm.interval[0])} to {number(arm.interval[1])}"
    return "none yet" if arm.mean is None else f"{number(arm.mean)} ({between})"


def _charts(it: Insight, where: str) -> list[Chart]:
    known = [arm for arm in it.arms if arm.mean is not None]
    if not known:
        return []
    said = "; ".join(f"{arm.name} {_mean(arm)}" for arm in known)
    charts = [
        intervals(
            f"Means{where}",
            f"Each arm's noisy mean outcome, and where its mean lies with a chance of 95 %: {said}",
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

    text = "The chance of each arm to be shown; even shares while they take turns at first"
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
        f"{text}, after every release; a mark where its own sum was released. Now: {ends}.",
        [each.at.timestamp() for each in it.history],
        drawn,
        along=Axis("when", lambda at: when(datetime.fromtimestamp(at, UTC))[5:]),
        steps=True,
    )


def _ratio(it: Insight) -> RatioView:
    ratio = it.ratio
    rows = tuple(
        (arm.name, f"{arm.firsts:,}", number(arm.expected), number(arm.z)) for arm in ratio.arms
    )
    alarm = ratio.p_value is not None and ratio.p_value < LEVEL
    p = "none yet" if ratio.p_value is None else number(ratio.p_value)
    said = ratio.verdict[:1].upper() + ratio.verdict[1:] + "."
    return RatioView(it.segment, said, "bad" if alarm else "soft", p, rows)


def _releases(records: Records, experiment: int, now: datetime) -> tuple[tuple[str, ...], ...]:
    shown = [each for each in records.releases(experiment) if each.at <= now][-MOST_RELEASES:]
    return tuple(
        (
            when(each.at),
            each.segment or "all",
            each.name,
            f"{each.count:,}",
            number(each.value),
            number(each.epsilon),
        )
        for each in reversed(shown)
    )


def _log(records: Records, experiment: int) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (each["at"][:16].replace("T", " "), str(each["act"]), str(each.get("by") or "not said"))
        for each in reversed(records.acts(experiment)[-MOST_ACTS:])
    )

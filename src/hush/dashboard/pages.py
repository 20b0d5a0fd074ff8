"""From what is public to pages: every page is a function of the reader, the viewer and the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from hush.dashboard.charts import gauge
from hush.dashboard.experiment_view import experiment_view, ratios_of
from hush.dashboard.forecast_page import ASKED, Forecaster, charts_of, sliders
from hush.dashboard.leaders import leader
from hush.dashboard.log_words import log_rows
from hush.dashboard.reader import Reader
from hush.dashboard.svg_parts import number, percent, when
from hush.live.exporting import exported
from hush.live.terms import live_policies
from hush.version import __version__

__all__ = ["Missing", "Pages", "Standing", "Viewer"]

A_PAGE = 50
MOST_SHOWN = 200  # on pages about all experiments: the newest
STATES = {
    "draft": ("draft", "soft"),
    "rehearsal": ("rehearsal", "warn"),
    "running": ("running", "good"),
    "paused": ("paused", "warn"),
    "stopping": ("stopping", "warn"),
    "stopped": ("stopped", "soft"),
    "quarantined": ("quarantined", "bad"),
}


class Missing(Exception):  # noqa: N818  there is no such page
    """There is no such page, or not for this viewer."""


@dataclass(frozen=True)
class Viewer:
    """Who looks: what they may read and do, and what others see alike are known by.

    Attributes
    ----------
    acts
        Whether there is a service that could do anything.
    """

    key: str = "everybody"
    reads: Callable[[str], bool] = lambda _: True
    changes: Callable[[str], bool] = lambda _: False
    everything: bool = True
    acts: bool = False


@dataclass(frozen=True)
class Standing:
    """How the service is doing, where there is one."""

    settled: datetime | None = None
    ok: bool = True
    canary: bool = True
    held: str | None = None


@dataclass
class Pages:
    """Renders pages.

    Parameters
    ----------
    reader
        The public store.
    tick
        Seconds after which a page may have changed.
    standing
        How the service is doing; None where this is none.
    """

    reader: Reader
    tick: float = 5.0
    standing: Callable[[], Standing | None] = lambda: None
    rehearsals: Callable[[str], Mapping[str, Any] | None] = lambda _: None
    forecaster: Forecaster = field(default_factory=Forecaster)

    def __post_init__(self) -> None:
        self._leaders: dict[int, tuple[int, tuple[str, float] | None]] = {}
        self._templates = Environment(
            loader=PackageLoader("hush.dashboard"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters.update(
            percent=percent,
            number=number,
            when=when,
            state=_state,
            capitalize_first=lambda text: text[:1].upper() + text[1:],
        )

    def render(self, page: str, viewer: Viewer | None, now: datetime, **given: object) -> bytes:
        """Return a page."""
        template = self._templates.get_template(f"{page}.html")
        text = template.render(
            viewer=viewer, now=now, tick=self.tick, version=__version__, page=page, **given
        )
        return text.encode()

    def experiments(self, viewer: Viewer, now: datetime, query: Mapping[str, str]) -> bytes:
        """Return the list of experiments, fifty on a page."""
        wanted = query.get("q", "").strip()[:64]
        names = [
            each
            for each in self.reader.names()
            if viewer.reads(each[1]) and wanted.lower() in each[1].lower()
        ]
        last = max(0, (len(names) - 1) // A_PAGE)
        at = min(_whole(query.get("page", "1")) - 1, last)
        rows = self.reader.rows(names[at * A_PAGE : (at + 1) * A_PAGE])
        shown = [(row, self._leader(row.number)) for row in rows]
        return self.render(
            "experiments", viewer, now, rows=shown, wanted=wanted, at=at, last=last, many=len(names)
        )

    def _leader(self, experiment: int) -> tuple[str, float] | None:
        """Return who leads, and about how probably it is the best."""
        known = self.reader.records.known(experiment)
        kept = self._leaders.get(experiment)
        if kept is None or kept[0] != known.version:
            releases = self.reader.records.entries(experiment, ("release",))
            active = {arm: known.arms.names[arm] for arm in known.arms.active}
            found = leader([each.body for each in releases], active, known.terms.epsilon)
            kept = self._leaders[experiment] = known.version, found
        return kept[1]

    def experiment(self, viewer: Viewer, now: datetime, name: str) -> bytes:
        """Return the page of one experiment."""
        found = self._number(viewer, name)
        view = experiment_view(self.reader, found, now)
        return self.render(
            "experiment", viewer, now, it=view, rehearsal=self.rehearsals(name), title=name
        )

    def _number(self, viewer: Viewer, name: str) -> int:
        for number_of, known in self.reader.names():
            if known == name and viewer.reads(name):
                return number_of
        raise Missing

    def privacy(self, viewer: Viewer, now: datetime) -> bytes:
        """Return what was promised, to whom, and what became of it."""
        records = self.reader.records
        populations = []
        for name, limit, total in records.populations() if viewer.everything else ():
            ledger = records.ledger(name)
            said = f"ε {number(total)} promised of a limit of {number(limit or 0.0)}"
            picture = gauge(f"Population {name}", said, total, limit) if limit else None
            populations.append((name, limit, total, ledger["charges"][-200:], picture))
        readable = [each for each in self.reader.names() if viewer.reads(each[1])]
        promises, losses = [], []
        for row in self.reader.rows(readable[:MOST_SHOWN]):
            known = records.known(row.number)
            if known.begun:
                promises.append((row, known.terms, self.reader.guarantee(known)))
                acts = log_rows(self.reader.losses(row.number), known.arms.names)
                losses += [(each[0], row.name, each[1]) for each in acts]
        return self.render(
            "privacy",
            viewer,
            now,
            populations=populations,
            promises=promises,
            losses=sorted(losses, reverse=True),
            left_out=max(0, len(readable) - MOST_SHOWN),
            chain=self.reader.chain(),
        )

    def health(self, viewer: Viewer, now: datetime) -> bytes:
        """Return how settlement, the clock, the canary and the ratios of samples are."""
        readable = [each for each in self.reader.names() if viewer.reads(each[1])]
        records = self.reader.records
        running = [
            known
            for number_of, _ in readable[:MOST_SHOWN]
            if (known := records.known(number_of)).learns
        ]
        ratios = [
            (each.name, ratio) for each in running for ratio in ratios_of(self.reader, each, now)
        ]
        return self.render(
            "health",
            viewer,
            now,
            standing=self.standing(),
            ratios=ratios,
            left_out=max(0, len(readable) - MOST_SHOWN),
            last=self.reader.last_entry(),
        )

    def tokens(self, viewer: Viewer, now: datetime) -> bytes:
        """Return the tokens there are."""
        if not viewer.everything:
            raise Missing
        return self.render("tokens", viewer, now, tokens=self.reader.tokens())

    def forecast(self, viewer: Viewer, now: datetime, query: Mapping[str, str]) -> bytes:
        """Return a forecast, where one was asked for."""
        given = {key: query.get(key, value)[:400] for key, value in ASKED.items()}
        found = self.forecaster.ask(given) if "rates" in query else None
        good = None if isinstance(found, str) else found
        return self.render(
            "forecast",
            viewer,
            now,
            given=given,
            sliders=sliders(given),
            problem=found if isinstance(found, str) else "",
            found=good,
            charts=() if good is None else charts_of(good),
        )

    def close(self) -> None:
        """End the process that makes forecasts; the store is closed by whoever opened it."""
        self.forecaster.close()

    def export(self, viewer: Viewer, name: str, suffix: str) -> bytes:
        """Return the public data of an experiment as a file."""
        return exported(self.reader.records, self._number(viewer, name), suffix, secure=True)

    @property
    def policies(self) -> tuple[str, ...]:
        """The policies that live experiments take."""
        return live_policies()


def _whole(text: str) -> int:
    return max(1, int(text)) if text.isascii() and text.isdigit() and len(text) < 9 else 1


def _state(name: str) -> tuple[str, str]:
    return STATES.get(name, (name, "soft"))

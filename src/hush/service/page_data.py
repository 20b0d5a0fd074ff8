"""What the dashboard of a service knows beyond the public store: how the service is doing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hush.dashboard.pages import Pages, Standing
from hush.dashboard.reader import Reader
from hush.dashboard.site import Site
from hush.dashboard.svg_parts import number, when
from hush.errors import HushError
from hush.live.clock import moment
from hush.service.core import Core
from hush.service.problems import Refused

__all__ = ["site_of"]

COLUMNS = ("segment", "arm", "batch", "decisions", "of", "true sum", "due")


def site_of(core: Core) -> Site:
    """Return the pages of a service, by the store's time."""

    def standing() -> Standing:
        now = core.standing
        settled = moment(now.settled) if now.settled else None
        return Standing(settled, now.ok, now.canary, now.held)

    def rehearsal(name: str) -> Mapping[str, Any] | None:
        try:
            found = core.rehearsal(core.number_of(name))
            return {
                "pending": f"{len(found.pending):,}",
                "released": f"{len(found.released):,}",
                "columns": COLUMNS,
                "batches": [_batch(each) for each in found.batches],
            }
        except (HushError, Refused):
            return None

    reader = Reader(core.store._public)  # its own to close
    pages = Pages(reader, core.settings.tick or 5.0, standing, rehearsal)
    return Site(pages, lambda: core.store._clock.read() / 1_000)


def _batch(each: Mapping[str, Any]) -> tuple[str, ...]:
    due = "open" if each["due"] is None else when(each["due"])
    return (
        each["segment"] or "all",
        each["arm"],
        f"{each['epoch']}",
        f"{each['count']:,}",
        f"{each['wanted']:,}",
        number(each["sum"]),
        due,
    )

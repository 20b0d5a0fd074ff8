"""The site: which address is which page, what is kept for a tick, what browsers may do with it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib.resources import files
from urllib.parse import unquote

from hush.dashboard.pages import Missing, Pages, Viewer
from hush.live.exporting import SUFFIXES

__all__ = ["PREFIX", "SAFETY", "Reply", "Site"]

HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SAFETY = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
MEDIA = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "parquet": "application/vnd.apache.parquet",
}
PREFIX = "/dashboard"
MOST_KEPT = 200


@dataclass(frozen=True)
class Reply:
    """What a browser gets."""

    status: int
    body: bytes = b""
    media: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)


@cache
def _static(name: str) -> Reply | None:
    suffix = name.rpartition(".")[2]
    file = files("hush.dashboard") / "static" / name
    if "/" in name or suffix not in MEDIA or not file.is_file():
        return None
    kept = {"cache-control": "public, max-age=300"}
    return Reply(200, file.read_bytes(), MEDIA[suffix], kept)


class Site:
    """Answers what browsers ask for; a page is made once a tick, however many look at it.

    Parameters
    ----------
    pages
        What renders them.
    clock
        Seconds since 1970.
    """

    def __init__(self, pages: Pages, clock: Callable[[], float] = time.time) -> None:
        self.pages, self._clock = pages, clock
        self._kept: dict[object, Reply] = {}
        self._period = -1
        self._making = threading.Lock()

    def answer(self, path: str, query: Mapping[str, str], viewer: Viewer, tag: str = "") -> Reply:
        """Return what is at an address, for a viewer; ``tag`` is of what the browser has."""
        if path.startswith(f"{PREFIX}/static/"):
            return _static(path[len(PREFIX) + 8 :]) or self.missing(viewer)
        now = self._clock()
        if path == f"{PREFIX}/forecast":  # it takes long, and keeps what it found
            body = self.pages.forecast(viewer, _moment(now), query)
            return Reply(200, body, headers={"cache-control": "no-store"})
        asked = {key: query[key] for key in ("q", "page") if key in query and path == PREFIX}
        key = viewer.key, path, tuple(asked.items())  # what a page does not read makes no other
        with self._making:  # whoever comes meanwhile finds it made
            period = int(now // self.pages.tick)
            if period != self._period or len(self._kept) > MOST_KEPT:
                self._period, self._kept = period, {}
            found = self._kept.get(key)
            if found is None:
                found = self._kept[key] = self._made(path, asked, viewer, _moment(now))
        if tag and tag == found.headers.get("etag"):
            return Reply(304, headers=found.headers)
        return found

    def forget(self) -> None:
        """Make pages anew, because something was changed."""
        with self._making:
            self._kept = {}

    def _made(self, path: str, query: Mapping[str, str], viewer: Viewer, now: datetime) -> Reply:
        pages, parts = self.pages, path[len(PREFIX) :].strip("/").split("/")
        try:
            if parts == [""]:
                body = pages.experiments(viewer, now, query)
            elif parts[0] == "experiments" and len(parts) in (2, 3):
                name = unquote(parts[1])
                if len(parts) == 3:
                    return self._export(viewer, name, parts[2])
                body = pages.experiment(viewer, now, name)
            elif len(parts) == 1 and parts[0] in ("privacy", "health", "tokens"):
                body = getattr(pages, parts[0])(viewer, now)
            else:
                raise Missing
        except Missing:
            return self.missing(viewer)
        tag = f'"{sha256(body).hexdigest()[:20]}"'
        return Reply(200, body, headers={"etag": tag, "cache-control": "private, no-cache"})

    def _export(self, viewer: Viewer, name: str, file: str) -> Reply:
        suffix = file.removeprefix("export")
        if suffix not in SUFFIXES:
            raise Missing
        body = self.pages.export(viewer, name, suffix)
        named = {"content-disposition": f'attachment; filename="{name}{suffix}"'}
        return Reply(200, body, MEDIA[suffix[1:]], {**named, "cache-control": "no-store"})

    def missing(self, viewer: Viewer | None) -> Reply:
        """Return what says that there is no such page."""
        text = "There is nothing at this address, or your token may not read it."
        return self.message(viewer, 404, "Not found", text)

    def message(
        self, viewer: Viewer | None, status: int, title: str, text: str, back: str = PREFIX
    ) -> Reply:
        """Return a page that says something."""
        now = _moment(self._clock())
        body = self.pages.render("message", viewer, now, title=title, text=text, back=back)
        return Reply(status, body, headers={"cache-control": "no-store"})

    def form(self, name: str, viewer: Viewer | None, status: int, **given: object) -> Reply:
        """Return a page with a form."""
        body = self.pages.render(name, viewer, _moment(self._clock()), **given)
        return Reply(status, body, headers={"cache-control": "no-store"})


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)

"""The dashboard over HTTP: who looks, by a cookie; what they do goes through the service's routes.

A cookie that other sites cannot send, a check of where a form comes from, and a policy by which
browsers run nothing but what is served here.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from hush.dashboard.pages import Viewer
from hush.dashboard.site import PREFIX, SAFETY, Reply, Site
from hush.service.access import Access, Gate
from hush.service.endpoint import Gone, Receive, Scope, Send, read_body
from hush.service.problems import Refused

__all__ = ["Board", "Showing"]

COOKIE = "hush_token"
ASTRAY = "Open these pages by the address that the command printed."
# The service's own words hold nothing that was sent, so they cannot say what is wrong with it.
WRONG = {
    "wrong-state": "There is an experiment of this name already.",
    "malformed": "This cannot be used: give a name, a window such as 1d, an outcome from 0 to 1, "
    "and two arms or more, each a name of letters, digits, dots, dashes and underscores.",
}
LONGEST = 1 << 16
HOURS = 12
ACTS = ("start", "pause", "resume", "stop", "continue", "rehearse")
NUMBERS = {"person_epsilon": float, "person_bound": int, "default": float}
TEXTS = ("name", "policy", "window", "population", "by")
DRAFT = {
    **dict.fromkeys(("name", "by", "arms"), ""),
    **dict.fromkeys(("person_epsilon", "person_bound"), "1"),
    **{"policy": "NoiseAwareTS", "window": "1d", "default": "0", "population": "default"},
}
Asgi = Callable[[Scope, Receive, Send], Awaitable[None]]


class Board:
    """The site as an ASGI application.

    Parameters
    ----------
    site
        The pages.
    gate
        The tokens; None where everybody who can connect may look, and nobody may do anything.
    service
        What has the service's own routes; None where there is none.
    secure
        Whether browsers come by TLS: then the cookie is sent no other way.
    local
        Whether only this machine's own names lead here. Else another site could point a name of its
        own at this machine, and read what needs no token.
    """

    def __init__(
        self,
        site: Site,
        gate: Gate | None = None,
        service: Asgi | None = None,
        *,
        secure: bool = False,
        local: bool = False,
    ) -> None:
        self._site, self._gate, self._service, self._secure = site, gate, service, secure
        self._local = local
        self._threads = ThreadPoolExecutor(4, "hush-pages")
        self._patient = ThreadPoolExecutor(1, "hush-forecasts")  # pages do not wait for those

    def close(self) -> None:
        """Wait for pages that are being made."""
        self._patient.shutdown(wait=False, cancel_futures=True)
        self._site.pages.close()
        self._patient.shutdown()
        self._threads.shutdown()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a browser."""
        try:
            reply = await self._reply(scope, receive)
        except Gone:
            return
        except Refused:
            reply = self._site.message(None, 413, "Too large", "The form is too large.")
        headers = [
            (key.encode(), value.encode())
            for key, value in {**SAFETY, **reply.headers, "content-type": reply.media}.items()
        ]
        body = b"" if scope["method"] == "HEAD" else reply.body
        headers.append((b"content-length", b"%d" % len(reply.body)))
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _reply(self, scope: Scope, receive: Receive) -> Reply:
        path, headers = scope["path"], dict(scope["headers"])
        if self._local and not _at_home(headers.get(b"host", b"")):
            return self._site.message(None, 403, "Refused", ASTRAY)
        if path == "/":
            return _to(PREFIX)
        if scope["method"] == "POST":
            return await self._post(path, headers, receive)
        if scope["method"] not in ("GET", "HEAD"):
            return self._site.message(None, 405, "Not possible", "Pages are read, forms are sent.")
        return await self._page(path, scope["query_string"], headers)

    async def _page(self, path: str, text: bytes, headers: Mapping[bytes, bytes]) -> Reply:
        viewer = self._viewer(_cookie(headers))
        if viewer is None and not path.startswith(f"{PREFIX}/static/"):
            return self._site.form("sign_in", None, 200, refused=False)
        if path == f"{PREFIX}/new" and viewer is not None:
            return self._draft(viewer, DRAFT)
        query = dict(parse_qsl(text.decode("latin-1"), keep_blank_values=True))
        tag = headers.get(b"if-none-match", b"").decode("latin-1")
        loop = asyncio.get_running_loop()
        asked = path, query, viewer or Viewer(), tag
        threads = self._patient if path == f"{PREFIX}/forecast" else self._threads
        return await loop.run_in_executor(threads, self._site.answer, *asked)

    def _viewer(self, token: str | None) -> Viewer | None:
        """Return who has a token; None where it is needed and not valid."""
        if self._gate is None:
            return Viewer()
        access = self._gate.access(None if token is None else f"Bearer {token}".encode("latin-1"))
        if access is None or "read" not in access.scopes:
            return None
        return _viewer_of(access)

    async def _post(self, path: str, headers: Mapping[bytes, bytes], receive: Receive) -> Reply:
        if not _same_origin(headers):
            text = "This form was sent from another site. Nothing was done."
            return self._site.message(None, 403, "Refused", text)
        raw = await read_body(receive, LONGEST)
        given = dict(parse_qsl(raw.decode("utf-8", "replace"), keep_blank_values=True))
        if self._service is None:
            return self._site.message(Viewer(), 403, "Read only", "Nothing can be done from here.")
        if path == f"{PREFIX}/sign-in":
            return self._sign_in(given.get("token", "").strip())
        if path == f"{PREFIX}/sign-out":
            return _to(PREFIX, self._set_cookie("", 0))
        return await self._do(path, _cookie(headers), given)

    async def _do(self, path: str, token: str | None, given: dict[str, str]) -> Reply:
        viewer = self._viewer(token)
        if viewer is None or token is None:
            return self._site.form("sign_in", None, 401, refused=False)
        if path == f"{PREFIX}/new":
            return await self._create(viewer, token, given)
        return await self._act(viewer, token, path)

    def _sign_in(self, token: str) -> Reply:
        if self._viewer(token) is None or not token.isascii():
            return self._site.form("sign_in", None, 401, refused=True)
        return _to(PREFIX, self._set_cookie(token, HOURS * 3_600))

    def _set_cookie(self, value: str, seconds: int) -> dict[str, str]:
        more = "; Secure" if self._secure else ""
        kept = f"{COOKIE}={value}; Path={PREFIX}; Max-Age={seconds}; HttpOnly; SameSite=Strict"
        return {"set-cookie": kept + more}

    async def _act(self, viewer: Viewer, token: str, path: str) -> Reply:
        parts = path[len(PREFIX) :].strip("/").split("/")
        if len(parts) != 3 or parts[0] != "experiments" or parts[2] not in ACTS:
            return self._site.missing(viewer)
        page = f"{PREFIX}/experiments/{parts[1]}"
        said = {} if parts[2] == "rehearse" else {"by": f"dashboard, {viewer.key}"}
        status, body = await self._ask(token, f"/v1/experiments/{parts[1]}/{parts[2]}", said)
        if status < 300:
            self._site.forget()
            return _to(page)
        return self._site.message(viewer, status, "That was not possible", _said(body), page)

    async def _create(self, viewer: Viewer, token: str, given: dict[str, str]) -> Reply:
        asked: dict[str, Any] = {key: given.get(key, "").strip() for key in TEXTS}
        asked["by"] = asked["by"] or f"dashboard, {viewer.key}"
        asked["arms"] = [
            line.strip() for line in given.get("arms", "").splitlines() if line.strip()
        ]
        asked["start"] = bool(given.get("start"))
        for key, kind in NUMBERS.items():
            try:
                asked[key] = kind(given.get(key, ""))
            except ValueError:
                problem = f"{key} must be a {'whole ' if kind is int else ''}number."
                return self._draft(viewer, {**DRAFT, **given}, problem)
        status, body = await self._ask(token, "/v1/experiments", asked)
        if status < 300:
            self._site.forget()
            return _to(f"{PREFIX}/experiments/{asked['name']}")
        found = json.loads(body)
        problem = WRONG.get(found["type"].rpartition(":")[2], _said(body))
        return self._draft(viewer, {**DRAFT, **given}, problem, status)

    def _draft(
        self, viewer: Viewer, given: Mapping[str, str], problem: str = "", status: int = 422
    ) -> Reply:
        if not viewer.acts:
            return self._site.missing(viewer)
        shown = {"given": {key: given[key] for key in DRAFT}, "problem": problem}
        policies = self._site.pages.policies
        said = status if problem else 200
        return self._site.form("new", viewer, said, policies=policies, **shown)

    async def _ask(self, token: str, path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        """Ask the service, as any caller with this token would."""
        if self._service is None:
            raise RuntimeError("there is no service that could do anything")
        raw, status, parts = json.dumps(body).encode(), [0], []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": raw, "more_body": False}

        async def send(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            else:
                parts.append(message.get("body", b""))

        scope = {
            "type": "http",
            "method": "POST",
            "path": path,
            "query_string": b"",
            "headers": [
                (b"authorization", f"Bearer {token}".encode("latin-1")),
                (b"content-type", b"application/json"),
            ],
        }
        await self._service(scope, receive, send)
        return status[-1], b"".join(parts)


class Showing:
    """A board by itself, as an ASGI application."""

    def __init__(self, board: Board) -> None:
        self._board = board

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what comes."""
        if scope["type"] == "http":
            await self._board(scope, receive, send)
        elif scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await asyncio.to_thread(self._board.close)
            await send({"type": "lifespan.shutdown.complete"})


def _viewer_of(access: Access) -> Viewer:
    alike = ",".join(sorted(access.experiments)) if access.experiments else ""
    return Viewer(
        key=f"token {access.id}" if alike != "*" or "admin" in access.scopes else "all readers",
        reads=lambda name: access.allows("read", name),
        changes=lambda name: access.allows("admin", name),
        everything=access.on_all("read"),
        acts=True,
    )


def _said(body: bytes) -> str:
    found = json.loads(body)
    detail = found.get("detail") or ""
    return f"{found['title']}. {detail[:1].upper()}{detail[1:]}".strip()


def _to(address: str, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(303, headers={"location": address, "cache-control": "no-store", **(headers or {})})


def _cookie(headers: Mapping[bytes, bytes]) -> str | None:
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        key, _, value = part.strip().partition("=")
        if key == COOKIE:
            return value
    return None


def _same_origin(headers: Mapping[bytes, bytes]) -> bool:
    """Tell whether a form comes from a page of this site; browsers say so."""
    if headers.get(b"sec-fetch-site", b"same-origin") not in (b"same-origin", b"none"):
        return False
    origin = headers.get(b"origin")
    if origin is None:
        return b"sec-fetch-site" in headers
    here = headers.get(b"host", b"").decode("latin-1")
    return here != "" and urlsplit(origin.decode("latin-1")).netloc == here


def _at_home(host: bytes) -> bool:
    """Tell whether a browser asked for this machine by one of its own names."""
    name = urlsplit(f"//{host.decode('latin-1')}").hostname or ""
    return name in ("localhost", "::1") or name.startswith("127.")

"""What ``hush serve`` says and does when it starts, and what it never says."""

import re
import socket
import sqlite3
from contextlib import closing
from urllib.parse import urlsplit

import psycopg
import pytest
from tests.service.running import LONG, Service, serving, until

from hush.service.serving import _bound

TOKEN = re.compile(r"An admin token, shown this once: (hush_[0-9a-f]{12}_[0-9a-f]{64})\n")
ADDRESS = (
    r"Serving http://127\.0\.0\.1:(\d+) with 1 worker; Ctrl-C stops it\.\n"
    r"The dashboard is at http://127\.0\.0\.1:\d+/dashboard\.\n"
)
DECISIONS = "/v1/experiments/long/decisions"


def ended(place, folder, *given, **options):
    """Start a service that does not start, and return it."""
    made = Service(place, folder, *given, **options)
    made.process.wait(60)
    return made


def test_the_first_token_is_shown_once(place_of, tmp_path):
    place = place_of("sqlite")
    for start in ("first", "second"):
        service = Service(place, tmp_path)
        try:
            service.wait_until_ready()
            if start == "first":
                token = service.token = TOKEN.match(service.out)[1]
                assert re.fullmatch(TOKEN.pattern + ADDRESS, service.out)
            else:
                service.token = token
                assert re.fullmatch(ADDRESS, service.out)
            assert urlsplit(service.address).port > 0
            assert service.ask("GET", "/v1/experiments").status == 200
            assert service.ask("GET", "/v1/experiments", authorization="Bearer no").status == 401
            assert service.stop()[0] == 0
            assert service.err == ""
        finally:
            service.process.kill()
            service.process.wait()


def test_others_may_not_connect_without_a_proxy(place_of, tmp_path):
    refused = ended(place_of("sqlite"), tmp_path, "--host", "0.0.0.0")  # noqa: S104
    assert refused.process.returncode == 2
    assert refused.out == ""
    assert re.fullmatch(
        r"error: .* can be reached from elsewhere, .* --behind-proxy\n", refused.err
    )
    assert not list(tmp_path.glob("*.db"))


def test_behind_a_proxy_they_may(place_of, tmp_path):
    place = place_of("sqlite")
    with serving(place, tmp_path, "--host", "0.0.0.0", "--behind-proxy") as service:  # noqa: S104
        assert service.address.startswith("http://0.0.0.0:")
        assert service.stop()[0] == 0


def test_a_port_that_is_taken(place_of, tmp_path):
    with closing(_bound("127.0.0.1", 0)) as other:  # by one that has not begun to answer
        refused = ended(place_of("sqlite"), tmp_path, port=other.getsockname()[1])
    assert refused.process.returncode == 2
    assert refused.out == ""
    assert re.fullmatch(r"error: 127\.0\.0\.1:\d+ cannot be listened on: .*\n", refused.err)
    assert not list(tmp_path.glob("*.db"))


# -- what is never said -----------------------------------------------------------------------

PERSON, VALUE, KEY = "ada.lovelace@example.org", 0.7310585, "order-4711-of-ada"
OTHER = "charles.babbage@example.org"


def speak(service):
    """Ask for everything, well and badly; return all that must never be said."""
    ask = service.ask
    made = ask("POST", DECISIONS, {"person": PERSON}, idempotency_key=KEY)
    assert made.status == 201
    decision = made.json["decision"]
    reward = f"/v1/decisions/{decision}/reward"
    assert ask("PUT", reward, {"value": VALUE}).status == 204
    forged = f"hush_{'0' * 12}_{'a1' * 32}"
    another = decision[:-1] + ("-" if decision.endswith("_") else "_")
    bad = [
        (401, "POST", DECISIONS, {"person": PERSON}, {"authorization": f"Bearer {forged}"}),
        (422, "POST", DECISIONS, {"person": OTHER}, {"idempotency_key": KEY}),
        (422, "POST", DECISIONS, {"person": PERSON, "key": KEY}, {}),
        (422, "POST", DECISIONS, f'{{"person": "{PERSON}"'.encode(), {}),
        (422, "POST", DECISIONS, {"person": PERSON, "segment": OTHER}, {}),
        (422, "POST", DECISIONS, {"person": PERSON}, {"idempotency_key": KEY * 30}),
        (415, "POST", DECISIONS, {"person": PERSON}, {"content_type": "text/plain"}),
        (413, "POST", DECISIONS, {"person": PERSON * 10_000}, {}),
        (404, "POST", f"/v1/experiments/{OTHER}/decisions", {"person": PERSON}, {}),
        (404, "GET", f"/{decision}?token={service.token}", None, {}),
        (405, "DELETE", reward, None, {}),
        (422, "PUT", reward, {"value": VALUE + 1}, {}),
        (422, "PUT", reward, {"value": str(VALUE)}, {}),
        (404, "PUT", f"/v1/decisions/{another}/reward", {"value": VALUE}, {}),
        (404, "POST", "/v1/activations", {"decision": decision, "person": PERSON}, {}),
        (204, "POST", "/v1/people/erase", {"person": OTHER}, {}),
    ]
    for status, method, path, body, headers in bad:
        assert ask(method, path, body, **headers).status == status, (method, path)
    for raw in (b"PUT %b\r\nx: %b\r\n\r\n", b"%b %b\r\n\r\n", b"GET /%b\x00 HTTP/9.9\r\n%b"):
        garble(service, raw % (decision.encode(), service.token.encode()))
    return [service.token, forged, PERSON, OTHER, KEY, decision, str(VALUE), str(VALUE + 1)]


def garble(service, raw):
    """Send what is not HTTP, and see that the connection is closed."""
    parts = urlsplit(service.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=30) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(1_000):
            pass


def break_store(place):
    """Take a table away, so that whatever is registered fails in the database."""
    change = "ALTER TABLE pending RENAME TO elsewhere"
    if "://" in place.private:
        with psycopg.connect(place.private) as connection:
            connection.execute(change)
    else:
        with closing(sqlite3.connect(place.private, timeout=30)) as connection:
            connection.execute(change)


@pytest.mark.parametrize(("kind", "workers"), [("sqlite", 1), ("postgres", 2)])
def test_nothing_private_is_ever_printed(place_of, tmp_path, kind, workers):
    place = place_of(kind)
    given = ("--workers", str(workers), "--tick", "0.2s")
    with serving(place, tmp_path, *given) as service:
        service.begun(LONG)
        hidden = speak(service)
        break_store(place)
        assert service.ask("POST", DECISIONS, {"person": PERSON}).status == 503
        assert service.ask("PUT", f"/v1/decisions/{hidden[5]}/reward", {"value": 1}).status == 503
        until(lambda: "canary" in service.err, "the log says so")
        assert service.stop()[0] == 0
        printed = service.printed
    # Parts of them, too: ids are long, and a token's secret is its second half.
    parts = [part for each in hidden for part in (each, each[:20], each[-20:])]
    assert [part for part in parts if part in printed] == []
    assert place.private not in printed
    assert "Traceback" not in printed
    assert len(printed.splitlines()) < 12

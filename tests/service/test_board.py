"""The dashboard of a service: who may look, who may act, and where forms may come from."""

import asyncio
import threading
from urllib.parse import urlencode

import pytest
from tests.service.sites import Site

from hush.service.board import Board

HOST = "hush.example"
HOME = {"host": HOST, "origin": f"https://{HOST}"}


@pytest.fixture
def site():
    made = Site()
    made.begun()
    made.store.settle()
    yield made
    made.close()


def looked(site, path, token="", **headers):
    cookie = {"cookie": f"other=1; hush_token={token or site.token}"} if token is not None else {}
    return site.ask("GET", path, token=None, **cookie, **headers)


def posted(site, path, form=None, token="", **headers):
    cookie = {"cookie": f"hush_token={token or site.token}"} if token is not None else {}
    given = {**HOME, **cookie, "content_type": "application/x-www-form-urlencoded", **headers}
    body = urlencode(form or {}).encode()
    return site.ask("POST", path, body, token=None, **given)


def draft(site, name):
    site.store.create(name, policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1.0)
    site.store.settle()


def text(heard):
    return heard.body.decode()


def test_without_a_token_there_is_a_form_and_nothing_else(site):
    for path in ("/dashboard", "/dashboard/experiments/checkout", "/dashboard/tokens"):
        heard = looked(site, path, token=None)
        assert heard.status == 200
        assert "Sign in" in text(heard)
        assert "checkout" not in text(heard)


@pytest.mark.parametrize("wrong", ["x", "hush_0123456789ab_" + "0" * 64, "é", "a;b"])
def test_a_wrong_token_is_refused_and_not_shown(site, wrong):
    heard = posted(site, "/dashboard/sign-in", {"token": wrong}, token=None)
    assert heard.status == 401
    assert wrong == "x" or wrong not in text(heard)
    assert "set-cookie" not in heard.headers


def test_signing_in_sets_a_cookie_that_other_sites_cannot_send(site):
    heard = posted(site, "/dashboard/sign-in", {"token": f" {site.token} "}, token=None)
    assert heard.status == 303
    cookie = heard.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/dashboard"} <= set(cookie.split("; "))
    assert site.token in cookie
    gone = posted(site, "/dashboard/sign-out").headers["set-cookie"]
    assert "Max-Age=0" in gone


def test_a_token_without_the_scope_read_sees_nothing(site):
    other = site.grant("decide")
    assert "Sign in" in text(looked(site, "/dashboard", token=other))


def test_a_token_for_one_experiment_sees_that_one(site):
    draft(site, "second")
    other = site.grant("read", experiments=["second"])
    shown = text(looked(site, "/dashboard", token=other))
    assert "second" in shown
    assert "checkout" not in shown
    assert looked(site, "/dashboard/experiments/checkout", token=other).status == 404
    assert looked(site, "/dashboard/tokens", token=other).status == 404


def test_a_revoked_token_sees_nothing_after_a_tick(site):
    other = site.grant("read")
    assert "checkout" in text(looked(site, "/dashboard", token=other))
    site.store.tokens.revoke(other.split("_")[1])
    site.core.learn_tokens()
    assert "Sign in" in text(looked(site, "/dashboard", token=other))


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"origin": f"https://{HOST}.evil.example"},
    ],
)
def test_forms_of_other_sites_are_refused(site, headers):
    heard = posted(site, "/dashboard/experiments/checkout/pause", **headers)
    assert heard.status == 403
    assert site.store.experiment("checkout").state == "running"


def test_forms_that_do_not_say_where_they_come_from_are_refused(site):
    heard = site.ask(
        "POST",
        "/dashboard/experiments/checkout/pause",
        b"",
        token=None,
        host=HOST,
        cookie=f"hush_token={site.token}",
    )
    assert heard.status == 403
    assert site.store.experiment("checkout").state == "running"


def test_an_origin_is_compared_with_a_host_that_there_is(site):
    cookie = f"hush_token={site.token}"
    path = "/dashboard/experiments/checkout/pause"
    heard = site.ask("POST", path, b"", token=None, origin="null", cookie=cookie)
    assert heard.status == 403
    assert site.store.experiment("checkout").state == "running"


def test_names_in_problems_keep_their_letters(site):
    site.store.population("EU-People", limit=0.5)
    form = {**FORM, "population": "EU-People"}
    posted(site, "/dashboard/new", form)
    refused = text(posted(site, "/dashboard/experiments/from-a-page/start"))
    assert "Population &#39;EU-People&#39; has a limit of 0.5" in refused
    started = text(posted(site, "/dashboard/new", {**form, "name": "b", "start": "yes"}))
    assert "The population&#39;s limit does not allow this" in started


def test_pages_do_not_wait_for_forecasts(site, monkeypatch):
    """However many are asked for, and however long they take."""
    free = threading.Event()
    pages = site.app._board._site.pages
    monkeypatch.setattr(pages.forecaster, "ask", lambda _: free.wait(30) and "done")

    async def both():
        cookie = f"hush_token={site.token}"
        many = [
            asyncio.ensure_future(
                site.asked("GET", "/dashboard/forecast?rates=1", token=None, cookie=cookie)
            )
            for _ in range(6)
        ]
        await asyncio.sleep(0.1)
        page = await asyncio.wait_for(
            site.asked("GET", "/dashboard/privacy", token=None, cookie=cookie), 10
        )
        free.set()
        return page, await asyncio.gather(*many)

    page, forecasts = site.loop.run_until_complete(both())
    assert page.status == 200
    assert [each.status for each in forecasts] == [200] * 6


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8001", 200),
        ("localhost:8001", 200),
        ("[::1]:8001", 200),
        ("evil.example:8001", 403),
        ("localhost.evil.example", 403),
        ("", 403),
    ],
)
def test_pages_without_tokens_have_this_machines_names_alone(site, host, status):
    """A site that points its own name at this machine reads nothing."""
    site.app = Board(site.app._board._site, local=True)
    heard = site.ask("GET", "/dashboard", token=None, host=host)
    assert heard.status == status
    assert ("checkout" in text(heard)) == (status == 200)


def test_acts_go_through_the_services_routes(site):
    page = "/dashboard/experiments/checkout"
    for act, state in (("pause", "paused"), ("resume", "running"), ("stop", "stopped")):
        heard = posted(site, f"{page}/{act}")
        assert (heard.status, heard.headers["location"]) == (303, page)
        assert site.store.experiment("checkout").state == state
    assert site.store.experiment("checkout").acts[-1]["by"].startswith("dashboard, token ")
    refused = posted(site, f"{page}/start")
    assert refused.status == 409
    assert "That was not possible" in text(refused)


def test_a_token_without_admin_can_do_nothing(site):
    reader = site.grant("read")
    shown = text(looked(site, "/dashboard/experiments/checkout", token=reader))
    assert "/pause" not in shown
    heard = posted(site, "/dashboard/experiments/checkout/pause", token=reader)
    assert heard.status == 403
    assert site.store.experiment("checkout").state == "running"


@pytest.mark.parametrize(
    "path",
    ["/dashboard/experiments/checkout/erase", "/dashboard/x", "/dashboard/experiments/checkout"],
)
def test_there_are_no_other_acts(site, path):
    assert posted(site, f"/dashboard/{path}").status == 404


FORM = {
    "name": "from-a-page",
    "policy": "NoiseAwareTS",
    "arms": "a\r\n\r\n b \r\nc",
    "person_epsilon": "1.5",
    "person_bound": "3",
    "window": "12h",
    "default": "0",
    "population": "default",
    "by": "",
}


def test_an_experiment_is_made_from_a_page(site):
    heard = posted(site, "/dashboard/new", FORM)
    assert heard.headers["location"] == "/dashboard/experiments/from-a-page"
    made = site.store.experiment("from-a-page")
    assert (made.state, made.arms) == ("draft", ("a", "b", "c"))
    assert (made.terms.person_epsilon, made.terms.person_bound) == (1.5, 3)
    posted(site, "/dashboard/new", {**FORM, "name": "begun", "start": "yes"})
    assert site.store.experiment("begun").state == "running"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"person_epsilon": "much"}, "person_epsilon must be a number"),
        ({"person_bound": "1.5"}, "person_bound must be a whole number"),
        ({"name": "checkout"}, "There is an experiment of this name already"),
        ({"arms": "only-one"}, "two arms or more"),
        ({"name": "<script>x"}, "This cannot be used"),
    ],
)
def test_a_form_that_cannot_be_used_comes_back_with_what_was_typed(site, change, said):
    before = len(site.core.records.names())
    heard = posted(site, "/dashboard/new", {**FORM, **change})
    assert 400 <= heard.status < 500
    assert said in text(heard)
    assert "12h" in text(heard)
    assert "<script>x" not in text(heard)
    assert len(site.core.records.names()) == before


def test_a_form_that_is_too_large_is_refused(site):
    assert posted(site, "/dashboard/new", {"name": "x" * 70_000}).status == 413


def test_the_first_address_leads_to_the_dashboard(site):
    heard = looked(site, "/")
    assert (heard.status, heard.headers["location"]) == (303, "/dashboard")


def test_other_methods_are_refused(site):
    assert site.ask("DELETE", "/dashboard", token=None).status == 405
    assert site.ask("HEAD", "/dashboard", token=None).body == b""


def test_a_rehearsal_is_shown_raw_and_only_while_it_lasts(site):
    draft(site, "trial")
    assert posted(site, "/dashboard/experiments/trial/rehearse").status == 303
    shown = text(looked(site, "/dashboard/experiments/trial"))
    assert RAW in shown
    assert RAW not in text(looked(site, "/dashboard/experiments/checkout"))
    posted(site, "/dashboard/experiments/trial/start")
    assert RAW not in text(looked(site, "/dashboard/experiments/trial"))


RAW = "These people are made up"


def test_a_clock_that_is_held_and_a_tick_that_failed_are_shown(site, monkeypatch):
    site.core.tick()
    assert text(looked(site, "/dashboard/health")).count('class="good"') == 3
    monkeypatch.setattr(site.core.standing, "ok", False)
    monkeypatch.setattr(site.core.standing, "canary", False)
    monkeypatch.setattr(site.core.standing, "held", "the clock was set back by 1h")
    site.app._board._site.forget()
    shown = text(looked(site, "/dashboard/health"))
    assert shown.count('class="bad"') == 3
    assert "set back by 1h" in shown

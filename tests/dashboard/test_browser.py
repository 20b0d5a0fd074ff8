"""Every page in a real browser: two sizes, two themes, with and without scripts."""

import time

import pytest
from tests.dashboard.boards import HOSTILE, filled
from tests.dashboard.browsers import chromium, needs_browser, opened
from tests.service.running import Service

import hush.live
from hush.service.serving import Place

pytestmark = needs_browser

PAGES = [
    "",
    "/experiments/checkout",
    "/experiments/mail",
    "/experiments/ideas",
    "/privacy",
    "/health",
    "/tokens",
    "/new",
    "/forecast",
    "/none",
]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    found = tmp_path_factory.mktemp("browser") / "s.db"
    clock = hush.live.ManualClock(int(time.time() * 1_000) - 40 * 3_600_000)
    return found, filled(found, clock)


@pytest.fixture(scope="module")
def address(place, tmp_path_factory):
    """A service in a process of its own."""
    folder = tmp_path_factory.mktemp("service")
    served = Service(Place(str(place[0])), folder, "--tick", "1s").wait_until_ready()
    try:
        yield served.address + "/dashboard"
    finally:
        served.stop()


@pytest.fixture(scope="module")
def browser():
    with chromium() as made:
        yield made


def sign_in(page, address, token):
    page.goto(address)
    page.fill("#token", token)
    page.click("main button")
    page.wait_for_url(address)


@pytest.mark.parametrize(
    ("size", "theme"),
    [
        ("narrow", "dark"),
        pytest.param("wide", "light", marks=pytest.mark.slow),
        pytest.param("wide", "dark", marks=pytest.mark.slow),
        pytest.param("narrow", "light", marks=pytest.mark.slow),
    ],
)
def test_every_page_fits_and_is_accessible(browser, address, place, size, theme):
    """No rule of axe is broken, nothing needs to be scrolled sideways, nothing is complained of."""
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, size, theme) as page:
        page.goto(address)
        assert not Axe().run(page, options=RULES).response["violations"]
        sign_in(page, address, place[1])
        for path in PAGES:
            page.goto(address + path)
            found = Axe().run(page, options=RULES).response["violations"]
            said = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
            assert not said, (path, said)
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ), path
        # The page that is not there is the one thing that a browser complains of.
        assert [each for each in page.complaints if "404" not in each] == []


def test_everything_works_without_scripts(browser, address, place):
    with opened(browser, "narrow", script=False) as page:
        sign_in(page, address, place[1])
        page.click("text=checkout")
        page.wait_for_url("**/experiments/checkout")
        assert page.locator("svg").count() == 3
        page.locator("figure summary").first.click()
        assert page.locator("details[open] table").first.is_visible()
        page.goto(address + "/new")
        page.fill("#name", "without-scripts")
        page.fill("#arms", "a\nb")
        page.click("text=Create and start")
        page.wait_for_url("**/experiments/without-scripts")
        assert page.locator(".state").first.inner_text() == "running"
        page.click("button:has-text('Pause')")
        page.wait_for_selector("text=Resume")
        assert page.locator(".state").first.inner_text() == "paused"
        assert not page.get_by_text("Stop for good").is_visible()  # it cannot be undone
        page.click("text=Stop…")
        page.click("text=Stop for good")
        page.wait_for_selector(".state:has-text('stopped')")


def test_pages_come_up_to_date_by_themselves(browser, address, place):
    """A draft is started elsewhere; the open page shows it within a few ticks, without a reload."""
    with opened(browser) as page, opened(browser) as other:
        for each in (page, other):
            sign_in(each, address, place[1])
        page.goto(address + "/experiments/ideas")
        page.evaluate("window.same = true")
        other.goto(address + "/experiments/ideas")
        other.click("button:has-text('Start')")
        page.wait_for_selector("#summary .state:has-text('running')", timeout=20_000)
        assert page.evaluate("window.same")
        assert page.complaints == []


def test_a_page_whose_reader_signed_out_says_so(browser, address, place):
    """Else it would claim to be of now, and stay as it was."""
    with opened(browser) as page:
        sign_in(page, address, place[1])
        page.goto(address + "/health")
        page.context.clear_cookies()
        page.wait_for_selector("#as-of:has-text('sign in again')", timeout=20_000)


def test_hostile_names_run_nothing(browser, address, place):
    with opened(browser) as page:
        page.on("dialog", lambda dialog: page.complaints.append(dialog.message))
        sign_in(page, address, place[1])
        for path in ("/experiments/mail", "/tokens"):
            page.goto(address + path)
            assert page.get_by_text(HOSTILE, exact=True).count() >= 1
        assert page.complaints == []


def test_a_form_on_another_site_changes_nothing(browser, address, place):
    with opened(browser) as page:
        sign_in(page, address, place[1])
        target = f"{address}/experiments/checkout/pause"
        page.goto("data:text/html,<form id=f method=post action=" + target + "></form>")
        page.evaluate("document.getElementById('f').submit()")
        page.wait_for_selector("text=Refused")
        page.goto(address + "/experiments/checkout")
        assert page.locator(".state").first.inner_text() == "running"


def test_signing_out_ends_it(browser, address, place):
    with opened(browser) as page:
        sign_in(page, address, place[1])
        page.click("text=Sign out")
        page.goto(address + "/privacy")
        assert page.locator("h1").inner_text() == "Sign in"

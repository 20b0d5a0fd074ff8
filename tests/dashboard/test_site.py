"""The pages: what they show, whom they show it to, and how often they are made."""

import re
import sys
from html.parser import HTMLParser

import pytest
from tests.dashboard.boards import filled

import hush.live
from hush.dashboard.forecast_page import ASKED, Forecaster
from hush.dashboard.pages import Pages, Viewer
from hush.dashboard.reader import Reader
from hush.dashboard.site import SAFETY, Site

PAGES = [
    "/dashboard",
    "/dashboard/experiments/checkout",
    "/dashboard/experiments/mail",
    "/dashboard/experiments/ideas",
    "/dashboard/privacy",
    "/dashboard/health",
    "/dashboard/tokens",
    "/dashboard/forecast",
]
NOW = 1_767_225_600.0 + 200 * 3_600


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    found = tmp_path_factory.mktemp("pages") / "s.db"
    filled(found)
    return found


@pytest.fixture
def site(place):
    now = [NOW]
    made = Site(Pages(Reader.open(place)), lambda: now[0])
    made.now = now
    yield made
    made.pages.close()


def shown(site, path, viewer=None, **query):
    reply = site.answer(path, query, viewer or Viewer())
    return reply.status, reply.body.decode()


class Tags(HTMLParser):
    """Collects tags and their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.mark.parametrize("path", PAGES)
def test_pages_need_nothing_from_elsewhere_and_no_inline_script_or_style(site, path):
    status, text = shown(site, path)
    assert status == 200
    for tag, given in Tags(text).found:
        assert tag not in ("style", "iframe", "object", "base"), path
        assert "style" not in given
        assert not any(key.startswith("on") for key in given)
        assert (tag != "script") or given["src"].startswith("/dashboard/static/")
        for key in ("src", "href", "action"):
            assert given.get(key, "/").startswith(("/", "?", "#")), (path, given)


@pytest.mark.parametrize("path", PAGES)
def test_what_people_wrote_is_shown_as_text(site, path):
    text = shown(site, path)[1]
    assert "<script>alert" not in text
    assert "49" not in re.findall(r"&amp;(\d+)", text)


def test_who_did_what_is_shown_escaped(site):
    text = shown(site, "/dashboard/experiments/mail")[1]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "{{7*7}}" in text
    assert "&lt;script&gt;" in shown(site, "/dashboard/tokens")[1]


@pytest.mark.parametrize("path", PAGES)
def test_no_page_names_a_person_or_needs_one(site, path):
    assert "secret-" not in shown(site, path)[1]


@pytest.mark.parametrize("path", PAGES[:6])
def test_every_chart_has_a_title_a_description_and_a_table(site, path):
    text = shown(site, path)[1]
    pictures = re.findall(r"<svg.*?</svg>", text, re.DOTALL)
    assert all("<title" in each and "<desc" in each for each in pictures)
    assert text.count("<details>") >= len(pictures)
    if path.endswith("checkout"):
        assert len(pictures) == 3


def test_ids_are_used_once(site):
    for path in PAGES:
        ids = [given["id"] for _, given in Tags(shown(site, path)[1]).found if "id" in given]
        assert len(ids) == len(set(ids)), path


def test_a_page_is_made_once_a_tick_however_many_look(site, monkeypatch):
    made = []
    experiments = Pages.experiments

    def counted(self, *given):
        made.append(1)
        return experiments(self, *given)

    monkeypatch.setattr(Pages, "experiments", counted)
    for _ in range(5):
        shown(site, "/dashboard")
    assert len(made) == 1
    site.now[0] += site.pages.tick
    shown(site, "/dashboard")
    assert len(made) == 2
    shown(site, "/dashboard", Viewer(key="another"))
    assert len(made) == 3


def test_what_a_page_does_not_read_makes_no_other_page(site, monkeypatch):
    """Else anyone who adds nonsense to an address keeps the service busy."""
    made = []
    health, experiments = Pages.health, Pages.experiments
    monkeypatch.setattr(Pages, "health", lambda *given: made.append(1) or health(*given))
    monkeypatch.setattr(Pages, "experiments", lambda *given: made.append(1) or experiments(*given))
    for n in range(5):
        shown(site, "/dashboard/health", q=f"{n}")
        shown(site, "/dashboard", x=f"{n}")
    assert len(made) == 2


def test_a_browser_that_has_the_page_gets_nothing(site):
    first = site.answer("/dashboard/privacy", {}, Viewer())
    again = site.answer("/dashboard/privacy", {}, Viewer(), first.headers["etag"])
    assert (first.status, again.status, again.body) == (200, 304, b"")


def test_a_viewer_sees_only_what_he_may_read(site):
    one = Viewer(key="one", reads=lambda name: name == "mail", everything=False)
    text = shown(site, "/dashboard", one)[1]
    assert "mail" in text
    assert "checkout" not in text
    assert shown(site, "/dashboard/experiments/checkout", one)[0] == 404
    assert shown(site, "/dashboard/experiments/checkout/export.csv", one)[0] == 404
    assert shown(site, "/dashboard/tokens", one)[0] == 404
    assert "checkout" not in shown(site, "/dashboard/privacy", one)[1]
    assert "checkout" not in shown(site, "/dashboard/health", one)[1]


def test_nothing_is_shown_before_its_time():
    """While a release is sealed and not yet to be seen, every page and export stays as it is."""
    clock = hush.live.ManualClock()
    store = hush.live.open(":memory:", clock=clock, noise=hush.SeededNoise(1))
    experiment = store.create(
        "e", policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1.0, window="5m", tick="1m"
    )
    experiment.start()
    made = experiment.decide_many([{"person": f"p{n}"} for n in range(60)])
    experiment.reward_many([(each.id, each.arm) for each in made])
    made_of = Site(Pages(Reader(store._public)), lambda: clock.wall() / 1_000)
    seen, waited = {}, 0
    for _ in range(50):
        store.settle()
        released = len(experiment.releases)
        waited += bool(store._private.run("SELECT 1 FROM sealed"))
        made_of.forget()
        texts = [made_of.answer(path, {}, Viewer()).body for path in OF_ONE]
        now = [re.sub(rb"[0-9-]+ [0-9:]+ UTC", b"", each) for each in texts]
        assert seen.setdefault(released, now) == now
        clock.advance("10s")
    assert waited
    assert len(seen) > 1
    store.close()


OF_ONE = [
    "/dashboard",
    "/dashboard/experiments/e",
    "/dashboard/experiments/e/export.csv",
    "/dashboard/experiments/e/export.json",
    "/dashboard/privacy",
    "/dashboard/health",
]


@pytest.mark.parametrize("suffix", ["csv", "json", "parquet"])
def test_exports_are_files(site, suffix):
    reply = site.answer(f"/dashboard/experiments/checkout/export.{suffix}", {}, Viewer())
    assert reply.status == 200
    assert reply.headers["content-disposition"] == f'attachment; filename="checkout.{suffix}"'
    assert b"secret-" not in reply.body
    assert len(reply.body) > 100


@pytest.mark.parametrize(
    "path",
    [
        "/dashboard/none",
        "/dashboard/experiments/none",
        "/dashboard/experiments/checkout/export.exe",
        "/dashboard/experiments/checkout/a/b",
        "/dashboard/static/../pages.py",
        "/dashboard/static/none.css",
        "/dashboard/static/..%2fpages.py",
    ],
)
def test_what_is_not_there_is_said(site, path):
    status, text = shown(site, path)
    assert status == 404
    assert "Not found" in text


def test_what_browsers_may_do_is_said():
    policy = SAFETY["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy


@pytest.mark.parametrize("query", [{"page": "0"}, {"page": "x"}, {"page": "9" * 30}, {"q": "%_'"}])
def test_odd_queries_show_a_page(site, query):
    assert shown(site, "/dashboard", **query)[0] == 200


def test_experiments_are_found_by_name(site):
    text = shown(site, "/dashboard", q="CHECK")[1]
    assert "checkout" in text
    assert "mail" not in text


def test_a_forecast_is_refused_by_name_and_changes_nothing(site):
    status, text = shown(site, "/dashboard/forecast", rates="0.2", per_day="100")
    assert status == 200
    assert 'role="alert"' in text
    status, text = shown(site, "/dashboard/forecast", rates="<b>,1")
    assert "<b>,1" not in text


def segment(text):
    return text.split('id="segment1"')[1].split("</section>")[0]


def test_arms_that_are_not_shown_have_no_chance_to_be(site):
    """A plan says who is next; of a draft, or of arms that take turns, that is no chance."""
    assert segment(shown(site, "/dashboard/experiments/ideas")[1]).count("draft") == 2
    assert segment(shown(site, "/dashboard/experiments/mail")[1]).count("paused") == 2
    store = hush.live.open(":memory:")
    fresh = store.create("e", policy="NoiseAwareTS", arms=["a", "b"], person_epsilon=1.0)
    fresh.start()
    text = Site(Pages(Reader(store._public))).answer("/dashboard/experiments/e", {}, Viewer()).body
    assert segment(text.decode()).count("in turn") == 2
    assert "100%" not in text.decode()
    store.close()


def test_empty_sections_say_so(site):
    text = shown(site, "/dashboard/experiments/ideas")[1]
    assert text.count("None yet.") == 1
    assert "Nothing yet." in text
    assert "<svg" not in text
    assert "95% interval" in text


def test_the_list_says_about_what_the_page_says(site):
    row = shown(site, "/dashboard")[1].split(">checkout<")[1].split("</tr>")[0]
    listed = float(re.search(r"([\d.]+)%", row)[1])
    exact = shown(site, "/dashboard/experiments/checkout")[1].split("chance to be best: ")[1]
    assert listed == pytest.approx(float(re.search(r"([\d.]+)%", exact)[1]), abs=5)


def test_why_a_forecast_failed_is_said_only_where_it_is_meant_for_readers():
    given = {**ASKED, "rates": "0.1, 0.2"}
    ways = (
        ("import sys; sys.exit('error: rates are wrong')", "rates are wrong"),
        ("raise RuntimeError('/home/ada/secret')", "The forecast failed."),
    )
    for program, said in ways:
        assert Forecaster([sys.executable, "-c", program]).ask(given) == said


def test_pages_about_all_experiments_say_what_they_leave_out(site, monkeypatch):
    monkeypatch.setattr("hush.dashboard.pages.MOST_SHOWN", 2)
    for page in ("/dashboard/privacy", "/dashboard/health"):
        text = shown(site, page)[1]
        assert "1 older experiments are left out" in text
        assert "/dashboard/experiments/checkout" not in text

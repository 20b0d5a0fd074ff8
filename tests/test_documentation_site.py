"""The documentation site: strict, whole, readable by everyone, and silent towards others."""

import http.server
import logging
import os
import re
import subprocess
import sys
import threading
from functools import partial
from urllib.parse import unquote, urldefrag, urljoin

import nbformat
import pytest
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import get_files
from tests.check_examples import NOTEBOOKS, ROOT
from tests.dashboard.browsers import chromium, needs_browser, opened

from research import site
from research.notebooks import read

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]}
# Home, a how-to, a page of the reference, notebooks, a long table, the map.
LOOKED_AT = [
    "", "serve/", "api/learners/", "tutorials/first_experiment/", "tutorials/own_policy/",
    "tutorials/audit/", "comparison/", "architecture/",
]  # fmt: skip
ENVIRONMENT = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}


def places(nav):
    """Give every page of the navigation."""
    for entry in nav:
        for value in entry.values():
            yield from [value] if isinstance(value, str) else places(value)


def test_every_page_has_one_place_in_the_navigation():
    named = list(places(load_config(str(ROOT / "mkdocs.yml")).nav))
    pages = {str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")}
    pages |= {f"tutorials/{path.stem}.md" for path in NOTEBOOKS}
    pages |= {place for place in site.PAGES if place.endswith(".md")}
    assert sorted(named) == sorted(pages)


def test_pages_of_the_first_folder_and_notebooks_are_added(monkeypatch):
    """Notebooks are not run here, so that they have no pictures but one."""
    picture = nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg></svg>"})

    def not_run(path):
        notebook = read(path)
        next(cell for cell in notebook.cells if "alt" in cell.metadata).outputs = [picture]
        return notebook

    monkeypatch.setattr(site, "ran", not_run)
    site._page.cache_clear()
    config = load_config(str(ROOT / "mkdocs.yml"))
    config.plugins._current_plugin = "site"  # as where MkDocs calls it
    files = site.on_files(get_files(config), config)
    site._page.cache_clear()
    home = files.get_file_from_path("index.md").content_string
    assert home == (ROOT / "README.md").read_text()
    assert "](tutorials/audit.md)" in site.on_page_markdown(home, page=None)
    page = files.get_file_from_path("tutorials/audit.md").content_string
    assert page.startswith("# A privacy engineer's audit, from claim to signature\n\n<a href=")
    assert files.get_file_from_path("tutorials/audit_1.svg").content_string == "<svg></svg>"
    assert files.get_file_from_path("tutorials/audit.ipynb")  # to be downloaded


def test_links_of_pages_stay_on_the_site():
    """What lies beside docs, such as code, is not there; the build, which takes long, fails."""
    folder = ROOT / "docs"
    for page in folder.rglob("*.md"):
        for link in re.findall(r"\]\(([^):#\s]+)", page.read_text()):
            target = (page.parent / link).resolve()
            shown = target.is_relative_to(folder) or str(target.relative_to(ROOT)) in site.PAGES
            assert shown, (page.name, link)


def test_a_build_fails_where_a_name_is_undocumented(monkeypatch):
    monkeypatch.setattr(site, "faults", lambda: ["hush.x is public, and on no page"])
    with pytest.raises(PluginError, match=r"hush.x is public"):
        site.on_config(None)


@pytest.mark.untraced
def test_broken_links_fail(tmp_path):
    """With the site's own settings, on a page of its own; a link that is right is no fault."""
    broken = ["nowhere.md", "index.md#nowhere", "/index.md", "nowhere.svg"]
    links = "\n\n".join(f"[a]({link})" for link in [*broken, "index.md#title"])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.md").write_text(f"# Title\n\n{links}\n")
    config = f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: made\nhooks: []\n"
    more = "plugins: []\nextra_css: []\nextra_javascript: []\nnav:\n  - index.md\n"
    (tmp_path / "mkdocs.yml").write_text(config + more)
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict"],
        cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    warnings = [line for line in done.stderr.splitlines() if line.startswith("WARNING")]
    assert len(warnings) == len(broken)
    for link in broken:
        assert any(f"'{link}'" in line for line in warnings), link


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The site, built as `make docs` does, with its notebooks run."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def address(built):
    handler = partial(_Quiet, directory=str(built))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        logging.getLogger(__name__).debug(words)


@pytest.mark.slow
def test_every_link_of_every_page_leads_somewhere(built):
    """Those too that are made after Markdown was read: of the theme, the reference, notebooks."""
    pages = {page: page.read_text() for page in built.rglob("*.html") if page.name != "404.html"}
    assert len(pages) > 50
    marks = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in pages.items()}
    for page, text in pages.items():
        here = "/" + str(page.relative_to(built))
        for link in re.findall(r'\b(?:href|src)="([^"]+)"', text):
            if re.match(r"[a-z]+:", link):
                continue
            path, mark = urldefrag(urljoin(here, link.replace("&amp;", "&")))
            target = built / unquote(path.partition("?")[0]).lstrip("/")
            target = target / "index.html" if target.is_dir() else target
            assert target.exists(), (here, link)
            assert not mark or target not in marks or unquote(mark) in marks[target], (here, link)


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(built):
    loads = r"<(?:script|img|iframe|source)[^>]+src=\"([^\"]+)\"|<link[^>]+href=\"([^\"]+)\""
    for page in built.rglob("*.html"):
        found = [one or other for one, other in re.findall(loads, page.read_text())]
        assert [each for each in found if re.match(r"(https?:)?//", each)] == [], page


@pytest.mark.slow
@needs_browser
@pytest.mark.parametrize("size", ["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_pages_fit_are_accessible_and_ask_nobody(address, size, theme):
    from axe_playwright_python.sync_playwright import Axe

    with chromium() as browser, opened(browser, size, theme) as page:
        for path in LOOKED_AT:
            page.goto(address + path)
            page.wait_for_load_state("networkidle")
            found = Axe().run(page, options=RULES).response["violations"]
            said = [(each["id"], [node["html"] for node in each["nodes"]]) for each in found]
            assert not said, (path, said)
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            ), path
        assert page.complaints == []


@pytest.mark.slow
@needs_browser
def test_search_finds_a_name_of_the_reference_without_a_network(address):
    with chromium() as browser, opened(browser, "wide", "light") as page:
        page.goto(address)
        page.click("[data-md-component=search-query]")
        page.keyboard.type("NoisySum")
        page.wait_for_selector(".md-search-result__link", timeout=20_000)
        links = page.locator(".md-search-result__link")
        assert any("api/own_policies" in (each or "") for each in [
            links.nth(place).get_attribute("href") for place in range(links.count())
        ])  # fmt: skip
        assert page.complaints == []

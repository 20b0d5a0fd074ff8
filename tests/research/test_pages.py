"""Pages made from data: filled in, checked, and left alone where something is wrong."""

import pytest
from typer.testing import CliRunner

from hush.errors import HushError, ParameterError
from hush.output.document import TableOf
from research import __main__ as command
from research import pages
from research.pages import Page, fill, load_tables, save_tables, stored

TEXT = "before\n<!-- begin squares -->\nold\n<!-- end squares -->\nafter\n"
TABLE = TableOf(("n", "a|b, c"), (("2", "4"), ("3", "9 | 9")), numbers=False)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "DOCS", tmp_path)
    monkeypatch.setattr(pages, "DATA", tmp_path / "data")
    page = Page("mine", {"squares": stored("squares")}, picture="drawn")
    page.path.write_text(TEXT)
    save_tables(page.data, {"squares": TABLE})
    monkeypatch.setattr(command, "STUDIES", {"mine": (page, None)})
    monkeypatch.setattr(command, "PAGES", [page])
    return page


def call(*words):
    return CliRunner().invoke(command.app, words)


def test_tables_are_kept_as_they_are(page):
    assert load_tables(page.data) == {"squares": TABLE}


def test_a_stale_page_is_detected_and_written(page):
    shown = call("--check")
    assert shown.exit_code == 1
    assert "stale: mine.md; write them with make pages" in shown.output
    assert page.path.read_text() == TEXT
    assert "mine.md is written" in call().output
    text = page.path.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    assert "| 3 | 9 \\| 9 |" in text
    assert call("--check").exit_code == 0
    assert "was up to date" in call().output
    page.path.write_text(text.replace("| 2 | 4 |", "| 2 | 5 |"))  # a number changed by hand
    assert call("--check").exit_code == 1


def test_changed_data_make_a_page_stale(page):
    page.write()
    assert not page.stale()
    save_tables(page.data, {"squares": TableOf(TABLE.columns, (("5", "25"),))})
    assert page.stale()


def test_a_page_without_its_place_is_refused(page):
    with pytest.raises(ParameterError, match="has no place for b"):
        fill(TEXT, {"squares": "x", "b": "y"}, "mine.md")
    page.path.unlink()
    with pytest.raises(ParameterError, match="cannot read"):
        page.stale()


def test_a_run_writes_data_picture_and_page_unless_it_is_quick(page, tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def measure(folder, *, quick, seed):
        return {"squares": TableOf(("n",), ((str(seed),),))}, Figure()

    monkeypatch.setattr(command, "STUDIES", {"mine": (page, measure)})
    monkeypatch.setattr(command, "DOCS", tmp_path)
    words = ["run", "mine", "--seed", "3", "--out", str(tmp_path / "out")]
    assert call(*words, "--quick").exit_code == 0
    assert load_tables(page.data) == {"squares": TABLE}
    assert page.path.read_text() == TEXT
    assert not (tmp_path / "images").exists()
    assert call(*words).exit_code == 0
    assert "| 3 |" in page.path.read_text()
    assert not page.stale()
    assert (tmp_path / "images" / "drawn.svg").exists()
    assert (tmp_path / "out" / "study.png").stat().st_size > 100


def test_unknown_studies_are_refused():
    shown = call("run", "conjectur")
    assert isinstance(shown.exception, HushError)
    assert "did you mean 'conjecture'" in str(shown.exception)


@pytest.mark.parametrize("name", command.STUDIES)
def test_the_pages_of_the_docs_are_up_to_date(name):
    page, _ = command.STUDIES[name]
    assert not page.stale()
    if page.picture:
        assert (pages.DOCS / "images" / f"{page.picture}.svg").exists()

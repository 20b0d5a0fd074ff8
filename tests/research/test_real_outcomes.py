"""The study on real outcomes: at a tiny scale, and what the page says about the stored one."""

import re

import pytest
from typer.testing import CliRunner

from hush.environments import trials
from research import real_outcomes
from research.__main__ import app
from research.pages import DOCS, load_tables
from research.real_outcomes import PAGE, PARTS, Scale

TEXT = (DOCS / "real_outcomes.md").read_text(encoding="utf-8")
TABLES = load_tables(PAGE.data)


def number(text):
    return float(re.search(r"[\d,.]+", text)[0].replace(",", ""))


def cell(table, row, column):
    found = next(each for each in TABLES[table].rows if each[: len(row)] == row)
    return found[TABLES[table].columns.index(column)]


@pytest.mark.slow
@pytest.mark.untraced
def test_the_command_leaves_tables_and_a_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(real_outcomes, "EPSILONS", (1.0,))
    monkeypatch.setattr(real_outcomes, "LONG", 5000)
    monkeypatch.setattr(Scale, "quick", classmethod(lambda cls: Scale(3, 2, 40, 1, 2, 40)))
    shown = CliRunner().invoke(
        app, ["run", "real_outcomes", "--quick", "--out", str(tmp_path)], env={"COLUMNS": "200"}
    )
    assert shown.exit_code == 0, shown.output
    for name in (*(f"{part}.csv" for part in PARTS), "study.svg", "study.png"):
        assert (tmp_path / name).stat().st_size > 50
    tables, _ = real_outcomes.measure(tmp_path, quick=True, seed=7)
    assert set(tables) == set(PAGE.parts)


def test_the_page_is_checked_without_the_packages(monkeypatch):
    def missing(*_):
        raise AssertionError("read")

    monkeypatch.setattr(trials, "_rows", missing)
    assert set(TABLES) == set(PAGE.parts)
    assert not PAGE.stale()


def test_replays_were_unbiased_and_their_intervals_held():
    """Of 200 logs each: a bias of 4 errors has a chance of 1e-4, 175 at 95 % one of 3e-5."""
    columns, total = TABLES["coverage"].columns, dict[str, int]()
    for row in TABLES["coverage"].rows:
        line = dict(zip(columns, row, strict=True))
        held, logs = map(int, line["held by"].split(" of "))
        assert abs(float(line["bias, in standard errors"].split(", ")[1])) < 4.0, row
        assert (logs, held > 175) == (200, True), row
        total[line["logs"]] = total.get(line["logs"], 0) + held
    persons = total.pop("persons with three rows")
    said = " ".join(TEXT.split())
    assert f"{sum(total.values()):,} of {600 * len(total):,} hold the truth" in said
    assert f"{persons} of 600, which is 94 %" in said


def test_what_the_text_says_is_in_the_tables():
    free = number(cell("price", ("event-free", "`ThompsonSampling`"), "no privacy"))
    costs = {
        name: number(cell("price", ("event-free", f"`{name}`"), "eps 1")) - free
        for name in ("NoiseAwareTS", "NoiseAwareIMED", "LazyDPTS")
    }
    assert 4.0 <= costs["NoiseAwareTS"] < costs["NoiseAwareIMED"] < 8.5
    assert costs["LazyDPTS"] > 35.0
    assert number(cell("price", ("event-free", "`AdaPKLUCB`"), "eps 0.1")) > 2.5 * 98.6
    assert number(cell("worst", ("`NoiseAwareTS`",), "eps 0.1")) < 535 / 2
    assert number(cell("long", ("event-free", "`NoiseAwareIMED`"), "eps 1")) == 153
    assert "98.6" in TEXT

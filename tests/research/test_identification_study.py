"""The study of best arms: at a tiny scale, and what the page says about the stored one."""

import re

import pandas as pd
import pytest
from typer.testing import CliRunner

from research import identification
from research.__main__ import app
from research.identification import CASES, PAGE, Case, Scale
from research.pages import DOCS, load_tables

TEXT = (DOCS / "identification.md").read_text(encoding="utf-8")


def number(text):
    return float(re.search(r"[\d,.]+", text)[0].replace(",", ""))


@pytest.mark.untraced
def test_the_command_leaves_tables_and_a_picture(tmp_path, monkeypatch):
    monkeypatch.setattr(identification, "CASES", (Case("easy", (0.9, 0.2), 1.0, 0.9),) * 3)
    monkeypatch.setattr(identification, "BUDGETS", (20,))
    monkeypatch.setattr(identification, "PUBLISHED", {1.0: 100.0})
    monkeypatch.setattr(identification, "PUBLISHED_MOST", 20_000)
    scale = Scale(3, 2, 2, 1, 20, 5_000, 5_000, 200)
    monkeypatch.setattr(Scale, "quick", classmethod(lambda cls: scale))
    shown = CliRunner().invoke(
        app, ["run", "identification", "--quick", "--out", str(tmp_path)], env={"COLUMNS": "200"}
    )
    assert shown.exit_code == 0, shown.output
    assert "lower bound" in shown.output
    for name in (*(f"{part}.csv" for part in identification.PARTS), "study.svg", "study.png"):
        assert (tmp_path / name).stat().st_size > 50
    rivals = pd.read_csv(tmp_path / "rivals.csv")
    assert set(rivals["policy"]) == set(identification.RIVALS)
    tables, _ = identification.measure(tmp_path, quick=True, seed=7)
    assert set(tables) == set(PAGE.parts)


def test_the_rule_is_as_sure_as_it_says_on_every_stored_instance():
    rows = load_tables(PAGE.data)["instances"].rows
    columns = load_tables(PAGE.data)["instances"].columns
    assert len(rows) == len(CASES) >= 10
    for values in rows:
        row = dict(zip(columns, values, strict=True))
        assert number(row["runs"]) == Scale().runs == 10_000
        assert number(row["99 % limit"]) <= 100.0 * float(row["delta"])
        assert row["undecided"] == "0"


def test_the_bound_lies_below_all_that_keeps_its_promise():
    table = load_tables(PAGE.data)["samples"]
    for values in table.rows:
        row = dict(zip(table.columns, values, strict=True))
        for name in ("NoiseAwareBAI", "DPTT, stated", "AdaPTTStar, stated"):
            assert number(row["lower bound"]) < number(row[name])
        assert number(row["NoiseAwareBAI"]) < number(row["DPTT, stated"])


def test_the_heuristic_errs_where_the_page_says_so():
    table = load_tables(PAGE.data)["rivals"]
    rows = [dict(zip(table.columns, values, strict=True)) for values in table.rows]
    runs = Scale().heuristic_runs
    wrong = {
        row["instance"]
        for row in rows
        if number(row["DPTT, heuristic"]) > runs * float(row["delta"])
    }
    assert wrong == {
        "S1, eps 0.1",
        "near one, eps 0.5",
        "random, 3 arms, eps 0.99",
        "two arms, near, eps 0.5",
    }
    assert all(number(row["DPTT, stated"]) == 0 for row in rows)
    assert all(number(row["AdaPTTStar, stated"]) == 0 for row in rows)


def test_prose_counts_what_is_run():
    scale = Scale()
    words = f"{scale.stated_runs:,} runs with the stated thresholds, {scale.heuristic_runs:,}"
    assert words in " ".join(TEXT.split())
    assert f"given up after {scale.other_most:,} samples" in " ".join(TEXT.split())
    assert scale.rival_most == 10**6
    assert "given up after 10^6 samples" in " ".join(TEXT.split())


def test_random_instances_were_drawn_once():
    again = identification.random_case(1, 3)
    assert again in CASES
    assert max(again.means) - sorted(again.means)[-2] >= 0.05

"""The study of the conjecture at a tiny scale: complete, resumable, drawn, and its page true."""

import shutil

import pandas as pd
import pytest
from typer.testing import CliRunner

import hush
from hush.studies.definition.environment_table import brackets
from hush.theory import exact_regret
from research import conjecture, conjecture_page
from research.__main__ import app
from research.conjecture import Scale, run_study
from research.pages import load_tables

TINY = Scale((2, 20), (0.125,), (0.5,), (1, 2), (2.0, 3.0), 1, (0.5, 1.0), 3)


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A folder with all parts, run once."""
    folder = tmp_path_factory.mktemp("conjecture")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conjecture, "COST_HORIZON", 16)
        run_study(folder, TINY, 7)
    return folder


@pytest.fixture
def folder(done, tmp_path, monkeypatch):
    monkeypatch.setattr(Scale, "quick", classmethod(lambda cls: TINY))
    return shutil.copytree(done, tmp_path / "data")


def call(*words):
    return CliRunner().invoke(app, ["run", "conjecture", *map(str, words)])


@pytest.mark.slow
def test_the_command_leaves_tables_and_a_picture(folder):
    (folder / "brackets.csv").unlink()
    shown = call("--quick", "--out", folder)
    assert shown.exit_code == 0, shown.output
    for name in ("rates.csv", "brackets.csv", "growth.csv", "privacy.csv", "study.svg"):
        assert (folder / name).stat().st_size > 100
    assert "ShrinkingDartboard" in shown.output


@pytest.mark.untraced
def test_the_page_quotes_the_tables(folder):
    tables, _ = conjecture_page.measure(folder, quick=True, seed=7)
    places = "\n".join(f"<!-- begin {n} -->\n<!-- end {n} -->" for n in conjecture_page.PAGE.parts)
    text = conjecture_page.PAGE.render(places, tables)
    assert "{" not in text
    rates = pd.read_csv(folder / "rates.csv")
    true = rates[rates["calibration"] == "replace"]
    assert f"at most {true['to rate'].max():.2f}" in text.replace("\n", " ")
    assert "### 64 actions, gap 0.1" in text
    assert max(map(len, text.partition("| family")[0].splitlines())) <= 100


def test_rows_are_what_exact_regret_says(folder):
    tables = run_study(folder, TINY, 7)
    row = tables["rates"].query("family == 'equal' and actions == 20 and epsilon == 0.5").iloc[0]
    policy = hush.RNMFTNL(0.5)
    found = exact_regret(policy, brackets(1, 19, 0.125), 2**40).final
    assert row["regret 2^40"] == pytest.approx(found)
    bound = hush.bounds(policy, brackets(1, 19, 0.125), 2**40)["brackets"].value
    assert row["to bound"] == pytest.approx(found / bound)
    for name, table in tables.items():
        assert len(table) == conjecture._rows(name, TINY)
    grown = tables["growth"]
    assert grown[grown["growth"] == 2.0]["ratio"].to_numpy() == pytest.approx(1.0)
    costs = tables["privacy"]
    assert set(costs["policy"]) == set(conjecture.COSTS)
    simulated = costs["policy"] == "ShrinkingDartboard"
    assert (costs[simulated]["standard error"] > 0).any()
    assert (costs[~simulated]["standard error"] == 0).all()


@pytest.mark.untraced
def test_it_goes_on_where_it_stopped(folder, monkeypatch):
    first = run_study(folder, TINY, 7)
    (folder / "brackets.csv").unlink()
    done = []
    for name, part in conjecture.PARTS.items():
        monkeypatch.setitem(
            conjecture.PARTS, name, lambda *a, n=name, p=part: (done.append(n), p(*a))[1]
        )
    again = run_study(folder, TINY, 7)
    assert done == ["brackets"]
    for name, table in first.items():
        pd.testing.assert_frame_equal(table, again[name])


def test_parts_of_another_seed_are_refused(folder):
    shown = call("--quick", "--seed", "3", "--out", folder)
    assert isinstance(shown.exception, hush.ParameterError)
    assert "another size, seed or version" in str(shown.exception)


def test_doubling_crowds():
    assert conjecture._doubling(2, 0.125) is None
    assert conjecture._doubling(1000, 2**-9).n_arms == 9 * 111 + 1


def test_the_stored_tables_were_made_at_full_scale():
    """They hold as many cells as the full scale has."""
    tables = load_tables(conjecture_page.PAGE.data)
    cells = sum(int(row[3]) for row in tables["rates"].rows)
    assert cells == conjecture._rows("rates", Scale())
    assert tables["figures"].rows[0][0] == str(cells)
    assert len(tables["brackets"].rows) == conjecture._rows("brackets", Scale())

"""What a report holds, and that it holds the data's own figures."""

import csv
import hashlib
import io
import json
import os
import re

import pandas as pd
import pytest
from tests.studies.small import PLOTS, SMALL, small

import hush
from hush.output.files import replaced
from hush.output.numbers import with_interval
from hush.studies import run_study
from hush.studies.report import write
from hush.studies.report.write import write_report


@pytest.fixture(scope="module")
def outcome():
    return run_study(small(SMALL + PLOTS))


@pytest.fixture(scope="module")
def folder(outcome, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    write_report([outcome], folder, title="A <title>", command="hush run small.toml")
    return folder


def test_the_page_needs_no_other_file(folder):
    page = (folder / "report.html").read_text()
    assert "A &lt;title&gt;" in page
    assert page.count("data:image/svg+xml;base64,") == 3
    assert re.findall(r'(?:src|href)="(?!data:|#)', page) == []
    assert "<code>hush run small.toml</code>" in page
    assert "Of 1 claims, " in page
    assert f"Hush {hush.__version__}" in page
    assert 'class="verdict ' in page


def test_the_page_opens_with_pictures_and_what_came_out(folder):
    text = (folder / "report.md").read_text()
    order = ["# A <title>", "![", "## What came out", "**Small.**", "## Small", "## All claims"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert "may come out wrong by chance" in text


@pytest.mark.slow
def test_figures_are_the_same_wherever_they_are_drawn(outcome, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "FEW", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(write, "draw_plot", None)  # here it would fail
    write_report([outcome], tmp_path)
    names = sorted(path.name for path in (folder / "figures").iterdir())
    assert len(names) == 9
    for name in names:
        drawn_here = (folder / "figures" / name).read_bytes()
        assert (tmp_path / "figures" / name).read_bytes() == drawn_here


def test_markdown_names_files_that_are_there(folder):
    text = (folder / "report.md").read_text()
    pictures = re.findall(r"\]\(([^)]+)\)", text)
    assert pictures == ["figures/small.svg", "figures/small-2.svg", "figures/small-3.svg"]
    for name in pictures:
        for suffix in (".svg", ".png", ".pdf"):
            assert (folder / name).with_suffix(suffix).stat().st_size > 3000


def test_tables_are_the_datas(folder, outcome):
    runs = pd.read_csv(folder / "data" / "small-runs.csv")
    assert len(runs) == 4 * 12 + 8
    mean = runs[(runs["policy"] == "LazyDPTS") & (runs["epsilon"] == 0.5)]["round 2000"].mean()
    summary = pd.read_csv(folder / "data" / "small.csv")
    row = summary[
        (summary["policy"] == "LazyDPTS") & (summary["epsilon"] == 0.5) & (summary["round"] == 2000)
    ]
    assert row["mean"].item() == pytest.approx(mean)
    text = (folder / "report.md").read_text()
    ends = [row[key].item() for key in ("q50", "median_low", "median_high")]
    assert f"| {with_interval(*ends)} |" in text
    other = runs[(runs["policy"] == "AnytimeLazyUCB") & (runs["epsilon"] == 0.5)]
    differences = pd.read_csv(folder / "data" / "small-differences.csv")
    first = differences.iloc[0]
    assert first["policy"] == "AnytimeLazyUCB"
    assert first["of"] == "medians"
    assert first["difference"] == pytest.approx(other["round 2000"].median() - row["q50"].item())
    assert first["low"] < first["difference"] < first["high"]
    # A policy without epsilon is held against the baseline at every epsilon.
    assert (differences["policy"] == "UCB1").sum() == 2


def test_data_say_what_they_are(folder, outcome):
    about = json.loads((folder / "data" / "small.json").read_text())
    assert about["hush"] == hush.__version__
    assert about["seed"] == 2024
    assert about["curves"][0]["policy"] == {"policy": "AnytimeLazyUCB", "epsilon": 0.5}
    data = (folder / "data" / "small-runs.csv").read_bytes()
    assert about["sha256"] == hashlib.sha256(data).hexdigest()
    assert about["sha256"] in (folder / "report.md").read_text()


def test_claims_are_listed(folder):
    rows = list(csv.DictReader(io.StringIO((folder / "claims.csv").read_text())))
    assert [row["place"] for row in rows] == ["epsilon=0.5", "epsilon=1.0"]
    assert {row["figure"] for row in rows} == {"ratio of medians"}
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)
    assert all(row["verdict there"] for row in rows)
    assert rows[0]["verdict"] in ("holds", "does not hold", "inconclusive")


def test_what_a_killed_process_left_is_removed(outcome, tmp_path, monkeypatch):
    monkeypatch.setattr(write, "FORMATS", ("svg",))
    held = [replaced(tmp_path / "figures" / "small.svg"), replaced(tmp_path / "report.md")]
    left = [each.__enter__() for each in held]  # and never the end
    kept = tmp_path / "data" / "notes.txt"
    kept.parent.mkdir()
    kept.write_text("mine")
    assert all(path.exists() for path in left)
    write_report([outcome], tmp_path)
    assert not any(path.exists() for path in left)
    assert kept.read_text() == "mine"


def test_writing_again_gives_the_same_bytes(tmp_path):
    for name, workers in (("one", 1), ("two", 2)):
        write_report([run_study(small(), workers=workers)], tmp_path / name)
    files = [path for path in sorted((tmp_path / "one").rglob("*")) if path.is_file()]
    assert len(files) == 4 + 3 + 4
    for path in files:
        other = tmp_path / "two" / path.relative_to(tmp_path / "one")
        assert path.read_bytes() == other.read_bytes(), path


@pytest.mark.untraced
def test_claims_about_swept_words(tmp_path):
    text = SMALL.replace('policy = "LazyDPTS"\n\n', 'policy = "RNMFTNL"\nname = "LazyDPTS"\n'
                         'noise = ["laplace", "exponential"]\n\n')  # fmt: skip
    (finding,) = write_report([run_study(small(text))], tmp_path)
    assert "noise laplace" in finding.figures


@pytest.mark.untraced
def test_pairs_can_be_swept(tmp_path):
    text = SMALL.replace('policy = "LazyDPTS"\n\n', 'policy = "NoiseAwareTS"\nname = "LazyDPTS"\n'
                         'prior = [[1.0, 1.0], [2.0, 2.0]]\n\n')  # fmt: skip
    outcome = run_study(small(text))
    (finding,) = write_report([outcome], tmp_path)
    assert "prior (1.0, 1.0)" in finding.figures
    data = pd.read_csv(tmp_path / "data" / "small-differences.csv")
    assert set(data["prior"]) == {"(1.0, 1.0)", "(2.0, 2.0)"}
    runs = pd.read_csv(tmp_path / "data" / "small-runs.csv", keep_default_na=False)
    assert set(runs["prior"]) == {"", "(1.0, 1.0)", "(2.0, 2.0)"}


def test_latex(folder):
    text = (folder / "tables.tex").read_text()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert re.search(r"LazyDPTS & [\d,.]+ \([\d,.]+ to [\d,.]+\)", text)

"""What a report holds, and that it holds the data's own figures."""

import csv
import hashlib
import io
import json
import os
import re

import pandas as pd
import pytest
from tests.studies.small import SMALL, made, small

import hush
from hush.output.document import Heading, Image, Paragraph, TableOf, html, latex_table, markdown
from hush.output.files import replaced
from hush.studies import conjecture, run_study
from hush.studies.conjecture_part import conjecture_parts
from hush.studies.report import write
from hush.studies.report.figures import draw_plot
from hush.studies.report.tables import difference_table, plus_minus, regret_table, shown
from hush.studies.report.write import write_report

PLOTS = """
[[plots]]
kind = "time"
scales = ["log"]
panels = "epsilon"
[[plots]]
kind = "sweep"
against = "epsilon"
[[plots]]
kind = "dots"
"""


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
    assert len(runs) == 4 * 6 + 4
    mean = runs[(runs["policy"] == "LazyDPTS") & (runs["epsilon"] == 0.5)]["round 2000"].mean()
    summary = pd.read_csv(folder / "data" / "small.csv")
    row = summary[
        (summary["policy"] == "LazyDPTS") & (summary["epsilon"] == 0.5) & (summary["round"] == 2000)
    ]
    assert row["mean"].item() == pytest.approx(mean)
    text = (folder / "report.md").read_text()
    assert f"| {plus_minus(mean, (row['high'] - row['mean']).item())} |" in text
    other = runs[(runs["policy"] == "AnytimeLazyUCB") & (runs["epsilon"] == 0.5)]
    differences = pd.read_csv(folder / "data" / "small-differences.csv")
    first = differences.iloc[0]
    assert first["policy"] == "AnytimeLazyUCB"
    assert first["difference"] == pytest.approx(other["round 2000"].mean() - mean)
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
    assert {row["figure"] for row in rows} == {"ratio"}
    assert all(float(row["low"]) < float(row["value"]) < float(row["high"]) for row in rows)
    assert all(row["verdict there"] for row in rows)
    assert rows[0]["verdict"] in ("holds", "does not hold", "inconclusive")


def test_latex(folder):
    text = (folder / "tables.tex").read_text()
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 1
    assert re.search(r"LazyDPTS & \$[\d{},.]+ \\pm [\d{},.]+\$", text)
    table = TableOf(("a_b", "50 %"), (("x & y", "1^2"),))
    assert r"a\_b & 50 \%" in latex_table(table, "c", "l")
    assert r"x \& y & 1\textasciicircum{}2 \\" in latex_table(table, "c", "l")


def test_what_a_killed_process_left_is_removed(outcome, tmp_path):
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


def test_pictures(outcome):
    time, sweep, dots = (draw_plot(outcome, plot) for plot in outcome.study.plots)
    assert [len(axes.lines) for axes in time.axes] == [3, 3]
    labels = [text.get_text() for text in sweep.axes[0].texts]
    assert any(label.startswith("UCB1") for label in labels)
    assert len(sweep.axes[0].lines) == 3
    assert len(dots.axes[0].texts) == 5


def test_pictures_of_other_sweeps():
    text = SMALL.replace('policy = "LazyDPTS"\n\n', 'policy = "RNMFTNL"\nname = "LazyDPTS"\n'
                         'noise = ["laplace", "exponential"]\n\n')  # fmt: skip
    outcome = run_study(small(text))
    for plot in outcome.study.plots:
        (axes,) = draw_plot(outcome, plot).axes
        names = [tick.get_text() for tick in axes.get_xticklabels()]
        assert names == (["0.5", "1"] if plot.against == "epsilon" else ["laplace", "exponential"])
    # Curves that differ in what is not on the axis are told apart in their labels.
    labels = " ".join(text.get_text() for text in axes.texts)
    assert "LazyDPTS (epsilon 0.5)" in labels
    many = made(
        lambda *_: 1.0, axes="epsilon = [0.1, 0.2, 0.3, 0.4]", claim='test="less"\nthan="B"'
    )
    from hush.studies.definition import Plot

    plot = Plot("time", panels="epsilon", scales=("log",), policies=("A", "B"))
    assert len([axes for axes in draw_plot(many, plot).axes if axes.lines]) == 4


def test_wide_tables_go_down():
    arms = "arms = [2, 3, 4, 5, 6, 7]\ngap = 0.1"
    outcome = made(lambda *_: 10.0, axes=arms, claim='test="less"\nthan="B"')
    assert regret_table(outcome).columns[1:] == tuple(f"arms {k}" for k in range(2, 8))
    assert difference_table(outcome) is None
    epsilons = ", ".join(f"{k}.0" for k in range(1, 13))
    outcome = made(lambda *_: 10.0, axes=f"epsilon = [{epsilons}]", claim='test="less"\nthan="B"')
    table = regret_table(outcome)
    assert len(table.columns) == 2
    assert table.rows[0][0] == "A, epsilon 1"


def test_numbers_for_readers():
    assert shown(float("nan")) == "?"
    assert plus_minus(12345.6, 0.0) == "12,346 ± 0"
    assert plus_minus(150.0, 0.25) == "150.0 ± 0.2"
    assert plus_minus(1.5, 0.25) == "1.50 ± 0.25"
    assert plus_minus(-87.23, 19.2) == "-87 ± 19"
    assert plus_minus(8303.4, 1e-12) == "8,303 ± 0"  # rounding is no uncertainty
    assert plus_minus(12.0, float("nan")) == "12.0 ± ?"


def test_powers_of_ten_are_raised():
    text = SMALL.replace("horizon = 2000", "horizon = [1e5, 1e6]")
    outcome = run_study(small(text).resized(runs=2))
    assert "horizon 10^6" in " ".join(regret_table(outcome).columns)
    (axes,) = [
        axes
        for plot in outcome.study.plots
        if plot.against == "horizon"
        for axes in draw_plot(outcome, plot).axes
    ]
    assert [tick.get_text() for tick in axes.get_xticklabels()][-1] == "$10^{6}$"


def test_documents(tmp_path):
    picture = tmp_path / "a.svg"
    picture.write_text("<svg/>")
    parts = [Heading("T", 1), Heading("One two"), Image(picture, "what"), Paragraph("p", note=True)]
    page = html(parts)
    assert '<a href="#one-two">' in page
    assert "PHN2Zy8+" in page
    assert "![what](a.svg)" in markdown(parts, tmp_path)


def test_the_conjecture_is_a_part(tmp_path):
    scale = conjecture.Scale((2, 4), (0.125,), (1.0,), (1, 2))
    parts = conjecture_parts(tmp_path, scale)
    assert (tmp_path / "figures" / "conjecture.pdf").stat().st_size > 3000
    tables = [part for part in parts if isinstance(part, TableOf)]
    assert len(tables) == 2
    assert len(tables[1].rows) == len(scale.brackets) * 2 * 2


def test_claims_about_swept_words(tmp_path):
    text = SMALL.replace('policy = "LazyDPTS"\n\n', 'policy = "RNMFTNL"\nname = "LazyDPTS"\n'
                         'noise = ["laplace", "exponential"]\n\n')  # fmt: skip
    (finding,) = write_report([run_study(small(text))], tmp_path)
    assert "noise laplace" in finding.figures


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

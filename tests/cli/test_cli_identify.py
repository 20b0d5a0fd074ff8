import csv

import pytest
from tests.cli.test_cli import call

from hush import Identification


def test_identify_prints_and_saves(tmp_path):
    files = [tmp_path / f"out.{suffix}" for suffix in ("svg", "csv", "npz")]
    words = ["identify", "NoiseAwareBAI", "DPTT:threshold=heuristic", "--means", "0.8,0.4"]
    words += ["--epsilon", 1, "--confidence", 0.9, "--runs", 5, "--seed", 4]
    shown = call(*words, *(word for file in files for word in ("--out", file)))
    assert shown.exit_code == 0, shown.output
    for text in ("NoiseAwareBAI", "confidence 0.9", "seed 4", "lower bound", "undecided"):
        assert text in shown.output
    assert all(file.stat().st_size > 100 for file in files)
    assert Identification.load(files[-1]).runs == 5
    with files[1].open() as text:
        assert next(csv.reader(text)) == ["policy", "run", "samples", "arm", "right"]


def test_ties_have_no_bound():
    words = ["NoiseAwareBAI", "--means", "0.8,0.8", "--epsilon", 1, "--runs", 2, "--most", "1e3"]
    shown = call("identify", *words)
    assert shown.exit_code == 0, shown.output
    assert "none" in shown.output
    assert "100.00%" in shown.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["NoiseAwareBAI", "--instance", "S1"], "needs a privacy loss"),
        (["DPTT", "--instance", "S1", "--epsilon", "1", "--confidence", "2"], "confidence"),
        (["DPTT", "--instance", "S1", "--epsilon", "1", "--most", "x"], "whole number"),
        (["DPTT:threshold=none", "--instance", "S1", "--epsilon", "1"], "unknown threshold"),
        (["RNMFTNL", "--instance", "S1", "--epsilon", "1"], "full information"),
        (["UCB1", "--instance", "S1", "--out", "x.doc"], "suffix"),
    ],
)
def test_mistakes_are_one_clear_line(words, message):
    shown = call("identify", *words)
    assert shown.exit_code == 2
    assert message in shown.output.replace("\n", " ")
    assert "Traceback" not in shown.output

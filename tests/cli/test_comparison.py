"""The comparison page: complete, made by its command, and still true."""

import re
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import hush
from hush.cli.app import app
from hush.cli.comparison import promises
from hush.policies import REGISTERED

PAGE = Path(__file__).parents[2] / "docs" / "comparison.md"


def call(*words):
    return CliRunner().invoke(app, ["policies", *map(str, words)])


def small(path, seed=3):
    sizes = ["--horizon", 400, "--runs", 3, "--slow-runs", 2, "--tail-runs", 20, "--seed", seed]
    shown = call("--page", path, *sizes)
    assert shown.exit_code == 0, shown.output
    return path.read_text()


def test_the_command_writes_a_page_of_every_policy(tmp_path):
    text = small(tmp_path / "page.md")
    promised, measured = text.split("## What each measures")
    measured, tails = measured.split("## Warning")
    for cls in REGISTERED:
        assert f"[`{cls.__name__}`]({cls.reference})" in promised
        row = re.search(rf"^\| `{cls.__name__}` \|.*$", measured, re.MULTILINE)
        assert len(re.findall("±", row[0])) == (6 if "epsilon" in cls.__dataclass_fields__ else 2)
    assert len(re.findall(r"\d\.\d\d %", tails)) == 24
    assert text == small(tmp_path / "again.md")
    assert text != small(tmp_path / "other.md", seed=4)


def test_bad_sizes_are_refused(tmp_path):
    for option in ("--runs", "--slow-runs", "--tail-runs"):
        shown = call("--page", tmp_path / "page.md", option, 1)
        assert shown.exit_code == 2
        assert option in shown.output
    assert not (tmp_path / "page.md").exists()


def test_the_docs_page_promises_what_the_code_does():
    assert promises() in PAGE.read_text()


@pytest.mark.parametrize("name", ["AnytimeLazyUCB", "DPSE", "AdaPUCB", "AdaPKLUCB", "RNMFTNL"])
def test_the_docs_page_measures_what_the_code_does(name):
    """Other seeds, so the two differ by chance: 5 standard errors each, false alarm 1e-5."""
    row = re.search(rf"^\| `{name}` \|(.*)\| leap \|$", PAGE.read_text(), re.MULTILINE)
    cells = [re.findall(r"[\d,.]+", cell) for cell in row[1].split("|")]
    claimed = np.array([[float(each.replace(",", "")) for each in cell] for cell in cells])
    policies = [getattr(hush, name)(epsilon) for epsilon in (0.25, 0.5, 1.0)]
    for env, part in ((hush.paper_s1(), claimed[:3]), (hush.paper_s2(), claimed[3:])):
        result = hush.simulate(
            policies, env, horizon=10**6, runs=1000, seed=99, checkpoints=[10**6]
        )
        means = result.regret[:, :, -1].mean(axis=1)
        rounding = 0.5
        assert (np.abs(means - part[:, 0]) <= 3.6 * (part[:, 1] + rounding) + rounding).all()

"""``hush run``, ``hush reproduce`` and ``hush compare``: files, bytes, mistakes, and a kill."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
from tests.studies.small import SMALL
from typer.testing import CliRunner

from hush.cli import reproduce as cli_reproduce
from hush.cli.app import app
from hush.studies import PAPERS, SHIPPED, load_study, shipped_study

COMMAND = [sys.executable, "-c", "from hush.cli import main; main()"]


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "160"})


def data(folder):
    return {path.name: path.read_bytes() for path in sorted((folder / "data").iterdir())}


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(SMALL)
    return path


def test_run_leaves_a_report_and_the_same_data_again(study, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    shown = call("run", study, "--out", one)
    assert shown.exit_code == 0, shown.output
    for word in (
        "Small",
        "regret (95 % interval)",
        "regret less that of LazyDPTS",
        "claims",
        "report.html",
    ):
        assert word in shown.output
    assert (one / "report.html").stat().st_size > 10_000
    assert "hush run mine.toml" in (one / "report.md").read_text()
    assert call("run", study, "--out", two, "--workers", 1).exit_code == 0
    assert data(one) == data(two)
    call("run", study, "--out", two, "--seed", 5, "--cache", one / "cache")
    assert data(one) != data(two)
    assert "--seed 5" in (two / "report.md").read_text()


def test_a_study_that_is_printed_can_be_run(tmp_path):
    for name in ("figures", "ren-2020"):
        shown = call("study", name)
        assert shown.exit_code == 0, shown.output
        (tmp_path / f"{name}.toml").write_text(shown.stdout)
        assert load_study(tmp_path / f"{name}.toml") == shipped_study(name)
    listed = call("study").output
    assert all(name in listed for name in (*SHIPPED, *PAPERS))
    wrong = call("study", "figure")
    assert wrong.exit_code == 2
    assert "did you mean 'figures'?" in wrong.output


def test_mistakes_are_one_clear_line(study, tmp_path):
    study.write_text(SMALL.replace('"UCB1"', '"UCB2"'))
    for words, message in (
        (["run", study], "mine.toml: policies[3].policy: unknown policy 'UCB2'; did you mean"),
        (["run", tmp_path / "none.toml"], "cannot read"),
        (["reproduce", "--study", "figure-1"], "did you mean 'figures'"),
        (["reproduce", "--scheduler", "tcp://127.0.0.1:9", "--workers", 2], "has its own workers"),
        (["compare", "UCB1", "UCB1", "--instance", "S1"], "twice"),
        (["compare", "UCB1", "--instance", "S1", "--out", "x.doc"], "suffix"),
        (["compare", "UCB1", "--instance", "S1", "--runs", 0], "--runs"),
    ):
        shown = call(*words)
        assert shown.exit_code == 2, shown.output
        assert message in " ".join(shown.output.split())
        assert "Traceback" not in shown.output


@pytest.mark.untraced
def test_reproduce_runs_the_shipped_studies(tmp_path, monkeypatch):
    """Two of them, with few runs; that of the conjecture is exact and has none."""
    monkeypatch.setattr(cli_reproduce, "SHIPPED", ("adap-constant", "brackets"))
    shown = call("reproduce", "--runs", 2, "--out", tmp_path)
    assert shown.exit_code == 0, shown.output
    page = (tmp_path / "report.html").read_text()
    for text in ("For which constant", "The open conjecture", "Of 6 claims"):
        assert text in page
    assert "`hush reproduce --runs 2`" in (tmp_path / "report.md").read_text()
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    stems = ("adap-constant", "adap-constant-2", "brackets", "brackets-2")
    assert names == {f"{stem}.{suffix}" for stem in stems for suffix in ("pdf", "png", "svg")}
    words = ["--study", "adap-constant", "--cache", tmp_path / "cache", "--out", tmp_path / "one"]
    one = call("reproduce", "--runs", 2, *words)
    assert one.exit_code == 0
    assert "The open conjecture" not in (tmp_path / "one" / "report.html").read_text()


@pytest.mark.untraced
def test_reproduce_papers_holds_published_figures_against_ours(tmp_path, monkeypatch):
    """At horizons this small every run of both arms is alike, so that few runs do."""
    monkeypatch.setattr(cli_reproduce, "PAPERS", ("public-2019-four-arms",))
    shown = call("reproduce", "--papers", "--runs", 3, "--out", tmp_path)
    assert shown.exit_code == 0, shown.output
    assert "Of 3 published figures, " in shown.output
    assert "`hush reproduce --papers --runs 3`" in (tmp_path / "report.md").read_text()
    assert "the field reproduced" in (tmp_path / "report.html").read_text()
    words = ["--runs", 3, "--json", "--cache", tmp_path / "cache", "--out", tmp_path]
    document = json.loads(call("reproduce", "--papers", *words).output)
    assert [each["policy"] for each in document["published"]] == ["DP-SE", "DP-UCB-BOUND", "UCB1"]
    assert document["published"][0]["verdict"] == "agrees"


def test_compare_prints_differences_and_draws(tmp_path):
    path = tmp_path / "picture.svg"
    words = ["compare", "LazyDPTS", "AnytimeLazyUCB", "AdaPKLUCB:beta=1.0", "--instance", "S1"]
    words += ["--epsilon", 0.5, "--horizon", "1e9", "--seed", 3, "--out", path]
    shown = call(*words)
    assert shown.exit_code == 0, shown.output
    assert "1,000,000,000 rounds, seed 3" in shown.output
    assert "regret less that of LazyDPTS" in shown.output
    assert re.search(r"AdaPKLUCB:beta=1.0\s+-[\d,]+ \(-[\d,]+ to -[\d,]+\)", shown.output)
    assert path.stat().st_size > 5000
    assert call(*words).output == shown.output


def test_compare_draws_only_if_asked(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = call("compare", "UCB1", "--instance", "S1", "--horizon", 100, "--runs", 2)
    assert shown.exit_code == 0, shown.output
    assert "wrote" not in shown.output
    assert list(tmp_path.iterdir()) == []


def test_compare_waits_for_late_rewards(tmp_path):
    words = ["compare", "LazyDPTS", "AnytimeLazyUCB", "--means", "0.7,0.5", "--epsilon", 1]
    words += ["--horizon", "1e4", "--runs", 8, "--out", tmp_path / "picture.svg"]
    at_once, late = (call(*words, "--delay", delay) for delay in (0, 500))
    assert late.exit_code == 0, late.output
    assert "10,000 rounds, rewards 500 rounds late, seed" in late.output
    assert "rounds late" not in at_once.output
    refused = call(*words, "--delay", "-3")
    assert refused.exit_code == 2
    assert "--delay must be a whole number" in refused.output


SLOW = SMALL.replace("horizon = 2000", "horizon = 100_000").replace("runs = 8", "runs = 200")


@pytest.mark.untraced
@pytest.mark.parametrize(
    "after",
    [3, pytest.param(1, marks=pytest.mark.slow), pytest.param(15, marks=pytest.mark.slow)],
)
def test_killed_at_any_point_it_ends_with_the_same_bytes(tmp_path, after):
    """The process is killed, with no chance to clean up, when so many blocks are on disk."""
    study = tmp_path / "mine.toml"
    study.write_text(SLOW)
    words = [*COMMAND, "run", str(study), "--workers", "1", "--out"]
    killed = tmp_path / "killed"
    process = subprocess.Popen(
        [*words, str(killed)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for _ in range(6000):
        if len(list(killed.rglob("cache/*/[!.]*.npy"))) >= after or process.poll() is not None:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL  # it was not done yet
    kept = len(list(killed.rglob("cache/*/[!.]*.npy")))
    assert after <= kept < 24
    assert not (killed / "report.html").exists()
    assert call("run", study, "--out", killed).exit_code == 0
    whole = tmp_path / "whole"
    shutil.rmtree(killed / "cache")
    assert call("run", study, "--out", whole).exit_code == 0
    assert data(killed) == data(whole)
    assert (killed / "report.html").read_bytes() == (whole / "report.html").read_bytes()

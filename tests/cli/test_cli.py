import csv
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from hush import Result, __version__
from hush.cli.app import app
from hush.cli.terminal_tables import print_rows
from hush.policies import REGISTERED

runner = CliRunner()


def call(*words):
    return runner.invoke(app, [str(word) for word in words])


def test_policies_lists_them_all():
    shown = call("policies")
    assert shown.exit_code == 0
    for cls in REGISTERED:
        assert cls.__name__ in shown.output


def test_version_and_help():
    assert call("--version").output.strip() == f"hush {__version__}"
    assert "simulate" in call("--help").output


def test_simulate_prints_and_saves(tmp_path):
    files = [tmp_path / f"out.{suffix}" for suffix in ("svg", "png", "pdf", "csv", "npz")]
    words = ["simulate", "LazyDPTS", "RNMFTNL:growth=2.5,noise=laplace", "--means", "0.7,0.5"]
    words += ["--epsilon", 0.5, "--horizon", "2e3", "--runs", 3, "--seed", 4]
    shown = call(*words, *(word for file in files for word in ("--out", file)))
    assert shown.exit_code == 0, shown.output
    assert "LazyDPTS" in shown.output
    assert "2,000 rounds" in shown.output
    assert "seed 4" in shown.output
    assert all(file.stat().st_size > 100 for file in files)
    assert Result.load(files[-1]).horizon == 2000
    with files[3].open() as text:
        assert next(csv.reader(text)) == ["policy", "run", "round", "regret"]


def test_simulate_with_late_rewards_says_so(tmp_path):
    path = tmp_path / "late.npz"
    words = ["simulate", "UCB1", "--means", "0.7,0.5", "--horizon", "2e3", "--runs", 3]
    shown = call(*words, "--delay", "1e3", "--out", path)
    assert shown.exit_code == 0, shown.output
    assert "2,000 rounds, rewards 1,000 rounds late" in shown.output
    assert Result.load(path).delay == 1000


def test_simulate_against_an_adversary():
    words = ["simulate", "UCB1", "BatchedHTINF", "--epsilon", 1, "--horizon", 200, "--runs", 2]
    shown = call(*words, "--adversary", "alternating", "--json")
    assert shown.exit_code == 0, shown.output
    assert '"mean": 100.0' in shown.output  # of UCB1, which loses every other round


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["LazyDPT", "--instance", "S1"], "did you mean 'LazyDPTS'"),
        (["LazyDPTS", "--instance", "S1"], "needs a privacy loss"),
        (["LazyDPTS:epsilom=1", "--instance", "S1"], "did you mean 'epsilon'"),
        (["LazyDPTS:epsilon", "--instance", "S1"], "parameter=value"),
        (["LazyDPTS:epsilon=0", "--instance", "S1"], "positive finite"),
        (["UCB1", "--instance", "S9"], "unknown instance"),
        (["UCB1"], "either --means"),
        (["UCB1", "--adversary", "alternatin"], "did you mean 'alternating'"),
        (["UCB1", "--adversary", "constrained", "--means", "1,0"], "give no --means"),
        (["UCB1", "--means", "0.5,x"], "comma-separated"),
        (["UCB1", "--means", "0.5,7"], "means must be numbers"),
        (["UCB1", "--instance", "S1", "--horizon", "many"], "whole number"),
        (["UCB1", "--instance", "S1", "--horizon", "1.5"], "whole number"),
        (["UCB1", "--instance", "S1", "--engine", "steam"], "unknown engine"),
        (["UCB1", "--instance", "S1", "--delay", "soon"], "--delay must be a whole number"),
        (["UCB1", "--instance", "S1", "--delay", "-1"], "delay must be a whole number"),
        (["DPSE:epsilon=1", "--instance", "S1", "--delay", "9", "--engine", "leap"], "come late"),
        (["UCB1", "--instance", "S1", "--out", "x.doc"], "suffix"),
    ],
)
def test_mistakes_are_one_clear_line(words, message):
    shown = call("simulate", *words)
    assert shown.exit_code == 2
    assert message in shown.output.replace("\n", " ")
    assert "Traceback" not in shown.output


INTERRUPTED = """
import os, signal, sys, threading
from hush.cli import main
from hush.simulation import runner

# A process started in the background ignores interrupts unless it says otherwise.
signal.signal(signal.SIGINT, signal.default_int_handler)
execute = runner.execute

def interrupted(*arguments, **options):
    threading.Timer(2.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    return execute(*arguments, **options)

runner.execute = interrupted
main()
"""


def test_an_interrupt_leaves_no_half_written_file(tmp_path):
    words = ["simulate", "ThompsonSampling", "--instance", "S1", "--horizon", "1e9"]
    words += ["--runs", "4", "--engine", "rounds", "--out", str(tmp_path / "x.csv")]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,  # a run of 10^9 rounds would take longer
    )
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_no_word_of_a_table_is_cut(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    row = ("AnytimeLazyUCB", "proved", "0.7033", "inconclusive, for once")
    print_rows("audits", ("policy", "verdict", "replay", "exact"), [row], numbers=False)
    shown = capsys.readouterr().out
    assert "…" not in shown
    assert "AnytimeLazyUCB   proved    0.7033   inconclusive," in shown


def test_numbers_are_never_cut_or_broken():
    words = ["simulate", "NoiseAwareTS:prior=(1.0,1.0),growth=2.0,first_batch=3", "UCB1"]
    words += ["--means", "0.9,0.5", "--epsilon", "1", "--horizon", "1e3", "--runs", "3"]
    shown = CliRunner().invoke(app, words, env={"COLUMNS": "40"})
    assert shown.exit_code == 0, shown.output
    (line,) = [line for line in shown.output.splitlines() if "prior=" in line]
    assert line.split()[-1] == "leap"
    assert "…" not in shown.output


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "hush", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"hush {__version__}\n"


def test_rho_beside_epsilon():
    words = ["simulate", "AdaCUCB", "AdaPUCB", "--means", "0.7,0.5", "--horizon", 200, "--runs", 2]
    shown = call(*words, "--epsilon", 0.5, "--rho", 0.125, "--seed", 4)
    assert shown.exit_code == 0, shown.output
    shown = call("bounds", "AdaCUCB", "--instance", "S1", "--rho", 0.5)
    assert shown.exit_code == 0, shown.output
    assert "gaps" in shown.output
    both = ["simulate", "NoiseAwareTS", "--means", "0.7,0.5", "--rho", 0.5, "--epsilon", 1.0]
    for wrong, said in (
        ([*words, "--epsilon", 0.5], "AdaCUCB needs a privacy loss: --rho 0.5"),
        ([*words, "--rho", 0.5], "AdaPUCB needs a privacy loss: --epsilon 0.5"),
        (both, "not both"),
    ):
        shown = call(*wrong)
        assert shown.exit_code != 0
        assert said in " ".join(f"{shown.output} {shown.exception}".split())

import json
import subprocess
import sys

import pytest
from tests.cli.test_cli import call

WORDS = ["forecast", "--rates", ".2,.5", "--per-day", 40, "--person-epsilon", 1]
QUICK = [*WORDS, "--days", 4, "--policy", "LazyDPTS", "--epsilons", "4", "--runs", 5, "--seed", 7]


def test_forecast_prints_a_table_and_what_to_do():
    shown = call(*QUICK, "--person-bound", 2, "--window", "1h")
    assert shown.exit_code == 0, shown.output
    for text in ("LazyDPTS", "no privacy", "fixed split", "day 4", "5 runs", "window 1h"):
        assert text in shown.output
    assert "learns from 2 decisions of a person" in shown.output
    assert "Run LazyDPTS" in shown.output or "Too little traffic" in shown.output


def test_json_is_all_that_is_printed(tmp_path):
    picture = tmp_path / "forecast.svg"
    shown = call(*QUICK, "--json", "--learnt", 0.5, "--plot", picture)
    assert shown.exit_code == 0, shown.output
    plain = json.loads(shown.stdout)
    assert plain["learnt"] == 0.5
    assert [each["person_epsilon"] for each in plain["courses"]] == [1.0, 4.0]
    assert picture.stat().st_size > 1_000
    assert f"wrote {picture}" in shown.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--rates", ".2"], "rates must be 2 to"),
        (["--rates", ".2,x"], "--rates '.2,x' is not a comma-separated list"),
        (["--rates", ".2,1.5"], "rates must be numbers from 0 to 1"),
        (["--per-day", "-3"], "per_day must be a positive"),
        (["--person-bound", "0"], "person_bound must be a whole number"),
        (["--window", "soon"], "window must be a length of time"),
        (["--days", "0"], "days must be a whole number"),
        (["--learnt", "2"], "learnt must be a number from 0 to 1"),
        (["--policy", "UCB1"], "UCB1 cannot run live: it is not private"),
        (["--policy", "LazyDPT"], "did you mean 'LazyDPTS'"),
        (["--epsilons", "0"], "one of epsilons must be a positive"),
        (["--runs", "1"], "runs must be a whole number"),
        (["--plot", "x.doc"], "--plot x.doc: the suffix must be one of"),
    ],
)
def test_mistakes_are_one_clear_line(words, message):
    shown = call(*WORDS, *words)
    assert shown.exit_code == 2
    assert message in shown.output.replace("\n", " ")
    assert "Traceback" not in shown.output


@pytest.mark.parametrize(
    ("feature", "missing", "extra"),
    [("hush forecast", "sqlalchemy", "lab,live"), ("a picture", "matplotlib", "lab")],
)
def test_without_an_extra_it_says_so_before_any_work(feature, missing, extra):
    words = [*map(str, WORDS), "--plot", "x.svg"]
    code = (
        f"import sys\nsys.modules['{missing}'] = None\nfrom hush.cli.app import app\napp({words})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: {feature} needs {missing}: pip install 'hush-dp[{extra}]'\n"

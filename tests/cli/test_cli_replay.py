"""``hush replay``: what it prints, and that no message holds a reward."""

import json

import pytest
from typer.testing import CliRunner

from hush.cli.app import app

WORDS = "replay log.csv UCB1 LazyDPTS --arm shown --reward bought --epsilon 1 --runs 20 --seed 7"


def call(words, **options):
    return CliRunner().invoke(app, words.split(), env={"COLUMNS": "160"}, **options)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{'old' if n % 2 else 'new'},{n % 3 % 2},.5,{n // 4}\n" for n in range(300))
    (tmp_path / "log.csv").write_text("shown,bought,chance,who\n" + rows)
    return tmp_path


def test_it_says_what_it_is_worth_and_that_it_is_not_private():
    shown = call(WORDS)
    assert shown.exit_code == 0, shown.output
    assert "rounds of a log of 300 rows, 20 orders, seed 7" in shown.output
    assert "None of this is private" in shown.output
    assert "not private" in call("replay --help").output


def test_all_columns_and_a_picture(folder):
    shown = call(f"{WORDS} --propensity chance --person who --rounds 40 --out x.svg --json")
    document = json.loads(shown.stdout)
    assert (document["rounds"], document["private"], document["wrote"]) == (40, False, ["x.svg"])
    assert document["log"]["persons"] == 75
    assert document["policies"][0]["difference"] == {"value": 0.0, "low": 0.0, "high": 0.0}


@pytest.mark.parametrize(
    ("words", "kind", "says"),
    [
        (WORDS.replace("bought", "bougt"), "UnknownNameError", "did you mean 'bought'"),
        (WORDS.replace("log.csv", "none.csv"), "OSError", "none.csv"),
        (WORDS.replace("log.csv", "odd.csv"), "RewardError", "row 2 is not a number"),
        (f"{WORDS} --propensity bought", "ParameterError", "cannot be that of reward and of"),
        (f"{WORDS} --propensity who", "ParameterError", "not in (0, 1]"),
        (f"{WORDS} --range 0", "ParameterError", "two numbers"),
        (f"{WORDS} --range 0,0.25", "RewardError", "outside"),
        (f"{WORDS} --out x.doc", "ParameterError", "suffix"),
        (f"{WORDS} --rounds 300", "ParameterError", "at most"),
        (WORDS.replace("LazyDPTS", "UCB1"), "ParameterError", "twice"),
        (WORDS.replace("UCB1", "FTL"), "ParameterError", "all arms"),
    ],
)
def test_what_is_wrong_is_one_line_without_a_reward(words, kind, says, folder):
    (folder / "odd.csv").write_text("shown,bought\nold,1\nnew,zero5731\n")
    shown = call(f"{words} --json")
    error = json.loads(shown.stdout)["error"]
    assert (shown.exit_code, error["kind"]) == (2, kind)
    assert says in error["message"]
    assert "5731" not in shown.output

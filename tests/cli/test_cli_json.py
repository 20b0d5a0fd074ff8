"""Every command answers in JSON, one document; and shells complete what can be completed."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import shellingham
from tests.studies.small import SMALL
from typer.main import get_command
from typer.testing import CliRunner

import hush.live
from hush.cli import dashboard as cli_dashboard
from hush.cli import serve as cli_serve
from hush.cli.answering import Answer, begin, tell
from hush.cli.app import VERBS, app
from hush.environments import INSTANCES, TRIALS

PAGE = (Path(__file__).parents[2] / "docs" / "command_line.md").read_text()
COINS = "--means 0.7,0.5 --runs 2 --seed 4"
CREATE = "--policy NoiseAwareTS --arm old --arm new --person-epsilon 1"
# A call of every command; those on a store follow one another on the same one.
CALLS = {
    "policies": "",
    "simulate": f"UCB1 {COINS} --horizon 100 --out out.csv",
    "compare": f"UCB1 ThompsonSampling {COINS} --horizon 100 --out x.svg",
    "identify": f"NoiseAwareBAI {COINS} --epsilon 1",
    "forecast": "--rates .2,.4 --per-day 200 --person-epsilon 1 --days 7 --policy NoiseAwareTS "
    "--epsilons 2 --runs 2 --seed 4",
    "replay": "log.csv UCB1 --arm shown --reward bought --runs 20 --seed 4 --out replay.svg",
    "audit": "LazyDPTS --method construction",
    "bounds": "UCB1 --instance S1",
    "reproduce": "--study adap-constant --runs 2 --out results",
    "run": "mine.toml --runs 2 --out results",
    "study": "",
    "experiment create": f"experiments.db checkout {CREATE} --traffic 1000/day",
    "experiment list": "experiments.db",
    "experiment show": "experiments.db checkout",
    "experiment export": "experiments.db checkout --out checkout.csv",
    "experiment start": "experiments.db checkout",
    "experiment pause": "experiments.db checkout",
    "experiment resume": "experiments.db checkout",
    "experiment stop": "experiments.db checkout",
    "experiment continue": "experiments.db held",
    "experiment settle": "experiments.db",
    "store check": "experiments.db",
    "store backup": "experiments.db monday.db",
    "store migrate": "experiments.db",
    "serve": "experiments.db --port 0",
    "dashboard": "experiments.db --port 0",
    "token create": "experiments.db --scope read",
    "token list": "experiments.db",
    "token revoke": "experiments.db 0123456789ab",
}


def commands():
    """Return every command of the tree, by its words."""
    root = get_command(app)
    found = {}
    for verb in VERBS:
        command = root.get_command(None, verb)
        inner = getattr(command, "commands", None)
        found.update({f"{verb} {n}": c for n, c in inner.items()} if inner else {verb: command})
    return found


COMMANDS = commands()


def call(*words):
    return CliRunner().invoke(app, [str(word) for word in words], env={"COLUMNS": "160"})


def test_the_table_above_has_every_command():
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_option(name):
    options = [option for each in COMMANDS[name].params for option in each.opts]
    assert options.count("--json") == 1


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a study, and a store with an experiment in quarantine and a token."""
    folder = tmp_path_factory.mktemp("json")
    (folder / "mine.toml").write_text(SMALL)
    (folder / "log.csv").write_text("shown,bought\n" + "old,0\nnew,1\n" * 50)
    with hush.live.open(folder / "experiments.db") as store:
        store.tokens.create(["read"])
        store.create("held", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1.0)
    return folder


@pytest.mark.untraced
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * (n == "reproduce")) for n in CALLS]
)
def test_its_answer_is_one_document_with_the_documented_keys(name, place, monkeypatch):
    monkeypatch.chdir(place)
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    runs_on = {"serve": (cli_serve, "run"), "dashboard": (cli_dashboard, "show")}
    if name in runs_on:
        monkeypatch.setattr(*runs_on[name], lambda *_, ready, **__: ready("http://127.0.0.1:1"))
    words = shlex.split(CALLS[name])
    if name == "token revoke":
        with hush.live.open("experiments.db") as store:
            words[-1] = store.tokens.all()[0].id
    shown = call(*name.split(), *words, "--json")
    document = json.loads(shown.stdout)
    if name == "experiment continue":  # nothing is in quarantine here: the answer is the refusal
        assert (shown.exit_code, document["error"]["kind"]) == (2, "LifecycleError")
        return
    assert shown.exit_code == 0, shown.output
    if name in runs_on:
        assert len(shown.stdout.splitlines()) == 1
    documented = re.search(rf"^\| `{name}` \| (.*?) \|", PAGE, re.MULTILINE)[1]
    assert set(document) == set(re.findall(r"`(\w+)`", documented))
    for path in document.get("wrote", ()):
        assert Path(path).stat().st_size


@pytest.mark.parametrize(
    ("words", "kind", "code"),
    [
        ("simulate UCB2 --instance S1", "UnknownNameError", 2),
        ("simulate", "UsageError", 2),
        ("simulate UCB1 --instance", "UsageError", 2),
        ("simulate UCB1 --nonsense 3", "UsageError", 2),
        ("nonsense", "UsageError", 2),
        ("experiment show nowhere.db x", "StoreError", 2),
        ("bounds UCB1 --instance S1 --horizon many", "ParameterError", 2),
    ],
)
def test_an_error_is_a_document_too(words, kind, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    verb, *rest = words.split()
    shown = call(verb, *rest[:1], "--json", *rest[1:])
    assert shown.exit_code == code
    document = json.loads(shown.stdout)
    assert list(document) == ["error"]
    assert document["error"]["kind"] == kind
    assert document["error"]["message"]
    plain = call(*words.split())
    assert plain.exit_code == code
    assert plain.stdout == ""


def test_a_bad_verdict_is_an_answer_with_its_exit_code():
    shown = call("audit", "UCB1", "--method", "construction", "--require-private", "--json")
    assert shown.exit_code == 1
    assert json.loads(shown.stdout)["verdict"] == "not private"


def test_an_error_after_the_document_does_not_spoil_it(place, monkeypatch):
    def fails(*_, ready, **__):
        ready("http://127.0.0.1:1")
        raise hush.StoreError("a worker could not start")

    monkeypatch.chdir(place)
    monkeypatch.setattr(cli_dashboard, "show", fails)
    shown = call("dashboard", "experiments.db", "--json")
    assert shown.exit_code == 2
    assert json.loads(shown.stdout)["address"] == "http://127.0.0.1:1"
    assert "a worker could not start" in shown.stderr


def test_numbers_that_json_lacks_are_null(capsys):
    begin(as_json=True)
    tell(Answer({"a": float("inf"), "b": [float("nan"), 1.5]}, lambda: None))
    begin(as_json=False)
    assert json.loads(capsys.readouterr().out) == {"a": None, "b": [None, 1.5]}


def completed(*words):
    """Return what a shell offers for the last word."""
    env = {"_HUSH_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(("hush", *words))}
    env["COMP_CWORD"] = str(len(words))
    shown = CliRunner().invoke(app, [], prog_name="hush", env=env)
    return shown.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("s",), {"simulate", "study", "store", "serve"}),
        (("simulate", "LazyD"), {"LazyDPTS"}),
        (("compare", "UCB1", "KL"), {"KLUCB"}),
        (("simulate", "UCB1", "--instance", ""), {*INSTANCES, *TRIALS}),
        (("simulate", "UCB1", "--engine", "l"), {"leap"}),
        (("audit", "RNMFTNL."), {"RNMFTNL.as_printed"}),
        (("audit", "--method", "con"), {"construction"}),
        (("experiment", "st"), {"start", "stop"}),
        (("bounds", "UCB1", "--js"), {"--json"}),
        (("reproduce", "--study", "adap"), {"adap-constant"}),
    ],
)
def test_shells_complete_names(words, offered):
    assert set(completed(*words)) == offered


@pytest.mark.untraced
def test_completing_a_verb_loads_none_of_them():
    script = (
        "import sys; from hush.cli.app import app; app(prog_name='hush', standalone_mode=False)"
    )
    check = "import atexit, sys; atexit.register(lambda: print('numba' in sys.modules));"
    env = {"_HUSH_COMPLETE": "complete_bash", "COMP_WORDS": "hush s", "COMP_CWORD": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"{check}{script}"],
        env={**os.environ, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["simulate", "study", "store", "serve", "False"]


@pytest.mark.parametrize(
    ("shell", "mark"), [("bash", "COMPREPLY"), ("zsh", "compdef"), ("fish", "complete --command")]
)
def test_completion_is_shown_and_installed_for_the_shell_in_use(shell, mark, tmp_path, monkeypatch):
    monkeypatch.setattr(shellingham, "detect_shell", lambda: (shell, f"/bin/{shell}"))
    monkeypatch.setenv("HOME", str(tmp_path))
    shown = CliRunner().invoke(app, ["--show-completion"], prog_name="hush")
    assert shown.exit_code == 0, shown.output
    assert mark in shown.output
    installed = CliRunner().invoke(app, ["--install-completion"], prog_name="hush")
    assert installed.exit_code == 0, installed.output
    texts = [path.read_text() for path in tmp_path.rglob("*hush*") if path.is_file()]
    assert any("_HUSH_COMPLETE" in text for text in texts)


def test_people_see_the_answer_before_a_file_fails(tmp_path):
    """And a program is told of the failure, and of nothing that was not written."""
    (tmp_path / "file").write_text("")
    words = ["simulate", "UCB1", *COINS.split(), "--horizon", 100]
    words += ["--out", tmp_path / "file" / "x.csv"]
    shown = call(*words)
    assert shown.exit_code == 2
    assert "regret after 100 rounds" in shown.stdout
    assert shown.stderr.startswith("error: ")
    assert json.loads(call(*words, "--json").stdout)["error"]["kind"] == "OSError"

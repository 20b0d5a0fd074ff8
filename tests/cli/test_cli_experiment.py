"""``hush experiment``: from a draft to an export, on a store of files."""

import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

import hush
import hush.live
from hush.cli.app import app
from hush.cli.experiment_stores import per_day


def call(*words, code=0):
    shown = CliRunner().invoke(app, ["experiment", *map(str, words)], env={"COLUMNS": "160"})
    assert shown.exit_code == code, shown.output
    return shown.output


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HUSH_MASTER_SECRET", raising=False)
    return tmp_path / "experiments.db"


def create(path, *more, name="checkout", code=0):
    words = ["--policy", "NoiseAwareTS", "--arm", "old", "--arm", "new", "--person-epsilon", 1]
    return call("create", path, name, *words, "--person-bound", 4, *more, code=code)


def test_create_says_when_it_will_learn(path):
    text = create(path, "--window", "1d", "--traffic", "5000/day", "--by", "Ada")
    with hush.live.open(path) as store:
        exp = store.experiment("checkout")
        assert exp.state == "draft"
        assert str(exp.outlook(per_day=5000)) in text
        assert exp.terms.person_bound == 4
    assert "epsilon 1 for every person, 0.25 for each of up to 4 decisions" in text
    assert "first useful release: within 1.07 days" in text


def test_create_takes_every_term(path):
    create(
        path, "--window", "2h", "--default", 0.5, "--reward-range", "-1,3", "--population", "eu",
        "--segment", "phone", "--segment", "desktop", "--control", "new", "--control-share", 0.1,
        "--floor", 0.05, "--max-age", "1d", "--tick", "5m", "--grace", "10s",
        "--policy", "NoiseAwareTS:growth=2.0",
    )  # fmt: skip
    with hush.live.open(path) as store:
        exp = store.experiment("checkout")
        terms, knobs = exp.terms, exp._known.knobs
    assert terms.reward_range == (-1.0, 3.0)
    assert terms.default == 0.5
    assert (terms.window, terms.max_age, terms.tick) == (7_200_000, 86_400_000, 300_000)
    assert terms.grace == 10_000
    assert terms.segments == ("phone", "desktop")
    assert terms.population == "eu"
    assert terms.policy == {"policy": "NoiseAwareTS", "growth": 2.0}
    assert (knobs.control, knobs.control_share, knobs.floor) == (1, 0.1, 0.05)


def test_the_life_of_an_experiment(path):
    create(path)
    for verb, state in [
        ("start", "running"),
        ("pause", "paused"),
        ("resume", "running"),
        ("stop", "stopped"),
    ]:
        assert call(verb, path, "checkout", "--by", "Ada") == f"checkout is {state}\n"
    with hush.live.open(path) as store:
        acts = store.experiment("checkout").acts
    assert [(act["act"], act["by"]) for act in acts] == [
        (verb, "Ada") for verb in ("start", "pause", "resume", "stop")
    ]
    assert "continue is for experiments that are quarantined" in call(
        "continue", path, "checkout", code=2
    )


def test_continue_after_the_private_store_was_lost(path):
    create(path)
    call("start", path, "checkout")
    (path.parent / "experiments.private.db").unlink()
    assert "quarantined" in call("list", path)
    assert call("continue", path, "checkout") == "checkout is running\n"
    assert "factor exp(2)" in call("show", path, "checkout")


def released(path):
    """Play on a clock that stands a day back, and let the machine's clock bring it due."""
    clock = hush.live.ManualClock(hush.live.SystemClock().wall() - 3 * 3_600_000)
    with hush.live.open(path, clock=clock) as store:
        exp = store.experiment("checkout")
        exp.start()
        for n in range(60):
            exp.reward(exp.decide(f"u{n % 10}"), 1)
        store.settle()


def test_show_list_settle_and_export(path):
    create(path, "--window", "1h", "--reward-range", "0,10")
    assert "Nothing is released yet." in call("show", path, "checkout")
    released(path)
    assert call("settle", path) == ""
    text = call("show", path, "checkout")
    with hush.live.open(path) as store:
        exp = store.experiment("checkout")
        assert exp.releases
        arm = exp.plan["arms"][0]
        assert exp.guarantee.reason in text.replace("\n", "")
        mean = 10 * arm["noisy_sum"] / arm["count"]
        last = exp.releases[-1]
    assert f"{mean:.4g}" in text
    assert f"the last, {last.name} over {last.count:,} decisions" in text
    assert "Unlearnt: 33.3% of 60 decisions" in text
    assert "population 'default' was promised 1 in all, with no limit" in text
    listed = call("list", path)
    assert "checkout" in listed
    assert "33.3%" in listed
    for suffix in ("csv", "json"):
        assert call("export", path, "checkout", "--out", f"x.{suffix}") == f"wrote x.{suffix}\n"
    assert json.loads((path.parent / "x.json").read_text())["experiment"] == "checkout"


def test_settle_goes_on_until_it_is_stopped(path, monkeypatch):
    create(path)
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("hush.cli.experiment.time.sleep", sleep)
    assert "interrupted" in call("settle", path, "--every", "2m", code=130)
    assert slept == [120.0] * 3


def test_a_held_clock_is_confirmed_by_an_operator(path):
    create(path)
    clock = hush.live.ManualClock(hush.live.SystemClock().wall() - 40 * 86_400_000)
    with hush.live.open(path, clock=clock) as store:
        store.settle()
    assert "nothing is settled until an operator has looked" in call("settle", path, code=2)
    assert "Settlement is held" in call("show", path, "checkout")
    call("settle", path, "--confirm-clock", "--by", "Ada")
    call("settle", path)


def test_an_address_is_not_repeated(path, monkeypatch):
    """It may hold a password."""
    memory = hush.live.open(":memory:")
    monkeypatch.setattr("hush.cli.experiment_stores.live.open", lambda *_, **__: memory)
    text = create("postgresql://hush:pass@db/hush")
    assert "hush experiment start STORE checkout" in text
    assert "pass" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["show", "missing.db", "x"], "there is no store missing.db"),
        (["list", "missing.db"], "hush experiment create makes one"),
        (["show", "experiments.db", "chekout"], "did you mean 'checkout'?"),
        (["export", "experiments.db", "checkout", "--out", "x.doc"], "must be one of .csv"),
        (["settle", "experiments.db", "--every", "soon"], "--every must be a length of time"),
        (["pause", "experiments.db", "checkout"], "checkout is draft: pause is for"),
    ],
)
def test_errors_are_one_line(path, words, message):
    create(path)
    text = call(*words, code=2)
    assert message in text
    assert text.startswith("error: ")
    assert text.count("\n") == 1
    assert not (path.parent / "missing.db").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--traffic", "many"], "--traffic must be such as 5000/day"),
        (["--traffic", "5/second"], "--traffic must be such as 5000/day"),
        (["--traffic", "1.2.3/day"], "--traffic must be such as 5000/day"),
        (["--reward-range", "0"], "--reward-range must be such as 0,1"),
        (["--policy", "NoiseAwareTT"], "did you mean 'NoiseAwareTS'"),
        (["--policy", "UCB1"], "cannot run live: it is not private"),
        (["--window", "long"], "window must be a length of time"),
    ],
)
def test_create_refuses_what_cannot_be_used(path, words, message):
    assert message in create(path, *words, code=2)


def test_traffic_as_people_write_it():
    assert per_day("5000/day") == per_day("5,000") == per_day("5e3 / day") == 5000.0
    assert per_day("7/week") == pytest.approx(1.0)
    assert per_day("10/minute") == 14_400.0


def fresh(code):
    words = [sys.executable, "-c", f"import sys\nfrom hush.cli.app import app\n{code}"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_it_does_not_wait_for_what_simulations_import():
    done = fresh(
        "try:\n    app(['experiment', 'list', 'missing.db'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'pandas', 'matplotlib'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)\n"
    )
    assert done.returncode == 0, done.stderr


def test_without_its_extra_it_says_so():
    done = fresh(
        "import hush\nsys.modules['sqlalchemy'] = None\n"
        "try:\n    hush.live\nexcept ImportError as error:\n    print(error)\n"
        "app(['experiment', 'list', 'x.db', '--by', 'y'])"
    )
    assert done.returncode == 2
    assert done.stdout == "hush.live needs sqlalchemy: pip install 'hush-dp[live]'\n"
    assert done.stderr == "error: hush experiment needs sqlalchemy: pip install 'hush-dp[live]'\n"

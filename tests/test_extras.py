"""Extras: each feature says in one line which one it lacks, before it does any work."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tests.dist_smoke import USES

from hush.extras import DISTRIBUTION, NEEDS, require

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CASES = [(feature, package) for feature, (_, packages) in NEEDS.items() for package in packages]

# Each feature as it is used, in this order: packages that check at their door come first. Where
# nothing was checked these would run for ever, or fail in another way.
SCRIPT = """
import json, os, sys, tempfile
import numpy as np
import hush, hush.adapters, hush.theory, hush.service
from hush.extras import NEEDS
from hush.simulation.executor import dask_executor
from hush.studies import run_study, shipped_study
from typer.testing import CliRunner

S1, EVER = hush.paper_s1(), dict(horizon=10**9, runs=10**6)
result = hush.Result.given(hush.UCB1(), S1, (10,), np.ones((1, 1)), 7)

def command():
    try:
        from hush.cli import main
        main()
    except SystemExit as error:
        raise hush.MissingExtraError(str(error))

def verb(name):
    from hush.cli.app import app
    shown = CliRunner().invoke(app, [name])
    raise hush.MissingExtraError(shown.output.removeprefix("error: ").strip())

def exported():
    store = hush.live.open(":memory:")
    exp = store.create("draft", policy="LazyDPTS", arms=["a", "b"], person_epsilon=1)
    exp.export(os.path.join(tempfile.gettempdir(), "never-written.parquet"))

USES = {
    "hush.live": lambda: hush.live,
    "hush.forecast": lambda: hush.forecast,
    "hush.client": lambda: hush.Client,
    "hush.service": lambda: hush.service.App,
    "hush.simulate": lambda: hush.simulate(hush.UCB1(), S1, **EVER),
    "hush.identify": lambda: hush.identify(hush.NoiseAwareBAI(epsilon=1e-9), S1, runs=10**6),
    "hush.actg175": lambda: hush.actg175(),
    "hush.rand_health": lambda: hush.rand_health(),
    "hush.studies": lambda: run_study(shipped_study("figures")),
    "an exact law of noisy sums": lambda: hush.theory.exact_regret(
        hush.RNMFTNL(epsilon=1.0), S1, horizon=10),
    "a picture": result.plot,
    "a pandas table": result.to_pandas,
    "the command hush": command,
    "an adapter of gymnasium": lambda: hush.adapters.to_gymnasium,
    "an adapter of mabwiser": lambda: hush.adapters.from_mabwiser,
    "an adapter of river": lambda: hush.adapters.to_river,
    "a Dask cluster": lambda: dask_executor("tcp://127.0.0.1:9").__enter__(),
    "a postgresql:// store": lambda: hush.live.backup("postgresql://127.0.0.1:9/x", "y"),
    "a Parquet file": exported,
}
said = {}
for feature in [*USES, *(each for each in NEEDS if each not in USES)]:
    use = USES.get(feature) or (lambda: verb(feature.removeprefix("hush ")))
    for package in NEEDS[feature][1]:
        kept = sys.modules.get(package)
        sys.modules[package] = None
        try:
            use()
        except hush.MissingExtraError as error:
            said[f"{feature}|{package}"] = str(error)
        finally:
            del sys.modules[package]
            if kept is not None:
                sys.modules[package] = kept
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said():
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(("feature", "package"), CASES)
def test_what_is_missing_is_one_line_with_the_command_that_installs_it(said, feature, package):
    extra = NEEDS[feature][0]
    line = f"{feature} needs {package}: pip install 'hush-dp[{extra}]'"
    assert said[f"{feature}|{package}"] == line


def test_several_that_are_missing_are_named_together(monkeypatch):
    for package in NEEDS["hush.client"][1]:
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match="needs sqlalchemy, alembic, httpx and msgspec: pip"):
        require("hush.client")


def names(requirements):
    """Return what requirements bring, and what the extras that they name bring."""
    found = set()
    for line in requirements:
        own = re.fullmatch(rf"{DISTRIBUTION}\[(.+)\]", line)
        if own:
            for extra in own[1].split(","):
                found |= names(PROJECT["optional-dependencies"][extra])
        else:
            found.add(re.match(r"[\w-]+", line)[0].lower().replace("-", "_"))
    return found


@pytest.mark.parametrize("feature", NEEDS)
def test_the_extra_that_is_named_brings_what_is_needed(feature):
    extra, packages = NEEDS[feature]
    assert set(packages) <= names([f"{DISTRIBUTION}[{extra}]"])
    assert not set(packages) & names(PROJECT["dependencies"])


def test_a_package_has_the_same_floor_in_every_extra():
    floors = {}
    for lines in PROJECT["optional-dependencies"].values():
        for line in lines:
            floors.setdefault(re.split(r"[\[><=]", line)[0], set()).add(line)
    del floors[DISTRIBUTION]
    assert {name: lines for name, lines in floors.items() if len(lines) > 1} == {}


def test_the_base_is_what_a_learner_needs():
    assert PROJECT["name"] == DISTRIBUTION
    assert names(PROJECT["dependencies"]) == {"numpy", "scipy", "opendp"}


def test_every_extra_is_used_in_an_empty_environment():
    """By ``make dist``; those that are for work on Hush itself are not."""
    work = {"bench", "dev", "docs", "mutants"}
    assert set(USES) == {"base", *PROJECT["optional-dependencies"]} - work


def test_everywhere_the_command_to_install_names_the_distribution():
    """And an extra that there is."""
    extras = PROJECT["optional-dependencies"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "src").rglob("*.py")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"\bhush\[[a-z]", text), page
        for found in re.findall(rf"{DISTRIBUTION}\[([a-z,]+)\]", text):
            assert set(found.split(",")) <= set(extras), (page, found)

"""The public surface: what is exported, documented, and light to import."""

import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hush
from hush import policies
from hush.cli.app import VERBS
from hush.policies import REGISTERED

ROOT = Path(__file__).parent.parent


def test_exports_are_sorted_exist_and_are_unique():
    names = [name for name in hush.__all__ if name != "__version__"]
    assert sorted(names, key=lambda n: (not n.isupper(), not n[0].isupper(), n)) == names
    assert len(set(names)) == len(names)
    for name in names:
        assert getattr(hush, name) is not None
    assert set(names) <= set(dir(hush))


OTHER_NAMES = [
    "AccessError",
    "ActionLearner",
    "AlreadySettledError",
    "ArmError",
    "AuditReport",
    "BanditLearner",
    "BanditPolicy",
    "Bernoulli",
    "Bounded",
    "BudgetError",
    "ClockError",
    "Decision",
    "Environment",
    "EpochPolicy",
    "ExpiredError",
    "FlippedCoin",
    "Guarantee",
    "HushError",
    "Identification",
    "IndexPolicy",
    "KeyReusedError",
    "Learner",
    "LifecycleError",
    "LiveError",
    "Log",
    "MissingExtraError",
    "MisuseError",
    "NoDecisionError",
    "NoiseError",
    "NoiseSource",
    "ParameterError",
    "People",
    "Policy",
    "Replay",
    "RelativeIndexPolicy",
    "ScoredPolicy",
    "Release",
    "Result",
    "RewardError",
    "RewardTable",
    "ScriptedNoise",
    "SecureNoise",
    "SeededNoise",
    "Shares",
    "StateError",
    "StoreError",
    "ThompsonPolicy",
    "UnknownNameError",
    "WrappingPolicy",
    "__version__",
    "actg175",
    "alternating",
    "audit",
    "bounds",
    "constrained",
    "doubling_gaps",
    "fair_coins",
    "identify",
    "packing",
    "paper_s1",
    "paper_s2",
    "policy_from_dict",
    "rand_health",
    "randomize",
    "replay",
    "simulate",
]


def test_exports_are_the_registered_policies_and_the_names_meant():
    assert set(hush.__all__) == {*OTHER_NAMES, *(cls.__name__ for cls in REGISTERED)}
    own = {"REGISTERED", "Statistics", "policy_class"}
    bases = {n for n in OTHER_NAMES if n.endswith(("Policy", "Learner"))}
    bases |= {"Decision", "policy_from_dict"}
    assert set(policies.__all__) == {*own, *bases, *(cls.__name__ for cls in REGISTERED)}


def test_unknown_attribute_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = hush.nonsense


def test_registered_policies_are_exported_and_described():
    for cls in REGISTERED:
        assert getattr(hush, cls.__name__) is cls
        assert cls.summary
        assert cls.reference.startswith("https://")


def test_every_public_name_has_a_docstring_with_an_example():
    bases = {
        "AlreadySettledError",
        "MisuseError",
        "ArmError",
        "NoDecisionError",
        "NoiseError",
        "ParameterError",
        "RewardError",
    }
    bases |= {"StateError", "UnknownNameError", "NoiseSource", "Environment", "Policy", "Learner"}
    bases |= {"BudgetError", "ClockError", "ExpiredError", "KeyReusedError", "LifecycleError"}
    bases |= {"AccessError", "LiveError", "MissingExtraError", "StoreError"}
    bases |= {"EpochPolicy", "ThompsonPolicy"}  # abstract: shown at work by their subclasses
    for name in hush.__all__:
        thing = getattr(hush, name)
        if name == "__version__":
            continue
        text = inspect.getdoc(thing)
        assert text, name
        if name not in bases:
            assert ">>>" in text, name


def test_a_live_learner_imports_nothing_heavy():
    code = (
        "import sys, hush\n"
        "learner = hush.AnytimeLazyUCB(epsilon=1.0).learner(3)\n"
        "learner.update(learner.select(), 1); learner.select()\n"
        "heavy = 'numba pandas matplotlib scipy sklearn typer rich sqlalchemy'.split()\n"
        "heavy = set(heavy) & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_live_experiments_are_reached_by_name_and_loaded_then():
    code = (
        "import sys, hush\n"
        "before = 'sqlalchemy' in sys.modules or 'hush.live' in sys.modules\n"
        "store = hush.live.open(':memory:')\n"
        "sys.exit(before or 'sqlalchemy' not in sys.modules or 'live' not in dir(hush))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_version_stands_in_one_place_and_the_others_agree():
    """A version under way is a dev release, and its changes have no date yet."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert "version" not in project["project"]
    assert project["tool"]["setuptools"]["dynamic"]["version"]["attr"] == "hush.version.__version__"
    assert f"\nversion: {hush.__version__}\n" in (ROOT / "CITATION.cff").read_text()
    newest = re.search(r"^## \[(.+)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    release, _, under_way = hush.__version__.partition(".dev")
    assert newest[1] == release
    assert (newest[2] == "unreleased") == bool(under_way)


def test_the_changelog_has_the_usual_form():
    """Keep a Changelog 1.1.0: versions, newest first, with dates, and kinds of change."""
    text = (ROOT / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    versions = []
    for head in heads:
        found = re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (unreleased|\d{4}-\d\d-\d\d)", head)
        assert found, head
        versions.append(tuple(map(int, found[1].split("."))))
    assert versions == sorted(versions, reverse=True)
    kinds = set(re.findall(r"^### (.+)$", text, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_every_policy_and_command_has_its_place_in_the_docs():
    pages = "\n".join(page.read_text() for page in (ROOT / "docs").glob("*.md"))
    for cls in REGISTERED:
        assert f"`{cls.__name__}`" in pages, cls.__name__
    for verb in VERBS:
        assert f"hush {verb}" in pages, verb


def test_links_between_docs_pages_lead_somewhere():
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"

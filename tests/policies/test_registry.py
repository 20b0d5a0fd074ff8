"""One file and one line: a new policy is everywhere, and the docs list what is registered."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from hush.policies import REGISTERED
from hush.policies.listing import policies_table

ROOT = Path(__file__).parents[2]

POLICY = '''"""A policy that a test adds."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hush.policies.core.index import IndexPolicy
from hush.policies.core.statistics import Floats


@dataclass(frozen=True)
class Newcomer(IndexPolicy):
    """Upper confidence bounds, a little bolder. https://example.org/newcomer"""

    epsilon: float

    summary = "a newcomer"
    reference = "https://example.org/newcomer"
    noise_law = "Lap(1/eps) on each epoch\'s sum"

    @staticmethod
    def index(mean: Any, count: Any, t: float, parameters: Floats) -> Any:
        return mean + np.sqrt(np.log(t) / count) + np.log(t) / (parameters[0] * count)

    @property
    def parameters(self) -> tuple[float, ...]:
        return (self.epsilon,)
'''
LINE = "from hush.policies.newcomer import Newcomer as Newcomer\n"

SEEN = """
import hush
from hush.cli.app import app
from research.comparison import promises
from hush.policies import REGISTERED, policy_class
from hush.policies.listing import policies_table
from hush.testing import check_policy
from typer.testing import CliRunner

policy = policy_class("Newcomer")(epsilon=1.0)
assert "Newcomer" in hush.__all__ and hush.Newcomer is REGISTERED[-1] is type(policy)
assert "| `Newcomer` | bandit | epsilon | yes | a newcomer |" in policies_table()
assert "[`Newcomer`](https://example.org/newcomer)" in promises()
listed = CliRunner().invoke(app, ["policies"]).output
assert "Newcomer" in listed and "a newcomer" in listed, listed
check_policy(policy, rounds=1000)
report = hush.audit(policy, n_arms=2, methods=["construction", "taint", "replay"])
assert report.verdict == "proved", report
result = hush.simulate(policy, hush.paper_s1(), horizon=10**6, runs=2, seed=7, progress=False)
assert result.engines == ("leap",), result.engines
assert "Newcomer is proven" in hush.bounds(policy, hush.paper_s1(), 100).note
"""


def test_the_docs_table_is_that_of_the_registry():
    assert policies_table() in (ROOT / "docs" / "policies.md").read_text()


def test_registered_names_are_unique():
    names = [cls.__name__ for cls in REGISTERED]
    assert len(set(names)) == len(names)


@pytest.fixture
def with_newcomer(tmp_path):
    """Return a copy of the source with one file and one line more."""
    source = tmp_path / "src"
    shutil.copytree(ROOT / "src", source)  # compiled loops too: nothing is compiled twice
    (source / "hush" / "policies" / "newcomer.py").write_text(POLICY)
    registry = source / "hush" / "policies" / "registry.py"
    before, blank, after = registry.read_text().partition("\nREGISTERED")
    registry.write_text(before + LINE + blank + after)
    return source


@pytest.mark.untraced
def test_a_policy_is_one_file_and_one_line(with_newcomer):
    done = subprocess.run(
        [sys.executable, "-c", SEEN],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(with_newcomer), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_a_new_policy_has_its_types(with_newcomer, tmp_path):
    typed = tmp_path / "typed.py"
    typed.write_text("import hush\n\nhush.Newcomer(epsilon=1.0).learner(2).update(0, 1)\n")
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", "pyproject.toml", str(typed)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(with_newcomer)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr

"""The comparison page: complete, reproducible, and still true."""

import re

import numpy as np
import pytest

import hush
from hush.output.document import TableOf
from hush.policies import REGISTERED
from research import comparison
from research.comparison import PAGE, promises

PLACES = "\n".join(f"<!-- begin {name} -->\n<!-- end {name} -->" for name in PAGE.parts)


def small(folder, seed=3):
    tables, picture = comparison.measure(folder, quick=True, seed=seed)
    assert picture is None
    return tables


@pytest.mark.untraced
def test_every_policy_is_measured(tmp_path, monkeypatch):
    tables = small(tmp_path / "one")
    text = PAGE.render(PLACES, tables)
    promised, measured = text.split("<!-- begin bandit -->")
    measured, tails = measured.split("<!-- begin tails -->")
    assert "after 400 rounds" in promised
    for cls in REGISTERED:
        assert f"[`{cls.__name__}`]({cls.reference})" in promised
    for cls in comparison.COMPARED:
        row = re.search(rf"^\| `{cls.__name__}` \|.*$", measured, re.MULTILINE)
        cells = 6 if comparison.private(cls) else 2
        assert len(re.findall(r"median", row[0])) == cells
    assert len(re.findall(r"\d\.\d\d %", tails)) == 24
    monkeypatch.setattr(comparison, "COMPARED", comparison.COMPARED[::8])
    few = small(tmp_path / "few")
    assert few == small(tmp_path / "again")
    assert few != small(tmp_path / "other", seed=4)


def test_a_policy_that_was_not_measured_has_an_empty_row():
    tables = {
        "bandit": TableOf(
            ("policy", "S1", "engine"), (("`UCB1`", "5 (4 to 6)", "rounds"),), numbers=False
        )
    }
    shown = comparison._every("bandit", tables).splitlines()
    assert "| `UCB1` | 5 (4 to 6) | rounds |" in shown
    assert "| `LazyDPTS` |  |  |" in shown
    assert not any("RNMFTNL" in line for line in shown)


def test_the_docs_page_promises_what_the_code_does():
    assert promises() in PAGE.path.read_text()


@pytest.mark.parametrize("name", ["AnytimeLazyUCB", "DPSE", "AdaPUCB", "AdaPKLUCB", "RNMFTNL"])
def test_the_docs_page_measures_what_the_code_does(name):
    """Other runs, so they differ by chance: to 5 standard errors and the page's interval."""
    row = re.search(rf"^\| `{name}` \|(.*)\| leap \|$", PAGE.path.read_text(), re.MULTILINE)
    ends = re.findall(r"(median )?([\d,.]+) \(([\d,.]+) to ([\d,.]+)\)", row[1])
    claimed = [(bool(kind), *(float(e.replace(",", "")) for e in rest)) for kind, *rest in ends]
    policies = [getattr(hush, name)(epsilon) for epsilon in (0.25, 0.5, 1.0)]
    for env, part in ((hush.paper_s1(), claimed[:3]), (hush.paper_s2(), claimed[3:])):
        result = hush.simulate(
            policies, env, horizon=10**6, runs=1000, seed=99, checkpoints=[10**6]
        )
        for values, (is_median, _, low, high) in zip(result.regret[:, :, -1], part, strict=True):
            error = 5 * values.std(ddof=1) / 1000**0.5
            found = np.median(values) if is_median else values.mean()
            assert low - error - 0.5 <= found <= high + error + 0.5

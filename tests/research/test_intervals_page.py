"""The page of intervals: every policy is there, and what is printed holds as often as it says."""

import re

import numpy as np
import pytest

from research import intervals
from research.comparison import COMPARED
from research.pages import load_tables

PLACES = "\n".join(f"<!-- begin {name} -->\n<!-- end {name} -->" for name in intervals.PAGE.parts)


@pytest.mark.untraced
@pytest.mark.parametrize("one_in", [4, pytest.param(1, marks=pytest.mark.slow)])
def test_every_policy_is_measured(tmp_path, monkeypatch, one_in):
    measured = COMPARED[::one_in]
    monkeypatch.setattr(intervals, "COMPARED", measured)
    tables, picture = intervals.measure(tmp_path, quick=True, seed=3)
    assert picture is None
    text = intervals.PAGE.render(PLACES, tables)
    for cls in measured:
        assert len(re.findall(rf"^\| `{cls.__name__}` \|", text, re.MULTILINE)) == 3
    assert "400 rounds" in text


# Came after the run, as the page says.
LATER = {
    f"`{name}`" for name in (
        "NoiseAwareIMED", "NoiseAwareUCB", "MishraThakurtaTS",
        "BatchedHTINF", "ImprovedUCB", "BayesUCB", "MOSS", "AdaUCB", "MaillardSampling",
        "GaussianTS", "DPTSUCB", "MOTS", "ExpTS", "Local", "Person",
        "LDPUCBL", "TreeFTRL", "TreeFTAL",
    )
}  # fmt: skip


def test_the_page_says_at_least_94_percent_for_every_policy():
    """What is nominally 95 %, of whatever it claims to cover."""
    tables = load_tables(intervals.PAGE.data)
    shares = [
        float(re.match(r"[\d.]+", cell)[0]) for row in tables["coverage"].rows for cell in row[1:]
    ]
    shown = {row[0] for row in tables["coverage"].rows}
    assert shown == {f"`{c.__name__}`" for c in COMPARED} - LATER
    assert min(shares) >= 94.0


def test_coverage_is_counted():
    """Runs of a law that is one value: every interval covers it; a wrong truth is not covered."""
    law = np.full(50, 3.0)
    generator = np.random.default_rng(1)
    row = intervals._covered(law, 10.0, 20, 30, generator)
    assert row == {"printed": 1.0, "strict": 1.0, "student": 1.0, "means": 0.0}
    interval = (np.array([3.0]), np.array([2.0]), np.array([4.0]))
    assert intervals._inside(interval, 3.9)[0]
    assert not intervals._inside(interval, 4.1)[0]
    assert intervals._inside((law[:1], np.array([np.nan]), np.array([np.nan])), 9.0)[0]

"""Readings: with factors of 1 they are the policies that they read; with others they are not."""

import numpy as np
import pytest

import hush
from hush.studies.readings import (
    AdaPKLUCBReading,
    AdaPUCBReading,
    KeptAdaPKLUCBReading,
    LazyDPTSReading,
)

MEAN, COUNT = np.linspace(-0.2, 1.2, 15), np.array(64.0)


def rule(policy):
    return getattr(policy, "index", None) or policy.center


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        (hush.AdaPKLUCB(0.5), AdaPKLUCBReading(0.5)),
        (hush.AdaPUCB(0.5), AdaPUCBReading(0.5)),
        (hush.LazyDPTS(0.5), LazyDPTSReading(0.5)),
    ],
)
def test_factors_of_one_are_the_text(text, reading):
    for t in (2.0, 1e3, 1e7):
        ours, theirs = (
            rule(each)(MEAN, COUNT, t, np.array(each.parameters)) for each in (text, reading)
        )
        assert ours == pytest.approx(theirs, rel=1e-12)


def index(policy, mean=0.2, count=64.0, t=1e4):
    return float(rule(policy)(np.array(mean), np.array(count), t, np.array(policy.parameters)))


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        (AdaPKLUCBReading(10.0, shift=0.5), AdaPKLUCBReading(10.0)),
        (AdaPKLUCBReading(10.0, shift=0), AdaPKLUCBReading(10.0, shift=0.1)),
        (AdaPKLUCBReading(10.0), AdaPKLUCBReading(10.0, iterated=3.0)),
        (AdaPKLUCBReading(10.0, threshold=0.5), AdaPKLUCBReading(10.0)),
        (AdaPUCBReading(10.0), AdaPUCBReading(10.0, inside=2.0)),
        (AdaPUCBReading(10.0, shift=0.5), AdaPUCBReading(10.0)),
        (LazyDPTSReading(10.0, shift=0.5), LazyDPTSReading(10.0)),
    ],
)
def test_each_factor_moves_the_index(lower, higher):
    assert index(lower) < index(higher)


@pytest.mark.parametrize(
    "policy", [AdaPKLUCBReading(1.0), KeptAdaPKLUCBReading(1.0), AdaPUCBReading(1.0)]
)
def test_readings_leap(policy):
    result = hush.simulate(policy, hush.paper_s1(), horizon=10**7, runs=3, seed=7)
    assert result.engines == ("leap",)
    assert 100 < result.regret[:, :, -1].mean() < 5000


@pytest.mark.parametrize("factor", [-1, float("nan"), "x"])
def test_a_bad_factor_is_refused(factor):
    with pytest.raises(hush.ParameterError, match="shift must be"):
        AdaPKLUCBReading(1.0, shift=factor)

"""Real outcomes: the published counts and rates, and one line where the data are missing."""

import sys

import numpy as np
import pytest

import hush
from hush.environments import TRIALS, trials


def test_actg175_has_the_trials_counts_and_rates():
    log = hush.actg175()
    assert (len(log), log.names[0]) == (2139, "zidovudine")
    assert log.counts.tolist() == [532, 522, 524, 561]
    assert log.coins().means.round(3).tolist() == [0.66, 0.803, 0.792, 0.772]
    assert hush.actg175("CD4").coins().means.round(3).tolist() == [0.436, 0.653, 0.555, 0.556]
    assert np.unique(log.persons).size == 2139
    with pytest.raises(hush.UnknownNameError, match="CD4"):
        hush.actg175("cd4")


def test_rand_has_the_experiments_persons_and_rates():
    log = hush.rand_health()
    visits = np.bincount(log.persons)
    assert (len(log), visits.size, visits.min(), visits.max()) == (20_190, 5912, 1, 5)
    assert log.names == ("0", "25", "50", "95", "100")
    assert log.coins().means.round(3).tolist() == [0.705, 0.761, 0.791, 0.823, 0.766]
    assert sum(log.cohort().visits) == len(log)


def test_rand_is_not_replayed():
    with pytest.raises(hush.ParameterError, match="drawn for persons, not for rows"):
        hush.replay(hush.UCB1(), hush.rand_health())


def test_the_command_line_knows_trials_by_name():
    assert {name: make().n_arms for name, make in TRIALS.items()} == {
        "ACTG175": 4, "ACTG175-CD4": 4, "RAND": 5,
    }  # fmt: skip


def test_a_package_without_the_data_is_one_line(monkeypatch, tmp_path):
    package = tmp_path / "lifelines"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('not imported')")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, "lifelines", raising=False)
    with pytest.raises(hush.MissingExtraError) as caught:
        trials.actg175()
    assert str(caught.value) == (
        "hush.actg175 needs lifelines 0.30.3 or newer: pip install --upgrade 'hush-dp[data]'"
    )

"""The page of the field: its phases are those of DP-SE, its counts those of its tables."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

import hush
from hush.studies.report.comparisons import AGREES, DIFFERS, REALISED, UNKNOWN
from research import field
from research.field_phases import CHANGES, PhaseReading, combined, play_phases
from research.field_top_two import READINGS, play_top_two
from research.pages import load_tables

TABLES = load_tables(field.PAGE.data)


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_the_text_reading_is_dp_se(epsilon):
    """Means of 500 and 2,000 runs differ by 4 standard errors in one of 16,000 tests by chance."""
    generator = np.random.default_rng(7)
    horizon = 10**6
    ours = [
        play_phases(PhaseReading(), field.S1, epsilon, horizon, 1.0 / horizon, generator)[0]
        for _ in range(500)
    ]
    policy = hush.DPSE(epsilon)
    theirs = hush.simulate(policy, hush.paper_s1(), horizon=horizon, runs=2000, seed=7)
    final = theirs.regret[0, :, -1]
    error = np.hypot(np.std(ours) / np.sqrt(500), final.std() / np.sqrt(2000))
    assert abs(np.mean(ours) - final.mean()) < 4.0 * error + 1e-6 * final.mean()


@pytest.mark.slow
def test_the_text_reading_is_dp_tt():
    """A Kolmogorov-Smirnov test at 1e-4, on two arms, where runs are short."""
    means, runs = (0.9, 0.3), 400
    generator = np.random.default_rng(7)
    ours = [
        play_top_two(np.array(means), 1.0, 0.05, 10**5, READINGS[0].numbers, generator)[1]
        for _ in range(runs)
    ]
    theirs = hush.identify(
        hush.DPTT(1.0, threshold="heuristic"),
        hush.Bernoulli(means),
        confidence=0.95,
        runs=runs,
        seed=7,
        most=10**5,
    )
    assert ks_2samp(ours, theirs.samples[0]).pvalue > 1e-4


def test_each_change_is_another_reading():
    assert len({reading for _, reading in combined(1)}) == len(CHANGES) + 1
    for names, _ in combined(2):
        assert len({key for name in names for key in CHANGES[name]}) == len(names)


def test_the_count_is_that_of_the_verdicts():
    verdicts = [row[0] for row in TABLES["figures"].rows]
    counts = [verdicts.count(each) for each in (AGREES, DIFFERS, UNKNOWN)]
    assert (
        TABLES["count"]
        .rows[0][0]
        .startswith(
            "Of {} published figures, {} agree, {} differ, and {} cannot be compared".format(
                len(verdicts), *counts
            )
        )
    )


def test_no_figure_differs_without_what_was_tried_or_is_missing_without_a_name():
    tried = {row[1:4] for row in TABLES["attempts"].rows if row[4] != REALISED}
    for verdict, where, setting, theirs, *_, why in TABLES["figures"].rows:
        if verdict == DIFFERS:
            assert (where, setting, theirs) in tried, setting
        if verdict == UNKNOWN:
            assert why.startswith("missing: ")


@pytest.mark.slow
@pytest.mark.untraced
def test_two_studies_make_the_tables(tmp_path, monkeypatch):
    monkeypatch.setattr(field, "PAPERS", ("public-2019-two-arms", "azize-basu-2022-regimes"))
    tables, picture = field.measure(tmp_path, quick=True, seed=1)
    assert set(tables) == set(field.PAGE.parts)
    assert len(tables["figures"].rows) == 7
    assert picture.axes

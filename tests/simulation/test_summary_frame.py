"""Summaries print as a table of one screen, and are data frames all the same."""

import pickle

import pandas as pd
import pytest

import hush
from hush.simulation.summary_frame import Summary


@pytest.fixture(scope="module")
def result():
    long = hush.RNMFTNL(0.5, noise="laplace", neighbours="add-remove", growth=3.25)
    return hush.simulate([long, hush.UCB1()], hush.paper_s1(), horizon=2_000, runs=30, seed=3)


def test_it_prints_in_a_hundred_columns_and_loses_no_part_of_a_name(result):
    text = str(result.summary())
    assert max(map(len, text.splitlines())) <= 100
    for part in ("RNMFTNL(epsilon=0.5,", "noise='laplace',", "neighbours='add-remove',", "3.25)"):
        assert part in text
    assert "regret (95 % interval)" in text.splitlines()[0]
    assert text.endswith("30 runs of each; the data frame has 13 columns")


def test_it_shows_the_mean_where_runs_tell_it():
    told = hush.simulate(hush.AnytimeLazyUCB(1.0), hush.paper_s1(), horizon=200, runs=3_000, seed=3)
    assert "median" not in str(told.summary())
    assert f"  {told.regret[0, :, -1].mean():,.2f} (" in str(told.summary())


@pytest.mark.untraced
def test_it_fits_for_samples_too():
    found = hush.identify(
        [hush.NoiseAwareBAI(1.0), hush.DPTT(1.0)], hush.paper_s1(), runs=6, seed=3
    )
    text = str(found.summary())
    assert max(map(len, text.splitlines())) <= 100
    assert "samples (95 % interval)" in text
    assert "lower bound" in text
    assert str(found.summary()["error_upper"].iloc[0])[:4] == "0.53"
    assert "53.58%" in text


def test_it_is_data(result):
    table = result.summary()
    assert isinstance(table, pd.DataFrame)
    assert table["mean"].to_numpy() == pytest.approx(result.regret[:, :, -1].mean(axis=1))
    assert type(table[["mean", "low"]]) is pd.DataFrame
    assert type(table.sort_values("mean")) is pd.DataFrame
    again = pickle.loads(pickle.dumps(table))
    assert str(again) == str(table)


def test_it_prints_what_it_holds_now(result):
    table = result.summary()
    table["worst"] = 12_345.0
    assert "12,345" in str(table)
    assert "12,345" in table._repr_html_()


def test_without_a_column_that_is_shown_it_prints_as_any_frame():
    table = Summary({"mean": [1.0]})
    assert str(table) == str(pd.DataFrame({"mean": [1.0]}))
    assert "<table" in table._repr_html_()

"""Results go to pandas, Polars and Arrow as they stand."""

import sys

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

import hush
from hush.errors import HushError
from hush.theory import exact_regret

MADE = {
    "result": lambda: hush.simulate(
        [hush.UCB1(), hush.LazyDPTS(1.0)], hush.paper_s1(), horizon=100, runs=3, seed=7
    ),
    "identification": lambda: hush.identify(
        hush.NoiseAwareBAI(1.0), hush.paper_s1(), runs=3, seed=7
    ),
    "bounds": lambda: hush.bounds(hush.UCB1(), hush.paper_s1(), 1000),
    "exact regret": lambda: exact_regret(hush.RNMFTNL(1.0), hush.paper_s1(), 100),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("maker", ["pyarrow", "polars"])
def test_every_library_reads_the_same(name, maker, monkeypatch):
    made = MADE[name]()
    if maker == "polars":  # as where pyarrow is not installed; pandas and pyarrow are at hand here
        monkeypatch.setitem(sys.modules, "pyarrow", None)
    frame = polars.from_dataframe(made)
    monkeypatch.undo()
    columns = made.to_columns()
    assert frame.columns == list(columns)
    tables = {
        "polars": frame.to_dict(as_series=False),
        "arrow": pyarrow.table(made).to_pydict(),
        "pandas": made.to_pandas().to_dict("list"),
    }
    if hasattr(pd.DataFrame, "from_arrow"):  # pandas 3
        tables["pandas from arrow"] = pd.DataFrame.from_arrow(made).to_dict("list")
    expected = {key: np.asarray(each).tolist() for key, each in columns.items()}
    assert len({len(each) for each in expected.values()}) == 1
    for library, table in tables.items():
        assert table == expected, library


def test_values_and_types_survive():
    result = MADE["result"]()
    frame = polars.DataFrame(result)
    assert frame.schema == {
        "policy": polars.String,
        "run": polars.Int64,
        "round": polars.Int64,
        "regret": polars.Float64,
    }
    one = frame.filter((polars.col("run") == 2) & (polars.col("round") == 100))
    assert one["regret"].to_list() == result.regret[:, 2, -1].tolist()


def test_a_table_outlives_its_result():
    table = pyarrow.table(MADE["result"]())
    assert table.num_rows == len(table["regret"].to_pylist())


def test_without_either_library_it_says_what_works(monkeypatch):
    for name in ("pyarrow", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(HushError, match=r"pyarrow or polars.*to_columns"):
        MADE["bounds"]().__arrow_c_stream__()

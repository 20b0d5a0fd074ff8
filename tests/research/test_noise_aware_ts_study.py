"""The study at a tiny scale: complete, resumable, drawn."""

import pandas as pd
import pytest
from typer.testing import CliRunner

from research import noise_aware_ts
from research.__main__ import app
from research.noise_aware_ts import Scale, random_instances, run_study


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(noise_aware_ts, "T", 2000)
    monkeypatch.setattr(noise_aware_ts, "EPSILONS", (1.0,))
    monkeypatch.setattr(
        noise_aware_ts,
        "random_instances",
        lambda count, seed, most: random_instances(count, seed, 3),
    )
    scale = Scale(2, 4, 20, 40, 2, 3, 3, early=1, early_runs=2)
    monkeypatch.setattr(Scale, "quick", classmethod(lambda cls: scale))
    return scale


@pytest.mark.slow
def test_the_command_leaves_tables_and_a_picture(tiny, tmp_path, monkeypatch):
    words = ["run", "noise_aware_ts", "--quick", "--out", str(tmp_path)]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    assert "growth 1.25" in shown.output
    for name in (*(f"{part}.csv" for part in noise_aware_ts.PARTS), "study.svg", "study.png"):
        assert (tmp_path / name).stat().st_size > 100
    cells = pd.read_csv(tmp_path / "cells.csv")
    assert set(cells["policy"]) == {"NoiseAwareTS", *noise_aware_ts.RIVALS}
    assert (cells["low"] <= cells["regret"]).all()
    tables, _ = noise_aware_ts.measure(tmp_path, quick=True, seed=7)
    assert set(tables) == set(noise_aware_ts.PAGE.parts)
    assert tables["early"].rows[1][0] == "without the first"
    it_goes_on_where_it_stopped(tiny, tmp_path, monkeypatch)


def it_goes_on_where_it_stopped(tiny, folder, monkeypatch):
    """Parts that are there are read; the one that is not is run."""
    first = run_study(folder, tiny, 7)
    (folder / "bound.csv").unlink()
    done = []
    for name, part in noise_aware_ts.PARTS.items():
        monkeypatch.setitem(
            noise_aware_ts.PARTS, name, lambda *a, n=name, p=part: (done.append(n), p(*a))[1]
        )
    again = run_study(folder, tiny, 7)
    assert done == ["bound"]
    for name, table in first.items():
        pd.testing.assert_frame_equal(table, again[name])


def test_tuning_and_unseen_instances_differ():
    one = random_instances(5, noise_aware_ts.TUNING_SEED, 20)
    two = random_instances(5, noise_aware_ts.UNSEEN_SEED, 20)
    assert not set(one) & set(two)
    assert all(2 <= len(case.means) <= 20 and 0.05 <= case.epsilon <= 2 for case in one)

"""Executions: the same data from any executor, from a cache, and after an interrupt."""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from tests.studies.counting import Counting
from tests.studies.small import SMALL, small

import hush
from hush.simulation import plan
from hush.simulation.executor import dask_executor
from hush.studies import run_studies, run_study


def test_the_number_of_workers_does_not_matter(tmp_path):
    study = small().resized(runs=60)
    texts = [run_study(study, workers=workers).runs_csv for workers in (1, 2, 4)]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        texts.append(run_study(study, executor=pool).runs_csv)
    texts.append(run_study(study, cache=tmp_path).runs_csv)
    texts.append(run_study(study, cache=tmp_path).runs_csv)
    assert len(set(texts)) == 1
    assert texts[0].count("\n") == 1 + 4 * 60 + 8


def test_finished_blocks_are_not_played_again(tmp_path):
    first, again = Counting(), Counting()
    one = run_study(small(), cache=tmp_path, executor=first)
    two = run_study(small(), cache=tmp_path, executor=again)
    assert len(first.played) == 5
    assert again.played == []
    assert one.digest == two.digest
    more = Counting()
    run_study(small(SMALL.replace("epsilon = [0.5, 1.0]", "epsilon = [0.5, 2.0]")),
              cache=tmp_path, executor=more)  # fmt: skip
    assert [block.policy.epsilon for block in more.played] == [2.0, 2.0]


def test_curves_that_studies_share_are_played_once():
    both = Counting()
    run_studies([small(), replace(small(), name="other")], executor=both)
    assert len(both.played) == 5


def test_a_damaged_file_counts_as_missing(tmp_path):
    first = run_study(small(), cache=tmp_path).digest
    path = next(tmp_path.rglob("*.npy"))
    path.write_bytes(path.read_bytes()[:50])
    again = Counting()
    assert run_study(small(), cache=tmp_path, executor=again).digest == first
    assert len(again.played) == 1


@pytest.mark.parametrize("after", [0, 1, 3])
def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path, after):
    whole = run_study(small())
    broken = Counting(breaks_after=after)
    with pytest.raises(KeyboardInterrupt):
        run_study(small(), cache=tmp_path, executor=broken)
    kept = len(list(tmp_path.rglob("*.npy")))
    assert kept <= after
    rest = Counting()
    again = run_study(small(), cache=tmp_path, executor=rest)
    assert len(rest.played) == 5 - kept
    assert again.runs_csv == whole.runs_csv
    assert again.about() == whole.about()


def test_an_interrupt_ends_running_blocks(monkeypatch):
    """The flag that blocks of this execution look at is raised, others are not."""
    flags = {"another": np.zeros(1, dtype=np.int64)}
    monkeypatch.setattr(plan, "_STOPPING", flags)
    seen = []

    class Watching(Counting):
        def submit(self, function, block, name):
            seen.append(flags[name])
            return super().submit(function, block, name)

    with pytest.raises(KeyboardInterrupt):
        run_study(small(), executor=Watching(breaks_after=0))
    assert all(flag[0] == 1 for flag in seen)
    assert flags["another"][0] == 0


def test_progress_reaches_its_end():
    seen = []
    run_study(small(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_no_scheduler_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(hush.MissingExtraError, match=r"hush-dp\[dask\]"),
        dask_executor("tcp://127.0.0.1:1"),
    ):
        pass

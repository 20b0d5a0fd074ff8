"""The same data from a real Dask cluster, and from one that loses a worker half-way."""

import os
import signal

import pytest
from distributed import LocalCluster
from tests.studies.small import SMALL, small
from typer.testing import CliRunner

import hush
from hush.cli.app import app
from hush.studies import dask_executor, run_study

MANY = """
runs = 60
horizon = 200_000
epsilon = 1.0
checkpoints = "final"
[environment]
instance = "S1"
[[policies]]
policy = "ThompsonSampling"
[[policies]]
policy = "AnytimeLazyUCB"
"""
OPTIONS = {"dashboard_address": None, "threads_per_worker": 1, "silence_logs": 50}


def test_a_cluster_gives_the_same_data(tmp_path):
    """Workers of this process: Dask's scheduler, wire and executor are the real ones."""
    expected = run_study(small()).runs_csv
    study = tmp_path / "small.toml"
    study.write_text(SMALL)
    with LocalCluster(n_workers=2, processes=False, protocol="tcp", **OPTIONS) as cluster:
        with dask_executor(cluster.scheduler_address) as executor:
            assert run_study(small(), executor=executor).runs_csv == expected
        words = ["run", str(study), "--scheduler", cluster.scheduler_address]
        shown = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")])
    assert shown.exit_code == 0, shown.output
    assert (tmp_path / "out" / "data" / "small-runs.csv").read_text() == expected


def test_nobody_at_the_address(monkeypatch):
    from dask import config

    with (
        config.set({"distributed.comm.timeouts.connect": "1s"}),
        pytest.raises(hush.ParameterError, match=r"no Dask scheduler answers at tcp://127\.0"),
        dask_executor("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.slow
def test_a_worker_killed_half_way_changes_nothing():
    expected = run_study(small(MANY)).runs_csv
    killed = []
    with LocalCluster(n_workers=2, processes=True, **OPTIONS) as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]

        def report(finished, total):
            if finished > total / 4 and not killed:
                killed.append(pids[0])
                os.kill(pids[0], signal.SIGKILL)

        with dask_executor(cluster.scheduler_address) as executor:
            outcome = run_study(small(MANY), executor=executor, progress=report)
    assert killed
    assert outcome.runs_csv == expected

"""The runner: the same data from any executor, from a cache, and after an interrupt."""

import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context

import numpy as np
import pytest
from hush.simulation.blocks import blocks_of, play
from hush.studies.cache import Cache, block_key
from tests.studies.small import SMALL, small

import hush
from hush.simulation import blocks as blocks_module
from hush.studies import execution, run_studies, run_study, sources


class Counting(Executor):
    """Plays at once, and notes what it was asked; breaks after some blocks if told to."""

    def __init__(self, breaks_after=None):
        self.played = []
        self.breaks_after = breaks_after

    def submit(self, function, block):
        future = Future()
        if self.breaks_after is not None and len(self.played) >= self.breaks_after:
            future.set_exception(KeyboardInterrupt())
            return future
        self.played.append(block)
        future.set_result(function(block))
        return future


@pytest.mark.parametrize(
    "policy", [hush.AnytimeLazyUCB(1.0), hush.LazyDPTS(1.0), hush.UCB1()], ids=lambda p: p.label
)
def test_blocks_are_the_runs_that_simulate_has(policy):
    env, points = hush.paper_s2(), (10, 300, 1000)
    found = [play(block) for block in blocks_of(policy, env, points, 7, 270)]
    assert len(found) > 1
    result = hush.simulate(policy, env, horizon=1000, runs=270, seed=7, checkpoints=points)
    np.testing.assert_allclose(np.concatenate(found), result.regret[0], rtol=1e-12)


def test_too_much_memory_is_refused():
    with pytest.raises(hush.ParameterError, match="fewer checkpoints"):
        blocks_of(hush.RNMFTNL(1.0), hush.packing(20_000, 0.1), tuple(range(1, 100)), 7, 300)


def test_the_number_of_workers_does_not_matter(tmp_path):
    study = small().resized(runs=60)
    texts = [run_study(study, workers=workers).runs_csv for workers in (1, 2, 4)]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        texts.append(run_study(study, executor=pool).runs_csv)
    texts.append(run_study(study, cache=tmp_path).runs_csv)
    texts.append(run_study(study, cache=tmp_path).runs_csv)
    assert len(set(texts)) == 1
    assert texts[0].count("\n") == 1 + 4 * 60 + 4


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
    stopped = []

    class Task:
        def interrupt(self):
            stopped.append(True)

    monkeypatch.setitem(blocks_module._RUNNING, 1, Task())
    with pytest.raises(KeyboardInterrupt):
        run_study(small(), executor=Counting(breaks_after=0))
    assert stopped == [True]


OWN = """
import numpy as np
from dataclasses import dataclass
from hush.policies import LazyDPTS
from own_helper import SHIFT

@dataclass(frozen=True)
class Own(LazyDPTS):
    pass
"""


def test_changed_code_reruns_what_depends_on_it_and_nothing_else(tmp_path, monkeypatch):
    """A helper of one's own policy changes: its blocks are played again, others are not."""
    (tmp_path / "own_policy.py").write_text(OWN)
    (tmp_path / "own_helper.py").write_text("SHIFT = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    text = SMALL.replace('"UCB1"', '"own_policy:Own"')
    cache = tmp_path / "cache"
    run_study(small(text), cache=cache)
    for helper, names in (("SHIFT = 1\n", []), ("SHIFT = 2\n", ["Own", "Own"])):
        (tmp_path / "own_helper.py").write_text(helper)
        sources._digest.cache_clear()
        again = Counting()
        run_study(small(text), cache=cache, executor=again)
        assert [type(block.policy).__name__ for block in again.played] == names


def key(policy, **changes):
    block = blocks_of(policy, hush.paper_s1(), (100,), 7, 3)[0]
    return block_key(replace(block, **changes))


def test_keys_depend_on_all_that_matters(monkeypatch):
    keys = {
        key(hush.LazyDPTS(1.0)),
        key(hush.LazyDPTS(2.0)),
        key(hush.LazyDPTS(1.0), seed=8),
        key(hush.LazyDPTS(1.0), first=3),
        key(hush.LazyDPTS(1.0), runs=4),
        key(hush.LazyDPTS(1.0), points=(50, 100)),
        key(hush.LazyDPTS(1.0), env=hush.paper_s2()),
        key(hush.LazyDPTS(1.0), engine="rounds"),
    }
    assert len(keys) == 8
    monkeypatch.setattr("hush.studies.cache.version", lambda name: "0")
    assert key(hush.LazyDPTS(1.0)) not in keys


def reach(policy, engine="leap"):
    loop = sources.loop_module(policy, engine)
    return sources._modules(type(policy), loop)


def test_code_that_a_block_depends_on():
    lazy, kl = reach(hush.LazyDPTS(1.0)), reach(hush.AdaPKLUCB(1.0))
    assert {
        "hush.policies.lazy_dp_ts",
        "hush.policies.core.bandit",
        "hush.policies.core.policy",
    } <= lazy
    assert {"hush.simulation.leap_thompson", "hush.simulation.runner"} <= lazy
    assert "hush.policies.adap_kl_ucb" not in lazy
    assert "hush.simulation.leap_index" not in lazy
    assert {"hush.numerics.divergence", "hush.simulation.leap_index"} <= kl
    assert "hush.policies.lazy_dp_ts" not in kl
    assert not any(name.startswith(("hush.studies", "hush.cli")) for name in lazy | kl)


def test_code_without_a_file_is_not_cached(tmp_path):
    script = (
        "from dataclasses import dataclass\nimport hush\n"
        "from hush.simulation.blocks import blocks_of\nfrom hush.studies.cache import block_key\n"
        "@dataclass(frozen=True)\nclass Mine(hush.LazyDPTS):\n    pass\n"
        "block = blocks_of(Mine(1.0), hush.paper_s1(), (10,), 7, 1)[0]\n"
        "assert block_key(block) is None\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_progress_reaches_its_end():
    seen = []
    run_study(small(), progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1]
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def test_a_policy_that_cannot_be_played_names_its_study():
    study = small(SMALL.replace("horizon = 2000", "horizon = 1e15"))
    with pytest.raises(hush.ParameterError, match=r"small: UCB1: .*take days"):
        run_study(study)


def test_cache_files_are_replaced_whole(tmp_path):
    cache = Cache(tmp_path)
    block = blocks_of(hush.UCB1(), hush.paper_s1(), (10,), 7, 2)[0]
    cache.store("ab" * 32, play(block))
    assert [path.name for path in tmp_path.rglob("*.npy")] == [f"{'ab' * 31}.npy"]
    assert cache.load("ab" * 32, replace(block, runs=3)) is None


def test_loops_are_compiled_ahead_in_processes(monkeypatch):
    from hush.studies import warming

    sent = []
    monkeypatch.setattr(warming, "loop_ready", lambda policy, engine: False)
    monkeypatch.setattr(warming, "_compile", sent.append)
    env = hush.paper_s1()
    policies = [hush.UCB1(), hush.LazyDPTS(1.0), hush.AnytimeLazyUCB(1.0), hush.DPKLUCB(1.0)]
    blocks = [blocks_of(policy, env, (100,), 7, 1)[0] for policy in policies]
    assert warming.compile_ahead(blocks, 2) == 3
    assert [type(block.policy).__name__ for block in sent] == ["AnytimeLazyUCB", "LazyDPTS", "UCB1"]
    assert warming.compile_ahead(blocks, 1) == 0


def test_no_scheduler_is_a_clear_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(hush.ParameterError, match=r"hush\[dask\]"),
        execution.dask_executor("tcp://127.0.0.1:1"),
    ):
        pass

"""Finished blocks on disk: keys depend on all that matters, files are whole."""

import subprocess
import sys
from dataclasses import replace

import hush
from hush.simulation.block_cache import BlockCache, block_key
from hush.simulation.plan import Wanted, blocks_of, play


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
        key(hush.LazyDPTS(1.0), mode="rounds"),
        key(hush.LazyDPTS(1.0), discrete=True),
        key(hush.LazyDPTS(1.0), delay=1),
        key(hush.LazyDPTS(1.0), delay=2),
    }
    assert len(keys) == 11
    monkeypatch.setattr("hush.simulation.block_cache.version", lambda name: "0")
    assert key(hush.LazyDPTS(1.0)) not in keys


def test_code_without_a_file_is_not_cached(tmp_path):
    script = (
        "from dataclasses import dataclass\nimport hush\n"
        "from hush.simulation.plan import blocks_of\n"
        "from hush.simulation.block_cache import block_key\n"
        "@dataclass(frozen=True)\nclass Mine(hush.LazyDPTS):\n    pass\n"
        "block = blocks_of(Mine(1.0), hush.paper_s1(), (10,), 7, 1)[0]\n"
        "assert block_key(block) is None\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_files_are_replaced_whole(tmp_path):
    cache = BlockCache(tmp_path)
    block = blocks_of(hush.UCB1(), hush.paper_s1(), (10,), 7, 2)[0]
    cache.store(block, play(block))
    key_of = block_key(block)
    assert [path.name for path in tmp_path.rglob("*.npy")] == [f"{key_of[2:]}.npy"]
    assert (cache.load(block).regret == play(block).regret).all()
    cache.path(block_key(replace(block, runs=3))).parent.mkdir(parents=True, exist_ok=True)
    cache.path(block_key(replace(block, runs=3))).write_bytes(cache.path(key_of).read_bytes())
    assert cache.load(replace(block, runs=3)) is None


def test_blocks_with_pulls_are_not_kept(tmp_path):
    cache = BlockCache(tmp_path)
    block = blocks_of(hush.UCB1(), hush.paper_s1(), (10,), 7, 2, Wanted(keeps="all pulls"))[0]
    cache.store(block, play(block))
    assert not list(tmp_path.iterdir())
    assert cache.load(block) is None


def test_a_block_of_another_delay_is_not_served(tmp_path):
    cache = BlockCache(tmp_path)
    block = blocks_of(hush.UCB1(), hush.paper_s1(), (50,), 7, 2, Wanted(delay=5))[0]
    cache.store(block, play(block))
    assert (cache.load(block).regret == play(block).regret).all()
    for delay in (0, 4, 50):
        assert cache.load(replace(block, delay=delay)) is None

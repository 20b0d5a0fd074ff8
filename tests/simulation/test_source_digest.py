"""Which code a block's result depends on."""

import sys

from tests.studies.counting import Counting
from tests.studies.small import SMALL, small

import hush
from hush.simulation import source_digest
from hush.simulation.engines import engine_of
from hush.studies import run_study

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
    """A helper of your own policy changes: its blocks are played again, others are not."""
    (tmp_path / "own_policy.py").write_text(OWN)
    (tmp_path / "own_helper.py").write_text("SHIFT = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    text = SMALL.replace('"UCB1"', '"own_policy:Own"')
    cache = tmp_path / "cache"
    run_study(small(text), cache=cache)
    for helper, names in (("SHIFT = 1\n", []), ("SHIFT = 2\n", ["Own", "Own"])):
        (tmp_path / "own_helper.py").write_text(helper)
        source_digest._digest.cache_clear()
        again = Counting()
        run_study(small(text), cache=cache, executor=again)
        assert [type(block.policy).__name__ for block in again.played] == names


def reach(policy):
    return source_digest._modules(type(policy), engine_of(policy), "leap")


def test_code_that_a_block_depends_on():
    lazy, kl = reach(hush.LazyDPTS(1.0)), reach(hush.AdaPKLUCB(1.0))
    assert {"hush.policies.lazy_dp_ts", "hush.policies.core.policy"} <= lazy
    assert {"hush.simulation.kernels.thompson", "hush.simulation.engines.thompson"} <= lazy
    assert {"hush.simulation.plan", "hush.simulation.engines.base"} <= lazy & kl
    assert "hush.policies.adap_kl_ucb" not in lazy
    assert "hush.simulation.kernels.index" not in lazy
    assert {"hush.numerics.divergence", "hush.simulation.kernels.index"} <= kl
    assert "hush.policies.lazy_dp_ts" not in kl
    assert not any(name.startswith(("hush.studies", "hush.cli")) for name in lazy | kl)

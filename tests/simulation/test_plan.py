"""Blocks: the runs that simulate has, whatever the company."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hush
from hush.simulation import plan
from hush.simulation.plan import Wanted, blocks_of, default_checkpoints, play, stopping


@pytest.mark.parametrize(
    "policy", [hush.AnytimeLazyUCB(1.0), hush.LazyDPTS(1.0), hush.UCB1()], ids=lambda p: p.label
)
def test_blocks_are_the_runs_that_simulate_has(policy):
    env, points = hush.paper_s2(), (10, 300, 1000)
    found = [play(block) for block in blocks_of(policy, env, points, 7, 270)]
    assert len(found) > 1
    result = hush.simulate(policy, env, horizon=1000, runs=270, seed=7, checkpoints=points)
    # To the last bit: both add the arms up in one order.
    assert (np.concatenate([each.regret for each in found]) == result.regret[0]).all()


def test_too_much_memory_is_refused():
    with pytest.raises(hush.ParameterError, match="fewer checkpoints"):
        blocks_of(hush.RNMFTNL(1.0), hush.packing(20_000, 0.1), tuple(range(1, 100)), 7, 300)


@given(st.integers(1, 10**18))
def test_default_checkpoints_are_sorted_and_end_with_the_horizon(horizon):
    points = default_checkpoints(horizon)
    assert points[-1] == horizon
    assert points[0] >= 1
    assert (np.diff(points) > 0).all()
    assert points.size <= 92


def test_what_is_kept_is_what_was_asked_for():
    env, points = hush.paper_s1(), (10, 100)
    shapes = {"regret": (4, 0, 5), "final pulls": (4, 1, 5), "all pulls": (4, 2, 5)}
    for keeps, shape in shapes.items():
        block = blocks_of(hush.UCB1(), env, points, 7, 4, Wanted(keeps=keeps))[0]
        assert play(block).pulls.shape == shape


def test_many_shares_make_small_blocks():
    env, points = hush.paper_s1(), (100,)
    for policy in (hush.UCB1(), hush.LazyDPTS(1.0)):
        assert {b.runs for b in blocks_of(policy, env, points, 7, 20, Wanted(shares=16))} == {1}
    index = blocks_of(hush.AnytimeLazyUCB(1.0), env, points, 7, 300, Wanted(shares=16))
    assert [block.runs for block in index] == [256, 44]


def test_an_interrupt_ends_the_blocks_of_its_own_execution_only():
    block = blocks_of(hush.UCB1(), hush.paper_s1(), (1000,), 7, 1)[0]
    whole = play(block).regret
    with stopping("one"):
        with pytest.raises(KeyboardInterrupt), stopping("two"):
            raise KeyboardInterrupt
        assert (play(block, "one").regret == whole).all()
    plan._STOPPING["ended"] = np.ones(1, dtype=np.int64)
    try:
        assert play(block, "ended").regret[0, 0] == 0.0
    finally:
        del plan._STOPPING["ended"]

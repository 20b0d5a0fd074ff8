"""Blocks of secure noise: every value meets one sum, and nobody else ever sees it."""

import itertools
import math
import os
import pickle
import sys
import threading
import time
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hush import NoiseError, SecureNoise
from hush.noise import secure


class Counting:
    """A mechanism whose values are all different, so that a second use of one shows."""

    def __init__(self):
        self.numbers = itertools.count()
        self.sizes = []

    def __call__(self, zeros):
        assert set(zeros) == {0}
        self.sizes.append(len(zeros))
        return [next(self.numbers) for _ in zeros]


@pytest.fixture
def counting(monkeypatch):
    mechanism = Counting()
    monkeypatch.setattr(secure, "_laplace", lambda *_: mechanism)
    return mechanism


def let_others_run(frame, _event, _argument):
    """Trace a block's code: another thread may run between any two of its steps."""
    if frame.f_code.co_filename != secure.__file__:
        return None
    frame.f_trace_opcodes = True
    time.sleep(0)
    return let_others_run


@pytest.mark.untraced
def test_threads_never_share_a_value(counting):
    source, drawn = SecureNoise(), []
    begin = threading.Barrier(8)

    def draw():
        begin.wait()
        sys.settrace(let_others_run)
        drawn.append([source.add_laplace(0, epsilon=1.0) for _ in range(120)])
        sys.settrace(None)

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    values = list(itertools.chain(*drawn))
    assert len(set(values)) == len(values) == 960
    assert sum(counting.sizes) < 960 + secure.LARGEST_BLOCK


def test_a_thread_that_waited_for_a_refill_draws_no_second_block(monkeypatch):
    inside, go_on = threading.Event(), threading.Event()

    class Slow(Counting):
        def __call__(self, zeros):
            inside.set()
            go_on.wait(10)
            return super().__call__(zeros)

    mechanism = Slow()
    monkeypatch.setattr(secure, "_laplace", lambda *_: mechanism)
    source, drawn = SecureNoise(), []
    threads = [
        threading.Thread(target=lambda: drawn.append(source.add_laplace(0, epsilon=1.0)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    inside.wait(10)
    go_on.set()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 4
    assert mechanism.sizes == [secure.FIRST_BLOCK]


def test_blocks_grow_from_few_values_to_some(counting):
    source = SecureNoise()
    for _ in range(3):
        source.add_laplace(0, epsilon=1.0)
    assert counting.sizes == [8]
    for _ in range(300):
        source.add_laplace(0, epsilon=1.0)
    assert counting.sizes == [8, 16, 32, 64, 64, 64, 64]


def test_every_law_has_blocks_of_its_own_and_their_number_is_bounded(monkeypatch):
    asked = []

    def law(epsilon, sensitivity):
        asked.append((epsilon, sensitivity))
        return lambda zeros: [round(1000 * epsilon) + sensitivity for _ in zeros]

    monkeypatch.setattr(secure, "_laplace", law)
    source = SecureNoise()
    assert source.add_laplace(0, epsilon=1.0) == 1001
    assert source.add_laplace(0, epsilon=1.0, sensitivity=3) == 1003
    assert source.add_laplace(0, epsilon=0.5) == 501
    assert source.add_laplace(0, epsilon=1.0) == 1001
    assert len(asked) == 3
    for epsilon in range(1, 500):
        source.add_laplace(0, epsilon=float(epsilon))
        assert len(source._blocks) <= secure.MOST_BLOCKS


def test_what_is_drawn_ahead_is_never_stored(counting):
    counting.numbers = itertools.count(987654321)
    source = SecureNoise()
    source.add_laplace(0, epsilon=1.0)
    assert source._blocks
    for shown in (repr(source), str(source.state()), str(source.__reduce__())):
        assert "98765432" not in shown
    assert not pickle.loads(pickle.dumps(source))._blocks


@pytest.mark.untraced  # a tracer's lock, held by another thread, would stop the child
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_forked_child_forgets_blocks_and_locks():
    source = SecureNoise()
    source.add_laplace(0, epsilon=1e-9)
    (block,) = source._blocks.values()
    ahead = set(block._values)
    holding, done = threading.Event(), threading.Event()

    def hold():
        with block._refilling:
            holding.set()
            done.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    holding.wait(30)
    child = os.fork()
    if child == 0:  # it would wait for ever, were the lock the parent's
        fresh = [source.add_laplace(0, epsilon=1e-9) for _ in range(20)]
        os._exit(0 if ahead.isdisjoint(fresh) else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert os.waitstatus_to_exitcode(status) == 0
    assert set(block._values) == ahead


def test_a_draw_that_fails_uses_nothing_up(monkeypatch):
    mechanism, broken = Counting(), [True]

    def sometimes(zeros):
        if broken[0]:
            raise RuntimeError("a secret: 424242")
        return mechanism(zeros)

    monkeypatch.setattr(secure, "_laplace", lambda *_: sometimes)
    source = SecureNoise()
    with pytest.raises(NoiseError) as caught:
        source.add_laplace(424242, epsilon=1.0)
    assert "424242" not in str(caught.value)
    broken[0] = False
    assert sorted(source.add_laplace(0, epsilon=1.0) for _ in range(8)) == list(range(8))


@pytest.mark.parametrize("bad", [2**62 + 1, -(2**62) - 1, 2**63, 0.5, None])
def test_a_sum_that_does_not_fit_is_refused_before_anything_is_drawn(counting, bad):
    with pytest.raises(NoiseError) as caught:
        SecureNoise().add_laplace(bad, epsilon=1.0)
    assert str(bad) not in str(caught.value)
    assert not counting.sizes


@pytest.mark.parametrize("noise", [2**63 - 1, -(2**63)])
def test_noise_at_its_end_hides_every_sum_alike(monkeypatch, noise):
    monkeypatch.setattr(secure, "_laplace", lambda *_: lambda zeros: [noise for _ in zeros])
    source = SecureNoise()
    sums = (0, 1, 7, 2**40, 2**62, -(2**62))
    end = 2**62 - 1 if noise > 0 else 1 - 2**62
    assert {source.add_laplace(each, epsilon=1e-30) for each in sums} == {end}


def test_a_toss_has_exactly_its_chance(monkeypatch):
    below = []

    def randbelow(end):
        below.append(end)
        return 3

    monkeypatch.setattr(secure.secrets, "randbelow", randbelow)
    source = SecureNoise()
    assert [source.toss(bit, chances=(3 / 8, 7 / 16)) for bit in (False, True)] == [False, True]
    assert below == [8, 16]


def test_its_repr_says_its_kind():
    assert repr(SecureNoise()) == "SecureNoise()"


TOTALS = (1e-9, 1e-3, 0.1, 0.3, 1 / 3, 0.7, 1.0, math.log(3), 2.5, 10.0, 1e3)


@pytest.mark.parametrize("distance", [1, 2, 3, 7, 10, 49, 1_000, 999_983])
def test_what_a_person_may_give_loses_no_more_than_was_promised(distance):
    """By OpenDP's own map at that distance, and within four steps of the plain quotient."""
    for total in TOTALS:
        epsilon = secure.epsilon_within(total, distance)
        assert secure._laplace(epsilon, 1).map(distance) <= total
        assert Fraction(epsilon) * distance <= Fraction(total)
        assert 0 <= total / distance - epsilon <= 4 * math.ulp(total / distance)


@given(st.floats(1e-9, 1e3), st.integers(1, 10**6))
def test_whatever_was_promised(total, distance):
    epsilon = secure.epsilon_within(total, distance)
    assert secure._laplace(epsilon, 1).map(distance) <= total
    assert 0 <= total / distance - epsilon <= 4 * math.ulp(total / distance)


@pytest.mark.parametrize("total", [5e-324, 1e-305])
def test_no_noise_is_wide_enough(total):
    with pytest.raises(NoiseError, match="choose another"):
        secure.epsilon_within(total, 4)


def test_noise_drawn_ahead_is_drawn_then_and_used_once(counting):
    source = SecureNoise()
    first, second = (source.laplace_ahead(epsilon=1.0) for _ in range(2))
    drawn = next(counting.numbers)  # nothing more is drawn when it is added
    assert {second(10), first(10)} <= {10 + n for n in range(drawn)}
    with pytest.raises(NoiseError):
        first(10)
    for bad in (2**62 + 1, 0.5, None):
        with pytest.raises(NoiseError):
            source.laplace_ahead(epsilon=1.0)(bad)

"""Functions that are compiled by themselves: called by name, from disk, and never an old one."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import njit
from numba.core.runtime import _nrt_python as _nrt
from numba.core.runtime import rtsys

from hush.numerics.compiled.apart import Apart, apart

INNER = """
from typing import NamedTuple
import numpy as np
from hush.numerics.compiled.apart import apart

class Pair(NamedTuple):
    values: object
    sum: float

@apart
def summed(values, times):
    total = 0.0
    for i in range(values.size):
        total += values[i] * times
    return total

@apart
def pair(values, times):
    return Pair(values * times, summed(values, times))
"""
OUTER = """
import numpy as np
from numba import njit
from numba.core.runtime import _nrt_python as _nrt
from numba.core.runtime import rtsys
from inner import pair

@njit(cache=True)
def double(values):
    found = pair(values, 2)
    return found.values[0] + found.sum

print(double(np.array([1.0, 10.0])), sum(double.stats.cache_hits.values()))
"""


@pytest.fixture
def said(tmp_path):
    """Return a function that prints what a fresh process finds with nothing but its files."""
    (tmp_path / "outer.py").write_text(OUTER)

    def run(inner):
        (tmp_path / "inner.py").write_text(inner)
        ran = subprocess.run(
            [sys.executable, "outer.py"],
            cwd=tmp_path,
            # Python takes a file of the same size and second for one that it has compiled.
            env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        return ran.stdout.split()

    return run


def test_callers_are_kept_on_disk_and_call_what_is_there_now(said):
    assert said(INNER) == ["24.0", "0"]
    assert said(INNER) == ["24.0", "1"]
    # Of another function of the same form the caller need not be compiled again.
    assert said(INNER.replace("total = 0.0", "total = 0.5")) == ["24.5", "1"]
    # Of one that returns something else it has to be.
    assert said(INNER.replace("return total", "return int(total)")) == ["24.0", "0"]


@apart
def scaled(values, factor):
    if factor < 0:
        raise ValueError("factors are positive")
    return values * factor


@njit
def twice_scaled(values, factor):
    return scaled(scaled(values, factor), 2)


def test_arrays_that_come_and_go_are_counted():
    values = np.ones(1000)
    twice_scaled(values, 3)
    _nrt.memsys_enable_stats()
    before = rtsys.get_allocation_stats()
    for _ in range(10):
        assert twice_scaled(values, 3).sum() == 6000.0
        assert scaled(values, 3).sum() == 3000.0
    after = rtsys.get_allocation_stats()
    _nrt.memsys_disable_stats()
    assert after.alloc - before.alloc == after.free - before.free >= 30
    assert sys.getrefcount(values) == 2


def test_errors_come_through():
    with pytest.raises(ValueError, match="positive"):
        twice_scaled(np.ones(3), -1)
    with pytest.raises(ValueError, match="positive"):
        scaled(np.ones(3), -1)


def test_what_python_calls_often_is_called_directly():
    assert isinstance(scaled, Apart)
    direct = Apart(scaled.py_func, from_python=True)
    assert direct(np.ones(3), 2).sum() == 6.0
    assert "_called" not in vars(direct)


RULE = """
import hush
from hush.simulation.engines.rules import rule_pointer

found = rule_pointer(hush.BayesUCB.index)
print(round(found.ctypes(0.5, 10.0, 100.0, (__import__("ctypes").c_double * 1)(0.0)), 9))
print(found.cache_hits)
"""


def test_a_rule_from_disk_finds_what_it_calls(tmp_path):
    """numba forgets what a callback needs linked: it once called the address 0."""
    (tmp_path / "rule.py").write_text(RULE)
    said = [
        subprocess.run(
            [sys.executable, "rule.py"],
            cwd=tmp_path,
            env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        for _ in range(2)
    ]
    assert [hits for _, hits in said] == ["0", "1"]
    assert said[0][0] == said[1][0]


UNTRIED = """
import numba
numba.version_info = numba.version_info._replace(short=(0, 99))
import hush
from hush.numerics.compiled import apart
from hush.simulation.engines.rules import rule_pointer

@apart.apart
def half(value):
    return value / 2

print(half(3.0), isinstance(half, apart.Apart))
found = rule_pointer(hush.BayesUCB.index)
print(round(found.ctypes(0.5, 10.0, 100.0, (__import__("ctypes").c_double * 1)(0.0)), 9))
"""


def test_a_numba_that_it_was_not_tried_with_compiles_as_it_always_does(tmp_path):
    """It crashed with versions before 0.63, which the extra takes."""
    said = []
    for code in (UNTRIED, UNTRIED.replace("(0, 99)", "(0, 68)")):
        (tmp_path / "untried.py").write_text(code)
        ran = subprocess.run(
            [sys.executable, "untried.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            check=True,
        )
        said.append(ran.stdout.split())
    other, tried = said
    assert (other[:2], tried[:2]) == (["1.5", "False"], ["1.5", "True"])
    assert other[2] == tried[2]

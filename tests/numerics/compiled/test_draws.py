"""Draws of compiled loops: bit for bit those of NumPy's generators, which learners draw with."""

import ctypes

import numpy as np
import pytest
from numba import njit
from numpy.random import _mt19937

from hush.numerics.compiled import draws
from hush.numerics.compiled.copied_draws import COPIES, compile_copies

LAWS = [(0, 0.5), (5, 1.0), (100, 0.1), (10**6, 0.7), (10**12, 1e-9), (2**61, 1 - 1e-12)]


@njit
def compiled(source, tries, chance, rows):
    out = np.empty((rows, 6))
    for i in range(rows):
        out[i, 0] = draws.binomial(source, tries, chance)
        out[i, 1] = draws.laplace(source, 1.0, 2.0)
        out[i, 2] = draws.normal(source, 1.0, 3.0)
        out[i, 3] = draws.standard_exponential(source)
        out[i, 4] = draws.beta(source, tries * chance + 1.0, 1.5)
        out[i, 5] = draws.standard_gamma(source, tries * chance + 0.1)
    return out


def wanted(source, tries, chance, rows):
    return np.array(
        [
            [
                source.binomial(tries, chance),
                source.laplace(1.0, 2.0),
                source.normal(1.0, 3.0),
                source.standard_exponential(),
                source.beta(tries * chance + 1.0, 1.5),
                source.standard_gamma(tries * chance + 0.1),
            ]
            for _ in range(rows)
        ]
    )


@pytest.mark.parametrize(("tries", "chance"), LAWS)
def test_draws_are_numpys(tries, chance):
    ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
    found = compiled(ours, tries, chance, 200)
    assert found.tobytes() == wanted(theirs, tries, chance, 200).tobytes()
    assert ours.random() == theirs.random()


def test_what_python_plays_draws_alike():
    for draw, plain in draws.PLAIN.items():
        name = draw.__name__
        numbers = {"binomial": (50, 0.4), "standard_exponential": (), "standard_gamma": (2.0,)}
        given = numbers.get(name, (1.0, 2.0))
        source = np.random.default_rng(5)
        assert plain(np.random.default_rng(5), *given) == getattr(source, name)(*given)


def test_a_library_that_shows_no_draws():
    assert draws.name_functions(_mt19937.__file__) == list(COPIES) == list(draws.NAMES)


@pytest.mark.parametrize(
    "name",
    [each if each == "laplace" else pytest.param(each, marks=pytest.mark.slow) for each in COPIES],
)
def test_copies_draw_as_numpy_does(name, monkeypatch):
    """Called as loops would call them, through the address that they are given."""
    named = {}
    monkeypatch.setattr("llvmlite.binding.add_symbol", named.__setitem__)
    compile_copies([name])
    _, result, taken = COPIES[name]
    kinds = {"float64": ctypes.c_double, "int64": ctypes.c_int64, "void*": ctypes.c_void_p}
    shape = ctypes.CFUNCTYPE(kinds[result.name], ctypes.c_void_p, *(kinds[t.name] for t in taken))
    copy = shape(named[f"hush_{name}"])
    for tries, chance in LAWS[:-1]:
        ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
        given = (chance, tries, None) if name == "binomial" else (tries + 1.0, chance + 1.0)
        handed = given[: len(taken)]
        asked = (tries, chance) if name == "binomial" else handed
        for _ in range(50):
            drawn = copy(ours.bit_generator.ctypes.bit_generator.value, *handed)
            assert drawn == getattr(theirs, name)(*asked)

"""Random draws of compiled loops: NumPy's own functions, called by name.

numba has copies of them in Python, which every loop would compile anew, for seconds. NumPy's C
functions are there already, and they are what learners draw with. Where NumPy's library keeps
them to itself, numba's copies stand under the same names, compiled once
(:mod:`hush.numerics.compiled.copied_draws`).

>>> import numpy as np
>>> from numba import njit
>>> draw = njit(lambda source: binomial(source, 10**6, 0.5))
>>> draw(np.random.default_rng(7)) == np.random.default_rng(7).binomial(10**6, 0.5)
True
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from llvmlite import binding, ir
from numba import extending
from numba.core import cgutils as untyped_cgutils
from numba.core import types
from numpy.random import _generator

__all__ = [
    "PLAIN",
    "Draw",
    "beta",
    "binomial",
    "laplace",
    "name_functions",
    "normal",
    "standard_exponential",
    "standard_gamma",
]

cgutils: Any = untyped_cgutils
intrinsic: Any = extending.intrinsic  # compiled code calls these without the first argument
NAMES = ("beta", "binomial", "laplace", "normal", "standard_exponential", "standard_gamma")
REAL, WORD, POINTER = ir.DoubleType(), ir.IntType(64), ir.IntType(8).as_pointer()
# As numpy/random/bitgen.h has them: the state, then who makes words, half words, numbers, raw ones.
PARTS = (
    "state",
    "fnptr_next_uint64",
    "fnptr_next_uint32",
    "fnptr_next_double",
    "fnptr_next_uint64",
)
NOTES = 64  # words, of which NumPy's binomial fills 18 with what it found out about a law


def name_functions(library: str) -> list[str]:
    """Name the functions of NumPy's library for compiled loops; return those it does not show."""
    found, missing = ctypes.CDLL(library), []
    for name in NAMES:
        function = getattr(found, f"random_{name}", None)
        if function is None:
            missing.append(name)
        else:
            binding.add_symbol(f"hush_{name}", ctypes.cast(function, ctypes.c_void_p).value)
    return missing


def _called(name: str, source: Any, *numbers: Any) -> tuple[Any, Any]:  # noqa: ANN401
    """Return a draw's signature, and what writes the call of NumPy's function of that name."""
    result = types.int64 if name == "binomial" else types.float64

    def write(context: Any, builder: Any, _: Any, values: Any) -> Any:  # noqa: ANN401
        handed = [_as_numpy_has_it(context, builder, source, values[0]), *values[1:]]
        if name == "binomial":
            notes = cgutils.alloca_once(builder, WORD, size=NOTES)
            builder.store(WORD(0), notes)  # nothing is known
            handed = [handed[0], handed[2], handed[1], builder.bitcast(notes, POINTER)]
        kind = ir.FunctionType(context.get_value_type(result), [each.type for each in handed])
        called = cgutils.get_or_insert_function(builder.module, kind, f"hush_{name}")
        return builder.call(called, handed)

    return result(source, *numbers), write


def _as_numpy_has_it(context: Any, builder: Any, kind: Any, value: Any) -> Any:  # noqa: ANN401
    """Lay a source's state and functions as NumPy's C code expects them; return where."""
    whole = cgutils.create_struct_proxy(kind)(context, builder, value=value)
    inner = types.NumPyRandomBitGeneratorType("bit_generator")
    parts = cgutils.create_struct_proxy(inner)(context, builder, value=whole.bit_generator)
    laid = cgutils.alloca_once(builder, WORD, size=len(PARTS))
    for i, part in enumerate(PARTS):
        builder.store(getattr(parts, part), builder.gep(laid, [WORD(i)]))
    return builder.bitcast(laid, POINTER)


@intrinsic
def beta(typing, source, a, b):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw from Beta(a, b)."""
    return _called("beta", source, types.float64, types.float64)


@intrinsic
def binomial(typing, source, tries, chance):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw a number of successes."""
    return _called("binomial", source, types.int64, types.float64)


@intrinsic
def laplace(typing, source, center, scale):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw from a Laplace law."""
    return _called("laplace", source, types.float64, types.float64)


@intrinsic
def normal(typing, source, center, deviation):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw from a normal law."""
    return _called("normal", source, types.float64, types.float64)


@intrinsic
def standard_exponential(typing, source):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw from the exponential law of mean 1."""
    return _called("standard_exponential", source)


@intrinsic
def standard_gamma(typing, source, shape):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201, ARG001
    """Draw from a gamma law of scale 1."""
    return _called("standard_gamma", source, types.float64)


def _method(name: str) -> Callable[..., Any]:
    return lambda source, *numbers: getattr(source, name)(*numbers)


Draw = type(beta)
PLAIN: dict[Any, Callable[..., Any]] = {  # the same, where Python plays a loop
    each: _method(each.__name__)
    for each in (beta, binomial, laplace, normal, standard_exponential, standard_gamma)
}

if MISSING := name_functions(_generator.__file__):  # on some platforms it shows none
    from hush.numerics.compiled.copied_draws import compile_copies

    compile_copies(MISSING)

"""numba's copies of NumPy's draws, compiled once, where NumPy's library does not show its own.

They take a source as NumPy's C functions do, so that loops cannot tell the two apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from llvmlite import binding, ir
from numba import cfunc, extending
from numba.core import cgutils as untyped_cgutils
from numba.core import types
from numba.np.random import distributions as numpy_draws

__all__ = ["COPIES", "compile_copies"]

cgutils: Any = untyped_cgutils
intrinsic: Any = extending.intrinsic
distributions: Any = numpy_draws
PARTS = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")


@intrinsic
def source_at(typing, address):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202, ARG001
    """Return the source whose state and functions NumPy's C code has at an address."""
    result = types.NumPyRandomBitGeneratorType("bit_generator")

    def write(context: Any, builder: Any, _: Any, values: Any) -> Any:  # noqa: ANN401
        source = cgutils.create_struct_proxy(result)(context, builder)
        words = builder.bitcast(values[0], ir.IntType(64).as_pointer())
        for i, part in enumerate(PARTS):
            at = builder.gep(words, [ir.IntType(64)(i)])
            setattr(source, part, builder.load(at))
        return source._getvalue()

    return result(types.voidptr), write


def beta(source: Any, a: float, b: float) -> float:  # noqa: ANN401
    """Draw from Beta(a, b)."""
    return float(distributions.random_beta(source_at(source), a, b))


def binomial(source: Any, chance: float, tries: int, notes: Any) -> int:  # noqa: ANN401, ARG001
    """Draw a number of successes."""
    return int(distributions.random_binomial(source_at(source), tries, chance))


def laplace(source: Any, center: float, scale: float) -> float:  # noqa: ANN401
    """Draw from a Laplace law."""
    return float(distributions.random_laplace(source_at(source), center, scale))


def normal(source: Any, center: float, deviation: float) -> float:  # noqa: ANN401
    """Draw from a normal law."""
    return float(distributions.random_normal(source_at(source), center, deviation))


def standard_exponential(source: Any) -> float:  # noqa: ANN401
    """Draw from the exponential law of mean 1."""
    return float(distributions.random_standard_exponential(source_at(source)))


def standard_gamma(source: Any, shape: float) -> float:  # noqa: ANN401
    """Draw from a gamma law of scale 1."""
    return float(distributions.random_standard_gamma(source_at(source), shape))


Copy = tuple[Callable[..., Any], Any, tuple[Any, ...]]
COPIES: dict[str, Copy] = {  # with what each returns, and what it takes after the source
    "beta": (beta, types.float64, (types.float64,) * 2),
    "binomial": (binomial, types.int64, (types.float64, types.int64, types.voidptr)),
    "laplace": (laplace, types.float64, (types.float64,) * 2),
    "normal": (normal, types.float64, (types.float64,) * 2),
    "standard_exponential": (standard_exponential, types.float64, ()),
    "standard_gamma": (standard_gamma, types.float64, (types.float64,)),
}
COMPILED: dict[str, Any] = {}  # kept, for their code is called by address


def compile_copies(names: Iterable[str]) -> None:
    """Compile copies and give them the names that loops call."""
    for name in names:
        function, result, taken = COPIES[name]
        COMPILED[name] = cfunc(result(types.voidptr, *taken), cache=True)(function)
        binding.add_symbol(f"hush_{name}", COMPILED[name].address)

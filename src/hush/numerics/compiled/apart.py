"""Functions that are compiled by themselves, and that others call by name.

numba lays a copy of a compiled function into every one that calls it, through all levels, and
optimises and translates each copy anew. A function that is compiled apart is translated once, kept
on disk, and linked when a caller is loaded. It costs a call at every call, so that what is short
and called in the innermost loops stays with its caller.

That stands on what numba does not promise to keep. With a version that it was not tried with, all
is compiled as numba does by itself, which takes longer the first time.

>>> import numpy as np
>>> from numba import njit
>>> add = apart(lambda x, y: x + y)
>>> twice = njit(lambda x: add(x, x))
>>> twice(2.5), add(1.0, 2.0)
(5.0, 3.0)
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property, update_wrapper
from types import FunctionType
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding
from numba import cfunc as typed_cfunc
from numba import extending
from numba import njit as typed_njit
from numba.core import ccallback as untyped_ccallback
from numba.core import cgutils as untyped_cgutils
from numba.core import types as untyped_types
from numba.core.errors import NumbaError
from numba.core.registry import cpu_target
from numba.core.sigutils import normalize_signature as untyped_normalize

__all__ = ["Apart", "apart", "callback"]

ccallback: Any = untyped_ccallback
cfunc: Any = typed_cfunc
cgutils: Any = untyped_cgutils
normalize_signature: Any = untyped_normalize
types: Any = untyped_types
njit: Any = typed_njit  # its types leave options out
F = TypeVar("F", bound=Callable[..., Any])
Given = tuple[Any, ...]  # types of arguments
OLDEST, NEWEST = (0, 63), (0, 68)  # versions of numba that it was tried with
LINKS = OLDEST <= numba.version_info.short <= NEWEST
_named: dict[str, Apart] = {}


class Apart:
    """A function that is compiled apart. Python can call it, too."""

    def __init__(self, function: Callable[..., Any], from_python: bool) -> None:
        self.py_func = function
        self.name = f"{function.__module__}.{function.__qualname__}"
        update_wrapper(self, function)
        _named[self.name] = self
        self._from_python = from_python
        inner = _renamed(function, f"{function.__qualname__}.{'shown' if from_python else 'inner'}")
        self.alone = _kept(inner, no_cpython_wrapper=not from_python, no_cfunc_wrapper=True)
        self.by_name = self._intrinsic()

    def __call__(self, *given: Any) -> Any:  # noqa: ANN401
        """Call it from Python."""
        return self.alone(*given) if self._from_python else self._called(*given)

    @cached_property
    def _called(self) -> Any:  # noqa: ANN401
        by_name = self.by_name

        def call(*given: Any) -> Any:  # noqa: ANN401
            return by_name(*given)

        return njit(nogil=True, error_model="numpy")(call)

    def _intrinsic(self) -> Any:  # noqa: ANN401
        """Return what compiled code calls in its place."""

        def call(_: Any, *given: Any) -> Any:  # noqa: ANN401
            plain = tuple(types.unliteral(each) for each in given)
            symbol, result = self.linked(plain)
            return result(*plain), _call_of(symbol, result, Link(self.name, plain, symbol))

        own = inspect.signature(self.py_func).replace(return_annotation=inspect.Signature.empty)
        context = inspect.Parameter("_", inspect.Parameter.POSITIONAL_ONLY)
        call.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[context, *own.parameters.values()]
        )
        call.__name__ = self.py_func.__name__
        return extending.intrinsic(call)

    def linked(self, given: Given) -> tuple[str, Any]:
        """Compile it for these types, or load it; return its name for callers, and its result."""
        self.alone.compile(given)
        compiled = self.alone.overloads[given]
        result = compiled.signature.return_type
        # What callers pass and expect is in the name: of another they would read garbage.
        form = hashlib.blake2b(f"{result}{given}".encode(), digest_size=12).hexdigest()
        symbol = f"{self.name}.{form}"
        library, inner = compiled.library, compiled.fndesc.llvm_func_name
        binding.add_symbol(symbol, library.get_pointer_to_function(inner))
        return symbol, result


class Link:
    """What a caller keeps on disk; to read it is to link, before the caller is loaded."""

    def __init__(self, name: str, given: Given, symbol: str) -> None:
        self._asked = name, given, symbol

    def __call__(self) -> None:
        """Do nothing: numba calls it later."""

    def __reduce__(self) -> tuple[Callable[..., Link], tuple[str, Given, str]]:
        return _relinked, self._asked


def apart(function: F, *, from_python: bool = False) -> F:
    """Have a function compiled apart; also what Python calls it by, where that is often."""
    return cast("F", Apart(function, from_python) if LINKS else _kept(function))


class _Callback(ccallback.CFunc):  # type: ignore[misc]  # numba has no types
    """A callback that keeps on disk what is to be linked, which numba's own forgets."""

    def _compile_uncached(self) -> Any:  # noqa: ANN401
        found = super()._compile_uncached()
        return found._replace(reload_init=list(found.library._reload_init))


def callback(function: Callable[..., Any], signature: Any) -> Any:  # noqa: ANN401
    """Compile a function to one that every loop can be handed; it may call others by name.

    >>> from numba import types
    >>> half = callback(lambda x: 0.5 * x, types.float64(types.float64))
    >>> half.ctypes(3.0)
    1.5
    """
    if not LINKS:
        return cfunc(signature, error_model="numpy")(function)
    options = {"error_model": "numpy"}
    made = _Callback(function, normalize_signature(signature), locals={}, options=options)
    with suppress(RuntimeError):  # nowhere to cache what was typed into a prompt
        made.enable_caching()
    made.compile()
    return made


def _kept(function: Callable[..., Any], **wrappers: bool) -> Any:  # noqa: ANN401
    try:
        return njit(cache=True, error_model="numpy", **wrappers)(function)
    except RuntimeError:  # nowhere to cache what was typed into a prompt
        return njit(error_model="numpy", **wrappers)(function)


def _renamed(function: Any, name: str) -> FunctionType:  # noqa: ANN401
    """Return a copy of another name, which numba keeps in another file.

    To call from Python what was compiled without what Python calls would crash.
    """
    scope, defaults, closure = function.__globals__, function.__defaults__, function.__closure__
    copy = FunctionType(function.__code__, scope, function.__name__, defaults, closure)
    copy.__qualname__ = name
    return copy


def _relinked(name: str, given: Given, symbol: str) -> Link:
    try:
        found = _named[name].linked(given)[0]
    except (KeyError, TypeError, NumbaError):  # it is gone, or takes something else
        found = None
    if found != symbol:  # numba takes it for a file that is gone, and compiles the caller again
        raise OSError(f"{name} is another function now")
    return Link(name, given, symbol)


def _call_of(symbol: str, result: Any, link: Link) -> Any:  # noqa: ANN401
    """Return what writes a call by name into a caller's code."""

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ANN401
        convention, given = context.call_conv, signature.args
        kind = convention.get_function_type(result, given)
        function = cgutils.get_or_insert_function(builder.module, kind, symbol)
        status, found = convention.call_function(builder, function, result, given, values)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        context.active_code_library._reload_init.add(link)
        return found

    return write


@extending.typeof_impl.register(Apart)
def _type_of(value: Apart, _: Any) -> Any:  # noqa: ANN401
    return cpu_target.typing_context.resolve_value_type(value.by_name)

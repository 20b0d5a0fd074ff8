"""What of a policy is code of its own, and what that code can reach.

A class that overrides public hooks only is handed releases and decisions, never a reward. So what
it computes is post-processing, whatever it is, unless it reaches around: through frames, the
garbage collector, the insides of a learner. Names in its code give that away.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import hush
from hush.policies import Policy
from hush.policies.core.wrapping import layers

__all__ = ["instance_hooks", "is_shipped", "private_hooks", "reaches", "where"]

ROOT, STANDARD = Path(hush.__file__).parent, Path(dis.__file__).parent
SHIPPED = ("hush.policies.", "hush.mechanisms.", "hush.noise.", "hush.numerics.", "hush.privacy")
# What a class may define and still be handed releases and decisions only.
PUBLIC = frozenset(
    {
        "_choose", "_chances", "_public_side", "_first_wins", "index", "center", "parameters",
        "parameters_for", "schedule", "memory", "explores_first", "commits", "counter", "costly",
        "feedback", "keeps_sums", "sums_prefix", "starts_at_random", "summary", "reference",
        "noise_law", "sample_factor", "non_private", "bounds", "first_rounds", "guarantee", "label",
        "needs_horizon", "why_not_live", "with_horizon", "epsilon", "horizon", "__post_init__",
        "__init__", "__repr__", "__str__", "__eq__", "__hash__", "__setattr__", "__delattr__",
        "__doc__",
        "__module__", "__annotations__", "__dataclass_fields__", "__dataclass_params__",
        "__match_args__", "__abstractmethods__", "__parameters__", "__orig_bases__", "__dict__",
        "__weakref__", "__qualname__", "__slots__", "__slotnames__", "__replace__",
        "__firstlineno__",
        "__static_attributes__", "__annotate__", "__annotate_func__", "__annotations_cache__",
        "_abc_impl",
    }
)  # fmt: skip
# Names by which code finds what it was not handed.
REACHING = frozenset(
    {
        "gc", "sys", "inspect", "ctypes", "tracemalloc", "traceback", "weakref", "builtins",
        "importlib", "os", "socket", "subprocess", "threading", "multiprocessing", "pickle",
        "copyreg", "mmap", "time", "open", "eval", "exec", "compile", "globals", "locals", "vars",
        "__import__", "_getframe", "_current_frames", "f_back", "f_locals", "f_globals", "gi_frame",
        "tb_frame", "__closure__", "__globals__", "__subclasses__", "__code__", "cell_contents",
        "get_objects", "get_referrers", "setattr", "_private", "_private_side", "_sums", "_raw",
        "_running", "_counters", "_mechanism", "_noise", "_settle", "_log", "_LEARNERS", "_KNOWN",
        "_SOURCES", "_session", "bit_generator",
    }
)  # fmt: skip
PLAIN_MODULES = frozenset(
    {
        "numpy", "math", "cmath", "scipy", "numba", "functools", "itertools", "operator",
        "collections", "dataclasses", "typing", "typing_extensions", "abc", "enum", "fractions",
        "decimal", "statistics", "bisect", "heapq", "numbers", "types", "__future__",
    }
)  # fmt: skip


NAMING = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT")


def is_shipped(thing: type | FunctionType) -> bool:
    """Tell whether a class or function is Hush's own, where it was written."""
    return f"{thing.__module__}.".startswith(SHIPPED)


def where(code: CodeType, line: int | None = None) -> str:
    """Return a place as file and line."""
    return f"{Path(code.co_filename).name}:{code.co_firstlineno if line is None else line}"


def private_hooks(policy: Policy) -> list[str]:
    """Return the hooks of a policy's own classes that are, or may be, handed raw rewards."""
    parts = list(layers(policy))
    lines = [base for each in parts for base in type(each).__mro__ if _is_core(base)]
    core = {name for base in lines for name in vars(base)}
    found = []
    for cls in _own_classes(policy):
        for name, value in vars(cls).items():
            dunder = name.startswith("__") and name.endswith("__")
            computed = name in ("epsilon", "horizon") and isinstance(value, property)
            if computed or ((name in core or dunder) and name not in PUBLIC):
                found.append(f"{cls.__name__}.{name}")
    return found + [hook for each in parts for hook in instance_hooks(each, core)]


def _own_classes(policy: Policy) -> list[type]:
    line = [cls for each in layers(policy) for cls in type(each).__mro__]
    return [
        cls for cls in line if cls.__module__ not in ("builtins", "abc") and not is_shipped(cls)
    ]


def _is_core(cls: type) -> bool:
    return cls.__module__.startswith("hush.policies.")


def instance_hooks(policy: Policy, core: set[str]) -> list[str]:
    """Return the names that an instance hides its class's hooks behind."""
    known = {each.name for each in fields(policy)} | {"_parameter_arrays"}
    return [f"self.{name}" for name in vars(policy) if name in core and name not in known]


def reaches(policy: Policy) -> list[str]:
    """Return what names in a policy's own code could reach rewards by, with their places."""
    found: dict[str, None] = {}
    for code, space in _own_code(policy):
        for name in _names(code):
            what = name if name in REACHING else _reached(name, space.get(name))
            if what:
                found[f"{what} ({where(code)})"] = None
    return [*found, *_patched()]


def _reached(name: str, thing: object) -> str:
    """Return what a global leads to, if it leads out of what can be looked into."""
    if isinstance(thing, list | dict | set | bytearray):
        return f"{name}, a global that can be changed"
    module = _module_of(thing)
    if not module or (isinstance(thing, FunctionType | type) and _is_own(thing)):
        return ""
    known = module.startswith(SHIPPED) or module == "hush" or f"{module}.".startswith(SHIPPED)
    return "" if known or module.partition(".")[0] in PLAIN_MODULES else module


def _module_of(thing: object) -> str:
    if isinstance(thing, ModuleType):
        return thing.__name__
    return getattr(thing, "__module__", None) or "" if callable(thing) else ""


def _is_own(thing: FunctionType | type) -> bool:
    """Whether a function or class is written in Python where it can be looked into."""
    return not is_shipped(thing) and thing.__module__ in sys.modules


def _own_code(policy: Policy) -> Iterator[tuple[CodeType, dict[str, Any]]]:
    """Yield the code of a policy's own classes, and of what it calls, with its globals."""
    queue: list[Any] = list(_own_classes(policy))
    done: set[int] = set()
    while queue:
        thing = queue.pop()
        if id(thing) in done:
            continue
        done.add(id(thing))
        if isinstance(thing, type):
            if thing.__module__ not in ("builtins", "abc") and not is_shipped(thing):
                queue += vars(thing).values()
        elif isinstance(thing, staticmethod | classmethod):
            queue.append(thing.__func__)
        elif isinstance(thing, property):
            queue += [each for each in (thing.fget, thing.fset, thing.fdel) if each]
        elif hasattr(thing, "__wrapped__"):
            queue.append(thing.__wrapped__)
        elif isinstance(thing, FunctionType) and _written(thing) and not is_shipped(thing):
            for code in _nested(thing.__code__):
                yield code, thing.__globals__
                queue += [
                    each
                    for name in _names(code)
                    if isinstance(each := thing.__globals__.get(name), FunctionType | type)
                    and (each.__module__ or "").partition(".")[0] not in PLAIN_MODULES
                ]


def _written(function: FunctionType) -> bool:
    """Whether somebody wrote it: dataclasses write methods of their own."""
    file = function.__code__.co_filename
    return not file.startswith("<") and Path(file).parent not in (
        STANDARD,
        STANDARD / "collections",
    )


def _nested(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _nested(each)


def _names(code: CodeType) -> list[str]:
    """Return the globals, attributes and imports that code names."""
    return [
        str(each.argval)
        for each in dis.get_instructions(code)
        if each.opname.startswith(
            ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_ATTR", "LOAD_METHOD", "IMPORT")
        )
    ]


def _patched() -> list[str]:
    """Return the functions of the private side that were written elsewhere."""
    return [
        f"{cls.__name__}.{function.__name__} was replaced"
        for name, module in list(sys.modules.items())
        if name.startswith(("hush.mechanisms", "hush.noise", "hush.policies.core"))
        for cls in list(vars(module).values())
        if isinstance(cls, type) and cls.__module__ == name
        for function in vars(cls).values()
        if isinstance(function, FunctionType)
        and _written(function)
        and not Path(function.__code__.co_filename).is_relative_to(ROOT)
    ]

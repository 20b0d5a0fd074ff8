"""What a result depends on in code: the policy's own modules, and those of the loop that plays it.

A changed policy changes the digest of its own blocks; a changed loop, of the policies it plays.
"""

from __future__ import annotations

import ast
import hashlib
import sys
from functools import cache
from importlib import import_module, util
from pathlib import Path
from types import ModuleType

from hush.policies import Policy
from hush.policies.core.wrapping import layers
from hush.simulation.engines import Engine, Mode
from hush.simulation.plan import Block

__all__ = ["source_digest"]

BELOW = (
    "hush.numerics",
    "hush.mechanisms",
    "hush.noise",
    "hush.environments",
    "hush.privacy",
    "hush.errors",
)


def source_digest(block: Block) -> str | None:
    """Return a digest of the code that a block's result depends on; None if code has no file.

    >>> import hush
    >>> from hush.simulation.plan import blocks_of
    >>> def digest(policy):
    ...     return source_digest(blocks_of(policy, hush.paper_s1(), (10,), 7, 1)[0])
    >>> digest(hush.UCB1()) == digest(hush.KLUCB())
    False
    """
    classes = tuple(type(each) for each in layers(block.policy))
    return _digest(classes, block.engine, block.mode)


@cache
def _digest(classes: tuple[type[Policy], ...], engine: Engine, mode: Mode) -> str | None:
    lines = [f"{engine.name} {mode}"]
    for name in sorted(set().union(*(_modules(cls, engine, mode) for cls in classes))):
        file = _file(name)
        if file is None:
            return None
        lines.append(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}")
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _modules(cls: type[Policy], engine: Engine, mode: Mode) -> set[str]:
    """Return the modules that a policy's result depends on.

    Of your own policy, also what its module imports from its own folder or package.
    """
    found = {"hush.simulation.plan", "hush.simulation.engines.run_seeds", *engine.modules()}
    loop = engine.module(mode)
    if loop is not None:
        found |= _reach(loop, (*BELOW, "hush.simulation.kernels"), skip=set())
    for each in cls.__mro__:
        name = each.__module__
        if name not in ("builtins", "abc"):
            found |= _reach(name, (*BELOW, "hush.policies", *_neighbours(name)), skip=set())
    return found


def _neighbours(name: str) -> tuple[str, ...]:
    """Return the packages and modules beside your own module."""
    top, file = name.partition(".")[0], _file(name)
    if top == "hush" or file is None:
        return ()
    folder = file.parents[name.count(".") + (file.name == "__init__.py")]
    beside = {path.stem for path in folder.glob("*.py")}
    return top, *sorted(beside | {path.parent.name for path in folder.glob("*/__init__.py")})


def _reach(start: str, inside: tuple[str, ...], skip: set[str]) -> set[str]:
    """Return a module and those that it imports, directly or not, within the given packages."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in found or name in skip:
            continue
        found.add(name)
        waiting += [
            each
            for each in _imports(name)
            if any(each == package or each.startswith(f"{package}.") for package in inside)
        ]
    return found


@cache
def _imports(name: str) -> tuple[str, ...]:
    """Return the modules that a module's source names in its imports."""
    file = _file(name)
    if file is None:
        return ()
    found: list[str] = []
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(name, file, node)
            found += [_home(base, alias.name) for alias in node.names]
    return tuple(found)


def _absolute(name: str, file: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    parts = name.split(".")
    parts = parts[: len(parts) - node.level + (file.name == "__init__.py")]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _home(module: str, name: str) -> str:
    """Return the module in which a name is defined, where that can be told, else the one named."""
    if not module.startswith("hush"):
        return module
    value = getattr(import_module(module), name, None)
    if isinstance(value, ModuleType):
        return value.__name__
    home = getattr(value, "__module__", None)
    return home if isinstance(home, str) and home.startswith("hush.") else module


def _file(name: str) -> Path | None:
    """Return the source file of a module."""
    origin = getattr(sys.modules.get(name), "__file__", None)
    if origin is None:
        try:
            spec = util.find_spec(name)
        except (ImportError, ValueError):
            return None
        origin = spec.origin if spec is not None else None
    path = Path(origin) if origin else None
    return path if path is not None and path.suffix == ".py" and path.is_file() else None

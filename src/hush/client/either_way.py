"""Methods that are written once, for objects that block and for objects that are awaited.

A method decorated by :class:`Asks` returns steps. On an object that blocks, calling it returns the
answer; on one that is awaited, a coroutine. What :class:`Reads` decorates is a property there and a
method without arguments here, since a property cannot be awaited politely.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import update_wrapper, wraps
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, cast, overload

from hush.client.calls import Steps

__all__ = ["Asks", "Awaits", "Blocks", "Reads"]

Given = ParamSpec("Given")
Found = TypeVar("Found")
Later: TypeAlias = Coroutine[Any, Any, Found]


class Blocks:
    """What waits for its answers."""

    def _run(self, steps: Steps[Found]) -> Found:
        raise NotImplementedError


class Awaits:
    """What is awaited for its answers."""

    async def _run(self, steps: Steps[Found]) -> Found:
        raise NotImplementedError


class Asks(Generic[Given, Found]):
    """A method, either way.

    Parameters
    ----------
    build
        Returns the steps.
    """

    def __init__(self, build: Callable[Concatenate[Any, Given], Steps[Found]]) -> None:
        update_wrapper(cast("Any", self), build)

        @wraps(build)
        def run(owner: Any, *args: Given.args, **given: Given.kwargs) -> Any:  # noqa: ANN401
            return owner._run(build(owner, *args, **given))

        self._method = run

    @overload
    def __get__(self, owner: None, kind: object) -> Asks[Given, Found]: ...

    @overload
    def __get__(self, owner: Blocks, kind: object) -> Callable[Given, Found]: ...

    @overload
    def __get__(
        self, owner: Awaits, kind: object
    ) -> Callable[Given, Coroutine[Any, Any, Found]]: ...

    def __get__(self, owner: Any, kind: object) -> Any:
        return self if owner is None else MethodType(self._method, owner)


class Reads(Generic[Found]):
    """A property where it blocks, a method without arguments where it is awaited.

    Parameters
    ----------
    build
        Returns the steps.
    """

    def __init__(self, build: Callable[[Any], Steps[Found]]) -> None:
        update_wrapper(cast("Any", self), build)
        self._asks = Asks(build)

    @overload
    def __get__(self, owner: None, kind: object) -> Reads[Found]: ...

    @overload
    def __get__(self, owner: Blocks, kind: object) -> Found: ...

    @overload
    def __get__(self, owner: Awaits, kind: object) -> Callable[[], Later[Found]]: ...

    def __get__(self, owner: Any, kind: object) -> Any:
        if owner is None:
            return self
        method = self._asks.__get__(owner, kind)
        return method() if isinstance(owner, Blocks) else method

"""Operations: the table of everything that can be asked over HTTP.

A handler is entered with its method, address, scope, and the types of its bodies. Routing,
authorisation, the OpenAPI document, its page in the docs and the tests all read this table, so
nothing can be served that is not in it.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from hush.service.access import Access
from hush.service.problems import Refused

if TYPE_CHECKING:
    from hush.service.core import Core

__all__ = ["OPERATIONS", "Answer", "Call", "Operation", "operation"]

JSON, LINES = "application/json", "application/x-ndjson"
SMALL, LARGE = 1 << 16, 1 << 22


class Answer(Struct):
    """What is answered: a message or bytes."""

    status: int
    body: Any = None
    media: str = JSON
    headers: Mapping[str, str] = {}


class Call(Struct):
    """A request whose token allows the operation."""

    core: Core
    access: Access
    path: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[bytes, bytes]
    body: Any
    operation: Operation

    @property
    def experiment(self) -> int:
        """The number of the experiment that the address names."""
        return self.core.number_of(self.path["name"])

    def allow(self, experiment: str) -> None:
        """Refuse unless the token allows the operation on an experiment."""
        if not self.access.allows(self.operation.scope or "", experiment):
            raise Refused("not-allowed")


Handler = Callable[[Call], Awaitable[Answer]]


@dataclass(frozen=True)
class Operation:
    """One thing that can be asked.

    Attributes
    ----------
    scope
        What a token must allow; None where anybody may ask.
    over
        On what it must allow it: ``path`` for the experiment in the address, ``body`` for those
        that the handler finds in the body or an id, ``all`` for every experiment.
    asks
        The type of the body; a list of it where the body has a message on every line.
    answers
        The type of every good answer by its status; a text is a media type.
    problems
        The kinds of problems that are its own.
    """

    name: str
    method: str
    path: str
    scope: str | None
    over: str
    summary: str
    description: str
    handler: Handler
    asks: Any = None
    lines: bool = False
    answers: Mapping[int, Any] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)

    @property
    def limit(self) -> int:
        """How many bytes a body may have."""
        return LARGE if self.lines else SMALL


OPERATIONS: list[Operation] = []
"""Everything that can be asked over HTTP."""


def operation(
    method: str,
    path: str,
    scope: str | None,
    over: str,
    **given: Any,  # noqa: ANN401  what an operation has besides
) -> Callable[[Handler], Handler]:
    """Enter a handler into the table; its docstring is the operation's description."""

    def enter(handler: Handler) -> Handler:
        text = inspect.getdoc(handler) or ""
        summary, _, rest = text.partition("\n\n")
        name = handler.__name__.rstrip("_")
        OPERATIONS.append(
            Operation(
                name,
                method,
                path,
                scope,
                over,
                " ".join(summary.split()),
                " ".join(rest.split()),
                handler,
                **given,
            )
        )
        return handler

    return enter

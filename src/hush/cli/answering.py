"""What a verb answers: words for people, or one JSON document for programs, ``--json``.

A verb returns an :class:`Answer`; one that runs on calls :func:`tell` when it has begun. With
``--json`` the document is all that standard output has, an error is a document too, and whatever
else there is to say goes to standard error.
"""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np
import typer
from rich.console import Console
from rich.markup import escape

__all__ = ["Answer", "answering", "begin", "fail", "tell"]

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document, and nothing else on stdout.")
]
PARAMETER = "as_json"
_as_json: ContextVar[bool] = ContextVar("_as_json", default=False)
_told: ContextVar[bool] = ContextVar("_told", default=False)


@dataclass(frozen=True)
class Answer:
    """What a verb has to say.

    Attributes
    ----------
    document
        For programs: the keys of the verb's page in the docs.
    show
        Prints it for people.
    write
        Writes files and returns which: ``"wrote"`` in the document. People see the answer before,
        so that a full disk does not cost them an hour's work.
    code
        The exit code.
    """

    document: Mapping[str, Any]
    show: Callable[[], object]
    write: Callable[[], Iterable[Path]] = tuple
    code: int = 0


def begin(*, as_json: bool) -> None:
    """Note how a command wants to be answered; nothing has been told yet."""
    _as_json.set(as_json)
    _told.set(False)


def tell(answer: Answer, *, runs_on: bool = False) -> None:
    """Print an answer, in one line of JSON where the verb then runs on.

    >>> begin(as_json=False)
    >>> tell(Answer({"wrote": []}, lambda: typer.echo("nothing was written")))
    nothing was written
    """
    as_json = _as_json.get()
    if not as_json:
        answer.show()
    files = [str(each) for each in answer.write()]
    if as_json:
        document = {**answer.document, "wrote": files} if files else answer.document
        _print_json(document, indent=None if runs_on else 2)
    for each in files:
        typer.echo(f"wrote {each}", err=as_json)


def fail(kind: str, message: str, code: int, *, word: str = "error: ") -> int:
    """Say what went wrong, and return the exit code.

    With ``--json`` it is ``{"error": {"kind": ..., "message": ...}}`` on standard output, unless a
    document is there already.
    """
    if _as_json.get() and not _told.get():
        _print_json({"error": {"kind": kind, "message": message}}, indent=2)
    else:
        console = Console(stderr=True, highlight=False, soft_wrap=True)
        console.print(f"[red]{word}[/red]{escape(message)}")
    return code


def answering(verb: Callable[..., Answer | None]) -> Callable[..., None]:
    """Give a verb the option ``--json``, and print what it answers."""

    @wraps(verb)
    def run(*given: Any, **options: Any) -> None:  # noqa: ANN401
        begin(as_json=options.pop(PARAMETER, False))
        answer = verb(*given, **options)
        if answer is not None:
            tell(answer)
            if answer.code:
                raise typer.Exit(answer.code)

    option = inspect.Parameter(
        PARAMETER, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Json
    )
    kept = inspect.signature(verb, eval_str=True)
    run.__signature__ = kept.replace(  # type: ignore[attr-defined]
        parameters=[*kept.parameters.values(), option], return_annotation=None
    )
    run.__annotations__ = {**get_type_hints(verb, include_extras=True), PARAMETER: Json}
    return run


def _print_json(document: Mapping[str, Any], indent: int | None) -> None:
    _told.set(True)
    typer.echo(json.dumps(plain(document), indent=indent, allow_nan=False))


def plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value as JSON has it; a number that is not finite becomes None.

    >>> plain({"a": np.float64("nan"), "b": (np.int64(1), Path("x"))})
    {'a': None, 'b': [1, 'x']}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, datetime):
        return value.isoformat()
    return str(value) if isinstance(value, Path) else value

"""The OpenAPI document, made from the table of operations and the types of messages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from http import HTTPStatus
from inspect import cleandoc
from typing import Any

import msgspec

from hush.service.answers import Problem
from hush.service.operations import JSON, LINES, Operation
from hush.service.problems import KINDS

__all__ = ["document"]

REFERENCE = "#/components/schemas/{name}"
PROBLEM = "application/problem+json"
ABOUT = {
    "name": "The name of an experiment.",
    "id": "The id of a decision.",
    "population": "The name of a population.",
}
HEADERS = {"Idempotency-Key": {"minLength": 1, "maxLength": 255}}
ALWAYS = ("unexpected", "not-ready")


def document(operations: Iterable[Operation], version: str) -> dict[str, Any]:
    """Return the document that /openapi.json serves."""
    table = list(operations)
    types = [Problem, *(each for one in table for each in _types(one))]
    named = [each for each in types if isinstance(each, type) and issubclass(each, msgspec.Struct)]
    _, components = msgspec.json.schema_components(named, ref_template=REFERENCE)
    for shape in components.values():
        shape["description"] = _plain(shape.get("description", ""))
    paths: dict[str, dict[str, Any]] = {}
    for each in table:
        paths.setdefault(each.path, {})[each.method.lower()] = _described(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hush",
            "version": version,
            "summary": "Private live experiments: decide, reward, read what was released.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "hush_<id>_<secret>, made by hush token create.",
                }
            },
        },
    }


def _plain(docstring: str) -> str:
    """Return a docstring without its examples, which are in Python."""
    return cleandoc(docstring).partition("\n\nExamples\n-")[0]


def _types(operation: Operation) -> list[Any]:
    found = [] if operation.asks is None else [operation.asks]
    for answer in operation.answers.values():
        found += answer if isinstance(answer, list) else [answer]
    return [each for each in found if each is not None and not isinstance(each, str)]


def _schema(kind: Any) -> dict[str, Any]:  # noqa: ANN401  any type
    if isinstance(kind, list):
        named = " or ".join(each.__name__ for each in kind)
        return {"type": "string", "description": f"Lines of {named}"}
    return msgspec.json.schema_components([kind], ref_template=REFERENCE)[0][0]


def _described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.description or operation.summary,
        "parameters": _parameters(operation),
        "responses": _responses(operation),
        "x-problems": list(operation.problems),
    }
    if operation.scope is None:
        found["security"] = []
    else:
        found["security"] = [{"token": []}]
        found["x-scope"] = operation.scope
    if operation.asks is not None:
        found["requestBody"] = {"required": True, "content": _asked(operation)}
    return found


def _asked(operation: Operation) -> dict[str, Any]:
    if operation.lines:
        words = f"Up to 1,000 lines of {operation.asks.__name__}."
        return {LINES: {"schema": {"type": "string", "description": words}}}
    return {JSON: {"schema": _schema(operation.asks)}}


def _parameters(operation: Operation) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": ABOUT[name],
            "schema": {"type": "string"},
        }
        for name in re.findall(r"\{(\w+)\}", operation.path)
    ]
    kinds = {name: {"type": "string", **HEADERS.get(name, {})} for name in operation.headers}
    kinds |= {name: {"type": "integer", "minimum": 0} for name in operation.query}
    for place, given in (("header", operation.headers), ("query", operation.query)):
        found += [
            {
                "name": name,
                "in": place,
                "required": False,
                "description": words,
                "schema": kinds[name],
            }
            for name, words in given.items()
        ]
    return found


def _responses(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, kind in operation.answers.items():
        answer: dict[str, Any] = {"description": HTTPStatus(status).phrase}
        found[str(status)] = answer
        if isinstance(kind, str):
            answer["content"] = {kind.partition(";")[0]: {}}
        elif kind is not None:
            media = LINES if isinstance(kind, list) else JSON
            answer["content"] = {media: {"schema": _schema(kind)}}
    for status in sorted({KINDS[name].status for name in kinds(operation)}):
        words = "; ".join(KINDS[n].title for n in kinds(operation) if KINDS[n].status == status)
        content = {PROBLEM: {"schema": {"$ref": REFERENCE.format(name="Problem")}}}
        found.setdefault(str(status), {"description": words, "content": content})
    return found


def kinds(operation: Operation) -> tuple[str, ...]:
    """Return every kind of problem that an operation may answer by."""
    found: tuple[str, ...] = operation.problems
    if operation.scope is not None:
        found += ("no-token", "not-allowed")
    if operation.asks is not None:
        found += ("malformed", "wrong-media", "too-large")
    elif operation.query or operation.headers:
        found += ("malformed",)
    return tuple(dict.fromkeys((*found, *ALWAYS)))

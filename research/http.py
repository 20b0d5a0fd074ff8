"""The reference of the HTTP interface: what /openapi.json says, for people."""

from __future__ import annotations

from typing import Any

from hush.output.document import TableOf, markdown_table
from hush.service import OPERATIONS, document
from hush.service.problems import KINDS
from hush.version import __version__
from research.pages import Page, wrapped

__all__ = ["PAGE"]

REFUSED = 400


def _operations(_: object) -> str:
    found = document(OPERATIONS, __version__)
    parts = []
    for path, methods in found["paths"].items():
        for method, each in methods.items():
            parts.append(_operation(f"{method.upper()} {path}", each))
    return "\n\n".join(parts)


def _operation(title: str, each: dict[str, Any]) -> str:
    text = each["description"]
    said = each["summary"] if text == each["summary"] else f"{each['summary']} {text}"
    scope = f"Scope `{each['x-scope']}`." if "x-scope" in each else "Anybody may ask."
    lines = [f"### `{title}`", "", wrapped(f"{said} {scope}")]
    asked = _asked(each)
    if asked:
        lines += ["", wrapped(asked)]
    answers = [
        f"`{status}`{_named(answer)}"
        for status, answer in each["responses"].items()
        if int(status) < REFUSED
    ]
    words = f"Answers: {', '.join(answers)}."
    if each["x-problems"]:
        words += f" Problems: {', '.join(f'`{name}`' for name in each['x-problems'])}."
    return "\n".join([*lines, "", wrapped(words)])


def _named(answer: dict[str, Any]) -> str:
    for media, body in answer.get("content", {}).items():
        name = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
        return f" {name or media}"
    return " (no body)"


def _asked(each: dict[str, Any]) -> str:
    found = []
    for media, body in each.get("requestBody", {}).get("content", {}).items():
        schema = body["schema"]
        name = schema.get("$ref", "").rpartition("/")[2]
        found.append(f"Body: `{name}`." if name else f"Body, `{media}`: {schema['description']}")
    found += [
        f"{given['in'].capitalize()} `{given['name']}`: {given['description']}"
        for given in each["parameters"]
        if given["in"] != "path"
    ]
    return " ".join(found)


def _messages(_: object) -> str:
    schemas = document(OPERATIONS, __version__)["components"]["schemas"]
    parts = []
    for name in sorted(schemas):
        schema = schemas[name]
        text, meanings = _said(schema.get("description", ""))
        rows = tuple(
            (
                f"`{field}`",
                _kind(kind),
                "yes" if field in schema.get("required", ()) else "",
                *((meanings.get(field, ""),) if meanings else ()),
            )
            for field, kind in schema["properties"].items()
        )
        columns = ("field", "type", "required", *(("meaning",) if meanings else ()))
        table = markdown_table(TableOf(columns, rows, numbers=False))
        parts.append(f"### {name}\n\n{wrapped(text)}\n\n{table}")
    return "\n\n".join(parts)


def _said(description: str) -> tuple[str, dict[str, str]]:
    """Return what a message is, and what its fields mean, where that is said."""
    text, _, listed = description.partition("Attributes\n----------\n")
    meanings: dict[str, str] = {}
    names: list[str] = []
    for line in listed.splitlines():
        if line[:1].strip():
            names = line.split(", ")
        for name in names if line[:1] == " " else ():
            meanings[name] = f"{meanings.get(name, '')} {line.strip()}".strip()
    return " ".join(text.split()), meanings


def _kind(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(each) for each in schema["anyOf"]))
    kind = str(schema.get("type", "anything"))
    if kind == "array" and isinstance(schema.get("items"), dict):
        return f"list of {_kind(schema['items'])}"
    if "format" in schema:
        return str(schema["format"])
    return kind


def _problems(_: object) -> str:
    rows = tuple((f"`{each.type}`", str(each.status), each.title) for each in KINDS.values())
    return markdown_table(TableOf(("type", "status", "title"), rows, numbers=False))


PAGE = Page("http", {"operations": _operations, "messages": _messages, "problems": _problems})

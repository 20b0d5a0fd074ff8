"""Blocks that are not Python: every line is a command that exists, or output, data or a formula.

Other tests run what can be run, one after the other where one needs the other; here every line
that is shown must be understood, those too that take hours, run for ever or need a cluster.
"""

import re
import shlex
import tomllib

import pytest
import typer
from tests.check_examples import PAGES, ROOT

from hush.cli.app import app
from hush.studies.definition.from_toml import read_study

PAGES = [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAKEFILE = (ROOT / "Makefile").read_text()
# Programs of others: tests/service/test_curl.py runs curl; PostgreSQL's need a machine of its own.
OTHERS = ("curl ", "printf ", "export ", "pg_")
BLOCK = r"^```(\w*)\n(.*?)^```"
OUTPUT = re.compile(r"^\$ .*", re.MULTILINE)


def blocks():
    """Give the page and text of every block without a language, or of a terminal."""
    for page in PAGES:
        for language, text in re.findall(BLOCK, page.read_text(), re.DOTALL | re.MULTILINE):
            if language in {"", "console"}:
                yield page.name, text


def lines():
    """Give every line that somebody may type; where a block has prompts, those behind one."""
    for page, text in blocks():
        prompted = OUTPUT.findall(text)
        for line in prompted or text.splitlines():
            words = re.sub(
                r"(^|\s)\s*#.*", "", line.removeprefix("$ ").removeprefix("* * * * *").strip()
            )
            if words:
                yield page, words


def inline():
    """Give every command with at least one argument that stands within prose."""
    for page in PAGES:
        for words in re.findall(r"`(hush [a-z]+ [^`|]+)`", page.read_text()):
            if "..." not in words:
                yield page.name, " ".join(words.split())


def parsed(command, words, parent=None):
    """Let the command line read a command, and run nothing."""
    with command.make_context(command.name, list(words), parent=parent) as context:
        if hasattr(command, "resolve_command"):
            _, inner, left = command.resolve_command(
                context, [*context._protected_args, *context.args]
            )
            parsed(inner, left, context)


def complaint(line):
    """Return what is wrong with a command, or an empty text."""
    first, *words = shlex.split(line)
    if first == "hush":
        try:
            parsed(typer.main.get_command(app), [word for word in words if word != "--help"])
        except Exception as error:  # noqa: BLE001  whatever a command line refuses it by
            return str(error) or type(error).__name__
        return ""
    if first == "make":
        return "" if re.search(rf"^{words[0]}:", MAKEFILE, re.MULTILINE) else "no such target"
    if first == "pip":
        extras = {name for text in words for name in re.findall(r"[\w-]+", text.partition("[")[2])}
        known = set(PROJECT["project"]["optional-dependencies"])
        return "" if extras <= known else f"no extra {extras - known}"
    if first == "python":
        return "" if words[:1] == ["-m"] and (ROOT / words[1].partition(".")[0]).exists() else "?"
    return "" if line.startswith(OTHERS) else "not a command that is known here"


@pytest.mark.parametrize(("page", "line"), sorted({*inline()}))
def test_every_command_in_prose_exists(page, line):
    """It may leave its arguments out."""
    assert complaint(line).partition(":")[0] in {"", "Missing parameter"}


@pytest.mark.parametrize(("page", "line"), sorted({*lines()}))
def test_every_line_is_a_command_that_exists(page, line):
    if page == "insight.md":
        assert line.startswith("exp(")  # its one block is a formula
        return
    if page == "install.md" and " needs " in line:
        line = line.partition(": ")[2]  # what an error says, and the command in it
    assert complaint(line) == ""


@pytest.mark.parametrize(
    "line",
    [
        "hush simulat LazyDPTS",
        "hush simulate LazyDPTS --horizont 10",
        "hush experiment begin shop.db checkout",
        "make nothing",
        "pip install 'hush-dp[nothing]'",
        "python -m nowhere",
        "rm everything",
    ],
)
def test_what_does_not_exist_is_found(line):
    assert complaint(line)


def test_other_languages_are_data_that_tests_read():
    """TOML is a study, YAML has alarms (tests/service/test_curl.py), text was printed."""
    found = {}
    for page in PAGES:
        for language, text in re.findall(BLOCK, page.read_text(), re.DOTALL | re.MULTILINE):
            found.setdefault(language, []).append((page.name, text))
    found.pop("")
    assert set(found) <= {"python", "text", "console", "toml", "yaml"}
    assert [page for page, _ in found["yaml"]] == ["serve.md"]
    assert {page for page, _ in found["text"]} <= {"README.md", "errata.md", "free_privacy.md"}
    for _, text in found["toml"]:
        assert read_study("my-study", text, "my-study.toml").curves

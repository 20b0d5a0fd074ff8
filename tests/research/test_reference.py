"""The reference has every public name once, and each says something."""

import pytest

from research import reference
from research.docstrings import as_markdown


@pytest.fixture
def listing(monkeypatch):
    """Change what the pages show."""
    names = reference.listed()

    def change(*more, without=()):
        changed = [name for name in (*names, *more) if name not in without]
        monkeypatch.setattr(reference, "listed", lambda: changed)
        return reference.faults()

    return change


@pytest.mark.untraced
def test_every_public_name_is_there_once_and_documented(listing):
    assert listing() == []
    assert listing(without={"hush.live.Store"}) == [
        "hush.live.Store is public, and on no page of docs/api"
    ]
    assert listing("hush.auditing.audit") == [
        "hush.auditing.audit is in the reference already, as hush.audit"
    ]
    assert listing("hush.auditing.attack.SOURCES") == [
        "hush.auditing.attack.SOURCES has no docstring"
    ]
    assert listing("hush.nonsense") == ["hush.nonsense is in docs/api, and not in the code"]


def test_sessions_of_docstrings_become_code_once():
    lines = [
        "Twice.",
        "",
        ">>> 1",
        "1",
        ">>> 2",
        "2",
        "",
        "More.",
        "",
        "Examples",
        "-" * 8,
        ">>> 3",
    ]
    shown = as_markdown("\n".join(lines)).splitlines()
    assert shown.count("```pycon") == shown.count("```") == 1
    assert shown[2:8] == ["```pycon", ">>> 1", "1", ">>> 2", "2", "```"]
    assert shown[-3:] == lines[-3:]

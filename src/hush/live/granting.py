"""What an access token is good for, checked before there is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hush.errors import ParameterError, shown
from hush.live.durations import milliseconds
from hush.live.terms import checked_names

__all__ = ["EVERY", "SCOPES", "checked_length", "granted"]

SCOPES = ("decide", "reward", "read", "admin")
EVERY = ("*",)
MOST_EXPERIMENTS = 1_000
LONGEST_NOTE = 128


def granted(scopes: object, experiments: object, test: object, note: object) -> dict[str, Any]:
    """Return what a token is good for as plain values, or raise.

    >>> granted(["reward", "decide"], ("*",), False, "web shop")
    {'scopes': ['decide', 'reward'], 'experiments': ['*'], 'test': False, 'note': 'web shop'}
    """
    if not isinstance(test, bool):
        raise ParameterError(f"test must be True or False; got {shown(test)}")
    if not isinstance(note, str) or len(note) > LONGEST_NOTE or not note.isprintable():
        raise ParameterError(
            f"note must be a text of at most {LONGEST_NOTE} characters that can be printed"
        )
    return {
        "scopes": _checked_scopes(scopes),
        "experiments": _checked_experiments(experiments),
        "test": test,
        "note": note,
    }


def checked_length(expires: object) -> int | None:
    """Return for how many milliseconds a token is good, or raise; None is for ever.

    >>> checked_length("90d"), checked_length(None)
    (7776000000, None)
    """
    if expires is None:
        return None
    length = milliseconds("expires", expires)
    if not length:
        raise ParameterError(f"expires must be longer than nothing; got {shown(expires)}")
    return length


def _checked_scopes(scopes: object) -> list[str]:
    if isinstance(scopes, str) or not isinstance(scopes, Sequence) or not scopes:
        raise ParameterError(
            f"scopes must be a list of one or more of {', '.join(SCOPES)}; got {shown(scopes)}"
        )
    for each in scopes:
        if not isinstance(each, str) or each not in SCOPES:
            raise ParameterError(f"scopes must be out of {', '.join(SCOPES)}; got {shown(each)}")
    return [each for each in SCOPES if each in scopes]


def _checked_experiments(names: object) -> list[str]:
    if isinstance(names, list | tuple) and len(names) == 1 and _is_star(names[0]):
        return list(EVERY)
    return list(checked_names("experiments", names, least=1, most=MOST_EXPERIMENTS))


def _is_star(name: object) -> bool:
    return isinstance(name, str) and name in EVERY

"""What operators did, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hush.dashboard.svg_parts import number

__all__ = ["log_rows"]

WORDS = {
    "start": "started",
    "forgotten start": "found to have been started before the store was set back",
    "rehearse": "rehearsal begun",
    "pause": "paused",
    "resume": "resumed",
    "stop": "told to stop",
    "stopped": "stopped: the last outcomes were released",
    "continue": "continued",
}
ITSELF = ("quarantine", "stopped", "forgotten start")


def log_rows(acts: Sequence[Mapping[str, Any]], arms: Sequence[str]) -> list[tuple[str, str, str]]:
    """Return when something was done, what, and by whom; oldest first.

    Parameters
    ----------
    acts
        What operators did, oldest first.
    arms
        The names of all arms there are now.

    Examples
    --------
    >>> log_rows([{"at": "2026-01-02T03:04:05+00:00", "act": "start", "by": "Ada", "charge": 1.0,
    ...            "set": {"state": "running"}}], ["old", "new"])
    [('2026-01-02 03:04', 'started; ε 1 charged', 'Ada')]
    """
    rows, retired = [], set[str]()
    for each in acts:
        changed = each["set"]
        if each["act"] == "retire_arm":
            now = {name for name, gone in changed["arms"] if gone}
            what, retired = f"arm {', '.join(sorted(now - retired))} retired", now
        elif each["act"] == "add_arm":
            what = f"arm {changed['arms'][-1][0]} added"
        elif each["act"] == "adjust":
            what = _knobs(changed["knobs"], arms)
        elif each["act"] == "quarantine":
            what = f"quarantined: {each['why']}"
        else:
            what = WORDS.get(each["act"], str(each["act"]))
        who = each.get("by") or ("the store itself" if each["act"] in ITSELF else "not said")
        rows.append((each["at"][:16].replace("T", " "), what + _charge(each), who))
    return rows


def _knobs(knobs: Mapping[str, Any], arms: Sequence[str]) -> str:
    shares = f"floor {number(knobs['floor'])}, share of control {number(knobs['control_share'])}"
    return f"adjusted: {shares}, control {arms[knobs['control']]}"


def _charge(each: Mapping[str, Any]) -> str:
    charge = each.get("charge", 0.0)
    if not charge:
        return ""
    return f"; ε {number(abs(charge))} {'charged' if charge > 0 else 'given back'}"

"""States of learners: sealed with a checksum, opened with care."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from hush.errors import StateError

__all__ = ["STATE_FORMAT", "opened", "sealed", "state_part"]

STATE_FORMAT = 2


def sealed(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state as plain JSON values, with its checksum.

    >>> sorted(sealed({"hush_state": 1}))
    ['checksum', 'hush_state']
    """
    text = json.dumps(body, allow_nan=False)
    return {**json.loads(text), "checksum": _digest(text)}


def checksum(body: Mapping[str, Any]) -> str:
    """Return what a state's bytes add up to, whatever the order of its keys."""
    return _digest(json.dumps(body, allow_nan=False))


def _digest(text: str) -> str:
    """Digest what a JSON text means: many a store turns 0.0 into 0, or 1e3 into 1000."""
    plain = json.loads(text, parse_float=_number)
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() else value


def opened(state: object) -> Mapping[str, Any]:
    """Check that a state is whole, and return it without its checksum."""
    if not isinstance(state, Mapping) or "hush_state" not in state:
        raise StateError("this is not a learner's state; pass what learner.state() returned")
    if state["hush_state"] != STATE_FORMAT:
        raise StateError(
            f"this state has format {state['hush_state']!r}; this version reads {STATE_FORMAT}"
        )
    body = {key: value for key, value in state.items() if key != "checksum"}
    try:
        intact = checksum(body) == state.get("checksum")
    except (TypeError, ValueError):
        intact = False
    if not intact:
        raise StateError(
            "this state is damaged (its checksum differs); restore from an intact copy"
        )
    return body


def state_part(body: Mapping[str, Any], key: str, kind: type) -> Any:  # noqa: ANN401
    """Return a part of a state, if it is there and of its kind."""
    part = body.get(key)
    if not isinstance(part, kind):
        raise StateError(f"this state's {key!r} is missing or damaged")
    return part

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
    plain = json.loads(json.dumps(body, allow_nan=False))
    return {**plain, "checksum": checksum(plain)}


def checksum(body: Mapping[str, Any]) -> str:
    """Return what a state's bytes add up to, whatever the order of its keys."""
    text = json.dumps(_plain(body), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:  # noqa: ANN401
    """Return a value in one form: many a store turns 0.0 into 0, or 1e3 into 1000."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


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

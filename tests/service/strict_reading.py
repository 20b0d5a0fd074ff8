"""Which requests may be accepted: written by hand, by the design, with nothing of the service's.

It is strict about the bytes: UTF-8, JSON without constants that are none, no lone surrogates, no
number beyond a float. What follows from the state of a store is not looked at.
"""

import json
import math
import re
from urllib.parse import unquote

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
LENGTH = re.compile(r"\s*[0-9]{1,15}(\.[0-9]{1,6})?\s*(ms|s|m|h|d|w)\s*", re.ASCII)
TEST = "hush_test_"


def accepts(sent, tokens):
    """Tell whether a request may be accepted; for lines, return that of each."""
    path, _, query = sent.target.decode("latin-1").partition("?")
    path, headers = unquote(path), dict(sent.headers)
    method = "GET" if sent.method == "HEAD" else sent.method
    found = [each for each in ROUTES if each[0] == method and re.fullmatch(each[1], path)]
    if not found:
        return False
    _, _, scope, check = found[0]
    kind = _kind(headers.get(b"authorization", b""), tokens)
    if scope is not None and kind not in (scope, "everything", "elsewhere", "test"):
        return False
    if check is None:
        wrong = re.search(r"(^|&)after=(?![0-9]{1,18}($|&)).", query)
        return not (path.endswith("/releases") and wrong)
    media = headers.get(b"content-type", b"").split(b";")[0].strip().lower()
    if path.startswith("/v1/batch/"):
        rows = sent.body.split(b"\n")
        rows = rows if rows[-1].strip() else rows[:-1]
        small = len(rows) <= 1_000 and len(sent.body) <= 1 << 22
        fine = media == b"application/x-ndjson" and small
        return [_read(row, check, kind) for row in rows] if fine else False
    key = headers.get(b"idempotency-key") if path.endswith("/decisions") else None
    fits = key is None or (1 <= len(key) <= 255 and key.isascii())
    small = len(sent.body) <= 65_536
    return media == b"application/json" and small and fits and _read(sent.body, check, kind)


def _kind(header, tokens):
    """Return what the token in a header is for."""
    scheme, _, text = header.decode("latin-1").partition(" ")
    found = [kind for kind, token in tokens.items() if token == text]
    return found[0] if found and scheme.lower() == "bearer" else None


def _refuse(constant):
    raise ValueError(constant)


def _read(raw, check, kind):
    try:
        body = json.loads(raw.decode("utf-8"), parse_constant=_refuse)
        return isinstance(body, dict) and _plain(body) and check(body, kind)
    except (ValueError, RecursionError):
        return False


def _plain(value):
    """Tell whether all texts are Unicode and all numbers finite."""
    if isinstance(value, str):
        return not any("\ud800" <= each <= "\udfff" for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, dict):
        return all(_plain(key) and _plain(each) for key, each in value.items())
    return all(_plain(each) for each in value) if isinstance(value, list) else True


def number(value):
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e308


def positive(value):
    return number(value) and value > 0


def share(value):
    return number(value) and 0 <= value <= 1


def text(value):
    return isinstance(value, str) and 1 <= len(value) <= 512


def name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def names(value):
    return isinstance(value, list) and all(map(name, value)) and len(set(value)) == len(value)


def length(value):
    written = isinstance(value, str) and LENGTH.fullmatch(value)
    return bool(written) or (number(value) and value >= 0)


def whole(value):
    return number(value) and value == int(value) and 1 <= value <= 10**6


def by(value):
    return isinstance(value, str) and len(value) <= 128


def truth(value):
    return isinstance(value, bool)


def mapping(value):
    return isinstance(value, dict)


def ends(value):
    return isinstance(value, list) and len(value) == 2 and all(map(number, value))


def key(value):
    return isinstance(value, str) and 1 <= len(value) <= 255


def or_none(check):
    return lambda value: value is None or check(value)


def has(must=None, **may):
    """Return a check of an object: what it must have, what it may, and nothing else."""
    must = must or {}

    def check(body, kind):
        if not set(must) <= set(body) <= {*must, *may}:
            return False
        return all((must.get(k) or may[k])(v) for k, v in body.items())

    return check


def of_person(check):
    """Return a check that also looks at the person: made-up people are for test tokens."""

    def both(body, kind):
        return check(body, kind) and body["person"].startswith(TEST) == (kind == "test")

    return both


OPERATOR = has(by=by)
CREATE = has(
    {"name": name, "policy": text, "arms": names, "person_epsilon": positive},
    person_bound=whole,
    window=length,
    default=number,
    reward_range=ends,
    population=name,
    segments=or_none(names),
    control=or_none(name),
    control_share=share,
    floor=share,
    max_age=or_none(length),
    tick=length,
    grace=length,
    parameters=or_none(mapping),
    start=truth,
    by=by,
)
DECIDE = has({"person": text}, segment=or_none(text), defer=truth, seen=or_none(text))
LINE = has({"experiment": name, "person": text}, segment=or_none(text), key=or_none(key))
ONE = r"/v1/experiments/[^/]+"
PAGES = r"plan|releases|acts|ledger|guarantee|insight|rehearsal|export\.(csv|json|parquet)"
ROUTES = (
    ("POST", "/v1/experiments", "admin", CREATE),
    ("POST", f"{ONE}/(start|pause|resume|stop|continue|rehearse)", "admin", OPERATOR),
    ("POST", f"{ONE}/arms(/retire)?", "admin", has({"name": name}, by=by)),
    (
        *("POST", f"{ONE}/adjust", "admin"),
        has(control=or_none(name), control_share=or_none(share), floor=or_none(share), by=by),
    ),
    ("POST", f"{ONE}/rehearsal/advance", "admin", has({"length": length})),
    ("PUT", r"/v1/populations/[A-Za-z0-9][A-Za-z0-9._-]{0,63}", "admin",
     has({"limit": or_none(positive)})),
    ("POST", "/v1/people/erase", "admin", has({"person": text}, population=name)),
    ("POST", "/v1/clock/confirm", "admin", OPERATOR),
    ("POST", f"{ONE}/decisions", "decide", of_person(DECIDE)),
    ("POST", "/v1/activations", "decide", of_person(has({"decision": text, "person": text}))),
    ("POST", "/v1/batch/decisions", "decide", of_person(LINE)),
    ("PUT", "/v1/decisions/[A-Za-z0-9_-]+/reward", "reward", has({"value": share})),
    ("POST", "/v1/batch/rewards", "reward", has({"decision": text, "value": share})),
    ("GET", f"/v1/experiments|{ONE}(/({PAGES}))?|/metrics", "read", None),
    ("GET", r"/healthz|/readyz|/openapi\.json", None, None),
)  # fmt: skip

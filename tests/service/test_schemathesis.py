"""Schemathesis asks for everything in the document, well and badly: answers are as it says."""

import json
from collections import Counter
from zlib import crc32

import pytest
import schemathesis
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis.checks import negative_data_rejection
from tests.service.printed_figures import tell
from tests.service.worlds import NAMES, World

from hush.service import OPERATIONS, document
from hush.service.operations import LINES

BRIEF, FULL = 4, 150
TABLE = {f"{each.method} {each.path}": each for each in OPERATIONS}


class Stage:
    """The application that Schemathesis asks: that of a world, made anew after operators' acts."""

    world = None

    async def __call__(self, scope, receive, send):
        if scope["type"] == "lifespan":
            for when in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{when}.complete"})
            return
        await self.world.site.app(scope, receive, send)

    def open(self):
        self.world = World()

    def close(self):
        self.world.close()


def unfolded():
    """Return the document with lines as lists, so that Schemathesis knows what is on a line."""
    found = document(OPERATIONS, "0")
    for each in OPERATIONS:
        if each.lines:
            described = found["paths"][each.path][each.method.lower()]
            asked = described["requestBody"]["content"][LINES]
            asked["schema"] = {"type": "array", "maxItems": 1_000, "items": _one_of([each.asks])}
            answered = described["responses"]["200"]["content"][LINES]
            answered["schema"] = {"type": "array", "items": _one_of(each.answers[200])}
    return found


def _one_of(kinds):
    return {"anyOf": [{"$ref": f"#/components/schemas/{each.__name__}"} for each in kinds]}


@schemathesis.serializer(LINES)
def write_lines(context, value):
    rows = value if isinstance(value, list) else [value]
    return "".join(json.dumps(each) + "\n" for each in rows).encode()


@schemathesis.deserializer(LINES)
def read_lines(context, response):
    return [json.loads(line) for line in response.content.splitlines()]


STAGE = Stage()
STAGE.open()
TOKEN = STAGE.world.tokens["everything"]
STAGE.close()
# What the document cannot say: a window that is over, a name that is taken, a share of an arm.
BEYOND = ["2xx", "3xx", "401", "403", "404", "409", "410", "413", "422", "429"]
CONFIG = schemathesis.Config.from_dict(
    {
        "auth": {"openapi": {"token": {"bearer": TOKEN}}},
        "checks": {"positive_data_acceptance": {"expected-statuses": BEYOND}},
    }
)
SCHEMA = schemathesis.openapi.from_dict(unfolded(), config=CONFIG)
SCHEMA.app = STAGE


def check(label, most):
    """Ask for one operation: corner cases first, then so many that are made up."""
    operation, seen = SCHEMA.find_operation_by_label(label), Counter()
    modes = list(schemathesis.GenerationMode)

    @settings(max_examples=most)
    @given(case=st.one_of([operation.as_strategy(mode) for mode in modes]))
    def ask_many(case):
        seen[ask(case)] += 1

    STAGE.open()
    try:
        for case in SCHEMA.iter_coverage_cases(
            operation, generation_modes=modes, generation_config=SCHEMA.config.generation
        ):
            if not SCHEMA.is_security_param_negated(case):
                SCHEMA.apply_auth(case, schemathesis.AuthContext(operation, STAGE))
            seen[ask(case)] += 1
        ask_many()
    finally:
        STAGE.close()
    tell(f"{label}: {dict(sorted(seen.items()))}")


def ask(case):
    """Ask for what was made up, about things that are there more often than not."""
    operation = TABLE[case.operation.label]
    _make_real(case)
    excluded = [negative_data_rejection] if operation.lines else []  # lines are refused singly
    heard = case.call_and_validate(excluded_checks=excluded)
    if operation.scope == "admin" and heard.status_code < 300:
        STAGE.close()
        STAGE.open()
    return heard.status_code


def _make_real(case):
    """Name things that are there, as often as not: nobody makes up an id that is genuine."""
    path, body = dict(case.path_parameters), case.body
    chance = crc32(repr((path, body)).encode(errors="replace"))
    if isinstance(path.get("name"), str) and chance % 8:
        path["name"] = NAMES[chance % len(NAMES)]
    if isinstance(path.get("id"), str) and chance % 8:
        path["id"] = STAGE.world.decisions[chance % 4]
    if path:
        case.path_parameters = path
    if isinstance(body, list):
        case.body = [_real(row, chance + n) for n, row in enumerate(body)]
    elif isinstance(body, dict):
        case.body = _real(body, chance)


def _real(row, chance):
    if not isinstance(row, dict):
        return row
    world = STAGE.world
    deferred = world.deferred[chance % 4]
    decision, person = deferred if "person" in row else (world.decisions[chance % 4], None)
    real = {
        "experiment": NAMES[chance % len(NAMES)],
        "decision": decision,
        "person": person if "decision" in row else None,
        "policy": "NoiseAwareTS",
        "arms": ["old", "new"],
        "window": "1h",
        "value": 0.5,
    }
    known = {k: v for k, v in real.items() if chance % 4 and v is not None}
    return {k: known[k] if _alike(v, known.get(k)) else v for k, v in row.items()}


def _alike(one, two):
    """Tell whether two values are of one kind, so that a wrong one stays wrong."""
    kinds = ({"int": "float"}.get(name, name) for name in (type(one).__name__, type(two).__name__))
    return two is not None and len(set(kinds)) == 1


@pytest.mark.untraced
@pytest.mark.parametrize("label", TABLE)
def test_answers_are_as_the_document_says(label):
    check(label, BRIEF)


@pytest.mark.slow
@pytest.mark.parametrize("label", TABLE)
def test_many_answers_are_as_the_document_says(label):
    check(label, FULL)

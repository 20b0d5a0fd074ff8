"""The check of histories: finds what is planted, and agrees with one that tries every order."""

import random
from itertools import combinations, permutations

import pytest
from tests.service.histories import (
    Asked,
    Posted,
    possible_bits,
    wrong_answers,
    wrong_bits,
    wrong_with_decision,
    wrong_with_key,
)


def asked(began, ended, status, body=b"one", person="ada", **given):
    return Asked(began, ended, status, body, key="k", person=person, **given)


def lost(began, person="ada", **given):
    return Asked(began, key="k", person=person, **given)


def posted(began, ended, value, status=204, deadline=100.0, **given):
    return Posted(began, ended, status, decision="d", value=value, deadline=deadline, **given)


GOOD = {
    "a retry": [asked(0, 1, 201), asked(2, 3, 200)],
    "the later request was first": [asked(0, 3, 200), asked(1, 2, 201)],
    "the first answer was lost": [lost(0), asked(2, 3, 200), asked(4, 5, 200)],
    "another person": [asked(0, 1, 201), asked(2, 3, 422, b"no", "bob")],
    "another person was first": [asked(0, 2, 422, b"no"), asked(1, 3, 201, person="bob")],
    "another person was first, and lost": [lost(0, "bob"), asked(2, 3, 422, b"no")],
    "nothing was answered": [lost(0), lost(1, whole=False)],
    "too many": [asked(0, 1, 429, b"slow down"), asked(2, 3, 201)],
    "the server failed": [asked(0, 1, 503, b"away"), asked(2, 3, 201)],
    "the server failed and it happened": [asked(0, 1, 503, b"away"), asked(2, 3, 200)],
}
BAD = {
    "differing replies": [asked(0, 1, 201), asked(2, 3, 200, b"two")],
    "two are new": [asked(0, 2, 201), asked(1, 3, 201)],
    "two are new and differ": [asked(0, 1, 201), asked(2, 3, 201, b"two")],
    "nobody was first": [asked(0, 1, 200), asked(2, 3, 200)],
    "known before it was asked": [asked(0, 1, 200), asked(2, 3, 201)],
    "known before it was sent": [asked(0, 1, 200), lost(2)],
    "half a request was first": [lost(0, whole=False), asked(2, 3, 200)],
    "half a request was answered": [asked(0, 1, 201, whole=False)],
    "the key was another's": [asked(0, 1, 201), asked(2, 3, 200, person="bob")],
    "refused its own key": [asked(0, 1, 201), asked(2, 3, 422, b"no")],
    "refused before anybody else": [asked(0, 1, 422, b"no"), asked(2, 3, 201, person="bob")],
    "a strange status": [asked(0, 1, 404, b"no")],
}


@pytest.mark.parametrize("name", GOOD)
def test_answers_that_can_be(name):
    assert wrong_with_key(GOOD[name]) == []


@pytest.mark.parametrize("name", BAD)
def test_answers_that_cannot_be(name):
    assert wrong_with_key(BAD[name]) != []
    assert wrong_answers(BAD[name], []) != []


def test_after_a_restart_the_first_may_be_told_that_it_is_not():
    history = [asked(0, 1, 200), asked(2, 3, 200)]
    assert wrong_with_key(history, restarts=True) == []
    assert wrong_with_key(BAD["known before it was asked"], restarts=True) != []
    assert wrong_with_key(BAD["differing replies"], restarts=True) != []
    assert wrong_with_key(BAD["refused before anybody else"], restarts=True) != []


BITS = [
    ("no reward", [], {0}),
    ("one", [posted(0, 1, 1)], {1}),
    ("the last", [posted(0, 1, 1), posted(2, 3, 0)], {0}),
    ("two at a time", [posted(0, 2, 1), posted(1, 3, 0)], {0, 1}),
    ("one of two, then another", [posted(0, 2, 1), posted(1, 3, 0), posted(4, 5, 1)], {1}),
    ("an answer was lost", [posted(0, float("inf"), 1, 0)], {0, 1}),
    ("lost long ago", [posted(0, float("inf"), 0, 0), posted(2, 3, 1)], {0, 1}),
    ("half was sent", [posted(0, float("inf"), 1, 0, whole=False)], {0}),
    ("too late", [posted(101, 102, 1, 410)], {0}),
    ("perhaps too late", [posted(99, 102, 1, 410)], {0, 1}),
    ("the server failed", [posted(0, 1, 1, 503)], {0, 1}),
    ("not taken", [posted(0, 1, 1, 429)], {0}),
]


@pytest.mark.parametrize(("posts", "possible"), [row[1:] for row in BITS], ids=[r[0] for r in BITS])
def test_what_a_bit_may_be(posts, possible):
    assert possible_bits(posts) == possible
    assert wrong_with_decision(posts) == []
    for bit in (0, 1, None):
        assert (wrong_bits(posts, {"d": bit}) == []) == (bit in possible)


@pytest.mark.parametrize(
    "post",
    [
        posted(101, 102, 1),
        posted(0, 1, 1, 410),
        posted(0, 1, 1, 404),
        posted(0, 1, 1, 422),
        posted(0, 1, 1, whole=False),
    ],
)
def test_answers_to_rewards_that_cannot_be(post):
    assert wrong_with_decision([post]) != []
    assert wrong_answers([], [post]) != []


# -- every order --------------------------------------------------------------------------------


def orders(ops):
    """Return every order in which requests may have happened, without some of the open ones."""
    known = [each for each in ops if not each.open]
    unknown = [each for each in ops if each.open]
    for many in range(len(unknown) + 1):
        for some in combinations(unknown, many):
            for order in permutations([*known, *some]):
                pairs = combinations(order, 2)
                if not any(later.ended < earlier.began for earlier, later in pairs):
                    yield order


def answered_in_order(order):
    first = order[0] if order else None
    for each in order:
        if each is first:
            said = (201, b"one")
        else:
            said = (200, b"one") if each.person == first.person else (422, b"no")
        if not each.open and (each.status, each.body) != said:
            return False
    return True


def test_it_agrees_with_trying_every_order_of_a_key():
    draw, found = random.Random(1), set()
    for _ in range(3_000):
        ops = []
        for _ in range(draw.randrange(1, 5)):
            began, person = draw.randrange(8), draw.choice(("ada", "bob"))
            status = draw.choice((0, 200, 201, 201, 422))
            body = {0: b"", 422: b"no"}.get(status, b"one")
            ended = began + 1 + draw.randrange(5) if status else float("inf")
            ops.append(Asked(began + 0.5, ended, status, body, key="k", person=person))
        good = any(answered_in_order(order) for order in orders(ops))
        assert (wrong_with_key(ops) == []) == good, ops
        found.add((len(ops), good))
    assert len(found) == 8


def test_it_agrees_with_trying_every_order_of_a_decision():
    draw, found = random.Random(2), set()
    for _ in range(3_000):
        ops = []
        for _ in range(draw.randrange(5)):
            began, status = draw.randrange(8), draw.choice((0, 204, 204))
            ended = began + 1 + draw.randrange(5) if status else float("inf")
            ops.append(posted(began + 0.5, ended, draw.randrange(2), status))
        possible = {order[-1].value if order else 0 for order in orders(ops)}
        assert possible_bits(ops) == possible, ops
        found.add((len(ops), tuple(possible)))
    assert len(found) > 8

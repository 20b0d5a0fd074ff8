"""Decisions with an id: found while they are open, told apart from what never was."""

import pytest

from hush import AlreadySettledError, NoDecisionError
from hush.policies.core.decision import Decision, OpenDecisions


def test_open_decisions_are_found_by_themselves_and_by_id():
    decisions = OpenDecisions()
    first, second = decisions.open(2, 1), decisions.open(0, 2)
    assert (first.arm, first.round, second.arm, second.round) == (2, 1, 0, 2)
    assert decisions.find(first) == (first.id, 2)
    assert decisions.find(second.id) == (second.id, 0)
    assert decisions.count([1, 1, 1]) == [2, 1, 2]


def test_what_was_made_here_is_settled_and_the_rest_is_unknown():
    decisions = OpenDecisions()
    first = decisions.open(0, 1)
    session, _, number = first.id.partition(".")
    assert (len(session), number) == (16, "0")
    decisions.close(first.id)
    for settled in (first, first.id):
        with pytest.raises(AlreadySettledError):
            decisions.find(settled)
    elsewhere = OpenDecisions().open(0, 1)
    for unknown in (
        elsewhere,
        elsewhere.id,
        f"{session}.1",
        f"{session}.x",
        f"{session}.-1",
        f"{session}.0.0",
        f"{session}",
        f"{session}.",
        "",
        "0",
        None,
        7,
        [],
        Decision([], 0, 1),
    ):
        with pytest.raises(NoDecisionError):
            decisions.find(unknown)


def test_ids_are_not_given_again_after_a_restart():
    before, after = OpenDecisions(), OpenDecisions()
    made = before.open(1, 1)
    after.restore(before.arms)
    assert after.find(made) == (made.id, 1)
    new = after.open(1, 2)
    assert new.id != made.id
    assert len(after.arms) == 2
    assert before.arms == {made.id: 1}

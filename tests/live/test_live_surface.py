"""The public surface of live experiments: sorted, documented, with an example each."""

import inspect

import pytest

import hush.live
from hush.policies.exports import in_order

# Whose examples are those of their class.
PLAIN = {
    "Clock.boot",
    "Clock.wall",
    "ManualClock.advance",
    "ManualClock.boot",
    "ManualClock.jump",
    "ManualClock.wall",
    "Rehearsal.batches",
    "Rehearsal.pending",
    "Rehearsal.released",
    "Rehearsal.settle",
    "SystemClock.boot",
    "SystemClock.wall",
}


def members():
    for name in hush.live.__all__:
        thing = getattr(hush.live, name)
        yield name, thing
        if inspect.isclass(thing):
            for member in dir(thing):
                found = inspect.getattr_static(thing, member)
                if not member.startswith("_") and (
                    inspect.isfunction(found) or isinstance(found, property)
                ):
                    yield f"{name}.{member}", found


MEMBERS = dict(members())


def test_names_are_sorted_and_what_is_meant():
    assert hush.live.__all__ == in_order(hush.live.__all__)
    for name in hush.live.__all__:
        assert getattr(hush.live, name).__module__.startswith("hush.live")


def test_the_designs_names_are_there():
    exp = "activate add_arm adjust continue_ decide decide_many export guarantee insight outlook"
    exp += " pause plan plans rehearse releases resume retire_arm reward"
    exp += " reward_many start stop tallies acts"
    store = "close confirm_clock create erase experiment held ledger names population reward settle"
    store += " tokens"
    tokens = "all create revoke state version"
    wanted = {f"Experiment.{name}" for name in exp.split()}
    wanted |= {f"Store.{name}" for name in store.split()}
    wanted |= {f"Tokens.{name}" for name in tokens.split()}
    assert wanted <= set(MEMBERS)


@pytest.mark.parametrize("name", MEMBERS)
def test_every_name_has_a_docstring_with_an_example(name):
    text = inspect.getdoc(MEMBERS[name])
    assert text
    assert ">>>" in text or name in PLAIN


def test_nothing_is_exempt_that_is_gone():
    assert set(MEMBERS) >= PLAIN

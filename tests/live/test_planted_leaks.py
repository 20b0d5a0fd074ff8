"""Every planted leak is caught by the twin test, and the store itself passes the same scripts."""

import pytest
from tests.live import scripts as s
from tests.live.places import InMemory
from tests.live.planted_leaks import CAUGHT_BY, LEAKS, PLAYED
from tests.live.twins import play_twins


def ask(*people):
    return tuple(s.Ask(person) for person in people)


SHOWN = (s.Pass(130), s.Settle(), s.Pass(60), s.Settle())
VISITS = s.Decide(0, ask(0, 1, 2, 0, 1, 3))
TWO_ARMS, LONG = s.Setup(), s.Setup(window=3600, default=0.3)
SCRIPTS = {
    "values": s.Script((TWO_ARMS,), (VISITS, s.RewardHers(1, 0), *SHOWN)),
    "presence": s.Script((TWO_ARMS,), (VISITS, s.RewardHers(1, None), *SHOWN, VISITS)),
    "again": s.Script((TWO_ARMS,), (VISITS, s.RewardHers(1, 1), s.RewardHers(1, 0))),
    "deferred": s.Script(
        (TWO_ARMS,), (s.Decide(0, ask(0, 1), defer=True), s.RewardHers(1, None), *SHOWN)
    ),
    "late": s.Script((LONG,), (VISITS, s.Pass(3601), s.RewardHers(1, None), *SHOWN)),
    "erased": s.Script(
        (LONG,), (VISITS, VISITS, s.RewardHers(1, 0), s.Erase(0, alone=True), *SHOWN)
    ),
    "erased and seen again": s.Script(
        (TWO_ARMS,),
        (
            s.Decide(0, ask(0, 0)),
            s.RewardHers(1, 0),
            *SHOWN,
            s.Erase(0),
            s.Decide(0, ask(0, 0, 0)),
            s.RewardHers(1, 0),
        ),
    ),
    "others after hers": s.Script(
        (LONG,),
        (
            VISITS,
            s.RewardHers(1, None),
            s.Reward((s.Line(1), s.Line(2), s.Line(4)), together=True),
            s.Settle(),
        ),
    ),
    "others with hers": s.Script(
        (LONG,), (VISITS, s.Reward((s.Line(1), s.Line(0, 1, 7), s.Line(2)), True), s.Settle())
    ),
    "unlearnt": s.Script((TWO_ARMS,), (VISITS, VISITS, s.RewardHers(1, None), *SHOWN)),
    "a crash": s.Script(
        (LONG,),
        (
            s.Decide(0, ask(0)),
            s.Restart(forgets=True),
            s.Decide(0, ask(1)),
            s.RewardHers(1, 0),
            s.Settle(),
        ),
    ),
    "the clock set and set back": s.Script(
        (TWO_ARMS,), (VISITS, s.Jump(4000), s.RewardHers(1, None), s.Jump(-4000), s.Settle())
    ),
    "the clock slewed": s.Script(
        (TWO_ARMS,), (VISITS, s.Jump(200), s.RewardHers(1, None), s.Jump(-200), VISITS)
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_store_passes(name):
    play_twins(SCRIPTS[name], InMemory)


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_are_caught(name):
    with pytest.raises(CAUGHT_BY[name]):
        play_twins(SCRIPTS[PLAYED[name]], InMemory, LEAKS[name])


def test_leaks_are_fourteen_and_more_and_say_what_is_wrong():
    assert len(LEAKS) >= 14
    assert all(len(plant.__doc__.splitlines()) == 1 for plant in LEAKS.values())

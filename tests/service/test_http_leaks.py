"""Every planted leak of a service is caught by its twin test, and the service itself passes."""

import pytest
from tests.live import scripts as s
from tests.live.places import InMemory
from tests.live.test_planted_leaks import LONG, SHOWN, TWO_ARMS, VISITS
from tests.live.test_planted_leaks import SCRIPTS as OF_STORES
from tests.service.http_leaks import CAUGHT_BY, LEAKS, PLAYED
from tests.service.http_twins import play_http_twins

SLOW = pytest.mark.slow
AGAIN = (s.RewardHers(1, None),) * 4
OTHERS = s.Reward((s.Line(1), s.Line(2), s.Line(4)))
SCRIPTS = {
    **OF_STORES,
    "hers over and over, others after": s.Script((LONG,), (VISITS, *AGAIN, OTHERS, s.Settle())),
    "others refused after hers": s.Script(
        (LONG,), (VISITS, s.RewardHers(1, None), s.Reward((s.Line(1, 6), s.Line(-1))), s.Settle())
    ),
    "others together with hers, which is no number": s.Script(
        (LONG,),
        (VISITS, s.Reward((s.Line(1), s.Line(0, 1, 10), s.Line(2)), together=True), s.Settle()),
    ),
    "visits after hers": s.Script((TWO_ARMS,), (VISITS, *AGAIN, VISITS, VISITS, *SHOWN)),
    "visits after hers, by one token": s.Script(
        (TWO_ARMS,), (VISITS, *(s.Reward((s.Line(0, 1, None),), way="store"),) * 3, VISITS)
    ),
    "activated": s.Script(
        (TWO_ARMS,),
        (
            s.Decide(0, (s.Ask(0), s.Ask(1)), defer=True),
            s.RewardHers(1, None),
            s.Activate(0),
            s.Activate(1),
            s.RewardHers(1, 0),
            *SHOWN,
        ),
    ),
}


# Where no leak is planted; the longer test has those scripts too in which none is looked for.
NEEDED = [name if name in PLAYED.values() else pytest.param(name, marks=SLOW) for name in SCRIPTS]


@pytest.mark.parametrize("name", NEEDED)
def test_the_service_passes(name):
    play_http_twins(SCRIPTS[name], InMemory)


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_are_caught(name):
    with pytest.raises(CAUGHT_BY[name]):
        play_http_twins(SCRIPTS[PLAYED[name]], InMemory, LEAKS[name])


def test_leaks_say_what_is_wrong():
    assert len(LEAKS) >= 7
    assert all(len(plant.__doc__.splitlines()) == 1 for plant in LEAKS.values())

"""Odds: what the decisions of a plan were drawn from, and how long that is remembered."""

from hush.live.lanes import Lane
from hush.live.odds import MOST_OFFERS, Offers, count_in


def test_arms_without_a_chance_and_arms_that_came_since_are_left_alone():
    lanes = [Lane(n, 1, 0, n) for n in range(3)]
    count_in(lanes, (0.25, 0.75), 1)
    count_in(lanes, (0.0, 0.0), 5)
    assert [lane.expected for lane in lanes] == [0.25, 0.75, 0.0]
    assert lanes[0].spread == lanes[1].spread > 0.0 == lanes[2].spread


def test_odds_that_change_within_a_version_are_none():
    offers = Offers()
    for odds in ((0.5, 0.5), (0.4, 0.6), (0.5, 0.5)):
        offers.note((1, 0, 1), odds)
    assert offers.of((1, 0, 1)) is None
    offers.note((1, 0, 2), None)
    assert offers.of((1, 0, 2)) is None


def test_old_offers_are_forgotten():
    offers = Offers()
    for version in range(MOST_OFFERS + 5):
        offers.note((1, 0, version), (0.5, 0.5))
    assert offers.of((1, 0, 4)) is None
    assert offers.of((1, 0, 5)) == (0.5, 0.5)

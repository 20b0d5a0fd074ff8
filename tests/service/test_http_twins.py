"""The twin test over HTTP: no answer, page or log depends on one person's rewards."""

from functools import partial

import pytest
from hypothesis import given, seed, settings
from tests.live import scripts as s
from tests.live.places import Files, InMemory
from tests.service.http_twins import play_http_twins
from tests.service.printed_figures import tell


def play_many(place, number, seeded=0, most=16):
    """Play scripts on twins; return the shares of the promise that they used."""
    shares = []

    @seed(seeded)
    @settings(max_examples=number, derandomize=False, database=None)
    @given(s.scripts(most=most))
    def check(script):
        shares.append(play_http_twins(script, place))

    check()
    tell(f"{len(shares)} scripts, no difference; up to {float(max(shares)):.0%} of a promise used")
    return shares


@pytest.mark.untraced
def test_twins_are_answered_the_same():
    assert max(play_many(InMemory, 12)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seeded", range(1, 5))
def test_two_thousand_twins_are_answered_the_same(seeded, tmp_path):
    place = InMemory if seeded < 4 else partial(Files, tmp_path / "files")
    assert max(play_many(place, 500, seeded, most=24)) > 0

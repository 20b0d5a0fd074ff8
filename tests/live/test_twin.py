"""The twin test: nothing public, and nobody else's bit, depends on one person's rewards."""

import pytest
from hypothesis import Phase, given, settings
from tests.live import scripts as s
from tests.live.places import Files, InMemory
from tests.live.twins import play_twins


@pytest.mark.untraced
def test_twins_show_the_same():
    shares = []

    @settings(max_examples=60, phases=[Phase.generate])
    @given(s.scripts())
    def check(script):
        shares.append(play_twins(script, InMemory))

    check()
    assert max(shares) == 1  # the promise is used up in some script, and never exceeded

"""The twin test: nothing public, and nobody else's bit, depends on one person's rewards."""

from functools import partial

import pytest
from hypothesis import given, seed, settings
from tests.live import scripts as s
from tests.live.places import Files, InMemory, OnServer, running_server
from tests.live.twins import play_twins


def play_many(place, number, seeded=0, most=16):
    """Play scripts on twins; return the shares of the promise that they used."""
    shares = []

    @seed(seeded)
    @settings(max_examples=number, derandomize=False, database=None)
    @given(s.scripts(most=most))
    def check(script):
        shares.append(play_twins(script, place))

    check()
    return shares


@pytest.mark.untraced
def test_twins_show_the_same():
    shares = play_many(InMemory, 300)
    assert max(shares) == 1  # the promise is used up in some script, and never exceeded


@pytest.mark.untraced
def test_twins_show_the_same_in_files_that_two_processes_use(tmp_path):
    assert max(play_many(partial(Files, tmp_path / "files"), 20)) > 0


@pytest.mark.slow
@pytest.mark.parametrize("seeded", range(1, 11))
def test_ten_thousand_twins_show_the_same(seeded, tmp_path):
    place = InMemory if seeded % 2 else partial(Files, tmp_path / "files")
    assert max(play_many(place, 1_000, seeded, most=24)) == 1


@pytest.mark.slow
def test_twins_show_the_same_on_a_server():
    with running_server() as server:
        place = partial(OnServer, server.create("private"), server.create("public"))
        assert max(play_many(place, 300, seeded=11)) == 1

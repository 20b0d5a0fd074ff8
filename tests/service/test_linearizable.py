"""Requests that are doubled, delayed, torn and cut: every answer is one that can be explained."""

import asyncio
import time

import pytest
from tests.service.aftermath import Aftermath
from tests.service.histories import possible_bits, wrong_bits
from tests.service.loads import Load
from tests.service.running import LONG, SHORT, serving, wrong_with

SIZES = [600, pytest.param(100_000, marks=[pytest.mark.slow, pytest.mark.untraced])]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("kind", "workers"), [("sqlite", 1), ("postgres", 2)])
def test_a_load_with_faults(place_of, tmp_path, record_property, kind, workers, size):
    place = place_of(kind)
    given = ("--workers", str(workers), "--tick", "0.2s", "--decisions", "0")
    with serving(place, tmp_path, *given) as service:
        service.begun(LONG, SHORT)
        load = Load(service, seed=size)
        enough = time.monotonic() + 1.5  # on a fast machine all is sent before the first release
        asyncio.run(load.run(lambda: load.sent < size or time.monotonic() < enough))
        code, _ = service.stop()
        printed = service.err
    after = Aftermath(place, load)
    wrong = after.complaints()
    figures = f"{kind}: {after.figures()}, {len(wrong)} wrong"
    record_property("figures", figures)
    print(figures)  # noqa: T201
    assert wrong == []
    assert wrong_with(place) == []
    assert (code, printed) == (0, "")
    assert not any(each.status >= 500 for each in [*load.asked, *load.posted])
    assert after.releases
    assert min(load.faults.values()) > size / 50
    assert_finds_what_is_planted(after)


def assert_finds_what_is_planted(after):
    """Whatever bit is turned that is certain, or row taken away: it is found."""
    posted = after.load.posted
    rewarded = {each.decision for each in posted if each.status == 204}
    certain = 0
    for decision in [each for each in after.bits if each in rewarded][:200]:
        mine = [each for each in posted if each.decision == decision]
        assert wrong_bits(mine, {decision: None})
        if len(possible_bits(mine)) == 1:
            assert wrong_bits(mine, {decision: 1 - after.bits[decision]})
            certain += 1
    assert certain > 50

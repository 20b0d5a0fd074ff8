"""What happens at a tick, whatever fails."""

import logging
import math

import pytest
from tests.live import scenes

import hush
import hush.live
from hush.live.canary import canary
from hush.service import Core, Settings


def test_a_tick_settles(site):
    site.begun(window="1h", policy="LazyDPTS")
    site.decide()
    site.clock.advance("2h")
    site.core.tick()
    assert len(site.store.experiment("checkout").releases) == 1
    assert site.core.standing.ok
    assert site.core.standing.settled == site.clock.wall()


def test_the_canary_leaves_nothing(site):
    site.begun()
    before = scenes.dump(site.store)
    assert canary(site.store._private, site.store._keys, site.clock.wall())
    assert scenes.dump(site.store) == before


def test_a_canary_that_does_not_come_back_is_said_once(site, caplog, monkeypatch):
    monkeypatch.setattr("hush.live.rewarding.Rewards.put", lambda *_: None)
    with caplog.at_level(logging.ERROR):
        site.core.tick()
        site.core.tick()
    assert not site.core.standing.canary
    assert [each.message for each in caplog.records] == ["the canary's reward did not arrive"]
    assert b"hush_canary_ok 0.0" in site.ask("GET", "/metrics").body


@pytest.mark.parametrize("error", [hush.StoreError, KeyError, OSError])
def test_whatever_fails_at_a_tick_is_said_once_and_tried_again(site, caplog, monkeypatch, error):
    def failing():
        raise error("u17 is in this message")

    with monkeypatch.context() as patched, caplog.at_level(logging.ERROR):
        patched.setattr(site.store, "settle", failing)
        site.core.tick()
        site.core.tick()
    assert not site.core.standing.ok
    assert [each.message for each in caplog.records] == [f"a tick failed: {error.__name__}"]
    site.core.tick()
    assert site.core.standing.ok


def test_an_unexpected_error_is_logged_by_its_place_alone(site, caplog, monkeypatch):
    site.begun()

    def broken(*_, **__):
        raise KeyError("u17")

    monkeypatch.setattr(site.core.front, "request", broken)
    with caplog.at_level(logging.DEBUG):
        heard = site.decide("u17")
    assert (heard.status, heard.kind) == (500, "unexpected")
    assert b"u17" not in heard.body
    (record,) = [each for each in caplog.records if each.name == "hush.service"]
    assert "KeyError in broken" in record.message
    assert "u17" not in caplog.text


def test_settings_are_what_serve_says():
    assert Settings() == Settings(tick=5.0, decisions=10_000.0, rewards=20, workers=1)


@pytest.mark.parametrize(
    "wrong",
    [{"tick": 0.05}, {"tick": math.nan}, {"decisions": 0}, {"rewards": 0}, {"workers": 257}],
    ids=str,
)
def test_settings_that_no_service_can_run_with_are_refused(wrong):
    with pytest.raises(hush.ParameterError, match=next(iter(wrong))):
        Settings(**wrong)


def test_closing_closes_the_store():
    store = hush.live.open(":memory:")
    Core(store).close()
    with pytest.raises(hush.StoreError, match="closed"):
        _ = store.names

"""The master secret, and what is derived from it."""

import stat

import numpy as np
import pytest
from tests.live import scenes

import hush.live
from hush.errors import ParameterError, StoreError
from hush.live.keys import VARIABLE, Keys, read_secret

KEYS = Keys(bytes(32))


def test_a_person_is_another_in_another_population_and_with_another_secret():
    found = {
        Keys(secret).person(population, person)
        for secret in (bytes(32), bytes(31) + b"x")
        for population in ("default", "eu")
        for person in ("u1", "u2", "ü1")
    }
    assert len(found) == 12
    assert KEYS.person("default", "u1") == Keys(bytes(32)).person("default", "u1")


def test_hashes_stay_what_stores_hold():
    """Stores hold them: with others, every person would be new again."""
    keys = Keys(bytes(range(32)))
    assert keys.person("default", "u17").hex() == "0656cdac45f47e06044b56b0fb29b558"
    assert keys.request(3, "key", b"r").hex() == "3ec0eed6a05f51bbfa4005faec6158c0"
    assert keys.seal(b"body").hex() == "30073e3cd5ec70405f72b808"
    assert keys.coin(b"body") == 0.7117491996767417
    keys.belong_to("store")
    assert keys.seal(b"body").hex() == "9dc2489570666bfab7dd82b2"


def test_requests_differ_by_experiment_kind_and_name():
    found = {
        KEYS.request(number, kind, name)
        for number in (1, 11)
        for kind in ("key", "activation")
        for name in (b"a", b"1:key:a", b"")
    }
    assert len(found) == 12


def test_codes_bind_every_byte():
    code = KEYS.seal(b"body")
    assert KEYS.genuine(b"body", code)
    assert not KEYS.genuine(b"Body", code)
    assert not KEYS.genuine(b"body", code[:-1])
    assert not Keys(b"x" * 32).genuine(b"body", code)


def test_coins_are_uniform():
    """20,000 coins in 20 bins, chi-square below 60 (19 degrees: a false alarm in 10^5)."""
    coins = np.array([KEYS.coin(n.to_bytes(4, "big")) for n in range(20_000)])
    assert 0.0 <= coins.min() < coins.max() < 1.0
    counts = np.histogram(coins, bins=20, range=(0, 1))[0]
    assert ((counts - 1_000) ** 2 / 1_000).sum() < 60


@pytest.mark.parametrize("bad", [b"", b"x" * 15, b"x" * 65, "x" * 32, None])
def test_secrets_that_are_none(bad):
    with pytest.raises(ParameterError, match="master secret"):
        Keys(bad)


def test_the_secret_is_never_shown():
    assert "ab" * 4 not in repr(Keys(bytes.fromhex("ab" * 32)))


def test_a_new_store_makes_its_secret_and_finds_it_again(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    path = tmp_path / "x.db"
    hush.live.open(path).close()
    file = tmp_path / "x.key"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    hush.live.open(path).close()
    kept = file.read_text()
    file.write_text("ff" * 32)
    with pytest.raises(StoreError, match="another master secret"):
        hush.live.open(path)
    file.unlink()
    with pytest.raises(StoreError, match=r"x\.key is missing"):
        hush.live.open(path)
    file.write_text(kept)
    hush.live.open(path).close()


def test_where_the_secret_comes_from(tmp_path, monkeypatch):
    given, beside = tmp_path / "given", tmp_path / "beside"
    given.write_text("aa" * 32 + "\n")
    beside.write_text("bb" * 32)
    monkeypatch.setenv(VARIABLE, "cc" * 32)
    read = [
        read_secret(bytes(32), beside, new=False),
        read_secret(given, beside, new=False),
        read_secret(str(given), beside, new=False),
        read_secret(None, beside, new=False),
    ]
    assert [each[:1].hex() for each in read] == ["00", "aa", "aa", "cc"]
    monkeypatch.delenv(VARIABLE)
    assert read_secret(None, beside, new=False)[:1].hex() == "bb"
    with pytest.raises(StoreError, match=VARIABLE):
        read_secret(None, None, new=True)


@pytest.mark.parametrize("text", ["", "sesame", "ab" * 8 + "zz", "ab" * 100])
def test_files_and_variables_that_hold_none(tmp_path, monkeypatch, text):
    file = tmp_path / "given"
    file.write_text(text)
    with pytest.raises(StoreError) as caught:
        read_secret(file, None, new=False)
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(StoreError, match=VARIABLE):
        read_secret(None, None, new=False)
    if text:
        assert text not in str(caught.value)
    with pytest.raises(StoreError, match="cannot be read"):
        read_secret(tmp_path / "nowhere", None, new=False)


def test_one_secret_does_not_open_anothers_store(tmp_path):
    clock = hush.live.ManualClock()
    scenes.opened(tmp_path / "x.db", clock).close()
    with pytest.raises(StoreError, match="another master secret"):
        scenes.opened(tmp_path / "x.db", clock, secret=bytes(32))


def test_a_store_in_no_folder_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(StoreError, match=r"secret x.key cannot be written there: No such file"):
        hush.live.open(tmp_path / "missing" / "x.db")
    assert list(tmp_path.iterdir()) == []

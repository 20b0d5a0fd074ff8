"""What every noise source has: a kind by which a state finds it."""

import pytest

from hush import SeededNoise, StateError
from hush.noise import NoiseSource


def test_a_kind_of_your_own_is_found_by_its_state(monkeypatch):
    monkeypatch.setattr(NoiseSource, "_kinds", dict(NoiseSource._kinds))

    class Renamed(SeededNoise):
        kind = "renamed"

    class Unnamed(SeededNoise):
        pass

    state = {**SeededNoise(3).state(), "kind": "renamed"}
    assert type(NoiseSource.from_state(state)) is Renamed
    assert type(NoiseSource.from_state(SeededNoise(3).state())) is SeededNoise
    assert Unnamed not in NoiseSource._kinds.values()


def test_a_source_without_states_is_a_state_error(monkeypatch):
    monkeypatch.setattr(NoiseSource, "_kinds", dict(NoiseSource._kinds))

    class Stateless(SeededNoise):
        kind = "stateless"
        _from_state = classmethod(NoiseSource._from_state.__func__)

    with pytest.raises(StateError, match="'stateless'"):
        NoiseSource.from_state({"kind": "stateless"})

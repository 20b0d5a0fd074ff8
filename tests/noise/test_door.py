"""A door to noise: it draws, and says nothing about whose noise it is."""

import pytest

from hush import MisuseError, SecureNoise, SeededNoise
from hush.noise.door import NoiseDoor
from hush.testing import RecordingNoise


def test_a_door_passes_on_what_it_is_asked():
    source = RecordingNoise(SeededNoise(3))
    twin = RecordingNoise(SeededNoise(3))
    door = NoiseDoor(source)
    for each in (door, twin):
        each.add_laplace(5, epsilon=0.5)
        each.add_laplace(5, epsilon=0.5, sensitivity=3)
        each.argmax([1, 2, 3], epsilon=0.7, law="gumbel", neighbours="add-remove")
        each.toss(True, chances=(0.25, 0.75))
    assert source.drawn == twin.drawn
    assert len(source.drawn) == 4
    assert door.selection.random() == twin.selection.random()
    assert door.coins.random() == twin.coins.random()


def test_doors_look_alike():
    doors = [NoiseDoor(SecureNoise()), NoiseDoor(SeededNoise(1))]
    assert {repr(door) for door in doors} == {"NoiseDoor()"}
    assert {(door.secure, door.kind) for door in doors} == {(False, "")}
    for door in doors:
        with pytest.raises(MisuseError, match="no state"):
            door.state()

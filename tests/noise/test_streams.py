"""Streams of one seed."""

import numpy as np

from hush.noise.streams import children


def test_children_are_those_that_numpy_spawns():
    for size in (4, 8):
        made = children(np.random.SeedSequence(3, pool_size=size), 2)
        spawned = np.random.SeedSequence(3, pool_size=size).spawn(2)
        for one, other in zip(made, spawned, strict=True):
            assert one.generate_state(4).tolist() == other.generate_state(4).tolist()

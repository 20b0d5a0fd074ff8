"""Streams of random numbers: derived by number, stored, and moved back to where they were."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

__all__ = ["children", "move", "position"]


def children(seed: np.random.SeedSequence, count: int) -> list[np.random.SeedSequence]:
    """Derive child sequences by number, without the parent's hidden counter moving."""
    return [
        np.random.SeedSequence(
            seed.entropy, spawn_key=(*seed.spawn_key, number), pool_size=seed.pool_size
        )
        for number in range(count)
    ]


def position(generator: np.random.Generator) -> dict[str, Any]:
    """Return where a generator stands, JSON-able."""
    # As text: the 128-bit numbers of PCG64 do not survive every JSON library.
    state = generator.bit_generator.state
    return {
        "state": str(state["state"]["state"]),
        "inc": str(state["state"]["inc"]),
        "has_uint32": int(state["has_uint32"]),
        "uinteger": int(state["uinteger"]),
    }


def move(generator: np.random.Generator, to: Mapping[str, Any]) -> None:
    """Put a generator where :func:`position` found it."""
    generator.bit_generator.state = {
        "bit_generator": "PCG64",
        "state": {"state": int(to["state"]), "inc": int(to["inc"])},
        "has_uint32": to["has_uint32"],
        "uinteger": to["uinteger"],
    }

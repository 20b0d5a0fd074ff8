"""Finished blocks on disk, by a digest of all that they depend on."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hush.output.files import replaced
from hush.simulation.blocks import Block
from hush.simulation.result import describe_environment
from hush.studies.sources import source_digest

__all__ = ["Cache", "block_key"]

FORMAT = 1
LIBRARIES = ("numpy", "numba", "scipy")


def block_key(block: Block) -> str | None:
    """Return the digest of a block: parameters, streams, code, and the libraries that compute.

    None where the policy's code has no file, so that a change of it would go unseen.

    >>> import hush
    >>> from hush.simulation.blocks import blocks_of
    >>> one, two = (blocks_of(hush.LazyDPTS(e), hush.paper_s1(), (9,), 7, 1)[0] for e in (1.0, 2.0))
    >>> len(block_key(one)), block_key(one) == block_key(two)
    (64, False)
    """
    sources = source_digest(block)
    if sources is None:
        return None
    cls = type(block.policy)
    about = {
        "format": FORMAT,
        "class": f"{cls.__module__}.{cls.__qualname__}",
        "policy": block.policy.to_dict(),
        "environment": describe_environment(block.env),
        "points": block.points,
        "seed": block.seed,
        "first": block.first,
        "runs": block.runs,
        "engine": block.engine,
        "sources": sources,
        "libraries": {name: version(name) for name in LIBRARIES},
    }
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


class Cache:
    """A folder of finished blocks.

    A file is whole or not there, so that a run that was killed at any point goes on from what it
    finished. A damaged file counts as missing.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.blocks import blocks_of, play
    >>> block = blocks_of(hush.UCB1(), hush.paper_s1(), (100,), 7, 2)[0]
    >>> cache = Cache(getfixture("tmp_path"))
    >>> key = block_key(block)
    >>> cache.load(key, block) is None
    True
    >>> cache.store(key, play(block))
    >>> cache.load(key, block).shape
    (2, 1)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return where a block's file is."""
        return self.folder / key[:2] / f"{key[2:]}.npy"

    def load(self, key: str, block: Block) -> NDArray[np.float64] | None:
        """Return a finished block, or None."""
        try:
            with self.path(key).open("rb") as file:
                found = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        right = found.shape == (block.runs, len(block.points)) and found.dtype == np.float64
        return found if right else None

    def store(self, key: str, regret: NDArray[np.float64]) -> None:
        """Keep a finished block."""
        with replaced(self.path(key)) as temporary, temporary.open("wb") as file:
            np.save(file, regret, allow_pickle=False)

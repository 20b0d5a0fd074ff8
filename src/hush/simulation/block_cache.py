"""Finished blocks on disk, by a digest of all that they depend on."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib import metadata
from pathlib import Path

import numpy as np

from hush.output.files import replaced
from hush.simulation.plan import Block, BlockData, describe_environment
from hush.simulation.source_digest import source_digest

__all__ = ["BlockCache", "block_key"]

FORMAT = 2
LIBRARIES = ("numpy", "numba", "scipy")
version = cache(metadata.version)  # it reads a file, and there are many blocks


def block_key(block: Block) -> str | None:
    """Return the digest of a block: parameters, streams, code, and the libraries that compute.

    None where the policy's code has no file, so that a change of it would go unseen.

    >>> import hush
    >>> from hush.simulation.plan import blocks_of
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
        "mode": block.mode,
        "discrete": block.discrete,
        "delay": block.delay,
        "sources": sources,
        "libraries": {name: version(name) for name in LIBRARIES},
    }
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


class BlockCache:
    """A folder of finished blocks; of each, its regret.

    A file is whole or not there, so that a run that was killed at any point goes on from what it
    finished. A damaged file counts as missing.

    Examples
    --------
    >>> import hush
    >>> from hush.simulation.plan import blocks_of, play
    >>> block = blocks_of(hush.UCB1(), hush.paper_s1(), (100,), 7, 2)[0]
    >>> cache = BlockCache(getfixture("tmp_path"))
    >>> cache.load(block) is None
    True
    >>> cache.store(block, play(block))
    >>> cache.load(block).regret.shape
    (2, 1)
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: str) -> Path:
        """Return where a block's file is."""
        return self.folder / key[:2] / f"{key[2:]}.npy"

    def load(self, block: Block) -> BlockData | None:
        """Return a finished block, or None."""
        key = _kept_key(block)
        if key is None:
            return None
        try:
            with self.path(key).open("rb") as file:
                found = np.load(file, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            return None
        if found.shape != (block.runs, len(block.points)) or found.dtype != np.float64:
            return None
        return BlockData(found, np.empty((block.runs, 0, block.env.n_arms), np.int64), [])

    def store(self, block: Block, data: BlockData) -> None:
        """Keep a finished block."""
        key = _kept_key(block)
        if key is not None:
            with replaced(self.path(key)) as temporary, temporary.open("wb") as file:
                np.save(file, data.regret, allow_pickle=False)


def _kept_key(block: Block) -> str | None:
    """Return a block's key; None where more than regret is wanted of it."""
    return block_key(block) if block.keeps == "regret" and not block.segments else None

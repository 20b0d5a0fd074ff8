"""Where the randomness of runs comes from: every policy and run has a stream of its own."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np
from numpy.random import SeedSequence

from hush.noise import children
from hush.policies import Policy

__all__ = ["generators", "leap_stream", "run_seed"]


def run_seed(seed: int, policy: Policy, run: int) -> SeedSequence:
    """Return the seed sequence of one run of one policy, round by round."""
    text = json.dumps(policy.to_dict(), sort_keys=True)
    digest = hashlib.sha256(text.encode()).digest()
    words = np.frombuffer(digest[:16], dtype="<u4").tolist()
    return SeedSequence(seed, spawn_key=(*words, run))


def generators(seed: SeedSequence) -> list[np.random.Generator]:
    """Return the streams of one run: of rewards, of noise and of the selection rule."""
    environment, source = children(seed, 2)
    noise, selection = children(source, 2)
    return [np.random.Generator(np.random.PCG64(each)) for each in (environment, noise, selection)]


def leap_stream(seed: int, policy: Policy, block: int) -> np.random.Generator:
    """Return the stream of one block of leaping runs."""
    text = f"leap {seed} {policy.to_dict()} {block}"
    return np.random.Generator(np.random.PCG64(_Digest(text.encode())))  # type: ignore[arg-type]


class _Digest(np.random.bit_generator.ISeedSequence):
    """Seeds a generator with a hash: as good as a seed sequence, and several times cheaper."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:  # noqa: ANN401
        size = n_words * np.dtype(dtype).itemsize
        return np.frombuffer(hashlib.blake2b(self._text, digest_size=size).digest(), dtype=dtype)

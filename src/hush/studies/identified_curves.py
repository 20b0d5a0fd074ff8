"""Curves of best-arm identification: how many samples each run takes until an arm is named."""

from __future__ import annotations

import hashlib
import json
from functools import cache as remembered
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import hush
from hush.output.files import replaced
from hush.output.progress import Reporter
from hush.simulation.plan import describe_environment
from hush.studies.definition.study import Curve

__all__ = ["samples_key", "samples_of"]

Floats = NDArray[np.float64]
ROOMS = ("environments", "mechanisms", "noise", "numerics", "policies", "simulation")


def samples_of(
    curve: Curve,
    seed: int,
    *,
    cache: Path | None = None,
    workers: int | None = None,
    progress: bool | Reporter | None = None,
) -> Floats:
    """Return the samples of each run of a curve, out of the cache where they are.

    A run is given up at the horizon, and has as many.

    >>> from hush.studies import shipped_study
    >>> study = shipped_study("jourdan-azize-2025", quick=True).resized(runs=2)
    >>> samples_of(study.curves[-1], 7).shape
    (2, 1)
    """
    path = None if cache is None else cache / "samples" / f"{samples_key(curve, seed)}.npy"
    if path is not None and path.exists():
        try:
            found = np.load(path, allow_pickle=False)
        except (OSError, ValueError, EOFError):
            found = np.empty(0)
        if found.shape == (curve.runs, 1):
            return np.asarray(found, dtype=np.float64)
    samples = hush.identify(
        curve.policy,
        curve.env,
        confidence=curve.confidence,
        runs=curve.runs,
        seed=seed,
        most=curve.horizon,
        workers=workers,
        progress=progress,
    ).samples[0][:, None]
    found = np.asarray(samples, dtype=np.float64)
    if path is not None:
        with replaced(path) as temporary, temporary.open("wb") as file:
            np.save(file, found, allow_pickle=False)
    return found


def samples_key(curve: Curve, seed: int) -> str:
    """Return the digest of all that the samples depend on: parameters, seed and code.

    >>> from hush.studies import shipped_study
    >>> curve = shipped_study("jourdan-azize-2025", quick=True).curves[0]
    >>> samples_key(curve, 1) == samples_key(curve, 2)
    False
    """
    about = {
        "policy": curve.policy.to_dict(),
        "environment": describe_environment(curve.env),
        "confidence": curve.confidence,
        "most": curve.horizon,
        "runs": curve.runs,
        "seed": seed,
        "sources": _sources(),
    }
    return hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()


@remembered
def _sources() -> str:
    """Return a digest of the code of all rooms that a search may touch."""
    folder = Path(hush.__file__).parent
    digest = hashlib.sha256()
    for room in ROOMS:
        for file in sorted((folder / room).rglob("*.py")):
            digest.update(file.read_bytes())
    return digest.hexdigest()

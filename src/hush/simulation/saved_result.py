"""Results in files."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from hush.errors import HushError, StateError
from hush.output.files import replaced
from hush.policies import REGISTERED, Policy
from hush.simulation.result import Result

__all__ = ["read_result", "write_result"]

FORMAT = 2  # 1 had no classes


def write_result(result: Result, path: Path) -> None:
    """Write everything but segments, whole or not at all."""
    about = {
        "hush_result": FORMAT,
        "policies": list(result.policies),
        "environment": result.environment,
        "seed": result.seed,
        "engines": list(result.engines),
        "parameters": list(result.parameters),
        "classes": [_class_name(type(each)) for each in result.policy_objects],
        "discrete": result.discrete,
        "delay": result.delay,
    }
    with replaced(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            regret=result.regret,
            pulls=result.pulls,
            checkpoints=result.checkpoints,
            about=np.array(json.dumps(about)),
        )


def read_result(path: Path) -> Result:
    """Read what :func:`write_result` wrote."""
    try:
        with path.open("rb") as raw, np.load(raw, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            parameters = about["parameters"]
            classes = about.get("classes", [f":{each['policy']}" for each in parameters])
            return Result(
                regret=file["regret"],
                pulls=file["pulls"],
                checkpoints=file["checkpoints"],
                policies=tuple(about["policies"]),
                environment=about["environment"],
                seed=about["seed"],
                engines=tuple(about["engines"]),
                parameters=tuple(parameters),
                policy_objects=tuple(map(_rebuilt, parameters, classes)),
                discrete=about["discrete"],
                delay=about.get("delay", 0),  # older files know of none
            )
    except (KeyError, ValueError, EOFError, BadZipFile) as error:
        raise StateError(f"{path.name} is not a saved result, or is damaged") from error


def _class_name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _rebuilt(parameters: dict[str, Any], name: str) -> Policy | None:
    """Return the policy of a saved result: a registered one, or one whose class is at hand.

    Nothing is imported because a file says so.
    """
    module, _, path = name.partition(":")
    known = {each.__name__: each for each in REGISTERED}
    own = getattr(sys.modules.get(module), path, None)
    cls = own if module and not module.startswith("hush.policies.") else known.get(path)
    if not (isinstance(cls, type) and issubclass(cls, Policy)):
        return None
    try:
        return cls.from_parameters({k: v for k, v in parameters.items() if k != "policy"})
    except HushError:
        return None

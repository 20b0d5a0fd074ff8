"""Policies by name: registered ones, and your own by module and class."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from hush.errors import ParameterError, unknown_name
from hush.policies import Policy, policy_class

__all__ = ["imported_class", "policy_at", "policy_named"]


def policy_named(text: str) -> type[Policy]:
    """Return the registered policy of that name, or ``module:Class`` of your own.

    >>> policy_named("hush.testing.planted:HalfTheNoise").__name__
    'HalfTheNoise'
    """
    module, colon, name = text.partition(":")
    return imported_class(module, name) if colon else policy_class(text)


def policy_at(cls: type[Policy], epsilon: float) -> Policy:
    """Return a policy of default parameters at an epsilon, or at the rho that epsilon implies.

    What loses a pure epsilon loses ``epsilon^2 / 2`` of concentrated privacy at most. A policy that
    states neither is not private, and made as it is.

    >>> import hush
    >>> policy_at(hush.AdaPUCB, 1.0).label, policy_at(hush.AdaCUCB, 1.0).label
    ('AdaPUCB(epsilon=1)', 'AdaCUCB(rho=0.5)')
    """
    losses = {"epsilon": epsilon, "rho": epsilon * epsilon / 2.0}
    stated = [name for name in losses if name in cls.check_names({})][:1]
    return cls.from_parameters({name: losses[name] for name in stated})


def imported_class(module: str, name: str) -> type[Policy]:
    """Import a policy class of your own; the current folder is searched too."""
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        found = import_module(module)
    except ImportError as error:
        raise ParameterError(f"cannot import {module!r}: {error}") from None
    cls = getattr(found, name, None)
    if not (isinstance(cls, type) and issubclass(cls, Policy)):
        known = [k for k, v in vars(found).items() if isinstance(v, type) and issubclass(v, Policy)]
        raise unknown_name(f"policy of {module}", name, known)
    return cls

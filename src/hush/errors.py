"""Every error Hush raises on purpose.

    HushError
    ├── ParameterError      a hyper-parameter or argument that cannot be used   (ValueError)
    ├── UnknownNameError    a name that is not known; suggests the nearest      (ValueError)
    ├── RewardError         a reward that cannot be used                        (ValueError)
    ├── ArmError            an arm that does not exist                          (ValueError)
    ├── NoDecisionError     a reward that no decision is waiting for            (RuntimeError)
    │   └── AlreadySettledError   ... because its decision is settled already
    ├── MisuseError         a learner used where its promise would not hold     (RuntimeError)
    ├── StateError          a state that cannot be restored                     (ValueError)
    ├── NoiseError          a noise source that cannot give what is asked       (RuntimeError)
    ├── MissingExtraError   a package that is not installed; says how to        (ImportError)
    └── LiveError           a live experiment that cannot do what is asked      (RuntimeError)
        ├── StoreError          a store that cannot be opened or used
        ├── LifecycleError      an act that the experiment's state does not allow
        ├── BudgetError         a promise that its population's limit does not allow
        ├── ExpiredError        a reward or an activation that comes too late
        ├── KeyReusedError      an idempotency key that stands for another request
        ├── ClockError          a clock that cannot be believed
        └── AccessError         a token that a service does not take, or not for this

Messages say what to do. They never hold a reward or an unreleased sum, because messages
end up in logs.
"""

from __future__ import annotations

import difflib
import math
import operator
from collections.abc import Callable, Iterable
from typing import SupportsFloat, SupportsIndex, TypeGuard

import numpy as np

__all__ = [
    "AccessError",
    "AlreadySettledError",
    "ArmError",
    "BudgetError",
    "ClockError",
    "ExpiredError",
    "HushError",
    "KeyReusedError",
    "LifecycleError",
    "LiveError",
    "MissingExtraError",
    "MisuseError",
    "NoDecisionError",
    "NoiseError",
    "ParameterError",
    "RewardError",
    "StateError",
    "StoreError",
    "UnknownNameError",
]


class HushError(Exception):
    """Base of every error that Hush raises on purpose.

    >>> import hush
    >>> try:
    ...     hush.LazyDPTS(epsilon=-1)
    ... except hush.HushError as error:
    ...     print(error)
    epsilon must be a positive finite number; got -1
    """


class ParameterError(HushError, ValueError):
    """A hyper-parameter or an argument that cannot be used."""


class UnknownNameError(HushError, ValueError):
    """A name that is not known. The message suggests the nearest one that is."""


class RewardError(HushError, ValueError):
    """A reward that cannot be used. The message never shows it."""


class ArmError(HushError, ValueError):
    """An arm that does not exist."""


class NoDecisionError(HushError, RuntimeError):
    """A reward that no outstanding decision is waiting for."""


class AlreadySettledError(NoDecisionError):
    """A second reward for a decision that is settled, or has expired: it is not counted."""


class MisuseError(HushError, RuntimeError):
    """A learner used where it could draw a release twice: in a fork, as a copy, after a restore."""


class StateError(HushError, ValueError):
    """A state that is damaged, belongs to another policy, or was continued already."""


class NoiseError(HushError, RuntimeError):
    """A noise source that cannot give what is asked of it."""


class MissingExtraError(HushError, ImportError):
    """A package that is not installed. The message is the command that installs it."""


class LiveError(HushError, RuntimeError):
    """A live experiment that cannot do what is asked of it."""


class StoreError(LiveError):
    """A store that cannot be opened or used: another secret, a newer schema, a broken chain."""


class LifecycleError(LiveError):
    """An act that the experiment's state does not allow."""


class BudgetError(LiveError):
    """A promise that would exceed the limit of its population."""


class ExpiredError(LiveError):
    """A reward after its window, or an activation after its few minutes."""


class KeyReusedError(LiveError):
    """An idempotency key that was used for another person or segment."""


class ClockError(LiveError):
    """A clock that cannot be believed: settlement waits."""


class AccessError(LiveError):
    """A token that a service does not know, or that does not allow what is asked."""


def unknown_name(kind: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Build the error for an unknown name, with the nearest known one in its message."""
    names = sorted(known)
    folded = {each.lower(): each for each in names}
    near = difflib.get_close_matches(str(name).lower(), folded, n=1, cutoff=0.5)
    hint = f"did you mean {folded[near[0]]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    return UnknownNameError(f"unknown {kind} {name!r}; {hint}")


def is_number(value: object) -> TypeGuard[int | float]:
    """Tell whether a value is a real number; booleans are not numbers here."""
    kind = type(value)
    if kind is float or kind is int:  # nearly always, and much faster
        return True
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)


def is_finite(value: SupportsFloat) -> bool:
    """Tell whether a number is finite as a float; ``10**400`` is not.

    >>> is_finite(1), is_finite(10**400), is_finite(float("nan"))
    (True, False, False)
    """
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def shown(value: object) -> str:
    """Return a value for a message: in full if it is short.

    >>> shown(-1), shown(10**400)
    ('-1', '1000000000000000000000000000000000000000...')
    """
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        return f"a {type(value).__name__} of very many digits"
    return text if len(text) <= 80 else f"{text[:40]}..."


def positive(name: str, value: SupportsFloat) -> float:
    """Return a positive finite number as a float, or raise.

    >>> positive("epsilon", 0.5)
    0.5
    """
    if not is_number(value) or not is_finite(value) or not float(value) > 0:
        raise ParameterError(f"{name} must be a positive finite number; got {shown(value)}")
    return float(value)


def whole(name: str, value: SupportsIndex, *, least: int, most: int | None = None) -> int:
    """Return a whole number of at least ``least``, or raise; 1e6 counts as whole, True does not.

    >>> whole("horizon", 1e6, least=1)
    1000000
    """
    number: int | None = None
    if is_number(value):
        if isinstance(value, float | np.floating):
            number = int(value) if math.isfinite(value) and float(value).is_integer() else None
        else:
            number = operator.index(value)
    if number is None or number < least or (most is not None and number > most):
        upper = "" if most is None else f" and at most {most}"
        raise ParameterError(
            f"{name} must be a whole number of at least {least}{upper}; got {shown(value)}"
        )
    return number


def truth(name: str, value: object) -> bool:
    """Return True or False, for which 1 and 0 may stand, or raise.

    >>> truth("anytime", 1)
    True
    """
    if not isinstance(value, bool | int | np.bool_) or value not in (0, 1):
        raise ParameterError(f"{name} must be True or False; got {shown(value)}")
    return bool(value)


def check_field(thing: object, name: str, check: Callable[..., object], **limits: object) -> None:
    """Check a field of a frozen dataclass by its name, and keep what the check returns.

    >>> from hush.mechanisms import Geometric
    >>> growing = Geometric(2)
    >>> check_field(growing, "growth", positive)
    >>> growing.growth
    2.0
    """
    object.__setattr__(thing, name, check(name, getattr(thing, name), **limits))


def choice(name: str, value: object, known: Iterable[str]) -> str:
    """Return the value if it is one of the known names, or raise with the nearest one.

    >>> choice("noise", "laplace", ["laplace", "exponential"])
    'laplace'
    """
    options = list(known)
    if not isinstance(value, str) or value not in options:
        raise unknown_name(name, value, options)
    return value

"""Policies and environments as words on a command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import Any

from hush.environments import ADVERSARIES, INSTANCES, TRIALS, Bernoulli, Environment
from hush.errors import ParameterError, unknown_name
from hush.policies import REGISTERED, RNMFTNL, Policy, policy_class
from hush.policies.lookup import imported_class

__all__ = ["environment", "fixed_or_drawn", "numbers", "policy", "policy_words", "whole_number"]

OUTSIDE = re.compile(r",(?![^()\[\]]*[)\]])")  # commas that stand in no brackets
AROUND = re.compile(r"(\w+)\((.+)\)(?::(.*))?")  # one policy around another


def policy(text: str, epsilon: float | None, rho: float | None = None) -> Policy:
    """Read ``Name`` or ``Name:parameter=value,parameter=value``.

    ``Name`` is a registered policy, ``RNMFTNL.as_printed``, or ``module:Class`` of your own.
    ``epsilon`` is filled in where a policy has one and the text does not give it, ``rho`` likewise;
    a policy that takes either gets the one that there is.

    >>> policy("RNMFTNL:growth=2.5", 0.5)
    RNMFTNL(epsilon=0.5, noise='exponential', neighbours='replace', growth=2.5)
    >>> policy("NoiseAwareTS:prior=(1.0,1.0),growth=2.0", 0.5).prior
    (1.0, 1.0)
    >>> policy("hush.testing.planted:HalfTheNoise", 0.5)
    HalfTheNoise(epsilon=0.5)
    >>> policy("NoiseAwareTS", None, rho=0.125).label, policy("NoiseAwareTS:rho=0.5", 1.0).label
    ('NoiseAwareTS(rho=0.125)', 'NoiseAwareTS(rho=0.5)')

    A policy around another one is written like a call; what is in brackets is read like any other.

    >>> policy("Local(UCBV:zeta=2)", 0.5)
    Local(of=UCBV(zeta=2.0, c=1.0), epsilon=0.5)
    >>> policy("Person(AdaCUCB):bound=2", None, rho=1.0).of
    AdaCUCB(rho=0.25, beta=3.1)
    """
    if AROUND.fullmatch(text) is not None:
        table = _table(text)
        return _with_loss(policy_class(table.pop("policy")), text, table, epsilon, rho)
    name, _, rest = text.partition(":")
    known = {each.__name__ for each in REGISTERED}
    if rest and name not in known and "=" not in rest.partition(":")[0]:
        class_name, _, rest = rest.partition(":")
        cls = imported_class(name, class_name)
    elif name == "RNMFTNL.as_printed":
        return RNMFTNL.as_printed(_needed(name, epsilon)) if not rest else _no_parameters(name)
    else:
        cls = policy_class(name)
    return _with_loss(cls, cls.__name__, _assignments(rest), epsilon, rho)


def _with_loss(
    cls: type[Policy],
    text: str,
    parameters: dict[str, Any],
    epsilon: float | None,
    rho: float | None,
) -> Policy:
    """Return a policy with the loss that the command gives, where its own text gives none."""
    losses = [name for name in ("epsilon", "rho") if name in cls.check_names(parameters)]
    if losses and not any(name in parameters for name in losses):
        parameters.update(_needed_of(text, losses, {"epsilon": epsilon, "rho": rho}))
    return cls.from_parameters(parameters)


def _table(text: str) -> dict[str, Any]:
    """Read a policy as a table of its name and parameters."""
    around = AROUND.fullmatch(text)
    if around is not None:
        name, inner, rest = around.groups(default="")
        return {"policy": name, "of": _table(inner), **_assignments(rest)}
    name, _, rest = text.partition(":")
    if rest and "=" not in rest.partition(":")[0]:
        class_name, _, rest = rest.partition(":")
        imported_class(name, class_name)
        name = f"{name}:{class_name}"
    return {"policy": name, **_assignments(rest)}


def policy_words(text: str) -> tuple[str, dict[str, Any]]:
    """Read ``Name`` or ``Name:parameter=value,...`` where epsilon follows from elsewhere.

    >>> policy_words("NoiseAwareTS:growth=2.0")
    ('NoiseAwareTS', {'growth': 2.0})
    """
    name, _, rest = text.partition(":")
    return name, _assignments(rest)


def _assignments(text: str) -> dict[str, Any]:
    return dict(_assignment(part) for part in OUTSIDE.split(text) if part)


def _needed(name: str, epsilon: float | None) -> float:
    if epsilon is None:
        raise ParameterError(f"{name} needs a privacy loss: --epsilon 0.5, or {name}:epsilon=0.5")
    return epsilon


def _needed_of(name: str, losses: Sequence[str], given: dict[str, float | None]) -> dict[str, Any]:
    """Return the loss that a policy takes and the command gives: exactly one."""
    found = {loss: given[loss] for loss in losses if given[loss] is not None}
    if len(found) == 1:
        return found
    ways = " or ".join(f"--{loss} 0.5" for loss in losses)
    if found:
        raise ParameterError(f"{name} takes {ways}, not both: write {name}:rho=0.5 for one of them")
    raise ParameterError(f"{name} needs a privacy loss: {ways}, or {name}:{losses[0]}=0.5")


def _no_parameters(name: str) -> Policy:
    raise ParameterError(f"{name} takes no parameters but --epsilon")


def _assignment(part: str) -> tuple[str, Any]:
    key, equals, value = part.partition("=")
    if not equals:
        raise ParameterError(f"{part!r} is not of the form parameter=value")
    try:
        return key.strip(), ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return key.strip(), value.strip()


def environment(means: str | None, instance: str | None) -> Bernoulli:
    """Read comma-separated means, or the name of an instance.

    >>> environment("0.5,0.4", None)
    Bernoulli([0.5, 0.4])
    """
    if (means is None) == (instance is None):
        raise ParameterError("give either --means 0.5,0.4,0.4 or --instance S1")
    if instance is not None:
        known = {**INSTANCES, **TRIALS}
        if instance not in known:
            raise unknown_name("instance", instance, known)
        return known[instance]()
    return Bernoulli(numbers("--means", means or ""))


def fixed_or_drawn(
    means: str | None, instance: str | None, adversary: str | None, horizon: int
) -> Environment:
    """Read the name of an adversary, who fixes so many rounds; else means or an instance.

    >>> fixed_or_drawn(None, None, "alternating", 100)
    RewardTable(<100 rounds, 2 arms>)
    """
    if adversary is None:
        return environment(means, instance)
    if means is not None or instance is not None:
        raise ParameterError("an --adversary fixes rewards: give no --means and no --instance")
    if adversary not in ADVERSARIES:
        raise unknown_name("adversary", adversary, ADVERSARIES)
    return ADVERSARIES[adversary](horizon)


def numbers(name: str, text: str) -> list[float]:
    """Read comma-separated numbers.

    >>> numbers("--rates", ".030,.036")
    [0.03, 0.036]
    """
    try:
        return [float(each) for each in text.split(",")]
    except ValueError:
        raise ParameterError(f"{name} {text!r} is not a comma-separated list of numbers") from None


def whole_number(name: str, text: str) -> int:
    """Read a whole number that may be written like 1e6.

    >>> whole_number("--horizon", "1e6")
    1000000
    """
    try:
        number = int(text) if text.isdecimal() else float(text)
        if number == int(number):
            return int(number)
    except (ValueError, OverflowError):
        pass
    raise ParameterError(f"{name} must be a whole number such as 1000000 or 1e6; got {text!r}")

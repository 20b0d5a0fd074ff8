"""Registered policies as rows of a table: the docs' list of them."""

from __future__ import annotations

from dataclasses import fields

from hush.policies.core.policy import Policy
from hush.policies.lookup import policy_at
from hush.policies.registry import REGISTERED

__all__ = ["anytime", "policies_table"]


def policies_table() -> str:
    """Return the table of ``docs/policies.md``: a row per registered policy, as Markdown."""
    rows = [("policy", "feedback", "private", "anytime", "what it does"), ("---",) * 5]
    rows += [_row(cls) for cls in REGISTERED]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _row(cls: type[Policy]) -> tuple[str, str, str, str, str]:
    private = " or ".join(name for name in ("epsilon", "rho") if name in _names(cls)) or "no"
    return (f"`{cls.__name__}`", cls.feedback, private, anytime(cls), cls.summary)


def anytime(cls: type[Policy]) -> str:
    """Say whether a policy can do without the horizon.

    >>> import hush
    >>> anytime(hush.UCB1), anytime(hush.TreeDPUCB), anytime(hush.NoiseAwareIMED)
    ('yes', 'no, needs T', 'yes, T helps')
    """
    names = _names(cls)
    if "anytime" in names:
        return "with `anytime=True`"
    if "horizon" not in names:
        return "yes"
    needs = policy_at(cls, 1.0).needs_horizon
    return "no, needs T" if needs else "yes, T helps"


def _names(cls: type[Policy]) -> set[str]:
    return {each.name for each in fields(cls) if each.init}

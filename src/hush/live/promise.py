"""The promise to every person, in one sentence with its numbers."""

from __future__ import annotations

from hush.live.segments import Known
from hush.privacy import Guarantee

__all__ = ["promise", "sentence"]


def promise(known: Known, secure: bool, total: float) -> Guarantee:
    """Return the guarantee to every person: what was charged for it, and the sentence.

    ``total`` is what all experiments of its population have promised together.
    """
    epsilon = known.terms.person_epsilon * max(known.charges, 1)
    reason = sentence(known, secure)
    others = total - (epsilon if known.charges else 0.0)
    if others > 1e-9:
        reason += (
            f" Where the same outcome is a reward of all experiments of population "
            f"{known.terms.population!r}, the factor of all of them together is at most "
            f"exp({epsilon + others:g})."
        )
    return Guarantee(epsilon, "replace", "person", reason, epsilon)


def sentence(known: Known, secure: bool) -> str:
    """Return what is promised, and what it assumes."""
    times = max(known.charges, 1)
    epsilon = known.terms.person_epsilon * times
    again = f" ({known.terms.person_epsilon:g} charged {times} times)" if times > 1 else ""
    unsafe = "" if secure else " Simulation only: its noise is reproducible and protects nobody."
    return (
        "for any one person, and anyone who sees every arm shown and every release, plan, export, "
        "metric and page: changing all of that person's rewards (values, presence, times) changes "
        f"the probability of anything seen by at most a factor exp({epsilon:g}){again}, beyond "
        "what visits themselves tell. It assumes one identifier per person, that other people's "
        "rewards and the operators' acts do not depend on hers except through what is released, "
        "and a private store that was never set back. That she visited is not hidden, and response "
        f"times are not covered.{unsafe}"
    )

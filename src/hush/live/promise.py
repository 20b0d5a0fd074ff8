"""The promise to every person, in one sentence with its numbers."""

from __future__ import annotations

from hush.live.segments import Known
from hush.privacy import Guarantee

__all__ = ["promise", "sentence"]


def promise(known: Known, secure: bool) -> Guarantee:
    """Return the guarantee to every person: what was charged for it, and the sentence."""
    epsilon = known.terms.person_epsilon * max(known.charges, 1)
    return Guarantee(epsilon, "replace", "person", sentence(known, secure), epsilon)


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

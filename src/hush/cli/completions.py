"""What a shell offers where a name is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hush.environments import INSTANCES, TRIALS
from hush.policies import REGISTERED

__all__ = ["instances", "one_of", "policies"]


def one_of(names: Iterable[str]) -> Callable[[str], list[str]]:
    """Return a function that completes a word to one of several.

    >>> one_of(["auto", "leap", "rounds"])("le")
    ['leap']
    """
    known = sorted(names)

    def complete(incomplete: str) -> list[str]:
        return [each for each in known if each.startswith(incomplete)]

    return complete


policies = one_of([*(each.__name__ for each in REGISTERED), "RNMFTNL.as_printed"])
instances = one_of([*INSTANCES, *TRIALS])

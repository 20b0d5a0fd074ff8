"""What leaves the private side, and what is promised about it."""

from hush.privacy.guarantee import MOST_REWARDS, NEIGHBOURS, PERSON, Guarantee, Neighbours, Trust
from hush.privacy.releases import Release, Releases

__all__ = [
    "MOST_REWARDS",
    "NEIGHBOURS",
    "PERSON",
    "Guarantee",
    "Neighbours",
    "Release",
    "Releases",
    "Trust",
]

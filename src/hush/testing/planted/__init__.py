"""Policies with a planted privacy bug each: the audit of the audit.

Every class claims epsilon and breaks it in a way that a careless or a sly person might write. They
are here so that anyone who relies on an audit can see what it catches: ``hush audit --planted``.
Never deploy one. Each file is a theme; ``THEMES`` has them by name.
"""

from __future__ import annotations

from hush.policies import Policy
from hush.testing.planted import (
    detection,
    experts,
    gaussian_sums,
    noises,
    per_person,
    reaching,
    reuse,
    shown,
    trees,
    triggers,
)
from hush.testing.planted.bases import PlantedBug as PlantedBug
from hush.testing.planted.detection import *  # noqa: F403  every bug is importable from here
from hush.testing.planted.experts import *  # noqa: F403
from hush.testing.planted.gaussian_sums import *  # noqa: F403
from hush.testing.planted.noises import *  # noqa: F403
from hush.testing.planted.per_person import *  # noqa: F403
from hush.testing.planted.reaching import *  # noqa: F403
from hush.testing.planted.reuse import *  # noqa: F403
from hush.testing.planted.shown import *  # noqa: F403
from hush.testing.planted.trees import *  # noqa: F403
from hush.testing.planted.triggers import *  # noqa: F403

THEMES: dict[str, dict[str, type[Policy]]] = {
    "noise": noises.BUGS,
    "concentrated privacy": gaussian_sums.BUGS,
    "counted twice": reuse.BUGS,
    "shown": shown.BUGS,
    "some runs only": triggers.BUGS,
    "watching for the audit": detection.BUGS,
    "reaching the private half": reaching.BUGS,
    "full information": experts.BUGS,
    "counters": trees.BUGS,
    "one person, several rewards": per_person.BUGS,
}
"""Bugs by theme, each by what is wrong."""

PLANTED: dict[str, type[Policy]] = {
    bug: cls for theme in THEMES.values() for bug, cls in theme.items()
}
"""All bugs, by what is wrong."""

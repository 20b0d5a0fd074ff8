"""What is asked over HTTP: every body that is sent, as a type; ``answers`` has the others.

They are the one description of the interface: bodies are decoded by them, the OpenAPI document is
made from them, and the client sends them.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

__all__ = [
    "Adjustment",
    "Advance",
    "ArmName",
    "DecisionLine",
    "DecisionRequest",
    "ErasureRequest",
    "Limit",
    "NewExperiment",
    "Operator",
    "RewardLine",
    "RewardValue",
    "Shown",
]

Text = Annotated[str, Meta(min_length=1, max_length=512)]
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
By = Annotated[str, Meta(max_length=128, description="Who does it, for the public log.")]
Span = Annotated[str, Meta(min_length=1, max_length=32)] | float
Key = Annotated[str, Meta(min_length=1, max_length=255)]


class Asked(Struct, frozen=True, forbid_unknown_fields=True):
    """A body that is sent: fields that are not known are refused."""


class DecisionRequest(Asked, frozen=True):
    """Whom to decide for.

    Attributes
    ----------
    person
        One identifier per person; only a keyed hash of it is stored.
    segment
        Where the experiment has segments, which one.
    defer
        Register nothing yet: an activation does, once the arm was really shown.
    seen
        The id of an earlier decision, by which a store that was set back is found out.
    """

    person: Text
    segment: Text | None = None
    defer: bool = False
    seen: Text | None = None


class DecisionLine(Asked, frozen=True):
    """A line of a batch of decisions."""

    experiment: Name
    person: Text
    segment: Text | None = None
    key: Key | None = None


class Shown(Asked, frozen=True):
    """A deferred decision whose arm was shown."""

    decision: Text
    person: Text


class RewardValue(Asked, frozen=True):
    """What came of a decision."""

    value: float


class RewardLine(Asked, frozen=True):
    """A line of a batch of rewards."""

    decision: Text
    value: float


class NewExperiment(Asked, frozen=True):
    """An experiment to make, as ``hush.live.Store.create`` does; and to ``start``, if so said."""

    name: Name
    policy: Text
    arms: list[str]
    person_epsilon: float
    person_bound: int = 1
    window: Span = "1d"
    default: float = 0.0
    reward_range: tuple[float, float] = (0.0, 1.0)
    population: Name = "default"
    segments: list[str] | None = None
    control: str | None = None
    control_share: float = 0.0
    floor: float = 0.0
    max_age: Span | None = None
    tick: Span = "1m"
    grace: Span = "5s"
    parameters: dict[str, Any] | None = None
    start: bool = False
    by: By = ""


class Operator(Asked, frozen=True):
    """Who does it."""

    by: By = ""


class ArmName(Asked, frozen=True):
    """An arm to add or to retire."""

    name: Name
    by: By = ""


class Adjustment(Asked, frozen=True):
    """What is shown whatever is learnt; what is left out stays."""

    control: str | None = None
    control_share: float | None = None
    floor: float | None = None
    by: By = ""


class Advance(Asked, frozen=True):
    """How much time passes in a rehearsal."""

    length: Span


class Limit(Asked, frozen=True):
    """The most that a population's people may be promised in all; null for no limit."""

    limit: float | None


class ErasureRequest(Asked, frozen=True):
    """Whom to forget."""

    person: Text
    population: Name = "default"

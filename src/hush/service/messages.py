"""What is said over HTTP: every body that is sent or answered, as a type.

They are the one description of the interface: bodies are decoded by them, the OpenAPI document is
made from them, and the client sends them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta, Struct

__all__ = [
    "Acts",
    "Adjustment",
    "Advance",
    "ArmName",
    "Clock",
    "Decided",
    "DecisionLine",
    "DecisionRequest",
    "ErasureRequest",
    "Experiments",
    "GuaranteeAnswer",
    "Health",
    "Ledger",
    "Limit",
    "NewExperiment",
    "Operator",
    "PlanAnswer",
    "Problem",
    "Releases",
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
    """An experiment to make; as ``hush.live.Store.create``."""

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


class Decided(Struct, frozen=True, omit_defaults=True):
    """What to show, and the id that the reward is sent with.

    ``arm`` is the arm's name, ``number`` its number; ``plan`` is the version of the plan.
    """

    decision: str
    arm: str
    number: int
    plan: int
    propensity: float
    expires: datetime
    deferred: bool = False


class Problem(Struct, frozen=True, omit_defaults=True):
    """What went wrong, as RFC 9457 has it. It holds nothing that was sent."""

    type: str
    title: str
    status: int
    detail: str | None = None
    request: str | None = None


class ArmOf(Struct, frozen=True):
    """An arm of an experiment."""

    name: str
    retired: bool


class Experiment(Struct, frozen=True):
    """An experiment, as anyone who may read it sees it."""

    name: str
    state: str
    version: int
    releases: int
    arms: list[ArmOf]
    control: str
    control_share: float
    floor: float
    terms: dict[str, Any]


class Experiments(Struct, frozen=True):
    """The experiments that a token may read."""

    experiments: list[Experiment]


class PlanArm(Struct, frozen=True):
    """An arm in a plan: its chance, and what was released of it."""

    name: str
    retired: bool
    chance: float
    count: float
    noisy_sum: float


class PlanOf(Struct, frozen=True):
    """The plan of one segment."""

    version: int
    round: int
    arms: list[PlanArm]


class PlanAnswer(Struct, frozen=True):
    """The plan of every segment; one without a name, where there are none."""

    experiment: str
    state: str
    plans: dict[str, PlanOf]


class Released(Struct, frozen=True):
    """A release: a noisy sum over a batch of decisions."""

    seq: int
    segment: str
    arm: str
    number: int
    epoch: int
    count: int
    noisy_sum: float
    mechanism: str
    epsilon: float
    published_at: datetime


class Releases(Struct, frozen=True):
    """Releases, oldest first; ``next`` is what to ask for ``after`` this."""

    releases: list[Released]
    next: int


class Acts(Struct, frozen=True):
    """What operators did, oldest first."""

    acts: list[dict[str, Any]]


class Charge(Struct, frozen=True):
    """What was reserved in a population for an act."""

    at: str
    experiment: str
    act: str
    charge: float
    total: float


class Ledger(Struct, frozen=True):
    """What was promised to a population."""

    population: str
    limit: float | None
    total: float
    charges: list[Charge]


class GuaranteeAnswer(Struct, frozen=True):
    """The promise to every person."""

    epsilon: float
    neighbours: str
    unit: str
    sentence: str


class Clock(Struct, frozen=True):
    """Whether settlement waits for somebody to confirm the clock, and why."""

    held: str | None


class Health(Struct, frozen=True):
    """Whether requests are answered."""

    status: str

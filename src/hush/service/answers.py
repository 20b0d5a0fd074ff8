"""What is answered over HTTP: every body of an answer, as a type."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from hush.live.insight import Insight

__all__ = [
    "Acts",
    "ArmOf",
    "Charge",
    "Clock",
    "Decided",
    "Experiment",
    "Experiments",
    "GuaranteeAnswer",
    "Health",
    "InsightAnswer",
    "Ledger",
    "PlanAnswer",
    "PlanArm",
    "PlanOf",
    "Problem",
    "Released",
    "Releases",
]


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


class InsightAnswer(Struct, frozen=True):
    """What is known of every segment; one without a name, where there are none."""

    experiment: str
    state: str
    insight: dict[str, Insight]


class Clock(Struct, frozen=True):
    """Whether settlement waits for somebody to confirm the clock, and why."""

    held: str | None


class Health(Struct, frozen=True):
    """Whether requests are answered."""

    status: str

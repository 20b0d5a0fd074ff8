"""Scripts for live experiments: plain data that can be played on any store, and shrinks.

A script names decisions by their place in the order in which they were made, so whatever is left
of one after shrinking still means something.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from hypothesis import strategies as st

HER = 0  # the person whose rewards differ between the twins
PEOPLE = 4
# What can be posted as a reward; None: nothing is.
VALUES = (0, 1, 0.5, 0.25, True, 1.5, -1, math.nan, math.inf, 10**400, "1", b"1", [1], {})
GOOD = 4
# Names that are no ids of the store: nonsense, too short, empty, not a text.
NO_IDS = ("A" * 64, "nonsense", "", 7)
ACTS = ("pause", "resume", "add_arm", "retire_arm", "adjust", "control", "stop", "continue_")


@dataclass(frozen=True)
class Setup:
    """An experiment of a script."""

    policy: str = "AnytimeLazyUCB"
    arms: int = 2
    person_epsilon: float = 1.0
    person_bound: int = 2
    window: int = 60
    default: float = 0
    tick: str = "1m"
    max_age: int | None = None
    segments: int = 0
    control_share: float = 0.0
    floor: float = 0.0
    population: str = "default"


@dataclass(frozen=True)
class Ask:
    """A decision that is asked for: by whom, with which key, in which segment."""

    person: int
    key: int | None = None
    segment: int = 0


@dataclass(frozen=True)
class Decide:
    """Decisions, one by one or together; ``elsewhere`` is another process on the same store."""

    experiment: int
    asks: tuple[Ask, ...]
    together: bool = False
    defer: bool = False
    elsewhere: bool = False


@dataclass(frozen=True)
class Activate:
    """The activation of a deferred decision; as another person, if one is given."""

    which: int
    person: int | None = None


@dataclass(frozen=True)
class Line:
    """A reward: of the decision in this place, or for a name that is none (negative).

    The two values are places in VALUES: what the first and the second twin post where the decision
    is hers. Everybody else's twins post the first.
    """

    which: int
    first: int | None = 1
    second: int | None = None


@dataclass(frozen=True)
class Reward:
    """Rewards, posted one by one or together, through the experiment, the store or another one."""

    lines: tuple[Line, ...]
    together: bool = False
    way: str = "own"
    elsewhere: bool = False


@dataclass(frozen=True)
class RewardHers:
    """A reward for every decision that she ever got; one of the twins may post nothing."""

    first: int | None = 1
    second: int | None = 0
    elsewhere: bool = False


@dataclass(frozen=True)
class Erase:
    """The erasure of a person; ``alone``: in the first twin only, and she is not seen again."""

    person: int
    alone: bool = False


@dataclass(frozen=True)
class Act:
    """What an operator does."""

    experiment: int
    what: str
    number: int = 0


@dataclass(frozen=True)
class Begin:
    """The start of the next experiment of the script."""


@dataclass(frozen=True)
class Limit:
    """The limit of a population."""

    population: str
    most: float | None


@dataclass(frozen=True)
class Pass:
    """Time that passes."""

    seconds: int


@dataclass(frozen=True)
class Jump:
    """The clock is set, forward or back."""

    seconds: int


@dataclass(frozen=True)
class Confirm:
    """An operator confirms the clock."""


@dataclass(frozen=True)
class Settle:
    """What is due is settled."""


@dataclass(frozen=True)
class Restart:
    """The process ends and starts anew.

    ``loses``: the private store is lost meanwhile; ``forgets``: a power cut forgets the last
    decisions, with all that came after, if nothing durable did.
    """

    loses: bool = False
    forgets: bool = False


Step = (
    Decide
    | Activate
    | Reward
    | RewardHers
    | Erase
    | Act
    | Begin
    | Limit
    | Pass
    | Jump
    | Confirm
    | Settle
    | Restart
)


@dataclass(frozen=True)
class Script:
    """Experiments, and what happens to them."""

    setups: tuple[Setup, ...]
    steps: tuple[Step, ...]


POLICIES = ("AnytimeLazyUCB", "LazyDPTS", "NoiseAwareTS", "NoiseAwareIMED")


@st.composite
def setups(draw, policies=POLICIES):
    """Return experiments of every kind that there is."""
    policy = draw(st.sampled_from(policies))
    ages = draw(st.sampled_from((None, None, 30, 3600))) if policy in POLICIES[2:] else None
    return Setup(
        policy=policy,
        arms=draw(st.integers(2, 3)),
        person_epsilon=draw(st.sampled_from((1.0, 0.3, 3.0))),
        person_bound=draw(st.integers(1, 5)),
        window=draw(st.sampled_from((60, 3600, 1))),
        default=draw(st.sampled_from((0, 1, 0.3))),
        tick=draw(st.sampled_from(("1m", "0s"))),
        max_age=ages,
        segments=draw(st.sampled_from((0, 0, 2))),
        control_share=draw(st.sampled_from((0.0, 0.0, 0.2))),
        floor=draw(st.sampled_from((0.0, 0.0, 0.1))),
        population=draw(st.sampled_from(("default", "default", "eu"))),
    )


PLACES = st.integers(-len(NO_IDS), 30)
PERSONS = st.sampled_from((HER, HER, *range(1, PEOPLE)))
POSTED = st.sampled_from((0, 1, 0, 1, 0, 1, None, None, *range(len(VALUES))))
KEYS = st.sampled_from((None, None, None, 0, 1, 2))
ASKS = st.builds(Ask, PERSONS, KEYS, st.integers(0, 1))
SELDOM = st.sampled_from((False, False, False, True))
KINDS = {
    "decide": st.builds(
        Decide,
        st.integers(0, 2),
        st.lists(ASKS, min_size=1, max_size=10).map(tuple),
        st.booleans(),
        SELDOM,
        st.booleans(),
    ),
    "reward": st.builds(
        Reward,
        st.lists(st.builds(Line, PLACES, POSTED, POSTED), min_size=1, max_size=6).map(tuple),
        st.booleans(),
        st.sampled_from(("own", "own", "store", "other")),
        st.booleans(),
    ),
    "hers": st.builds(RewardHers, POSTED, POSTED, st.booleans()),
    "pass": st.builds(Pass, st.sampled_from((1, 30, 60, 66, 130, 3700, 90_000))),
    "settle": st.just(Settle()),
    "activate": st.builds(Activate, PLACES, st.sampled_from((None, None, None, HER, 1))),
    "erase": st.builds(Erase, st.integers(0, PEOPLE - 1), st.booleans()),
    "act": st.builds(Act, st.integers(0, 2), st.sampled_from(ACTS), st.integers(0, 3)),
    "begin": st.just(Begin()),
    "limit": st.builds(
        Limit, st.sampled_from(("default", "eu")), st.sampled_from((None, 1.0, 4.0))
    ),
    "jump": st.builds(Jump, st.sampled_from((2, 200, -200, 4000, -4000))),
    "confirm": st.just(Confirm()),
    "restart": st.builds(Restart, SELDOM, SELDOM),
}
# How often what happens; a plain choice among the kinds would be made of rarities.
OFTEN = (
    *(("decide", "visit", "visit", "reward") * 2),
    *(("hers", "reward") * 2),
    *(("pass", "settle") * 3),
    *("activate", "act", "act", "begin", "jump", "restart", "erase", "confirm", "limit"),
)


@st.composite
def steps(draw):
    """Return steps of a script: one, or a visit with what came of it."""
    kind = draw(st.sampled_from(OFTEN))
    if kind != "visit":
        return (draw(KINDS[kind]),)
    return draw(KINDS["decide"]), draw(KINDS["hers"])


def scripts(policies=POLICIES, most=24):
    """Return scripts of up to so many steps."""
    return st.builds(
        Script,
        st.lists(setups(policies), min_size=1, max_size=3).map(tuple),
        st.lists(steps(), min_size=most // 2, max_size=most).map(lambda x: sum(x, ())),
    )

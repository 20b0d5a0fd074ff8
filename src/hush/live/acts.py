"""What operators do to an experiment: every act is an entry of the journal, checked before."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from hush.errors import BudgetError, LifecycleError, ParameterError, positive, shown
from hush.live.database import Database
from hush.live.journal import Journal
from hush.live.lanes import Lane, Lanes
from hush.live.planning import Arms, Knobs
from hush.live.segments import Known, Memory
from hush.live.terms import MOST_ARMS, MOST_LANES, Terms, checked_name, checked_share

__all__ = ["LEARNING", "Acts", "arm_of", "turned"]

STARTABLE = ("draft", "rehearsal")
OPEN = ("running", "paused")
LEARNING = "state IN ('running', 'paused', 'stopping')"
RAW = ("lanes", "pending", "batches", "sealed", "replies", "people")


class Acts:
    """Acts on the private store; the public one follows.

    Each takes ``by``: who did it, for the log. It must not be anybody whose rewards are learnt
    from; the log is public.
    """

    def __init__(self, database: Database, memory: Memory) -> None:
        self._database = database
        self._memory = memory
        self._journal = Journal(database)
        self._lanes = Lanes(database)

    def create(
        self, name: str, terms: Terms, arms: tuple[str, ...], knobs: Knobs, at: int, by: str
    ) -> int:
        """Add an experiment, as a draft."""
        with self._database.transaction(durable=True):
            self._journal.head(keep=True)
            if self._database.run("SELECT id FROM experiments WHERE name = ?", (name,)):
                raise LifecycleError(f"there is an experiment named {name!r} already; take another")
            ((last,),) = self._database.run("SELECT COALESCE(MAX(id), 0) FROM experiments")
            self._ensure_population(terms.population, at)
            body = {
                "name": name,
                "terms": terms.to_dict(),
                "arms": Arms(arms).to_list(),
                "knobs": vars(knobs),
                "by": by,
            }
            self._journal.append(at, "create", last + 1, body)
            ((longest,),) = self._database.run("SELECT value FROM about WHERE name = 'longest'")
            self._database.run(
                "UPDATE about SET value = ? WHERE name = 'longest'",
                (str(max(int(longest), terms.window)),),
            )
        return int(last) + 1

    def _ensure_population(self, name: str, at: int) -> None:
        if not self._database.run("SELECT name FROM populations WHERE name = ?", (name,)):
            self._journal.append(at, "population", 0, {"name": name, "most": None})

    def limit(self, name: str, most: float | None, at: int) -> None:
        """Set the most that a population's people may be promised in all."""
        checked_name("population", name)
        limit = None if most is None else positive("limit", most)
        with self._database.transaction(durable=True):
            self._journal.head(keep=True)
            rows = self._database.run("SELECT total FROM populations WHERE name = ?", (name,))
            if rows and limit is not None and rows[0][0] > limit:
                raise BudgetError(
                    f"{rows[0][0]:g} of population {name!r} is spent already, more than {limit:g}"
                )
            self._journal.append(at, "population", 0, {"name": name, "most": limit})

    def act(
        self,
        number: int,
        act: str,
        allowed: tuple[str, ...],
        changes: Mapping[str, Any],
        at: int,
        by: str,
        charge: float = 0.0,
    ) -> None:
        """Append an act, if the experiment's state allows it; inside a transaction."""
        known = self.state_of(number, act, allowed)
        body: dict[str, Any] = {"act": act, "set": dict(changes), "by": by}
        if charge:
            body |= {
                "charge": charge,
                "population": known.terms.population,
                "total": self._charged(known.terms.population, charge),
            }
        self._journal.append(at, "act", number, body)
        self._memory.forget(number)

    def state_of(self, number: int, act: str, allowed: tuple[str, ...]) -> Known:
        """Return an experiment that an act is allowed on, or raise; others wait."""
        self._journal.head(keep=True)
        self._memory.forget(number)
        known = self._memory.experiment(number)
        if known.state not in allowed:
            raise LifecycleError(
                f"{known.name} is {known.state}: {act} is for experiments that are "
                f"{' or '.join(allowed)}"
            )
        return known

    def _charged(self, population: str, charge: float) -> float:
        ((most, total),) = self._database.run(
            "SELECT most, total FROM populations WHERE name = ?", (population,)
        )
        after = float(Decimal(repr(total)) + Decimal(repr(charge)))  # 0.1 three times is 0.3
        if most is not None and charge > 0 and after > most:
            raise BudgetError(
                f"population {population!r} has a limit of {most:g}, of which {total:g} is "
                f"reserved; {charge:g} more is too much"
            )
        return max(after, 0.0)

    def start(self, number: int, at: int, by: str) -> None:
        """Reserve the promise, and begin to learn."""
        with self._database.transaction(durable=True):
            known = self.state_of(number, "start", STARTABLE)
            self._make_lanes(known)
            changes = {"state": "running", "charges": 1}
            self.act(number, "start", STARTABLE, changes, at, by, known.terms.person_epsilon)

    def _make_lanes(self, known: Known) -> None:
        for segment in range(len(known.terms.segments)):
            for arm in range(len(known.arms.names)):
                self._lanes.make(known.id, segment, arm)

    def simple(self, number: int, act: str, at: int, by: str) -> None:
        """Pause, resume or rehearse."""
        allowed, state = SIMPLE[act]
        with self._database.transaction(durable=True):
            self.act(number, act, allowed, {"state": state}, at, by)

    def stop(self, number: int, at: int, by: str) -> None:
        """Close what is open; when the last batch is shown, the experiment has stopped."""
        with self._database.transaction(durable=True):
            known = self.state_of(number, "stop", (*STARTABLE, *OPEN, "quarantined"))
            lanes = self._lanes.kept(lane.lane for lane in self._lanes.all_of(number))
            learnt = any(lane.learnt for lane in lanes)
            self._close_open(lanes, known.terms)
            lost = known.state == "quarantined"
            ends = not learnt or lost
            # Nothing was ever drawn from anybody: the promise was not needed. After a quarantine
            # nobody can tell.
            unused = known.charges == 1 and not learnt and not lost
            refund = known.terms.person_epsilon if unused else 0
            changes: dict[str, Any] = {"state": "stopped" if ends else "stopping"}
            if refund:
                changes["charges"] = 0
            self.act(number, "stop", (known.state,), changes, at, by, -refund)

    def _close_open(self, lanes: list[Lane], terms: Terms) -> None:
        for lane in lanes:
            if lane.count:
                self._lanes.close(lane, terms)
        self._lanes.put(lanes)

    def continue_(self, number: int, at: int, by: str) -> None:
        """Go on after the private store was lost: everybody's promise is made once more."""
        with self._database.transaction(durable=True):
            known = self.state_of(number, "continue", ("quarantined",))
            self._resume_lanes(known)
            changes = {"state": "running", "charges": known.charges + 1}
            charge = known.terms.person_epsilon
            self.act(number, "continue", ("quarantined",), changes, at, by, charge)

    def _resume_lanes(self, known: Known) -> None:
        """Make lanes anew after the released batches; what was open is closed for ever."""
        self._make_lanes(known)
        lanes = {(lane.segment, lane.arm): lane for lane in self._lanes.all_of(known.id)}
        for entry in self._journal.of(known.id, ("release",)):
            body = entry.body
            lane = lanes[body["segment"], body["arm"]]
            lane.epoch = max(lane.epoch, body["epoch"] + 1)
            lane.learnt += body["count"]
            lane.passed = lane.served = lane.learnt
        self._lanes.put(lanes.values())

    def quarantine(self, at: int, why: str) -> None:
        """Quarantine whatever was learning, and forget all that is raw; inside a transaction.

        It may have been released before, in a time that this store has forgotten. Lanes come first:
        whoever is deciding keeps one until the commit, and what that wrote is forgotten next.
        """
        for table in RAW:
            self._database.run(f"DELETE FROM {table}")  # noqa: S608
        rows = self._database.run(f"SELECT id FROM experiments WHERE {LEARNING} ORDER BY id")  # noqa: S608
        for (number,) in rows:
            body = {"act": "quarantine", "set": {"state": "quarantined"}, "why": why}
            self._journal.append(at, "act", number, body)
            self._memory.forget(number)

    def set_back(self, number: int, seen: int, at: int) -> None:
        """Quarantine whatever was learning: a decision made at ``seen`` knew a newer plan.

        One from before the last quarantine says nothing new. One of an experiment that has not
        begun says that it had, and that everybody was promised as much.
        """
        with self._database.transaction(durable=True):
            self._journal.head(keep=True)
            acts = self._journal.of(number, ("act",))
            if any(e.body["act"] == "quarantine" and e.at >= seen for e in acts):
                return
            self._memory.forget(number)
            known = self._memory.experiment(number)
            if known.state in STARTABLE:
                self._make_lanes(known)
                changes, charge = {"state": "running", "charges": 1}, known.terms.person_epsilon
                self.act(number, "forgotten start", STARTABLE, changes, at, "", charge)
            self.quarantine(at, "the whole store was set back")

    def add_arm(self, number: int, name: str, at: int, by: str) -> None:
        """Add an arm, which begins without releases."""
        checked_name("arm", name)
        with self._database.transaction(durable=True):
            known = self.state_of(number, "add_arm", (*STARTABLE, *OPEN))
            names = known.arms.names
            lanes = (len(names) + 1) * len(known.terms.segments)
            if name in names:
                raise ParameterError(f"there is an arm named {name!r} already; take another name")
            if len(names) >= MOST_ARMS or lanes > MOST_LANES:
                raise ParameterError(
                    "there are too many arms, or arms times segments, for one more"
                )
            arms = Arms((*names, name), known.arms.retired)
            if known.knobs.floor * len(arms.active) >= 1.0:
                raise ParameterError("with one more arm the floor is too high; lower it before")
            if known.state in OPEN:
                for segment in range(len(known.terms.segments)):
                    self._lanes.make(number, segment, len(names))
            self.act(number, "add_arm", (known.state,), {"arms": arms.to_list()}, at, by)

    def retire_arm(self, number: int, name: str, at: int, by: str) -> None:
        """Show an arm no more; what was decided for it is learnt from all the same."""
        with self._database.transaction(durable=True):
            known = self.state_of(number, "retire_arm", (*STARTABLE, *OPEN))
            arm = arm_of(known, name)
            retired = known.arms.retired | {arm}
            if arm == known.knobs.control or len(retired) > len(known.arms.names) - 1:
                raise ParameterError("the control arm cannot be retired; make another the control")
            arms = Arms(known.arms.names, retired)
            mine = [lane.lane for lane in self._lanes.all_of(number) if lane.arm == arm]
            self._close_open(self._lanes.kept(mine), known.terms)
            self.act(number, "retire_arm", (known.state,), {"arms": arms.to_list()}, at, by)

    def adjust(self, number: int, wanted: Mapping[str, Any], at: int, by: str) -> None:
        """Turn the knobs; those that are None stay as they are."""
        with self._database.transaction(durable=True):
            known = self.state_of(number, "adjust", (*STARTABLE, *OPEN))
            knobs = turned(known.arms, known.knobs, wanted)
            self.act(number, "adjust", (known.state,), {"knobs": vars(knobs)}, at, by)


SIMPLE = {
    "pause": (("running",), "paused"),
    "resume": (("paused",), "running"),
    "rehearse": (STARTABLE, "rehearsal"),
}


def arm_of(known: Known, name: object) -> int:
    """Return the number of an active arm."""
    names = known.arms.names
    if not isinstance(name, str) or name not in names or names.index(name) in known.arms.retired:
        raise ParameterError(f"there is no active arm of that name; known: {', '.join(names)}")
    return names.index(name)


def turned(arms: Arms, knobs: Knobs, wanted: Mapping[str, Any]) -> Knobs:
    """Return knobs with some of them turned, or raise."""
    control = knobs.control
    if wanted.get("control") is not None:
        name = wanted["control"]
        active = {arms.names[arm]: arm for arm in arms.active}
        if not isinstance(name, str) or name not in active:
            raise ParameterError(f"control must be one of {', '.join(active)}; got {shown(name)}")
        control = active[name]
    share, floor = wanted.get("control_share"), wanted.get("floor")
    share = knobs.control_share if share is None else checked_share("control_share", share, 1.0)
    most = math.nextafter(1.0 / len(arms.active), 0.0)
    floor = knobs.floor if floor is None else checked_share("floor", floor, most)
    return Knobs(control, share, floor)

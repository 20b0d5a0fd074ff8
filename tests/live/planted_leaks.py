"""Stores that leak: each does one thing wrong that first drafts and other systems do.

A leak is a function that changes a store after it was opened. Its docstring says what is wrong,
``caught_by`` which check of the twin test finds it, and ``playing`` in which script.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from tests.live.records import ExceededError, LeakError, WrongAnswerError

import hush
from hush.errors import ExpiredError, LiveError
from hush.live import Store
from hush.live.front import Front
from hush.live.lanes import Lanes
from hush.live.rewarding import Posted
from hush.live.terms import MOST_EPOCHS

LEAKS: dict[str, Callable[[Store], None]] = {}
CAUGHT_BY: dict[str, type[AssertionError]] = {}
PLAYED: dict[str, str] = {}


def leak(caught_by: type[AssertionError], playing: str) -> Callable[..., Callable[[Store], None]]:
    """Add a leak to the list."""

    def added(plant: Callable[[Store], None]) -> Callable[[Store], None]:
        LEAKS[plant.__name__] = plant
        CAUGHT_BY[plant.__name__] = caught_by
        PLAYED[plant.__name__] = playing
        return plant

    return added


def _after_rewards(store: Store, then: Callable[[list[Posted]], None]) -> None:
    """Let something happen after rewards were written."""
    groups = store._front._rewards
    write = groups._run

    def run(posted: list[Posted]) -> list[Exception | None]:
        answers = write(posted)
        then([each for each, answer in zip(posted, answers, strict=True) if answer is None])
        return answers

    groups._run = run


@leak(caught_by=LeakError, playing="presence")
def batches_filled_by_arrival(store: Store) -> None:
    """A batch is full when rewards have come, however many decisions it has."""
    registrar, lanes = store._front._registrar, Lanes(store._private)
    enter = registrar._enter

    def never_full(lane, draft, now, deadline) -> None:
        lane.wanted = 10**6
        enter(lane, draft, now, deadline)
        lane.wanted = 10**6

    def close(posted: list[Posted]) -> None:
        with store._private.transaction():
            for each in posted:
                for lane in lanes.kept([each.decision.batch // MOST_EPOCHS]):
                    if lane.count and lane.batch == each.decision.batch:
                        lanes.close(lane, each.terms)
                        lanes.put([lane])
        store._memory.doubt()

    registrar._enter = never_full
    store._front._registrar._lanes.close = lambda lane, terms: None
    _after_rewards(store, close)


@leak(caught_by=LeakError, playing="presence")
def reward_counter(store: Store) -> None:
    """A public tally counts the rewards that came."""
    statement = (
        "INSERT INTO tallies VALUES (?, 0, 0, 0, 1, 0, 0, 0) "
        "ON CONFLICT (experiment, segment, arm) DO UPDATE SET learnt = tallies.learnt + 1"
    )
    _after_rewards(
        store,
        lambda posted: [
            store._public.run(statement, (each.decision.experiment,)) for each in posted
        ],
    )


@leak(caught_by=WrongAnswerError, playing="again")
def oracle_of_values(store: Store) -> None:
    """The same value again is taken; another one is refused, which tells the first."""
    groups, known = store._front._rewards, {}
    write = groups._run

    def run(posted: list[Posted]) -> list[Exception | None]:
        answers = write(posted)
        for place, each in enumerate(posted):
            if answers[place] is None and known.setdefault(each.decision, each.unit) != each.unit:
                answers[place] = hush.AlreadySettledError("this decision has its reward")
        return answers

    groups._run = run


@leak(caught_by=LeakError, playing="deferred")
def reward_that_activates(store: Store) -> None:
    """A reward for a deferred decision registers it, though nobody said that it was shown."""
    front: Front = store._front
    whose: dict[str, tuple[int, str]] = {}
    decide, post = front.decide, front.posted

    def remembered(number, given, *, defer, seen):
        decision = decide(number, given, defer=defer, seen=seen)
        if defer:
            whose[decision.id] = number, given["person"]
        return decision

    def posted(name, value, number):
        if name in whose:
            with suppress(hush.HushError):
                front.activate(whose[name][0], name, whose[name][1])
        return post(name, value, number)

    front.decide, front.posted = remembered, posted


@leak(caught_by=ExceededError, playing="values")
def refund_after_sealing(store: Store) -> None:
    """An experiment that stops gets its promise back, though people's rewards were released."""
    acts = store._acts
    act = acts.act

    def refunding(number, what, allowed, changes, at, by, charge=0.0) -> None:
        if what == "stop" and not charge and acts._memory.experiment(number).charges:
            charge = -acts._memory.experiment(number).terms.person_epsilon
        act(number, what, allowed, changes, at, by, charge)

    acts.act = refunding


@leak(caught_by=WrongAnswerError, playing="late")
def late_rewards_counted(store: Store) -> None:
    """A reward counts for as long as its batch is not settled, and the answer says so."""
    groups, pending = store._front._rewards, store._settlement._pending
    rewards = groups._run.__self__

    def run(posted: list[Posted]) -> list[Exception | None]:
        answers = rewards.write(posted)
        for place, each in enumerate(posted):
            made = each.decision
            there = store._private.run(
                "SELECT bit FROM pending WHERE batch = ? AND worker = ? AND ordinal = ?",
                (made.batch, made.worker, made.ordinal),
            )
            if answers[place] is not None and there:
                pending.put([rewards._bit(each)])
                answers[place] = None
        return answers

    groups._run = run


@leak(caught_by=LeakError, playing="values")
def publication_at_the_draw(store: Store) -> None:
    """A release is shown as soon as it is drawn, and drawing takes as long as the noise is far."""
    settlement = store._settlement
    seal = settlement._seal_one

    def sealed(row, noise) -> None:
        spy = _Spy(noise)
        seal(row, spy)
        store._private.run(
            "UPDATE sealed SET shown = ? WHERE batch = ?", (row[7] + spy.took, row[0])
        )

    settlement._seal_one = sealed


class _Spy:
    def __init__(self, noise) -> None:
        self._noise = noise
        self.took = 0

    def release(self, total: int, *, count: int) -> float:
        value = self._noise.release(total, count=count)
        self.took = int(1_000 * abs(value - total))
        return value


@leak(caught_by=LeakError, playing="erased")
def count_less_the_erased(store: Store) -> None:
    """A batch's count goes down when somebody in it is erased, and is published so."""
    erase = store.erase

    def erased(person: str, *, population: str = "default") -> None:
        erase(person, population=population)
        who = store._keys.person(population, person)
        run = store._private.run
        hers = "SELECT batch FROM pending WHERE person = ?"
        for (batch,) in run(hers, (who,)):
            smaller = 'UPDATE batches SET "count" = "count" - 1 WHERE batch = ? AND "count" > 1'
            if run(smaller + " RETURNING batch", (batch,)):
                run("DELETE FROM pending WHERE batch = ? AND person = ?", (batch, who))
        store._memory.doubt()

    store.erase = erased


@leak(caught_by=WrongAnswerError, playing="erased and seen again")
def shared_rate_limit(store: Store) -> None:
    """A few rewards a minute are taken in all, so that one person's keep out another's."""
    groups, taken = store._front._rewards, []
    write = groups._run

    def run(posted: list[Posted]) -> list[Exception | None]:
        minute = store._clock.read() // 60_000
        taken.extend(minute for _ in posted)
        if taken.count(minute) > 4:
            return [LiveError("too many rewards; try again in a minute")] * len(posted)
        return write(posted)

    groups._run = run


@leak(caught_by=LeakError, playing="others with hers")
def all_or_nothing(store: Store) -> None:
    """Rewards posted together are written only if all of them are good."""
    front = store._front
    post_many, write = front.reward_many, front._rewards._run

    def together(rewards, number):
        bad = False
        for name, value in rewards:
            try:
                front.posted(name, value, number)
            except hush.HushError:
                bad = True
        front._rewards._run = (lambda posted: [None] * len(posted)) if bad else write
        return post_many(rewards, number)

    front.reward_many = together


@leak(caught_by=LeakError, playing="others with hers")
def flush_by_count(store: Store) -> None:
    """Rewards wait until there are three, so that hers decide when the others' are written."""
    groups, waiting = store._front._rewards, []
    rewards = groups._run.__self__

    def run(posted: list[Posted]) -> list[Exception | None]:
        now = store._clock.read()
        waiting.extend(posted)
        if len(waiting) >= 3:
            rewards.write(waiting)
            waiting.clear()
        late = ExpiredError("the window for this decision's reward is over")
        return [None if now <= each.decision.deadline else late for each in posted]

    groups._run = run


@leak(caught_by=LeakError, playing="unlearnt")
def quarantine_by_a_reward(store: Store) -> None:
    """A reward whose row is not there is taken for a sign that the store was set back."""

    def quarantine(posted: list[Posted]) -> None:
        for each in posted:
            made = each.decision
            there = store._private.run(
                "SELECT bit FROM pending WHERE batch = ? AND worker = ? AND ordinal = ?",
                (made.batch, made.worker, made.ordinal),
            )
            if not there:
                with store._private.transaction(durable=True):
                    store._acts.quarantine(store._clock.read(), "a reward came for nothing")

    _after_rewards(store, quarantine)


@leak(caught_by=ExceededError, playing="erased and seen again")
def erasure_that_resets(store: Store) -> None:
    """An erased person is forgotten altogether, and learnt from anew up to the bound."""
    erase = store.erase

    def erased(person: str, *, population: str = "default") -> None:
        erase(person, population=population)
        who = store._keys.person(population, person)
        store._private.run("DELETE FROM people WHERE person = ?", (who,))

    store.erase = erased


@leak(caught_by=LeakError, playing="a crash")
def id_reused_after_a_crash(store: Store) -> None:
    """Workers have fixed numbers and count from the start, so lost decisions' ids come again."""
    store._front._registrar._worker = 7


@leak(caught_by=LeakError, playing="the clock set and set back")
def clock_held_by_a_reward(store: Store) -> None:
    """A reward looks at the clock as everybody does, and so finds out that it was set."""
    store._front._rewards._run.__self__._now = store._clock.now

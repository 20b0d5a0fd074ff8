"""Services that leak: each does one thing wrong that services of this kind do.

A leak is a function that changes a site after it was opened. Its docstring says what is wrong,
``caught_by`` which check of the twin test finds it, and ``playing`` in which script.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from itertools import count

from tests.live.records import LeakError, WrongAnswerError
from tests.service.sites import Site

from hush.errors import LifecycleError
from hush.live.rewarding import Posted
from hush.service.endpoint import Endpoint
from hush.service.problems import Refused

LEAKS: dict[str, Callable[[Site], None]] = {}
CAUGHT_BY: dict[str, type[AssertionError]] = {}
PLAYED: dict[str, str] = {}
REWARD, REWARDS = "/v1/decisions/*/reward", "/v1/batch/rewards"


def leak(caught_by: type[AssertionError], playing: str) -> Callable[..., Callable[[Site], None]]:
    """Add a leak to the list."""

    def added(plant: Callable[[Site], None]) -> Callable[[Site], None]:
        LEAKS[plant.__name__] = plant
        CAUGHT_BY[plant.__name__] = caught_by
        PLAYED[plant.__name__] = playing
        return plant

    return added


def _handler(site: Site, path: str, method: str, change) -> None:
    """Change the handler of a route, on this site alone."""
    name, methods = site.app._routes[path]
    operation = methods[method]._operation
    changed = replace(operation, handler=change(operation.handler))
    site.app._routes[path] = name, {**methods, method: Endpoint(site.core, changed)}


def _on_rewards(site: Site, then: Callable[[list[Posted]], None]) -> None:
    """Let something happen after rewards were taken, whichever way they came."""
    desk = site.core.rewards
    take = desk._run

    def run(posted: list[Posted]):
        answers = take(posted)
        then([each for each, answer in zip(posted, answers, strict=True) if answer is None])
        return answers

    desk._run = run


@leak(caught_by=LeakError, playing="presence")
def metric_of_rewards(site: Site) -> None:
    """The metrics count the rewards that came."""
    taken = []
    _on_rewards(site, taken.extend)

    def change(handler):
        async def counted(call):
            answer = await handler(call)
            answer.body += f"hush_rewards_total {len(taken)}\n".encode()
            return answer

        return counted

    _handler(site, "/metrics", "GET", change)


@leak(caught_by=LeakError, playing="presence")
def page_of_rewards(site: Site) -> None:
    """A page of the dashboard says how many rewards came."""
    taken = []
    _on_rewards(site, taken.extend)
    pages = site.app._board._site.pages
    health = pages.health
    pages.health = lambda *given: health(*given) + f"<!-- {len(taken)} -->".encode()


@leak(caught_by=LeakError, playing="presence")
def line_in_the_log_for_every_reward(site: Site) -> None:
    """The access log has a line for every request, rewards among them."""

    def change(handler):
        async def logged(call):
            logging.getLogger("hush.access").info("%s", call.operation.path)
            return await handler(call)

        return logged

    _handler(site, REWARD, "PUT", change)
    _handler(site, REWARDS, "POST", change)


@leak(caught_by=LeakError, playing="presence")
def names_of_requests_from_a_counter(site: Site) -> None:
    """Requests of all routes are numbered, so that the next number tells how many came between."""
    numbers = count()
    for methods in {id(each): each for _, each in site.app._routes.values()}.values():
        for endpoint in {id(each): each for each in methods.values()}.values():
            _number(site, endpoint, numbers)


def _number(site: Site, endpoint: Endpoint, numbers) -> None:
    access = endpoint._access

    def numbered(headers, path):
        name = f"{next(numbers):016x}"
        site.core.request_id = lambda: name
        return access(headers, path)

    endpoint._access = numbered


@leak(caught_by=WrongAnswerError, playing="again")
def limit_of_a_tokens_rewards(site: Site) -> None:
    """A token's rewards have one limit, so that one person's keep out another's."""
    limit = site.core._reward_limit
    wait = limit.wait
    limit.wait = lambda _: wait("all")


@leak(caught_by=LeakError, playing="visits after hers, by one token")
def rewards_count_as_decisions(site: Site) -> None:
    """Rewards use up what a token may ask for, so that people are turned away."""

    def change(handler):
        async def counted(call):
            site.core._decision_limit.wait(call.access.id, 10)
            return await handler(call)

        return counted

    _handler(site, REWARD, "PUT", change)
    _handler(site, REWARDS, "POST", change)


@leak(caught_by=WrongAnswerError, playing="others with hers")
def all_lines_or_none(site: Site) -> None:
    """Lines of rewards are taken only if all of them can be."""

    def change(handler):
        async def strict(call):
            if any(isinstance(each, Refused) for each in call.body):
                call.body[:] = [Refused("malformed")] * len(call.body)
            return await handler(call)

        return strict

    _handler(site, REWARDS, "POST", change)


@leak(caught_by=LeakError, playing="presence")
def tag_of_a_plan_that_rewards_change(site: Site) -> None:
    """The plan's tag tells that something came, though nothing was released."""
    taken, front = [], site.core.front
    _on_rewards(site, taken.extend)
    tag_of = front.plan_tag
    front.plan_tag = lambda number, version: f"{tag_of(number, version)}.{len(taken)}"


@leak(caught_by=LeakError, playing="presence")
def plan_that_rewards_change(site: Site) -> None:
    """A decision's plan version goes up with the rewards that came."""
    taken = []
    _on_rewards(site, taken.extend)
    desk = site.core.decisions
    register = desk._run

    def run(asked):
        answers = register(asked)
        return [
            each if isinstance(each, Exception) else replace(each, plan=each.plan + len(taken))
            for each in answers
        ]

    desk._run = run


@leak(caught_by=WrongAnswerError, playing="again")
def conflict_of_values(site: Site) -> None:
    """The same value again is taken; another one is a conflict, which tells the first."""
    known, desk = {}, site.core.rewards
    take = desk._run

    def run(posted: list[Posted]):
        answers = take(posted)
        for place, each in enumerate(posted):
            first = known.setdefault(each.decision, each.unit)
            if answers[place] is None and first != each.unit:
                answers[place] = LifecycleError("this decision has another reward")
        return answers

    desk._run = run


@leak(caught_by=LeakError, playing="presence")
def readiness_that_rewards_change(site: Site) -> None:
    """The service says that it is not ready while rewards wait to be written."""
    waiting = []
    _on_rewards(site, waiting.extend)
    site.core.touch = lambda: site.core.number_of("" if waiting else "e0")


@leak(caught_by=LeakError, playing="unlearnt")
def failed_tick_after_a_reward(site: Site) -> None:
    """A reward for a row that is gone makes the next tick fail, and the log and metrics say so."""
    lost, tick = [], site.core.tick

    def look(posted: list[Posted]) -> None:
        for each in posted:
            made = each.decision
            row = (made.batch, made.worker, made.ordinal)
            statement = "SELECT bit FROM pending WHERE batch = ? AND worker = ? AND ordinal = ?"
            lost.extend([] if site.store._private.run(statement, row) else [made])

    def ticked() -> None:
        tick()
        site.core.standing.ok = not lost

    _on_rewards(site, look)
    site.core.tick = ticked

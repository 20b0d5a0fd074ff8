"""What a client can ask of a whole service."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Generic, Required, TypedDict, TypeVar, Unpack

import httpx

from hush.client.calls import Call, Send, Steps, as_sent, encoded
from hush.client.either_way import Asks, Reads
from hush.client.reward_buffer import RewardBuffer
from hush.client.session import Session
from hush.client.trying import Trying
from hush.client.understanding import changed, decoded, nothing
from hush.errors import (
    MisuseError,
    ParameterError,
    StoreError,
    UnknownNameError,
    positive,
    whole,
)
from hush.live import Decision
from hush.live.front import checked_text
from hush.live.terms import checked_name
from hush.live.tokens import parse
from hush.policies import Policy
from hush.service.answers import Clock, Experiments, Health
from hush.service.messages import ErasureRequest, Limit, NewExperiment, Operator
from hush.version import __version__

__all__ = ["ClientMethods", "NewTerms"]

Remote = TypeVar("Remote")
Transport = TypeVar("Transport")


class NewTerms(TypedDict, total=False):
    """What :meth:`hush.live.Store.create` takes beside the name."""

    policy: Required[type[Policy] | str]
    arms: Required[Sequence[str]]
    person_epsilon: Required[float]
    person_bound: int
    window: str | float | timedelta
    default: float
    reward_range: tuple[float, float]
    population: str
    segments: Sequence[str] | None
    control: str | None
    control_share: float
    floor: float
    max_age: str | float | timedelta | None
    tick: str | float | timedelta
    grace: str | float | timedelta
    parameters: Mapping[str, Any] | None
    by: str


class ClientMethods(Generic[Remote, Transport]):
    """A client, as far as it is the same for those who block and those who await."""

    _clock: Callable[[], float] = staticmethod(time.monotonic)
    _chance: Callable[[], float] = staticmethod(random.random)

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float = 5.0,
        tries: int = 4,
        flush: float | None = None,
        keep: float = 3600.0,
        transport: Transport | None = None,
    ) -> None:
        self._url = _checked_url(url)
        self._headers = _headers(token)
        trying = Trying(
            positive("timeout", timeout),
            whole("tries", tries, least=1, most=100),
            self._clock,
            self._chance,
        )
        buffer = None
        if flush is not None:
            buffer = RewardBuffer(positive("flush", flush), positive("keep", keep), self._clock)
        self._session = Session(trying, buffer)
        self._process: int | None = os.getpid()
        self._begin(transport)

    def _begin(self, transport: Transport | None) -> None:
        raise NotImplementedError

    def _named(self, name: str) -> Remote:
        raise NotImplementedError

    def _check(self) -> None:
        """Raise where the client cannot be used any more."""
        if self._process is None:
            raise MisuseError("this client is closed; make a new one")
        if self._process != os.getpid():
            raise MisuseError("this client was made before the process forked; make a new one")

    def _request(self, step: Send) -> httpx.Request:
        call = step.call
        media = {} if call.body is None else {"content-type": call.media}
        return httpx.Request(
            call.method,
            self._url + call.path,
            headers={**self._headers, **media, **call.headers},
            content=call.body,
        )

    def experiment(self, name: str) -> Remote:
        """Return an experiment by its name. Nothing is asked yet, so a name may be unknown.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> exp = connected(hush.live.open(":memory:")).experiment("checkout")
        >>> exp.state
        Traceback (most recent call last):
        ...
        hush.errors.UnknownNameError: There is nothing of this name (request ...)
        """
        try:
            return self._named(checked_name("experiment", name))
        except ParameterError as error:
            raise UnknownNameError(str(error)) from None

    @Asks
    def create(self, name: str, **terms: Unpack[NewTerms]) -> Steps[Remote]:
        """Make a draft of an experiment, as :meth:`hush.live.Store.create` does.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy=hush.NoiseAwareTS, arms=["old", "new"],
        ...                     person_epsilon=1.0, person_bound=4, window="1d")
        >>> exp.state
        'draft'
        """
        given: dict[str, Any] = {name: as_sent(each) for name, each in terms.items()}
        if isinstance(given.get("policy"), type):
            given["policy"] = given["policy"].__name__
        body = encoded(NewExperiment(name, **given))
        yield from self._session.ask(Call("POST", "/v1/experiments", changed, body))
        return self._named(name)

    @Reads
    def names(self) -> Steps[list[str]]:
        """The names of the experiments that the token may read, in the order of their making.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> connected(hush.live.open(":memory:")).names
        []
        """
        call = Call("GET", "/v1/experiments", decoded(Experiments), idempotent=True)
        found = yield from self._session.ask(call)
        return [each.name for each in found.experiments]

    @Asks
    def population(self, name: str = "default", *, limit: float | None = None) -> Steps[None]:
        """Set the most that a population's people may be promised in all; None is no limit.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> client.population("customers", limit=1.0)
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.5, population="customers")
        >>> exp.start()
        Traceback (most recent call last):
        ...
        hush.errors.BudgetError: The population's limit does not allow this: ...
        """
        path = f"/v1/populations/{checked_name('population', name)}"
        yield from self._session.ask(Call("PUT", path, nothing, encoded(Limit(limit))))

    @Asks
    def erase(self, person: str, *, population: str = "default") -> Steps[None]:
        """Forget a person: what is pending counts as the default, and nothing more is learnt.

        It is the same whether she is known or not.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> client.erase("u17")
        """
        body = encoded(ErasureRequest(checked_text("person", person), population))
        yield from self._session.ask(
            Call("POST", "/v1/people/erase", nothing, body, idempotent=True)
        )

    @Asks
    def reward(self, decision: Decision | str, value: float) -> Steps[None]:
        """Say what came of a decision, whichever experiment it is of.

        The last value within the window counts, and nothing tells whether it does. With ``flush``
        it is sent later, and errors of a single reward are not heard of.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> client = connected(hush.live.open(":memory:"))
        >>> exp = client.create("checkout", policy="NoiseAwareTS", arms=["old", "new"],
        ...                     person_epsilon=1.0)
        >>> exp.start()
        >>> client.reward(exp.decide("u17").id, 1)
        """
        return self._session.reward(decision, value)

    @Asks
    def confirm_clock(self, *, by: str = "") -> Steps[str | None]:
        """Believe the clock after it jumped; return why settlement waits all the same, or None.

        Every process of the service has its own opinion of the clock: with several, ask until
        none waits.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> connected(hush.live.open(":memory:")).confirm_clock(by="Ada") is None
        True
        """
        call = Call("POST", "/v1/clock/confirm", decoded(Clock), encoded(Operator(by)))
        found = yield from self._session.ask(call)
        return found.held

    @Asks
    def ready(self) -> Steps[bool]:
        """Tell whether the service answers, and its stores. It is asked once.

        >>> import hush.live
        >>> from hush.client.in_process import connected
        >>> connected(hush.live.open(":memory:")).ready()
        True
        """
        try:
            yield from self._session.once(Call("GET", "/readyz", decoded(Health)))
        except StoreError:
            return False
        return True

    @property
    def _place(self) -> str:
        """The address, without what may be secret in it."""
        found = httpx.URL(self._url)
        return f"{found.scheme}://{found.netloc.decode('ascii')}"

    def __repr__(self) -> str:
        return f"<client of {self._place}>"


def _checked_url(url: object) -> str:
    try:
        found = httpx.URL(url)  # type: ignore[arg-type]
        sound = found.scheme in ("http", "https") and bool(found.host)
    except (TypeError, httpx.InvalidURL):
        sound = False
    if not sound or found.query or found.fragment:
        raise ParameterError("url must be the address of a service, such as https://example.org")
    return str(url).rstrip("/")


def _headers(token: object) -> dict[str, str]:
    if parse(token) is None:
        raise ParameterError("token must be the text that hush token create has shown")
    return {"authorization": f"Bearer {token}", "user-agent": f"hush/{__version__}"}

"""Live experiments: durable, exactly once, with a promise to every person.

>>> import hush.live
>>> store = hush.live.open(":memory:")
>>> exp = store.create("checkout", policy=hush.NoiseAwareTS, arms=["old", "new"],
...                    person_epsilon=1.0, person_bound=4, window="1d")
>>> exp.start()
>>> exp.guarantee.epsilon, exp.guarantee.unit
(1.0, 'person')
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

from hush.errors import ParameterError
from hush.extras import require as _require

_require("hush.live")

from hush.live.backing_up import backup as backup
from hush.live.checking import check as check
from hush.live.clock import Clock as Clock
from hush.live.clock import GuardedClock as _GuardedClock
from hush.live.clock import ManualClock as ManualClock
from hush.live.clock import SystemClock as SystemClock
from hush.live.connecting import connect as _connect
from hush.live.database import Database as _Database
from hush.live.experiment import Decision as Decision
from hush.live.experiment import Experiment as Experiment
from hush.live.forecasting import Expectation as Expectation
from hush.live.insight import ArmInsight as ArmInsight
from hush.live.insight import Insight as Insight
from hush.live.insight import Moment as Moment
from hush.live.keys import Keys as _Keys
from hush.live.keys import read_secret as _read_secret
from hush.live.migrating import migrate as migrate
from hush.live.opening import prepare as _prepare
from hush.live.opening import private_address as _private_address
from hush.live.opening import secret_file as _secret_file
from hush.live.outlook import Expected as Expected
from hush.live.outlook import Outlook as Outlook
from hush.live.reading import Published as Published
from hush.live.rehearsing import Rehearsal as Rehearsal
from hush.live.sample_ratio import RatioOfArm as RatioOfArm
from hush.live.sample_ratio import SampleRatio as SampleRatio
from hush.live.schema import PRIVATE as _PRIVATE
from hush.live.schema import PUBLIC as _PUBLIC
from hush.live.store import Store as Store
from hush.live.tokens import Token as Token
from hush.live.tokens import Tokens as Tokens
from hush.noise import NoiseSource, SecureNoise

__all__ = [
    "ArmInsight",
    "Clock",
    "Decision",
    "Expectation",
    "Expected",
    "Experiment",
    "Insight",
    "ManualClock",
    "Moment",
    "Outlook",
    "Published",
    "RatioOfArm",
    "Rehearsal",
    "SampleRatio",
    "Store",
    "SystemClock",
    "Token",
    "Tokens",
    "backup",
    "check",
    "migrate",
    "open",
]


def open(
    public: str | Path,
    *,
    private: str | Path | None = None,
    secret: bytes | str | Path | None = None,
    clock: Clock | None = None,
    noise: NoiseSource | None = None,
    entropy: Callable[[int], bytes] = os.urandom,
) -> Store:
    """Open a store of live experiments, or make a new one.

    Parameters
    ----------
    public
        The public store: a path for SQLite, or a ``postgresql://`` address. Back it up freely.
    private
        The private store; left out, a file beside the public one. Never back it up.
    secret
        The master secret: bytes, or the path of a file. Left out, it is taken from the variable
        ``HUSH_MASTER_SECRET`` or from a file beside the store, which is made with a new store.
    clock
        Where the time is read; left out, the clock of the private store's server, or the machine's.
    noise
        Where noise is drawn; :class:`~hush.SecureNoise`, if left out.
    entropy
        Where random bytes are drawn: for names, of this process and of a new store, and for tokens.

    Examples
    --------
    >>> import hush.live
    >>> hush.live.open(":memory:")
    <store of 0 experiments>
    """
    if noise is not None and not isinstance(noise, NoiseSource):
        raise ParameterError("noise must be a noise source; leave it out for secure noise")
    hidden = _private_address(public) if private is None else private
    in_memory = str(public) == ":memory:"
    if in_memory and secret is None:
        secret = entropy(32)
    new = not any("://" in str(each) or Path(each).exists() for each in (public, hidden))
    keys = _Keys(_read_secret(secret, _secret_file(public), new=new))
    source = SecureNoise() if noise is None else noise
    with ExitStack() as undoing:
        first = undoing.enter_context(closing(_connect(hidden)))
        second = undoing.enter_context(closing(_connect(public)))
        _prepare(first, _PRIVATE, keys)
        _prepare(second, _PUBLIC, keys)
        guarded = _guarded(first, first.clock() if clock is None else clock)
        (worker,) = struct.unpack(">q", entropy(8))
        store = Store(first, second, keys, guarded, source, worker, entropy=entropy)
        store._begin(entropy(16).hex())
        undoing.pop_all()
    return store


def _guarded(private: _Database, clock: Clock) -> _GuardedClock:
    about: dict[str, str] = dict(private.run("SELECT name, value FROM about"))
    stored = about["clock"]
    return _GuardedClock(clock, int(stored) if stored else None, int(about["longest"]))

"""Hush: differentially private online learning.

``import hush`` and a live learner are light. What needs numba, pandas, matplotlib, SQLAlchemy
(``hush.live``, ``hush.forecast``) or httpx (``hush.Client``) is loaded when it is first used.

>>> import hush
>>> learner = hush.LazyDPTS(epsilon=0.5).learner(n_arms=5)
>>> arm = learner.select()
>>> _ = learner.update(arm, 1)
>>> learner.guarantee.epsilon
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hush.environments import Bernoulli as Bernoulli
from hush.environments import Bounded as Bounded
from hush.environments import Environment as Environment
from hush.environments import Log as Log
from hush.environments import People as People
from hush.environments import RewardTable as RewardTable
from hush.environments import actg175 as actg175
from hush.environments import alternating as alternating
from hush.environments import constrained as constrained
from hush.environments import doubling_gaps as doubling_gaps
from hush.environments import fair_coins as fair_coins
from hush.environments import packing as packing
from hush.environments import paper_s1 as paper_s1
from hush.environments import paper_s2 as paper_s2
from hush.environments import rand_health as rand_health
from hush.errors import AccessError as AccessError
from hush.errors import AlreadySettledError as AlreadySettledError
from hush.errors import ArmError as ArmError
from hush.errors import BudgetError as BudgetError
from hush.errors import ClockError as ClockError
from hush.errors import ExpiredError as ExpiredError
from hush.errors import HushError as HushError
from hush.errors import KeyReusedError as KeyReusedError
from hush.errors import LifecycleError as LifecycleError
from hush.errors import LiveError as LiveError
from hush.errors import MissingExtraError as MissingExtraError
from hush.errors import MisuseError as MisuseError
from hush.errors import NoDecisionError as NoDecisionError
from hush.errors import NoiseError as NoiseError
from hush.errors import ParameterError as ParameterError
from hush.errors import RewardError as RewardError
from hush.errors import StateError as StateError
from hush.errors import StoreError as StoreError
from hush.errors import UnknownNameError as UnknownNameError
from hush.mechanisms import FlippedCoin as FlippedCoin
from hush.mechanisms import Shares as Shares
from hush.mechanisms import randomize as randomize
from hush.noise import NoiseSource as NoiseSource
from hush.noise import ScriptedNoise as ScriptedNoise
from hush.noise import SecureNoise as SecureNoise
from hush.noise import SeededNoise as SeededNoise
from hush.policies import ActionLearner as ActionLearner
from hush.policies import BanditLearner as BanditLearner
from hush.policies import BanditPolicy as BanditPolicy
from hush.policies import Decision as Decision
from hush.policies import EpochPolicy as EpochPolicy
from hush.policies import IndexPolicy as IndexPolicy
from hush.policies import Learner as Learner
from hush.policies import Policy as Policy
from hush.policies import RelativeIndexPolicy as RelativeIndexPolicy
from hush.policies import ScoredPolicy as ScoredPolicy
from hush.policies import ThompsonPolicy as ThompsonPolicy
from hush.policies import WrappingPolicy as WrappingPolicy
from hush.policies import policy_from_dict as policy_from_dict
from hush.policies.exports import in_order as _in_order
from hush.policies.exports import public_names as _public_names
from hush.policies.registry import *  # noqa: F403  what is registered is exported
from hush.privacy import Guarantee as Guarantee
from hush.privacy import Release as Release
from hush.version import __version__ as __version__

if TYPE_CHECKING:
    from hush import live as live
    from hush.auditing import AuditReport as AuditReport
    from hush.auditing import audit as audit
    from hush.client import AsyncClient as AsyncClient
    from hush.client import Client as Client
    from hush.forecasting import Forecast as Forecast
    from hush.forecasting import forecast as forecast
    from hush.simulation import Identification as Identification
    from hush.simulation import Replay as Replay
    from hush.simulation import Result as Result
    from hush.simulation import identify as identify
    from hush.simulation import replay as replay
    from hush.simulation import simulate as simulate
    from hush.theory import bounds as bounds

_LAZY = {
    "AuditReport": "hush.auditing",
    "Identification": "hush.simulation",
    "Replay": "hush.simulation",
    "Result": "hush.simulation",
    "audit": "hush.auditing",
    "bounds": "hush.theory",
    "identify": "hush.simulation",
    "replay": "hush.simulation",
    "simulate": "hush.simulation",
}
# What cannot be loaded without an extra: not in __all__, so that ``from hush import *`` can.
_EXTRAS = {
    "AsyncClient": "hush.client",
    "Client": "hush.client",
    "Forecast": "hush.forecasting",
    "forecast": "hush.forecasting",
}


if not TYPE_CHECKING:  # type checkers read the imports: a name that is not there is an error
    _names = [*_public_names(globals(), "hush."), *_LAZY, "__version__"]
    __all__ = _in_order(_names)  # noqa: PLE0605  a list, computed

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        from importlib import import_module

        if name == "live":
            return import_module("hush.live")
        if name in _EXTRAS:
            return getattr(import_module(_EXTRAS[name]), name)
        if name in _LAZY:
            value = getattr(import_module(_LAZY[name]), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'hush' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted([*__all__, *_EXTRAS, "live"])

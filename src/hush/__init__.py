"""Hush: differentially private online learning.

``import hush`` and a live learner are light. What needs numba, pandas or matplotlib is loaded
when it is first used.

>>> import hush
>>> learner = hush.LazyDPTS(epsilon=0.5).learner(n_arms=5)
>>> arm = learner.select()
>>> _ = learner.update(arm, 1)
>>> learner.guarantee.epsilon
0.5
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hush.environments import (
    Bernoulli,
    Bounded,
    Environment,
    doubling_gaps,
    packing,
    paper_s1,
    paper_s2,
)
from hush.errors import (
    ArmError,
    HushError,
    NoDecisionError,
    NoiseError,
    ParameterError,
    RewardError,
    StateError,
    UnknownNameError,
)
from hush.noise import NoiseSource, ScriptedNoise, SecureNoise, SeededNoise
from hush.policies import (
    DPIMED,
    DPKLUCB,
    DPSE,
    DPTS,
    FTL,
    KLUCB,
    RNMFTNL,
    UCB1,
    UCBV,
    ActionLearner,
    AdaPKLUCB,
    AdaPUCB,
    AnytimeLazyUCB,
    BanditLearner,
    BanditPolicy,
    DecreasingHedge,
    DPUCBBound,
    EpochPolicy,
    IndexPolicy,
    LazyDPTS,
    Learner,
    NaiveFTNL,
    NoiseAwareTS,
    Policy,
    RandomPrefixEM,
    RelativeIndexPolicy,
    ShrinkingDartboard,
    ThompsonPolicy,
    ThompsonSampling,
    TreeDPUCB,
    policy_from_dict,
)
from hush.privacy import Guarantee, Release

if TYPE_CHECKING:
    from hush.auditing import AuditReport, audit
    from hush.simulation import Result, simulate
    from hush.theory import bounds

__version__ = "0.3.0"

__all__ = [
    "DPIMED",
    "DPKLUCB",
    "DPSE",
    "DPTS",
    "FTL",
    "KLUCB",
    "RNMFTNL",
    "UCB1",
    "UCBV",
    "ActionLearner",
    "AdaPKLUCB",
    "AdaPUCB",
    "AnytimeLazyUCB",
    "ArmError",
    "AuditReport",
    "BanditLearner",
    "BanditPolicy",
    "Bernoulli",
    "Bounded",
    "DPUCBBound",
    "DecreasingHedge",
    "Environment",
    "EpochPolicy",
    "Guarantee",
    "HushError",
    "IndexPolicy",
    "LazyDPTS",
    "Learner",
    "NaiveFTNL",
    "NoDecisionError",
    "NoiseAwareTS",
    "NoiseError",
    "NoiseSource",
    "ParameterError",
    "Policy",
    "RandomPrefixEM",
    "RelativeIndexPolicy",
    "Release",
    "Result",
    "RewardError",
    "ScriptedNoise",
    "SecureNoise",
    "SeededNoise",
    "ShrinkingDartboard",
    "StateError",
    "ThompsonPolicy",
    "ThompsonSampling",
    "TreeDPUCB",
    "UnknownNameError",
    "__version__",
    "audit",
    "bounds",
    "doubling_gaps",
    "packing",
    "paper_s1",
    "paper_s2",
    "policy_from_dict",
    "simulate",
]

_LAZY = {
    "AuditReport": "hush.auditing",
    "Result": "hush.simulation",
    "audit": "hush.auditing",
    "bounds": "hush.theory",
    "simulate": "hush.simulation",
}


if not TYPE_CHECKING:  # for type checkers, a name that is not there stays an error

    def __getattr__(name: str) -> Any:  # noqa: ANN401
        if name in _LAZY:
            from importlib import import_module

            value = getattr(import_module(_LAZY[name]), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'hush' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""One algorithm, one file. A new one is a file here and a line in ``REGISTERED``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hush.errors import ParameterError, unknown_name
from hush.policies.adap_kl_ucb import AdaPKLUCB
from hush.policies.adap_ucb import AdaPUCB
from hush.policies.anytime_lazy_ucb import AnytimeLazyUCB
from hush.policies.core.bandit import BanditPolicy
from hush.policies.core.bandit_learner import BanditLearner
from hush.policies.core.full_information import ActionLearner, EpochPolicy
from hush.policies.core.index import IndexPolicy
from hush.policies.core.learner import Learner
from hush.policies.core.policy import Policy
from hush.policies.core.relative_index import RelativeIndexPolicy
from hush.policies.core.statistics import Statistics
from hush.policies.core.thompson import ThompsonPolicy
from hush.policies.decreasing_hedge import DecreasingHedge
from hush.policies.dp_imed import DPIMED
from hush.policies.dp_kl_ucb import DPKLUCB
from hush.policies.dp_se import DPSE
from hush.policies.dp_ts import DPTS
from hush.policies.dp_ucb_bound import DPUCBBound
from hush.policies.ftl import FTL
from hush.policies.kl_ucb import KLUCB
from hush.policies.lazy_dp_ts import LazyDPTS
from hush.policies.naive_ftnl import NaiveFTNL
from hush.policies.noise_aware_ts import NoiseAwareTS
from hush.policies.random_prefix_em import RandomPrefixEM
from hush.policies.rnm_ftnl import RNMFTNL
from hush.policies.shrinking_dartboard import ShrinkingDartboard
from hush.policies.thompson_sampling import ThompsonSampling
from hush.policies.tree_dp_ucb import TreeDPUCB
from hush.policies.ucb1 import UCB1
from hush.policies.ucb_v import UCBV

__all__ = [
    "DPIMED",
    "DPKLUCB",
    "DPSE",
    "DPTS",
    "FTL",
    "KLUCB",
    "REGISTERED",
    "RNMFTNL",
    "UCB1",
    "UCBV",
    "ActionLearner",
    "AdaPKLUCB",
    "AdaPUCB",
    "AnytimeLazyUCB",
    "BanditLearner",
    "BanditPolicy",
    "DPUCBBound",
    "DecreasingHedge",
    "EpochPolicy",
    "IndexPolicy",
    "LazyDPTS",
    "Learner",
    "NaiveFTNL",
    "NoiseAwareTS",
    "Policy",
    "RandomPrefixEM",
    "RelativeIndexPolicy",
    "ShrinkingDartboard",
    "Statistics",
    "ThompsonPolicy",
    "ThompsonSampling",
    "TreeDPUCB",
    "policy_class",
    "policy_from_dict",
]

REGISTERED: tuple[type[Policy], ...] = (
    AnytimeLazyUCB,
    LazyDPTS,
    NoiseAwareTS,
    DPSE,
    AdaPUCB,
    AdaPKLUCB,
    DPKLUCB,
    DPIMED,
    DPTS,
    TreeDPUCB,
    DPUCBBound,
    UCB1,
    UCBV,
    KLUCB,
    ThompsonSampling,
    RNMFTNL,
    NaiveFTNL,
    RandomPrefixEM,
    ShrinkingDartboard,
    FTL,
    DecreasingHedge,
)


def policy_class(name: str) -> type[Policy]:
    """Return the registered policy of that name.

    >>> policy_class("LazyDPTS").__name__
    'LazyDPTS'
    >>> policy_class("lazydpts")
    Traceback (most recent call last):
    ...
    hush.errors.UnknownNameError: unknown policy 'lazydpts'; did you mean 'LazyDPTS'?
    """
    known = {each.__name__: each for each in REGISTERED}
    if name not in known:
        raise unknown_name("policy", name, known)
    return known[name]


def policy_from_dict(data: Mapping[str, Any]) -> Policy:
    """Build a registered policy from the form of :meth:`Policy.to_dict`.

    >>> policy_from_dict({"policy": "LazyDPTS", "epsilon": 0.5})
    LazyDPTS(epsilon=0.5)
    """
    if "policy" not in data:
        raise ParameterError('a policy needs its name: {"policy": "LazyDPTS", "epsilon": 0.5}')
    parameters = {key: value for key, value in data.items() if key != "policy"}
    return policy_class(data["policy"]).from_parameters(parameters)

"""One algorithm, one file. A new one is a file here and a line in ``registry``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hush.errors import ParameterError, unknown_name
from hush.policies.core.bandit import BanditPolicy as BanditPolicy
from hush.policies.core.bandit_learner import BanditLearner as BanditLearner
from hush.policies.core.decision import Decision as Decision
from hush.policies.core.full_information import ActionLearner as ActionLearner
from hush.policies.core.full_information import EpochPolicy as EpochPolicy
from hush.policies.core.index import IndexPolicy as IndexPolicy
from hush.policies.core.learner import Learner as Learner
from hush.policies.core.policy import Policy as Policy
from hush.policies.core.relative_index import RelativeIndexPolicy as RelativeIndexPolicy
from hush.policies.core.scored import ScoredPolicy as ScoredPolicy
from hush.policies.core.statistics import Statistics as Statistics
from hush.policies.core.thompson import ThompsonPolicy as ThompsonPolicy
from hush.policies.core.wrapping import WrappingPolicy as WrappingPolicy
from hush.policies.exports import in_order as _in_order
from hush.policies.exports import public_names as _public_names
from hush.policies.registry import *  # noqa: F403  what is registered is exported
from hush.policies.registry import REGISTERED as REGISTERED


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


if not TYPE_CHECKING:  # type checkers read the imports, which export what they import
    _names = [*_public_names(globals(), "hush.policies"), "REGISTERED"]
    __all__ = _in_order(_names)  # noqa: PLE0605  a list, computed

"""One policy of every registered class, and some with other parameters: for tests over all."""

from contextlib import contextmanager

import pytest

import hush
from hush.policies import REGISTERED
from hush.policies.lookup import policy_at
from hush.simulation.engines import engine_of
from hush.simulation.engines.thompson import ThompsonEngine
from research.comparison import FINDERS

__all__ = ["DEFAULT", "FINDERS", "OTHER", "PRIVATE"]
__all__ += ["drawn_in_turn", "engine", "kind", "make", "of_each_kind", "sampled"]


def make(cls, epsilon=0.8):
    """Return a policy of the class, with all else left at its default."""
    return policy_at(cls, epsilon)


def sampled(values, one_in, kind=None):
    """Return parameters of which `make test` meets one in so many, and `make test-slow` the others.

    For tests over everything that there is, whose parts resemble each other. Where kinds can be
    told apart, `make test` meets the first of each as well.
    """
    marked, seen = [], set()
    for place, value in enumerate(values):
        param = value if hasattr(value, "marks") else pytest.param(value)
        known = kind is None or kind(value) in seen
        slow = (pytest.mark.slow,) if known and place % one_in else ()
        seen.update([] if known else [kind(value)])
        marked.append(param._replace(marks=(*param.marks, *slow)))
    return marked


@contextmanager
def drawn_in_turn():
    """Have the loop of Thompson policies draw every arm in every round, as their learners do.

    Otherwise it spares most draws: the same law, other numbers.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ThompsonEngine, "most_hazard", 0.0)
        yield


def engine(policy):
    """Return the name of the engine that plays a policy: policies of one resemble each other."""
    return engine_of(policy).name


def kind(policy):
    """Return what a policy has in common with others: who plays it, and what it promises."""
    return engine(policy), policy.guarantee.private, policy.guarantee.rho is not None


def of_each_kind(values, kind=kind):
    """Return parameters of which `make test` meets the first of each kind, `test-slow` the others.

    For tests of a policy that take half a second and more: there are 48 policies of 16 kinds.
    """
    values = list(values)
    return sampled(values, len(values), kind)


DEFAULT = [make(cls) for cls in REGISTERED]
OTHER = [
    hush.RNMFTNL(0.5, noise="laplace"),
    hush.RNMFTNL(0.5, noise="gumbel"),
    hush.RNMFTNL(2.0, neighbours="add-remove"),
    hush.RNMFTNL.as_printed(1.0),
    hush.RNMFTNL(1.0, growth=1.3),
    hush.WuWang(0.3, noise="gumbel"),
    hush.LazyDPTS(0.05),
    hush.AnytimeLazyUCB(10.0),
    hush.DPSE(2.0, anytime=True),
    hush.AdaPUCB(0.3, beta=1.0),
    hush.AdaCUCB(0.05, beta=1.0),
    hush.AdaPKLUCB(2.0, beta=1.0),
    hush.DPKLUCB(0.1, alpha=1.1),
    hush.DPIMED(3.0, alpha=1.5),
    hush.TreeDPUCB(1.0, gamma=0.01),
    hush.UCBV(zeta=1.0, c=0.5),
    hush.BayesUCB(c=7),
    hush.DPTSUCB(alpha=0.5, c0=0.3),
    hush.BatchedHTINF(0.05),
    hush.MOSS(anytime=True),
    hush.AdaUCB(variance=1.0),
    hush.MOTS(narrowness=0.6, alpha=1.0, variance=1.0),
    hush.NoiseAwareTS(0.3, first_batch=2, growth=2.0, prior=(2.0, 3.0)),
    hush.NoiseAwareTS(3.0, prior=(0.5, 0.5)),
    hush.NoiseAwareBAI(0.3, first_batch=2, growth=2.0),
    hush.NoiseAwareTS(rho=0.3),
    hush.NoiseAwareIMED(rho=0.02),
    hush.DPTT(3.0, threshold="heuristic"),
    hush.AdaPTTStar(0.1, threshold="heuristic"),
]
PRIVATE = [policy for policy in (*DEFAULT, *OTHER) if policy.guarantee.private]

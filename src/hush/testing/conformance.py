"""A conformance kit: what every policy must keep, whoever wrote it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from hush.policies import Policy
from hush.testing.checks import CHECKS, PRIVATE_CHECKS, endures
from hush.testing.playing import ConformanceError

__all__ = ["Check", "ConformanceError", "check_policy", "yield_checks"]


@dataclass(frozen=True)
class Check:
    """One rule, ready to be called: it raises :class:`ConformanceError` where it is broken.

    Attributes
    ----------
    name
        What is checked, in a few words.
    run
        The check, with its policy and sizes filled in.
    """

    name: str
    run: Callable[[], None]

    def __call__(self) -> None:
        """Run the check."""
        self.run()

    def __str__(self) -> str:
        return self.name


def yield_checks(
    policy: Policy, *, n_arms: int = 4, rounds: int = 10**6, seed: int = 7
) -> Iterator[Check]:
    """Yield every check that applies to a policy, by name, so that each can be reported.

    Parameters
    ----------
    policy
        An instance of the policy. A horizon is filled in if it needs one.
    n_arms
        How many arms to try it with.
    rounds
        How many rounds the endurance check plays.
    seed
        Seed of the tables and the simulated noise.

    Examples
    --------
    In your own test:

        @pytest.mark.parametrize("check", yield_checks(MyPolicy(1.0), rounds=10_000), ids=str)
        def test_my_policy_conforms(check):
            check()

    >>> import hush
    >>> from hush.testing import yield_checks
    >>> for check in yield_checks(hush.UCB1(), rounds=1000):
    ...     check()
    >>> check.name
    'endures'
    """
    policy = policy.with_horizon(max(rounds, 1000))
    for each in CHECKS:
        if policy.guarantee.private or each not in PRIVATE_CHECKS:
            yield Check(each.__name__, partial(each, policy, n_arms, seed))
    yield Check(endures.__name__, partial(endures, policy, n_arms, seed, rounds=rounds))


def check_policy(policy: Policy, *, n_arms: int = 4, rounds: int = 10**6, seed: int = 7) -> None:
    """Run every conformance check on a policy; raise :class:`ConformanceError` at the first fault.

    Checked: the policy is frozen, hashable, pickles and survives a round trip through JSON; it
    states a guarantee; the same seed plays the same arms and another does not share its noise; a
    learner restored at any point has the future of the uninterrupted one and draws no release
    twice; replaying releases on a neighbouring table plays the same arms, and the losses of all
    draws add up to no more than the guarantee; releases and decisions alone lead to the same
    decisions; bad input raises a typed error and changes nothing; ``repr`` and errors show no
    reward; many rounds pass without drift or overflow. :func:`yield_checks` gives them one by one,
    and says what the parameters are.

    Examples
    --------
    >>> import hush
    >>> from hush.testing import check_policy
    >>> check_policy(hush.LazyDPTS(epsilon=1.0), rounds=1000)
    """
    for check in yield_checks(policy, n_arms=n_arms, rounds=rounds, seed=seed):
        check()

"""A promise to persons around any private policy: so many of a person's rewards are learnt."""

from __future__ import annotations

import inspect
import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from fractions import Fraction
from typing import Any

from hush.errors import ParameterError, check_field, positive, whole
from hush.mechanisms import RewardRange
from hush.noise import NoiseSource
from hush.noise.secure import epsilon_within
from hush.policies.core.beginnings import check_losses
from hush.policies.core.person_learner import PersonLearner
from hush.policies.core.wrapping import WrappingPolicy
from hush.policies.lazy_dp_ts import LazyDPTS
from hush.privacy import MOST_REWARDS, Guarantee
from hush.privacy.guarantee import squares

__all__ = ["Person"]


@dataclass(frozen=True)
class Person(WrappingPolicy):
    """Any private policy, with a promise to persons who come back.

    At most ``bound`` rewards of one person are learnt, with ``per_release`` at most so many of them
    in one release. Her other decisions are made like all others, and their rewards are not looked
    at. The policy that decides spends ``epsilon / bound`` on each reward.

    Which rewards are learnt follows from ids and releases alone. Replacing all rewards of a person
    therefore changes at most ``bound`` summands of releases, and each costs ``epsilon / bound``,
    wherever they are: under a pure epsilon nothing is gained by keeping them apart. With Gaussian
    noise k of them in one release cost ``k^2`` times what one does. So ``rho`` leaves ``rho /
    bound^2`` for a reward, and ``rho / bound`` with one of hers in a release.

    ``update`` and ``settle`` take ``person=``. Without one, or where the environment of a
    simulation does not say who comes (:class:`~hush.People` does), every round is somebody else.

    On a command line it is ``Person(LazyDPTS):bound=5``, in a study's file ``policy = "Person", of
    = "LazyDPTS", bound = 5``.

    Bounding what one person contributes is a trade of bias for variance (Amin et al.): rewards
    beyond the bound are lost, and a larger bound means more noise.

    Parameters
    ----------
    of
        The policy that decides: its class, or one whose epsilon is a reward's share; LazyDPTS if
        left out. It must be private.
    epsilon
        The privacy loss when all rewards of one person are replaced.
    rho
        The concentrated loss, instead of epsilon, around a policy that takes one.
    bound
        How many rewards of one person are learnt. Never choose it by looking at the data.
    per_release
        How many of them may be in one release; as many as there are if left out.

    References
    ----------
    Amin, Kulesza, Muñoz Medina, Vassilvitskii: Bounding User Contributions: A Bias-Variance
    Trade-off in Differential Privacy. ICML 2019. https://proceedings.mlr.press/v97/amin19a.html

    Examples
    --------
    >>> import hush
    >>> policy = hush.Person(hush.LazyDPTS, epsilon=1.0, bound=2)
    >>> policy.of, policy.guarantee.unit, policy.guarantee.epsilon
    (LazyDPTS(epsilon=0.5), 'person', 1.0)
    >>> hush.Person(hush.AdaCUCB, rho=1.0, bound=4, per_release=1).of
    AdaCUCB(rho=0.25, beta=3.1)
    >>> learner = policy.learner(n_arms=2)
    >>> for reward in (1, 0, 1):
    ...     arm = learner.select()
    ...     release = learner.update(arm, reward, person="ann")
    >>> release is None, learner.statistics.counts.tolist()
    (True, [1.0, 1.0])
    """

    of: Any = None  # a class or a policy is given; a policy is kept
    _: KW_ONLY
    epsilon: float | None = None
    rho: float | None = None
    bound: int = 1
    per_release: int | None = None

    summary = "any private policy, with a promise to persons who come back"
    reference = "https://proceedings.mlr.press/v97/amin19a.html"
    noise_law = "that of the policy inside, at eps/bound or its share of rho"

    def __post_init__(self) -> None:
        check_losses(self)
        check_field(self, "bound", whole, least=1, most=MOST_REWARDS)
        if self.per_release is not None:
            check_field(self, "per_release", whole, least=1, most=self.bound)
        given: Any = LazyDPTS if self.of is None else self.of
        of_class: bool = inspect.isclass(given)
        if of_class and hasattr(given, "_public_side"):
            given = given.from_parameters(self._inner_defaults(vars(self)))
        object.__setattr__(self, "of", given)
        super().__post_init__()

    def _check_inner(self, name: str) -> None:
        if not self.of.guarantee.private:
            raise ParameterError(f"Person goes around a private policy; {name} is not")
        ((loss, share),) = self._inner_defaults(vars(self)).items()
        reward: Guarantee = self.of.guarantee
        if (reward.rho is None) != (loss == "epsilon"):
            its = "epsilon" if reward.rho is None else "rho"
            raise ParameterError(f"{name} inside has {its}=; give Person that, too, not {loss}=")
        spent = reward.under("replace") if reward.rho is None else reward.rho
        if spent > share * (1.0 + 1e-12):
            raise ParameterError(
                f"{self.of} spends more on a reward than its share of {loss}, {share:g}; give the "
                "class alone, and it is filled in"
            )
        if self.per_release is not None and self.of.counter is not None:
            raise ParameterError(
                f"every reward of {name} is in many releases: leave per_release out"
            )

    @classmethod
    def _inner_defaults(cls, parameters: Mapping[str, Any]) -> dict[str, Any]:
        bound = whole("bound", parameters.get("bound", 1), least=1, most=MOST_REWARDS)
        if parameters.get("rho") is None:
            epsilon = positive("epsilon", parameters.get("epsilon", math.nan))
            return {"epsilon": epsilon_within(epsilon, bound)}
        rho, most = positive("rho", parameters["rho"]), parameters.get("per_release")
        together = bound if most is None else whole("per_release", most, least=1, most=bound)
        return {"rho": _share(rho, squares(bound, together))}

    @property
    def release_epsilon(self) -> float:
        """That of the policy that decides."""
        return float(self.of.release_epsilon)

    @property
    def release_rho(self) -> float | None:
        """That of the policy that decides."""
        rho: float | None = self.of.release_rho
        return rho

    @property
    def _draws_noise(self) -> bool:
        return bool(self.of._draws_noise)

    @property
    def guarantee(self) -> Guarantee:
        """Epsilon or rho for a person, whoever she is and however often she comes."""
        hers: Guarantee = self.of.guarantee.per_person(self.bound, per_release=self.per_release)
        why = f"at most {self.bound:,} of a person's rewards are learnt; {hers.reason}"
        epsilon, rho = self.epsilon, self.rho
        return replace(hers, epsilon=epsilon, replace_epsilon=epsilon, rho=rho, reason=why)

    def _new_learner(self, n_arms: int, noise: NoiseSource, rewards: RewardRange) -> PersonLearner:
        return PersonLearner(self, n_arms, noise, rewards)


def _share(total: float, times: int) -> float:
    """Return the largest number that is at most the total when it is taken so often."""
    share = total / times
    while Fraction(share) * times > Fraction(total):
        share = math.nextafter(share, 0.0)
    return share

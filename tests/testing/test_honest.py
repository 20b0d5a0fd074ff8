"""Honest policies that look suspicious pass the conformance kit, and play like any other."""

import pytest
from tests import every
from tests.testing.leaks import worst_leak

import hush.testing.honest
from hush.testing import ConformanceError, check_policy, yield_checks
from hush.testing.honest import HONEST
from hush.testing.planted import FirstPullExact

CHECKS = [
    pytest.param(check, id=f"{cls.__name__}-{check}")
    for cls in HONEST.values()
    for check in yield_checks(cls(epsilon=1.0), rounds=2000)
]


@pytest.mark.untraced
@pytest.mark.parametrize("check", every.sampled(CHECKS, 7))
def test_honest_policies_conform(check):
    check()


@pytest.mark.parametrize("name", HONEST)
def test_they_say_why_they_are_private(name):
    cls = HONEST[name]
    assert getattr(hush.testing.honest, cls.__name__) is cls
    assert cls.__doc__.startswith("Private: ")
    assert len(cls.__doc__.splitlines()) == 1
    assert cls(epsilon=1.0).guarantee.under("replace") == 1.0


@pytest.mark.untraced
@pytest.mark.parametrize("mode", ["update", "settle", "late", "restore", "expire", "batch"])
@pytest.mark.parametrize("name", every.sampled(HONEST, 3))
def test_nothing_goes_past_their_noise(name, mode):
    policy = HONEST[name](epsilon=1.0)
    if mode == "batch" and policy.feedback == "full":
        pytest.skip("vectors come one by one")
    assert 0.0 < worst_leak(policy, mode=mode, values=((0, 1), (1, 0), (0.2, 0.9))) < 1.0001


@pytest.mark.untraced
def test_a_release_without_noise_is_still_refused():
    with pytest.raises(ConformanceError, match="noise is drawn for every release"):
        check_policy(FirstPullExact(epsilon=1.0), rounds=100)

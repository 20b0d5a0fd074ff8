"""Replay of one person's rewards: what it finds, whom it accuses, what it says."""

import math

import pytest
from tests import every

import hush
from hush.testing.honest import HONEST
from hush.testing.planted import PLANTED

pytestmark = [pytest.mark.untraced, pytest.mark.usefixtures("brief_audits")]


def replayed(policy, rewards, rounds=64, **options):
    report = hush.audit(policy, person_bound=rewards, methods=["replay"], rounds=rounds, **options)
    return report.findings[0]


def test_a_persons_rewards_together_lose_as_often_as_one():
    found = replayed(hush.RNMFTNL(0.5), 5)
    assert found.status == "consistent"
    assert found.loss == pytest.approx(2.5, rel=0.01)
    assert "when 5 rounds of one person change" in found.says
    assert len(found.witness.rounds) == 5
    assert "all of one person" in found.witness.note


def test_a_claim_below_what_her_rewards_lose_is_violated():
    found = replayed(hush.AnytimeLazyUCB(0.5), 3, claim=1.4)
    assert (found.status, found.loss) == ("violated", 1.5)


def test_tables_shorter_than_her_rewards_tell_nothing():
    found = replayed(hush.AnytimeLazyUCB(0.5), 17, rounds=16)
    assert found.status == "inconclusive"
    assert "differ in 16 rounds at most" in found.says


@pytest.mark.parametrize("neighbours", every.sampled(["replace", "add-remove"], 2))
def test_the_printed_algorithm_is_judged_per_person_too(neighbours):
    found = replayed(hush.RNMFTNL.as_printed(1.0), 3, neighbours=neighbours)
    assert (found.status == "violated") is (neighbours == "replace")


def test_a_leak_past_the_noise_needs_one_of_her_rounds():
    found = replayed(PLANTED["a peek at a raw reward"](1.0), 3)
    assert math.isinf(found.loss)
    assert len(found.witness.rounds) == 1


COUNTED = ("a reward used in two epochs", "half the noise", "sums kept over all epochs")


@pytest.mark.parametrize("bug", every.sampled(COUNTED, 3))
def test_what_counts_too_much_for_one_does_so_for_a_person(bug):
    assert replayed(PLANTED[bug](1.0), 3).status == "violated"


def test_rewards_that_are_kept_apart_lose_as_often_as_one():
    """With Gaussian noise; where all may be in one release, by the square of how many they are."""
    apart = hush.Person(hush.AdaCUCB, rho=0.375, bound=3, per_release=1)
    together = hush.Person(hush.AdaCUCB, rho=1.125, bound=3)
    assert apart.of == together.of == hush.AdaCUCB(rho=0.125)
    lost = {}
    for policy in (apart, together):
        report = hush.audit(policy, methods=["construction", "replay", "exact"], rounds=64)
        assert report.verdict == "proved"
        found = {each.method: each for each in report.findings}
        assert found["construction"].loss == pytest.approx(policy.rho)
        lost[policy] = found["replay"].loss
        assert found["replay"].loss <= policy.rho + 1e-9
        assert type(report).from_dict(report.to_dict()).claim_text == report.claim_text
    assert lost[apart] == pytest.approx(0.375)
    assert lost[together] == pytest.approx(1.125)
    assert hush.audit(apart, claim=0.3, methods=["replay"], rounds=64).verdict == "violated"


SOME = [
    *(HONEST[name](epsilon=1.0) for name in HONEST),
    *(p for p in every.DEFAULT if p.guarantee.private and not isinstance(p, hush.DPSE)),
]


@pytest.mark.parametrize("policy", every.sampled(SOME, 30), ids=str)
def test_nobody_honest_is_accused_of_what_persons_lose(policy):
    assert replayed(policy, 3).status != "violated"

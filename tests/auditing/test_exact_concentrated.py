"""Concentrated claims are attacked: exact divergences, samples, replay, and planted bugs."""

import math

import pytest
from tests import every

import hush
from hush.auditing.exact_concentrated import hockey_stick, renyi_divergence, worst_rho
from hush.auditing.loss_bounds import concentrated_bound
from hush.auditing.samplers import check_gaussian
from hush.privacy.conversions import discrete_gaussian_delta
from hush.testing.planted import PLANTED, THEMES

HONEST = every.sampled([hush.AdaCUCB(rho=0.02), hush.NoiseAwareTS(rho=2.0)], 2)
BUGS = sorted(THEMES["concentrated privacy"])


@pytest.mark.untraced
def test_all_that_is_seen_of_adaptive_episodes_has_the_divergences_of_one_release():
    """Three releases of which the last one's arm depends on the first two: D_2 = 2 rho, and on."""
    report = hush.audit(hush.AdaCUCB(rho=0.5), n_arms=2, methods=["exact"])
    (found,) = report.findings
    assert found.status == "consistent"
    assert found.facts["rounds"] == 4
    assert found.loss == pytest.approx(0.5, abs=1e-4)
    assert found.facts["orders"]["2"] == pytest.approx(1.0, abs=1e-4)
    assert found.facts["orders"]["3"] == pytest.approx(1.5, abs=1e-3)
    for epsilon, delta in found.facts["curve"]:
        assert delta == pytest.approx(discrete_gaussian_delta(0.5, epsilon), abs=1e-7)
    assert report.claim_text == "rho = 0.5 under replace"
    assert "D_2 = 1.0000" in str(report)


@pytest.mark.untraced
@pytest.mark.parametrize(
    "policy",
    [hush.AdaCUCB(rho=0.02), pytest.param(hush.NoiseAwareTS(rho=2.0), marks=pytest.mark.slow)],
    ids=str,
)
def test_honest_policies_are_proved(policy):
    report = hush.audit(policy, n_arms=2, methods=["construction", "replay"], rounds=64)
    assert report.verdict == "proved"
    assert report.worst_loss == pytest.approx(policy.rho)
    again = hush.AuditReport.from_dict(report.to_dict())
    assert again.claim_text == report.claim_text == f"rho = {policy.rho:g} under replace"
    hers = hush.audit(policy, n_arms=2, methods=["construction"], person_bound=3)
    assert (hers.verdict, hers.claim) == ("proved", 9 * policy.rho)


@pytest.mark.untraced
def test_a_smaller_claim_is_refuted():
    policy = hush.AdaCUCB(rho=0.5)
    report = hush.audit(policy, n_arms=2, methods=["replay"], claim=0.45, rounds=64)
    assert report.verdict == "violated"
    report = hush.audit(policy, n_arms=2, methods=["construction"], claim=0.45)
    assert report.verdict == "inconclusive"


@pytest.mark.untraced
@pytest.mark.parametrize("bug", every.sampled(BUGS, 2))
def test_planted_bugs_are_caught(bug):
    report = hush.audit(PLANTED[bug](1.0), methods=["replay"], rounds=64)
    assert report.verdict == "violated"


@pytest.mark.slow
def test_noise_too_narrow_by_the_root_of_2_has_twice_the_divergences():
    report = hush.audit(PLANTED[BUGS[0]](1.0), methods=["exact"])
    assert BUGS[0].startswith("Gaussian noise too narrow")
    assert report.verdict == "violated"
    assert report.worst_loss == pytest.approx(1.0, abs=1e-3)


def test_divergences_of_small_laws():
    first, second = {(0,): 0.8, (1,): 0.2}, {(0,): 0.2, (1,): 0.8}
    assert renyi_divergence(first, second, 2.0) == pytest.approx(math.log(0.64 / 0.2 + 0.04 / 0.8))
    assert renyi_divergence(first, {(2,): 1.0}, 2.0) == math.inf
    assert worst_rho(first, first) == pytest.approx(0.0, abs=1e-12)
    assert hockey_stick(first, second, 0.0) == pytest.approx(0.6)
    assert hockey_stick(first, second, math.log(4.0)) == pytest.approx(0.0)


def test_samples_bound_rho_from_below():
    """Of Gaussian laws one deviation apart, split in the middle: rho is 0.5, and less is seen."""
    hits, other = 69_146, 30_854  # of 100,000
    bound = concentrated_bound(hits, 100_000, other, 100_000)
    assert 0.25 < bound < 0.5
    assert concentrated_bound(other, 100_000, hits, 100_000) == 0.0
    assert concentrated_bound(0, 100, 0, 100) == 0.0


class Wide(hush.SeededNoise):
    """Noise of more than the deviation that is asked for."""

    def add_gaussian(self, total, *, rho, sensitivity=1):
        return super().add_gaussian(total, rho=rho / 1.3, sensitivity=sensitivity)


@pytest.mark.untraced
def test_the_deployed_sampler_is_compared_with_its_law():
    """False alarm 2e-6."""
    assert check_gaussian(hush.SecureNoise(), 3.0).passed
    assert not check_gaussian(Wide(7, discrete=True), 3.0).passed
    report = hush.audit(hush.AdaCUCB(rho=0.5), n_arms=2, methods=["noise"])
    assert report.findings[0].status == "consistent"
    assert "discrete Gaussian noise of deviation 1" in report.findings[0].says

"""Wu and Wang's resampling: RNM-FTNL on coins, draw by draw; what its bounds say."""

import numpy as np
import pytest

import hush
from hush.theory import exact_regret


@pytest.mark.parametrize("noise", ["laplace", "gumbel"])
def test_it_is_rnm_ftnl_which_tosses_coins_already(noise):
    rewards = np.random.default_rng(3).random((500, 4))
    played = []
    for policy in (hush.WuWang(0.7, noise=noise), hush.RNMFTNL(0.7, noise=noise)):
        expert = policy.learner(4, noise=hush.SeededNoise(5))
        actions = []
        for row in rewards:
            actions.append(expert.select())
            expert.update(row.tolist())
        played.append((actions, expert.releases))
    assert played[0] == played[1]
    env = hush.paper_s1()
    one, two = (
        exact_regret(policy, env, 2**20).final
        for policy in (hush.WuWang(0.7, noise=noise), hush.RNMFTNL(0.7, noise=noise))
    )
    assert one == two


def test_sums_are_of_coins_whatever_rewards_are():
    """5,000 rewards of 0.3 in the running epoch: within 6 standard deviations of 1,500."""
    expert = hush.WuWang(1.0).learner(2, noise=hush.SeededNoise(1))
    for _ in range(2**13 - 1 + 5000):
        expert.select()
        expert.update([0.3, 1.0])
    low, high = expert.state()["unreleased"]["sums"]
    assert high == 5000
    assert abs(low - 1500) < 6 * (5000 * 0.21) ** 0.5


def test_what_is_not_its_noise_is_refused():
    with pytest.raises(hush.UnknownNameError, match="noise"):
        hush.WuWang(1.0, noise="exponential")


def test_its_promise_and_its_bounds():
    policy = hush.WuWang(0.5)
    assert policy.guarantee.under("replace") == 0.5
    report = hush.bounds(policy, hush.packing(16, 0.1), 10**6)
    order = report["resampled"]
    assert order.status == "order only, constant 1"
    assert not order.binding
    logarithm = np.log(16)
    assert order.value == pytest.approx(logarithm / 0.1 + logarithm**2 / 0.5)
    assert report.upper == report["monotone chances"].value
    alike = hush.bounds(policy, hush.Bernoulli([0.5, 0.5]), 100)
    assert "resampled" not in [bound.name for bound in alike]

"""NoiseAwareUCB: the arm with the largest upper end, until its batch is released."""

import numpy as np
import pytest

import hush
from hush import NoiseAwareUCB, ParameterError, Release
from hush.testing import check_policy


@pytest.mark.untraced
def test_it_keeps_the_rules():
    check_policy(NoiseAwareUCB(epsilon=2.0, power=1.0), n_arms=3, rounds=200)


def test_the_largest_upper_end_is_played_to_the_end_of_its_batch():
    policy = NoiseAwareUCB(1.0)
    public = policy._public_side(3)
    generator = np.random.default_rng(0)
    for arm, value in enumerate((1.0, 3.2, 2.1)):
        for _ in range(4):
            assert public.choose(1, generator) == arm
            public.decided(arm)
            public.settled(arm)
        public.absorb(Release(arm, 0, 4, value, "noisy-sum", 1.0))
    uppers = [public._posterior(arm).upper(policy.level(12)) for arm in range(3)]
    assert public.choose(13, generator) == int(np.argmax(uppers))
    assert public.chances(13)[int(np.argmax(uppers))] == 1.0
    arm = public.choose(13, generator)
    public.decided(arm)
    assert public.choose(10**6, generator) == arm


def test_the_level_grows_with_the_power():
    assert NoiseAwareUCB(1.0).level(1000) == pytest.approx(np.log(1000))
    two = NoiseAwareUCB(1.0, power=2.0).level(1000)
    assert two == pytest.approx(np.log(1000 * (1 + np.log(1000)) ** 2))


@pytest.mark.parametrize("power", [-0.1, 2.1, "one", None, True])
def test_bad_powers_are_refused(power):
    with pytest.raises(ParameterError):
        NoiseAwareUCB(1.0, power=power)


def test_its_regret_is_below_its_bound():
    """Means of 40 runs are a tenth below the bound at least: false alarms below 1e-6."""
    env = hush.Bernoulli([0.75, 0.625, 0.5, 0.375, 0.25])
    for power in (0.0, 2.0):
        policy = NoiseAwareUCB(1.0, power=power)
        regret = hush.simulate([policy], env, horizon=10**5, runs=40, seed=3).regret[0, :, -1]
        bounds = {b.name: b.value for b in hush.bounds(policy, env, horizon=10**5)}
        assert regret.mean() < 0.9 * bounds["epochs"]

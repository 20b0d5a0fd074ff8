"""NoiseAwareTS with many arms: draws instead of chances."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from hush import NoiseAwareTS, Release, SeededNoise
from hush.numerics.posterior import Posterior
from hush.numerics.posterior_chances import win_chances
from hush.policies import noise_aware_ts
from hush.policies.noise_aware_ts import _drawn
from hush.testing import check_policy

MANY = noise_aware_ts.FEW_ARMS + 8


def played(learner, rounds):
    arms = [learner.select() for _ in range(rounds)]
    for arm in arms:
        learner.update(arm, arm / MANY)
    return arms


@pytest.mark.slow
def test_many_arms_keep_the_rules():
    check_policy(NoiseAwareTS(epsilon=2.0), n_arms=MANY, rounds=200)


@pytest.mark.untraced
def test_many_arms_have_the_law_of_their_chances(monkeypatch):
    """Each count of 4,000 choices within 6 standard deviations: false alarms below 1e-6."""
    learner = NoiseAwareTS(epsilon=4.0, first_batch=1).learner(MANY, noise=SeededNoise(3))
    for _ in range(3):
        played(learner, MANY)
    public, generator = learner._public, np.random.default_rng(5)
    monkeypatch.setattr(noise_aware_ts, "_drawn", None)  # chances are not looked up
    counts = np.bincount([public.choose(99, generator) for _ in range(4_000)], minlength=MANY)
    chances = public.chances(99)
    assert chances.sum() == pytest.approx(1.0, abs=1e-12)
    spread = np.sqrt(4_000 * chances * (1.0 - chances))
    assert (np.abs(counts - 4_000 * chances) <= 6.0 * spread + 1.0).all()


@pytest.mark.untraced
def test_many_arms_restore_to_the_same_future_before_and_after_a_choice():
    policy = NoiseAwareTS(epsilon=4.0, first_batch=1)
    learner = policy.learner(MANY, noise=SeededNoise(3))
    for rounds in (MANY, 5, 1, 60):
        played(learner, rounds)
        twin = policy.restore(json.loads(json.dumps(learner.state())))
        assert played(twin, 40) == played(policy.restore(learner.state()), 40)
        ahead = played(twin, 3)
        original = policy.restore(learner.state())
        played(original, 40)
        assert played(original, 3) == ahead


def test_only_arms_with_a_release_are_drawn_while_others_wait():
    learner = NoiseAwareTS(epsilon=4.0, first_batch=1).learner(2 * MANY, noise=SeededNoise(3))
    arms = [learner.select() for _ in range(2 * MANY)]
    for arm in arms[:MANY]:
        learner.update(arm, 1)
    assert {learner.select() for _ in range(50)} <= set(arms[:MANY])


def test_a_release_changes_its_own_arm_alone(monkeypatch):
    learner = NoiseAwareTS(epsilon=4.0, first_batch=1).learner(MANY, noise=SeededNoise(3))
    played(learner, MANY)
    learner.select()
    put = []
    monkeypatch.setattr(
        noise_aware_ts.PosteriorDraws, "put", lambda _, arm, posterior: put.append(arm)
    )
    release = Release(7, 1, 1, 0.5, "noisy-sum", 4.0)
    learner._public.absorb(release)
    learner.select()
    learner.select()
    assert put == [7]


@pytest.mark.parametrize(
    ("value", "arm"), [(0.0, 1), (0.25, 1), (0.5, 2), (0.75, 2), (1.0 - 2**-53, 2), (1.0, 2)]
)
def test_an_arm_s_chance_is_the_stretch_up_to_its_reach(value, arm):
    """An arm without a chance is never drawn, and rounding leaves none out at the end."""
    generator = SimpleNamespace(random=lambda: value)
    assert _drawn(np.array([0.0, 0.5, 1.0]), generator) == arm


def known(*releases):
    posterior = Posterior.before(epsilon=4.0, prior=NoiseAwareTS(4.0).belief)
    for count, value in releases:
        posterior = posterior.given(count, value)
    return posterior


def test_chances_rest_on_every_release_of_every_arm():
    public = NoiseAwareTS(epsilon=4.0, first_batch=2)._public_side(3)
    told = {0: [(2, 1.5), (1, 0.25)], 1: [(2, 1.0)], 2: [(2, 0.75), (1, 1.0), (2, 1.5)]}
    for arm in range(3):
        for _ in range(2):
            public.decided(arm)
    for arm in (0, 2):
        for epoch, (count, value) in enumerate(told[arm]):
            public.absorb(Release(arm, epoch, count, value, "noisy-sum", 4.0))
    two = win_chances([known(*told[0]), known(*told[2])])
    assert public.chances(9)[[0, 2]] == pytest.approx(two)
    assert public.chances(9)[1] == 0.0
    public.absorb(Release(1, 0, *told[1][0], "noisy-sum", 4.0))
    assert public.chances(9) == pytest.approx(win_chances([known(*told[a]) for a in range(3)]))

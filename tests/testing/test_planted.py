"""Planted bugs run as learners do, and each of them is shown to leak."""

import json

import pytest

import hush
from hush import SecureNoise, SeededNoise
from hush.policies import BanditLearner
from hush.testing.planted import PLANTED, THEMES


def made(cls, horizon=300):
    return cls(epsilon=1.0).with_horizon(horizon)


def reward(learner, t):
    """A reward, or a vector of them, that changes with the round."""
    if isinstance(learner, BanditLearner):
        return t % 3 % 2
    return [(t + each) % 3 % 2 for each in range(learner.n_arms)]


def settle(learner, arm, value):
    return (
        learner.update(arm, value) if isinstance(learner, BanditLearner) else learner.update(value)
    )


def test_bugs_are_many_and_say_what_is_wrong():
    assert len(PLANTED) >= 36
    assert len(PLANTED) == sum(map(len, THEMES.values())) == len(set(PLANTED.values()))
    for cls in PLANTED.values():
        assert getattr(hush.testing.planted, cls.__name__) is cls
        assert len(cls.__doc__.splitlines()) == 1
        assert cls.__doc__.endswith(".")


@pytest.mark.parametrize("bug", PLANTED)
def test_bugs_play_like_any_policy(bug):
    policy = made(PLANTED[bug])
    for ids in (False, True):
        learner = policy.learner(3, noise=SecureNoise())
        for t in range(300):
            if ids:
                decision = learner.decide()
                learner.settle(decision, reward(learner, t))
            else:
                settle(learner, learner.select(), reward(learner, t))
            if t % 97 == 0:
                learner = policy.restore(json.loads(json.dumps(learner.state())))
        assert learner.rounds == 300
        assert learner.releases
        assert learner.secure
        assert repr(learner)
        assert repr(learner.statistics)


@pytest.mark.parametrize("bug", PLANTED)
def test_bugs_take_late_rewards_batches_and_expiry(bug):
    policy = made(PLANTED[bug])
    for default in (None, 0.5):
        learner = policy.learner(5, noise=SeededNoise(7), reward_range=(-1, 2), default=default)
        for t in range(40):
            decisions = [learner.decide() for _ in range(4)]
            learner.settle(decisions[2], reward(learner, t))
            learner.settle(decisions[0].id, reward(learner, t + 1))
            learner.expire(decisions[1])
            learner = policy.restore(json.loads(json.dumps(learner.state())))
            learner.expire(decisions[3].id)
            arms = [learner.select() for _ in range(3)]
            if isinstance(learner, BanditLearner):
                learner.update_batch(arms, [0.25, 1.5, -1])
                with pytest.raises(hush.NoDecisionError):
                    learner.settle(decisions[0], 1)
            else:
                for arm in arms:
                    settle(learner, arm, [0.25] * 5)
        assert learner.rounds == 280

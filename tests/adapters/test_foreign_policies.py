"""River's and MABWiser's policies in Hush's simulations."""

import pickle

import numpy as np
import pytest
from mabwiser.mab import LearningPolicy
from river import bandit, proba

import hush
from hush.adapters import from_mabwiser, from_river
from hush.errors import MisuseError, NoDecisionError, ParameterError
from hush.simulation.plan import blocks_of, play

RIVALS = [
    from_river(bandit.UCB(delta=1)),
    from_river(bandit.ThompsonSampling(reward_obj=proba.Beta())),
    from_river(bandit.EpsilonGreedy(epsilon=0.1)),
    from_mabwiser(LearningPolicy.UCB1(alpha=1.25)),
    from_mabwiser(LearningPolicy.EpsilonGreedy(epsilon=0.1)),
    from_mabwiser(LearningPolicy.ThompsonSampling()),
]


@pytest.mark.parametrize("rival", RIVALS, ids=str)
def test_it_runs_beside_hushs_own_and_promises_nothing(rival):
    env = hush.Bernoulli([0.9, 0.2])
    result = hush.simulate([rival, hush.UCB1()], env, horizon=150, runs=2, seed=7)
    assert result.engines[0] == "rounds (learner)"
    assert not rival.guarantee.private
    assert hush.audit(rival, methods=["construction"]).verdict == "not private"
    # Guessing costs 52; each of these learns within a few dozen rounds.
    assert result.regret[0, :, -1].mean() < 30
    assert (result.pulls[0, :, -1].sum(axis=1) == 150).all()


@pytest.mark.parametrize("rival", RIVALS[1:4], ids=str)
def test_runs_follow_the_seed_and_not_the_workers(rival):
    def regret(**options):
        env = hush.Bernoulli([0.6, 0.5, 0.4])
        return hush.simulate(rival, env, horizon=60, runs=4, **options).regret

    one = regret(seed=7, workers=1)
    assert (one == regret(seed=7, workers=3)).all()
    assert (one != regret(seed=8)).any()
    assert len({tuple(row) for row in one[0].tolist()}) > 1


@pytest.mark.parametrize("rival", RIVALS, ids=str)
def test_it_can_be_sent_to_processes(rival):
    """A block is all that a worker in another process or on another machine is sent."""
    (block,) = blocks_of(rival, hush.Bernoulli([0.6, 0.5]), (40,), 7, 2)
    assert (play(pickle.loads(pickle.dumps(block))).regret == play(block).regret).all()


def test_rivers_policy_plays_as_it_does_by_itself():
    """The seed of the clone is the first draw of the learner's stream."""
    rewards = np.random.default_rng(5).integers(0, 2, (200, 3)).tolist()
    template = bandit.EpsilonGreedy(epsilon=0.3)
    learner = from_river(template).learner(3, noise=hush.SeededNoise(7))
    seed = int(hush.SeededNoise(7).selection.integers(2**31))
    alone = template.clone({"seed": seed})
    for row in rewards:
        arm = alone.pull(range(3))
        assert learner.select() == arm
        alone.update(arm, row[arm])
        learner.update(arm, row[arm])


def test_rewards_are_mapped_to_the_unit_interval():
    env = hush.Bounded.from_sampler(
        lambda g: g.choice([-5.0, 15.0], 2), means=[5.0, 5.0], reward_range=(-5, 15)
    )
    rival = from_mabwiser(LearningPolicy.ThompsonSampling())  # which takes 0 and 1 alone
    hush.simulate(rival, env, horizon=30, runs=1, seed=7)


def test_late_rewards_do_not_stop_it():
    env = hush.Bernoulli([0.9, 0.1])
    result = hush.simulate(RIVALS[:4:3], env, horizon=100, runs=2, seed=7, delay=20)
    assert result.delay == 20
    assert (result.pulls[:, :, -1].sum(axis=2) == 100).all()


def test_a_saved_result_names_it(tmp_path):
    rival = RIVALS[0]
    result = hush.simulate(rival, hush.paper_s1(), horizon=20, runs=2, seed=7)
    result.save(tmp_path / "rival.npz")
    again = hush.Result.load(tmp_path / "rival.npz")
    assert again.policies == (str(rival),) == (repr(rival),)
    assert again.policy_objects == (None,)
    assert pickle.loads(pickle.dumps(rival)).label == rival.label


def test_what_it_refuses():
    for wrong in (bandit.LinUCBDisjoint(), bandit.UCB, 3):
        with pytest.raises(ParameterError, match="without context"):
            from_river(wrong)
    for wrong in (LearningPolicy.LinUCB(), LearningPolicy.UCB1, None):
        with pytest.raises(ParameterError, match="without contexts"):
            from_mabwiser(wrong)
    learner = RIVALS[0].learner(2)
    with pytest.raises(NoDecisionError):
        learner.update(0, 1)
    with pytest.raises(MisuseError, match="no state"):
        learner.state()
    assert learner.statistics is None
    assert learner.releases == ()
    learner.expire(learner.decide())
    settled = RIVALS[0].learner(2, default=0)
    assert settled.expire(settled.decide()) is None
